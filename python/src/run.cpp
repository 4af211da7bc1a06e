// Simulations as Python sees them: what holonom/simulation.py is made of.
#include <pybind11/stl.h>

#include "bindings.hpp"
#include "holonom/model/toml.hpp"
#include "holonom/run/precision.hpp"
#include "model_text.hpp"
#include "simulation.hpp"
#include "words.hpp"

namespace py = pybind11;

namespace holonom {

namespace {

void require(bool good, const std::string& what) {
  if (!good) throw InputError(what);
}

ModelChanges changes_of(const RunSpec& spec) {
  ModelChanges changes(spec.set);
  changes.event = spec.event;
  changes.observe = spec.observe;
  return changes;
}

template <class S>
py::array_t<double> doubles(const Vec<S>& x, std::size_t count) {
  py::array_t<double> array(static_cast<py::ssize_t>(count));
  for (std::size_t i = 0; i < count; ++i) array.mutable_data()[i] = to_double(x[static_cast<int>(i)]);
  array.attr("setflags")(py::arg("write") = false);  // a copy: what is written to it would be lost
  return array;
}
template <class S>
std::vector<std::string> texts(const Vec<S>& x, std::size_t count) {
  std::vector<std::string> list;
  for (std::size_t i = 0; i < count; ++i) list.push_back(to_text(x[static_cast<int>(i)]));
  return list;
}

// The values of the present state by the name of their table
template <class S>
std::pair<const Vec<S>*, std::size_t> table_of(RunOf<S>& run, const std::string& name) {
  const Labels& labels = run.labels();
  if (name == "q") return {&run.state().q, labels.coordinates.size()};
  if (name == "p") return {&run.state().p, labels.momenta()};
  if (name == "lambda") return {&run.driver().multipliers(), labels.constraints.size()};
  if (name == "invariants") return {&run.seen().invariants, labels.invariants.size()};
  if (name == "observed") return {&run.seen().observables, labels.observables.size()};
  throw py::key_error("there is no table '" + name + "'");
}

template <class S>
std::optional<S> number_of(RunOf<S>& run, const std::string& name) {
  if (name == "t") return run.state().t;
  if (name == "energy") return run.seen().energy;
  if (name == "step") return run.h();
  return std::nullopt;
}

template <class S>
py::dict residuals(RunOf<S>& run) {
  py::dict d;
  d["position"] = to_double(run.seen().position.absolute);
  d["hidden"] = to_double(run.seen().hidden.absolute);
  d["position_relative"] = to_double(run.seen().position.relative);
  d["hidden_relative"] = to_double(run.seen().hidden.relative);
  return d;
}

// As `holonom run --json` has it
template <class S>
py::dict result(Run& whole, RunOf<S>& run) {
  const RunResult<S> r = run.result();
  const Labels& labels = run.labels();
  constexpr const char* words[] = {"done", "failed", "interrupted"};
  py::dict d, energy, constraint, invariants, observables, counts, counters;
  d["status"] = words[static_cast<int>(r.status)];
  if (!r.message.empty()) d["message"] = r.message;
  d["model"] = labels.model;
  d["method"] = whole.method().key;
  d["engine"] = whole.engine();
  d["precision"] = precision_name<S>();
  d["step"] = to_double(run.h());
  d["steps"] = r.steps;
  d["t"] = to_double(r.state.t);
  if (run.system().has_energy()) {
    energy["initial"] = to_double(r.energy_initial);
    energy["final"] = to_double(r.energy_final);
    energy["max_error"] = to_double(r.energy_error);
    d["energy"] = energy;
  } else {
    d["energy"] = py::none();
  }
  constraint["position_max"] = to_double(r.position);
  constraint["hidden_max"] = to_double(r.hidden);
  constraint["position_relative_max"] = to_double(r.position_relative);
  constraint["hidden_relative_max"] = to_double(r.hidden_relative);
  d["constraint"] = constraint;
  for (int k = 0; k < r.invariant_initial.size(); ++k) {
    py::dict one;
    one["initial"] = to_double(r.invariant_initial[k]);
    one["max_error"] = to_double(r.invariant_error[k]);
    if (const auto& trend = r.invariant_trend[static_cast<std::size_t>(k)]) {
      one["drift"] = to_double(trend->drift);
      one["rms"] = to_double(trend->rms);
    }
    if (const std::string& doubt = r.invariant_doubt[static_cast<std::size_t>(k)]; !doubt.empty())
      one["remark"] = doubt;
    invariants[py::str(labels.invariants[static_cast<std::size_t>(k)])] = one;
  }
  d["invariants"] = invariants;
  for (std::size_t k = 0; k < r.observables.size(); ++k) {
    const ObservableSummary<S>& seen = r.observables[k];
    py::dict one;
    one["initial"] = to_double(seen.initial);
    one["final"] = to_double(seen.last);
    one["mean"] = to_double(seen.mean);
    one["min"] = to_double(seen.least);
    one["max"] = to_double(seen.largest);
    observables[py::str(labels.observables[k])] = one;
  }
  d["observables"] = observables;
  const Events<S> events = run.events();
  for (std::size_t k = 0; k < events.formulas.size(); ++k)
    counts[py::str(events.formulas[k].name)] = events.counts[k].total();
  d["event_counts"] = counts;
  d["wall_seconds"] = r.wall_seconds;
  return d;
}

}  // namespace

void require_threads(int threads) {
  require(threads >= 1 && threads <= most_threads,
          "threads: it must be a number from 1 to " + std::to_string(most_threads));
}

RunSpec spec_of(const py::dict& options) {
  RunSpec spec;
  spec.steps = open_end;
  spec.extend = true;  // a run without an end goes on from one that had an end
  spec.checkpoint = 60;
  for (const auto& [key, value] : options) {
    const auto name = py::cast<std::string>(key);
    const auto text = [&, v = value] { return py::cast<std::string>(v); };
    const auto list = [&, v = value] { return py::cast<std::vector<std::string>>(v); };
    if (name == "method")
      spec.method = text();
    else if (name == "step")
      spec.step = text();
    else if (name == "set")
      spec.set = py::cast<Overrides>(value);
    else if (name == "event")
      spec.event = list();
    else if (name == "observe")
      spec.observe = list();
    else if (name == "stop_at")
      spec.stop_at = list();
    else if (name == "precision")
      spec.precision = precision_of(text());
    else if (name == "engine")
      spec.engine = engine_of(text());
    else if (name == "formulation")
      spec.formulation = text();
    else if (name == "alpha")
      spec.alpha = text();
    else if (name == "chart")
      spec.chart = text();
    else if (name == "projection")
      spec.projection = text();
    else if (name == "project_every")
      spec.project_every = py::cast<long>(value);
    else if (name == "tolerance")
      spec.tolerance = py::cast<double>(value);
    else if (name == "newton")
      spec.newton = newton_of(text());
    else if (name == "compensated")
      spec.compensated = py::cast<bool>(value);
    else if (name == "threads")
      spec.threads = py::cast<int>(value);
    else if (name == "every")
      spec.every = py::cast<long>(value);
    else if (name == "sample")
      spec.sample = text();
    else if (name == "multipliers")
      spec.stage_multipliers = choice<bool>(name, text(), {{"exact", false}, {"stage", true}});
    else if (name == "watch")
      spec.watch_all = choice<bool>(name, text(), {{"all", true}, {"recorded", false}});
    else if (name == "wedge")
      spec.wedge = py::cast<bool>(value);
    else if (name == "tangent")
      spec.tangent = list();
    else if (name == "shadow")
      spec.shadow = py::cast<int>(value);
    else if (name == "out")
      spec.out = text();
    else if (name == "events_out")
      spec.events_out = text();
    else if (name == "force")
      spec.force = py::cast<bool>(value);
    else if (name == "checkpoint")
      spec.checkpoint = py::cast<double>(value);
    else if (name == "resume")
      spec.resume = py::cast<bool>(value);
    else
      throw InputError("there is no option '" + name + "'");
  }
  require(spec.tolerance >= 0 && spec.tolerance < 1, "tolerance: it must be a number from 0 to 1");
  require_threads(spec.threads);
  require(spec.every >= 0, "every: it must be a positive number of steps");
  require(spec.project_every >= 1, "project_every: it must be a positive number of steps");
  require(spec.checkpoint >= 0, "checkpoint: it must be a number of seconds, or 0 for none");
  require(!(spec.resume && spec.force), "resume and force contradict each other");
  return spec;
}

void bind_run(py::module_& m) {
  bind_trajectory(m);

  m.def(
      "read_model",
      [](const std::string& path, const py::dict& options) {
        return std::make_shared<Model>(load_model(path, changes_of(spec_of(options))));
      },
      py::arg("path"), py::arg("options"));
  m.def(
      "read_model_text",
      [](const std::string& text, const std::string& name, const py::dict& options) {
        return std::make_shared<Model>(parse_model(text, name, changes_of(spec_of(options))));
      },
      py::arg("text"), py::arg("name"), py::arg("options"));
  m.def("model_source", [](const Model& model) {
    return py::make_tuple(source_of(model), model.files.empty() ? model.name : model.files.front());
  });

  py::class_<Simulation>(m, "SimulationCore")
      .def(py::init([](const Model& model, const py::dict& options) {
             return std::make_unique<Simulation>(model, spec_of(options));
           }),
           py::arg("model"), py::arg("options"))
      .def("copy", &Simulation::copy)
      .def("steps_until", &Simulation::steps_until, py::arg("until"), py::arg("what") = "until")
      .def(
          "advance",
          [](Simulation& s, long count, long every, std::optional<std::string> sample, bool record, py::object progress,
             py::object callback, long callback_every) {
            const Simulation::Request request{
                every, std::move(sample), record, std::move(progress), std::move(callback), callback_every};
            const Simulation::Outcome outcome = s.advance(count, request);
            constexpr const char* words[] = {"done", "failed", "interrupted"};
            return py::make_tuple(words[static_cast<int>(outcome.status)], outcome.message, outcome.stopped);
          },
          py::arg("count"), py::arg("every"), py::arg("sample"), py::arg("record"), py::arg("progress"),
          py::arg("callback"), py::arg("callback_every"))
      .def_property_readonly("last", &Simulation::last)
      .def("set_state", &Simulation::set_state, py::arg("q"), py::arg("p"), py::arg("v"), py::arg("project"))
      .def("values",
           [](Simulation& s, const std::string& name) {
             return s.with([&]<class S>(RunOf<S>& run) -> py::object {
               if (const auto x = number_of(run, name)) return py::float_(to_double(*x));
               const auto [x, count] = table_of(run, name);
               return doubles(*x, count);
             });
           })
      .def("texts",
           [](Simulation& s, const std::string& name) {
             return s.with([&]<class S>(RunOf<S>& run) -> py::object {
               if (const auto x = number_of(run, name)) return py::str(to_text(*x));
               const auto [x, count] = table_of(run, name);
               return py::cast(texts(*x, count));
             });
           })
      .def_property_readonly(
          "residuals", [](Simulation& s) { return s.with([]<class S>(RunOf<S>& run) { return residuals(run); }); })
      .def_property_readonly(
          "result", [](Simulation& s) { return s.with([&]<class S>(RunOf<S>& run) { return result(s.run(), run); }); })
      .def_property_readonly(
          "names", [](Simulation& s) { return s.with([]<class S>(RunOf<S>& run) { return names_of(run.labels()); }); })
      .def_property_readonly("steps", [](Simulation& s) { return s.with([](auto& run) { return run.done(); }); })
      .def_property_readonly("every", [](Simulation& s) { return s.with([](auto& run) { return run.every(); }); })
      .def_property_readonly(
          "failed", [](Simulation& s) { return s.with([](auto& run) { return run.status() == RunStatus::failed; }); })
      .def_property_readonly("has_energy",
                             [](Simulation& s) { return s.with([](auto& run) { return run.system().has_energy(); }); })
      .def_property_readonly("method", [](Simulation& s) { return s.run().method().key; })
      .def_property_readonly("engine", [](Simulation& s) { return s.run().engine(); })
      .def_property_readonly("model", [](Simulation& s) { return s.model(); })
      .def_property_readonly("warnings", [](Simulation& s) { return s.run().warnings(); })
      .def_property_readonly("remarks",
                             [](Simulation& s) {
                               s.require_idle();
                               return s.run().remarks();
                             })
      .def("memory", [](Simulation& s) { return py::bytes(s.memory()); })
      .def("load_memory", [](Simulation& s, const py::bytes& bytes) { s.load_memory(std::string(bytes)); })
      .def("save",
           [](Simulation& s, const std::string& path) {
             s.require_open();
             s.run().save(path);
           })
      .def("load",
           [](Simulation& s, const std::string& path) {
             s.require_between_runs();
             s.run().load(path);
           })
      .def("finish", &Simulation::finish);

  bind_ensemble(m);
}

}  // namespace holonom
