// Results about models: check, methods, compare, certify, recommend, stability. Each is an object with the JSON and the
// text that the program prints; python/holonom makes tables and plots of it.
#include <pybind11/stl.h>

#include "background.hpp"
#include "bindings.hpp"
#include "holonom/analysis/result_text.hpp"
#include "holonom/analysis/short_run.hpp"
#include "holonom/model/model_copy.hpp"
#include "holonom/view/page.hpp"
#include "holonom/view/report.hpp"
#include "words.hpp"

namespace py = pybind11;
using namespace py::literals;

namespace holonom {

namespace {

using Words = std::vector<std::string>;
using Word = std::optional<std::string>;

struct Result {
  std::string json, text;
  Words warnings;
};
struct CertificateResult : Result {
  Model model;
  RunSpec spec;
  ModelCertificate made;
};
struct ComparisonResult : Result {
  std::string model_text;
  std::shared_ptr<const ModelComparison> of;
  Comparison made;
};

// ---- words of arguments

double tolerance_of(double x) {
  if (!(x >= 0 && x < 1)) throw InputError("tolerance " + to_text(x) + ": not a number from 0 to 1");
  return x;
}
long at_least(long least, const char* argument, long x) {
  if (x < least)
    throw InputError(std::string(argument) + " " + std::to_string(x) + ": not a whole number, at least " +
                     std::to_string(least));
  return x;
}

// ---- what there is

Result check(const Model& model) {
  return in_background([model = own_copy(model)]() mutable -> Result {
    const ModelReport report = report_of(ModelSystem<double>(compile(std::move(model))));
    return {json_of(report), outline_text(report) + findings_text(report),
            report.obstacle.empty() ? Words() : Words{report.obstacle}};
  });
}

Result methods_of(const std::string& key, const Model* model) {
  if (!model) {
    const MethodList list = list_methods(key);
    return {json_of(list), text_of(list), {}};
  }
  return in_background([&key, model = own_copy(*model)]() mutable -> Result {
    const std::string name = model.name;
    const ModelSystem<double> sys(compile(std::move(model)));
    const MethodList list = list_methods(key, &sys, name);
    return {json_of(list), text_of(list), {}};
  });
}

ComparisonResult compare_methods(const Model& model, const Words& methods, const Words& steps, const Word& until,
                                 const Word& reference, const Words& formulations, const std::string& precision,
                                 const std::string& engine, const std::string& newton, double tolerance,
                                 std::optional<int> threads) {
  CompareSpec spec;
  spec.methods = methods;
  spec.formulations = formulations;
  spec.steps = steps;
  spec.until = until;
  spec.reference = reference;
  spec.precision = precision_of(precision);
  spec.engine = engine_of(engine);
  spec.newton = newton_of(newton);
  spec.tolerance = tolerance_of(tolerance);
  if (threads && !(*threads >= 1 && *threads <= 64))
    throw InputError("threads " + std::to_string(*threads) + ": not a number from 1 to 64");
  spec.threads = threads.value_or(0);
  spec.steps_name = "steps";
  return in_background([&spec, model = own_copy(model)]() mutable {
    ComparisonResult result;
    result.model_text = model.text;
    const auto comparison = std::make_shared<ModelComparison>(std::move(model), spec);
    result.made = comparison->compare();
    result.warnings = comparison->warnings();
    for (std::string& remark : comparison->remarks(result.made)) result.warnings.push_back(std::move(remark));
    result.json = json_of(*comparison, result.made);
    result.text = text_of(*comparison, result.made);
    result.of = comparison;
    return result;
  });
}

CertificateResult certify_method(const Model& model, const Word& method, const Word& step, bool advice, bool order,
                                 const std::string& formulation, const Word& alpha, const Word& chart,
                                 const std::string& projection, long project_every, const std::string& precision,
                                 const std::string& engine, const std::string& newton, double tolerance) {
  RunSpec spec;
  spec.method = method;
  spec.step = step;
  spec.formulation = formulation;
  spec.alpha = alpha;
  spec.chart = chart;
  spec.projection = projection;
  spec.project_every = at_least(1, "project_every", project_every);
  spec.precision = precision_of(precision);
  spec.engine = engine_of(engine);
  spec.newton = newton_of(newton);
  spec.tolerance = tolerance_of(tolerance);
  return in_background([&spec, advice, order, model = own_copy(model)]() mutable {
    ModelCertificate made = certify_model(own_copy(model), spec, {.advice = advice, .order = order});
    return CertificateResult{
        {json_of(made), text_of(made), made.warnings}, std::move(model), std::move(spec), std::move(made)};
  });
}

Result recommend_method(const Model& model, double accuracy, const Word& until, const std::string& quantity,
                        const std::string& engine) {
  RunSpec spec;
  spec.accuracy = accuracy;
  spec.until = until;
  spec.quantity = quantity;
  spec.engine = engine_of(engine);
  return in_background([&spec, model = own_copy(model)]() mutable -> Result {
    const ModelRecommendation made = recommend_for_model(std::move(model), spec);
    Words warnings = made.warnings;
    if (made.made.methods.empty()) warnings.push_back(made.why_none());
    return {json_of(made), text_of(made), std::move(warnings)};
  });
}

Result stability_of(const Model& model, const std::string& formulation, const Word& alpha, const Word& step,
                    const Word& until, std::optional<long> steps, std::optional<long> every) {
  RunSpec spec;
  spec.formulation = formulation;
  spec.alpha = alpha;
  spec.step = step;
  spec.until = until;
  if (steps && until) throw InputError("steps: until is given as well; leave one of them out");
  if (steps) spec.steps = at_least(0, "steps", *steps);
  if (every) spec.every = at_least(1, "every", *every);
  return in_background([&spec, model = own_copy(model)]() mutable -> Result {
    const ModelStability made = model_stability(std::move(model), spec);
    Words warnings = made.warnings;
    if (!made.report.failure.empty()) warnings.push_back(made.report.failure);
    return {json_of(made), text_of(made), std::move(warnings)};
  });
}

py::dict series_of(const CertificateResult& certificate) {
  const ShortRun run = in_background([&] { return short_run(own_copy(certificate.model), certificate.spec); });
  py::dict invariants;
  for (std::size_t k = 0; k < run.invariant_names.size(); ++k)
    invariants[py::str(run.invariant_names[k])] = run.invariant_error[k];
  return py::dict("t"_a = run.t, "energy_error"_a = run.has_energy ? py::cast(run.energy_error) : py::none(),
                  "position"_a = run.constraints > 0 ? py::cast(run.position) : py::none(),
                  "hidden"_a = run.constraints > 0 ? py::cast(run.hidden) : py::none(), "invariants"_a = invariants);
}

// ---- pages

py::tuple page_of_run(const std::string& file, const std::string& model, const std::string& events, long rows,
                      bool certify) {
  PageSpec spec;
  spec.file = file;
  spec.model = model;
  spec.events = events;
  spec.limits.rows = static_cast<std::size_t>(at_least(2, "rows", rows));
  spec.certify = certify;
  const RunPage page = run_page(spec);  // with the lock: HDF5 is for one thread at a time
  return py::make_tuple(page.html, page.warnings);
}

}  // namespace

void bind_analysis(py::module_& m) {
  py::class_<Result>(m, "Result", "What the library found: as JSON, as the program's text, and warnings.")
      .def_readonly("json", &Result::json)
      .def_readonly("text", &Result::text)
      .def_readonly("warnings", &Result::warnings);
  py::class_<CertificateResult, Result>(m, "CertificateResult")
      .def("series", &series_of, "A short run with the method and the step: errors and residuals after each step.")
      .def("page", [](const CertificateResult& c) {
        return in_background([&] { return certificate_page(c.made, own_copy(c.model), c.spec); });
      });
  py::class_<ComparisonResult, Result>(m, "ComparisonResult").def("page", [](const ComparisonResult& c) {
    return in_background([&] { return comparison_page(*c.of, c.made, c.model_text); });
  });

  m.def("check", &check, "model"_a);
  m.def("methods", &methods_of, "key"_a, "model"_a);
  m.def("compare", &compare_methods, "model"_a, "methods"_a, "steps"_a, "until"_a, "reference"_a, "formulations"_a,
        "precision"_a, "engine"_a, "newton"_a, "tolerance"_a, "threads"_a);
  m.def("certify", &certify_method, "model"_a, "method"_a, "step"_a, "advice"_a, "order"_a, "formulation"_a, "alpha"_a,
        "chart"_a, "projection"_a, "project_every"_a, "precision"_a, "engine"_a, "newton"_a, "tolerance"_a);
  m.def("recommend", &recommend_method, "model"_a, "accuracy"_a, "until"_a, "quantity"_a, "engine"_a);
  m.def("stability", &stability_of, "model"_a, "formulation"_a, "alpha"_a, "step"_a, "until"_a, "steps"_a, "every"_a);
  m.def("require_view", &require_view, "Raises InputError where there are no pages, with what to install.");
  m.def("run_page", &page_of_run, "file"_a, "model"_a, "events"_a, "rows"_a, "certify"_a);
}

}  // namespace holonom
