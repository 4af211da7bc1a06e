#include "holonom/analysis/model_comparison.hpp"

#include <algorithm>
#include <limits>
#include <thread>

#include "holonom/methods/formulated_key.hpp"
#include "holonom/model/constants.hpp"
#include "holonom/model/start.hpp"
#include "holonom/model/toml.hpp"
#include "holonom/run/precision.hpp"
#include "holonom/run/preparation.hpp"

namespace holonom {

namespace {

// All runs end at the same time to the last digit: the step is until/N, for a written one that is as good as that.
template <class S>
typename ComparisonPlan<S>::Run run_of(const S& h, const std::string& place, const S& until,
                                       const std::optional<std::string>& until_text, const std::string& until_place) {
  check_step(h, place);
  const auto [below, exact] = count_steps(until, h, until_place);
  for (const long steps : {below, below + 1})
    if (steps > 0 && magnitude(S(until - S(steps) * h)) <= magnitude(h) * Real<S>(1e-6))
      return {S(until / S(steps)), steps};
  if (exact) throw InputError(until_place + "there is nothing to compare before the first step");
  const std::string such = std::to_string(below + 1);
  throw InputError(place + "the step does not divide until = " + shorten(until) +
                   ", and errors at different times cannot be compared. Take a step that does, such as " +
                   (until_text ? "(" + *until_text + ")/" + such + " = " : "") + shorten(S(until / S(below + 1))));
}

Model load(const CompareSpec& spec) {
  ModelChanges changes(spec.set);
  changes.prefix = spec.prefix;
  return load_model(spec.model, changes);
}

}  // namespace

ModelComparison::ModelComparison(const CompareSpec& spec) : ModelComparison(load(spec), spec) {}

ModelComparison::ModelComparison(Model model, CompareSpec spec) : spec_(std::move(spec)) {
  find_methods();
  std::vector<NodeId> values;  // of the steps, of `until`, and of the step of the reference
  for (const std::string& formula : spec_.steps) values.push_back(model.constant(formula, spec_.name_of_steps()));
  if (values.empty()) {
    if (!model.step)
      throw InputError("no step sizes: give " + spec_.name_of_steps() + ", or step in [integrate] of the model");
    values.push_back(*model.step);
  }
  if (!spec_.until && !model.until)
    throw InputError("no end of the runs: give " + spec_.name_of("until") + ", or until in [integrate] of the model");
  values.push_back(spec_.until ? model.constant(*spec_.until, spec_.name_of("until")) : *model.until);
  if (spec_.reference) {
    const std::string what = spec_.name_of("reference") + " " + *spec_.reference + ": ";
    const auto colon = spec_.reference->rfind(':');
    if (colon == std::string::npos) throw InputError(what + "write it as METHOD:STEP, such as kahan-li-8:0.001");
    reference_ = find_method(spec_.reference->substr(0, colon), what);
    values.push_back(model.constant(spec_.reference->substr(colon + 1), spec_.name_of("reference")));
  }
  const auto compiled = compile(std::move(model));
  in_precision(spec_.precision, [&]<class S> { put_together<S>(compiled, values); });
}

void ModelComparison::find_methods() {
  const auto listed = [&](const char* field, const std::vector<std::string>& words) {
    std::string list;
    for (const std::string& word : words) list += (list.empty() ? "" : ",") + word;
    return spec_.name_of(field) + " " + list + ": ";
  };
  if (spec_.methods.empty()) throw InputError("no methods: give " + spec_.name_of("methods") + ", such as rattle");
  for (const std::string& key : spec_.methods) {
    const MethodEntry direct = find_method(key, listed("methods", spec_.methods));
    if (spec_.formulations.empty()) methods_.push_back(direct);
    for (const std::string& formulation : spec_.formulations) {
      if (formulation == "direct") {
        methods_.push_back(direct);
        continue;
      }
      const std::string whole = key + "@" + formulation;
      try {
        (void)FormulatedKey::parse(whole);  // what is no formulation is a mistake
      } catch (const InputError& e) {
        throw InputError(listed("formulations", spec_.formulations) + e.what());
      }
      try {
        methods_.push_back(methods().find(whole));
      } catch (const InputError& e) {  // what does not go together is left out
        warnings_.push_back("left out: " + std::string(e.what()));
      }
    }
  }
  if (methods_.empty())
    throw InputError(listed("formulations", spec_.formulations) + "no method goes together with these; " +
                     warnings_.front());
  if (spec_.newton != StageMatrix::automatic &&
      std::none_of(methods_.begin(), methods_.end(), [](const MethodEntry& m) { return m.info.stages > 0; }))
    warnings_.push_back(spec_.name_of("newton") + ": none of these methods has implicit stages to make use of it");
}

template <class S>
void ModelComparison::put_together(const std::shared_ptr<const CompiledModel>& compiled,
                                   const std::vector<NodeId>& nodes) {
  const Model& model = compiled->model();
  const std::vector<S> values = evaluate_constants<S>(model, nodes);
  const std::size_t count = std::max<std::size_t>(1, spec_.steps.size());
  ComparisonPlan<S> plan;
  plan.methods = methods_;
  plan.options.newton = {.tolerance = spec_.tolerance, .matrix = spec_.newton};
  plan.threads = spec_.threads > 0 ? spec_.threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  plan.until = values[count];
  const std::string until_place =
      spec_.until ? spec_.name_of("until") + " " + *spec_.until + ": " : model.place("integrate.until");
  const auto to_the_end = [&](const S& h, const std::string& place) {
    return run_of(h, place, plan.until, spec_.until, until_place);
  };
  for (std::size_t k = 0; k < count; ++k) {
    plan.runs.push_back(to_the_end(values[k], spec_.steps.empty()
                                                  ? model.place("integrate.step")
                                                  : spec_.name_of_steps() + " " + spec_.steps[k] + ": "));
    step_digits_.push_back(to_text(plan.runs.back().h));
  }
  if (reference_)
    plan.reference = {*reference_,
                      to_the_end(values.back(), spec_.name_of("reference") + " " + *spec_.reference + ": ")};

  // Steps are timed: by the code that long runs have.
  constexpr double substeps = std::numeric_limits<double>::infinity();
  const bool native = use_native(spec_.engine, spec_.precision, model, substeps, spec_.name_of("engine") + " llvm");
  const auto sys = std::make_shared<const ModelSystem<S>>(compiled, native ? Engine::native : Engine::interpreter);
  const Start<S> start = initial_state(*sys);
  labels_ = sys->labels();
  precision_ = precision_name<S>();
  engine_ = engine_name(native);
  until_ = to_double(plan.until);
  until_digits_ = to_text(plan.until);
  epsilon_ = to_double(epsilon<S>());
  std::vector<MethodInfo> used;
  for (const MethodEntry& m : methods_) used.push_back(m.info);
  for (std::string& remark : rank_remarks<S>(*sys, start.state, model.place("initial.q"), used))
    warnings_.push_back(std::move(remark));
  inputs_ = model.files;
  for (const MethodEntry& m : methods_)
    if (!m.info.file.empty()) inputs_.push_back(m.info.file);
  for (const std::string& name : labels_.invariants) invariant_places_.push_back(model.place("invariants." + name));
  compare_ = [sys, start, plan] { return holonom::compare<S>(*sys, start.state, plan); };
}

Comparison ModelComparison::compare() {
  try {
    return compare_();
  } catch (const NoReference& e) {
    if (spec_.reference) throw InputError(spec_.name_of("reference") + " " + *spec_.reference + ": " + e.what());
    throw InputError(std::string("there is no reference: ") + e.what() + ". Take a shorter " + spec_.name_of("until") +
                     ", or give " + spec_.name_of("reference") + " METHOD:STEP");
  }
}

std::vector<std::string> ModelComparison::remarks(const Comparison& made) const {
  std::vector<std::string> list;
  const double worst = std::max(made.accuracy.q, made.accuracy.p);
  for (const ComparisonRow& row : made.rows)
    if (const double least = std::min(row.error.q, row.error.p);
        row.status == ComparisonRow::Status::done && worst > 0.1 * least && least > 100 * epsilon_) {
      list.push_back("the reference has an error of " + shorten(worst) +
                     " itself: errors that are not far above mean little. Take a shorter " + spec_.name_of("until") +
                     ", or a better " + spec_.name_of("reference"));
      break;
    }
  for (std::size_t k = 0; k < labels_.invariants.size(); ++k)
    for (const ComparisonRow& row : made.rows)
      if (row.status == ComparisonRow::Status::done && !is_finite(row.invariants[k])) {
        list.push_back(invariant_places_[k] + "invariant '" + labels_.invariants[k] +
                       "' is not finite at some states: whether it is kept is not known");
        break;
      }
  return list;
}

}  // namespace holonom
