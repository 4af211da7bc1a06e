// RunOf, for the translation units that instantiate it.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "holonom/expr/graph.hpp"
#include "holonom/expr/parser.hpp"
#include "holonom/methods/substeps.hpp"
#include "holonom/model/constants.hpp"
#include "holonom/run/outputs.hpp"
#include "holonom/run/preparation.hpp"
#include "holonom/run/run_of.hpp"
#include "holonom/run/shadow.hpp"
#include "holonom/run/wedge.hpp"
#include "holonom/version.hpp"

namespace holonom {

template <class S>
RunOf<S>::RunOf(const RunSpec& spec, std::shared_ptr<const CompiledModel> compiled, std::optional<NodeId> sample)
    : RunOf(spec, std::move(compiled), sample, nullptr) {}

template <class S>
RunOf<S>::RunOf(const RunSpec& spec, std::shared_ptr<const CompiledModel> compiled, const State<S>& start)
    : RunOf(spec, std::move(compiled), std::nullopt, &start) {}

template <class S>
Start<S> RunOf<S>::find_start(const State<S>* given) const {
  if (!given) return initial_state(*system_);
  Start<S> start = initial_state<S>(*system_, *given);
  Vec<S> q(system_->n()), motion(system_->n()), defaults(model().step.has_value() + model().until.has_value());
  system_->start(q, motion, defaults);
  if (model().step) start.step = defaults[0];
  if (model().until) start.until = defaults[model().step ? 1 : 0];
  return start;
}

template <class S>
RunOf<S>::RunOf(const RunSpec& spec, std::shared_ptr<const CompiledModel> compiled, std::optional<NodeId> sample,
                const State<S>* given)
    : spec_(spec), system_(std::make_unique<ModelSystem<S>>(compiled, Engine::interpreter)) {
  const Start<S> start = find_start(given);
  start_ = start.state;
  h_ = step_of(start, spec_, model());
  const RunLength length = length_of(start, spec_, model(), warnings);
  steps = length.steps;
  every_ = length.every;
  const MethodEntry entry = find_method(spec_, model());
  method = entry.info;
  native = use_native(spec_.engine, spec_.precision, model(), static_cast<double>(steps) * substeps(method).count,
                      spec_.name_of("engine") + " llvm");
  if (native) system_ = std::make_unique<ModelSystem<S>>(std::move(compiled), Engine::native);
  MethodOptions options{.newton = {.tolerance = spec_.tolerance, .matrix = spec_.newton},
                        .threads = spec_.threads,
                        .compensated = spec_.compensated};
  look_at_start();
  method_ = entry.make<S>(*system_, options);
  labels_ = system_->labels();
  if (spec_.wedge || !spec_.tangent.empty()) make_wedge(entry, options);
  if (spec_.shadow != 0) make_shadow(entry, options);
  const bool keeps = !model().keep_q.empty() || !model().keep_v.empty();
  if (start.moved > 0 && !keeps)
    warnings.push_back("project = true moved the initial position onto the constraints, by " + shorten(start.moved) +
                       " at most");
  if (start.energy_lost > 0)
    warnings.push_back("project = true made the initial motion tangent to the constraints, which took " +
                       shorten(start.energy_lost) + " of its energy");
  for (std::string& remark : rank_remarks<S>(*system_, start_, model().place("initial.q"), {method}))
    warnings.push_back(std::move(remark));
  if (sample) {
    interval_ = evaluate_constants<S>(model(), {*sample}).front();
    const std::string what = spec_.name_of("sample") + " " + *spec_.sample + ": ";
    if (!is_finite(*interval_) || !(*interval_ > S(0)))
      throw InputError(what + "the interval must be a positive number");
    constexpr double most_rows = 1e9;
    if (const double rows = std::abs(to_double(S(S(steps) * h_ / *interval_))); rows > most_rows && steps < open_end)
      throw InputError(what + "these are " + shorten(rows) +
                       " rows, more than anyone can keep; take a longer interval");
    if (!spec_.out.empty() && !output_format<S>(spec_.out)->marks_samples)
      warnings.push_back("rows between steps are interpolated; only .h5 files mark them");
  }
  identify();
}

// "x=1,p_y=0.5" as a vector of (q, p)
template <class S>
Gradient<S> RunOf<S>::tangent_vector(const std::string& text) const {
  const std::string what = spec_.name_of("tangent") + " " + text + ": ";
  std::vector<std::string> names;
  for (const char* prefix : {"", "p_"})
    for (const std::string& name : labels_.coordinates) names.push_back(prefix + name);
  Gradient<S> vector(system_->n());
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto equals = part.find('=');
    const std::string name = part.substr(0, equals);
    const auto found = std::find(names.begin(), names.end(), name);
    if (equals == std::string::npos)
      throw InputError(what + "write what each coordinate changes by, such as " + names.front() + "=1");
    if (found == names.end())
      throw InputError(what + "there is no coordinate '" + name + "'." + suggestion(name, names, "Coordinates"));
    const int i = static_cast<int>(found - names.begin());
    S& entry = i < system_->n() ? vector.q[i] : vector.p[i - system_->n()];
    try {
      entry = exact_number<S>(exact_text(part.substr(equals + 1)));
    } catch (const std::invalid_argument&) {
      throw InputError(what + "'" + part.substr(equals + 1) + "' is not a number");
    }
  }
  return vector;
}

template <class S>
void RunOf<S>::make_wedge(const MethodEntry& entry, const MethodOptions& options) {
  const std::string what = spec_.name_of("wedge") + ": ";
  if (!spec_.tangent.empty() && spec_.tangent.size() != 2)
    throw InputError(spec_.name_of("tangent") + ": the wedge product is one of two vectors; give it twice");
  if (system_->is_field())
    throw InputError(what + "a field y' = f(y) has no symplectic form, and no wedge product that it keeps");
  if (spec_.sample)
    throw InputError(what + "tangent vectors are known after steps only, not at the times of " +
                     spec_.name_of("sample"));
  if (system_->m() > OrthogonalProjection<S>::most_constraints)
    throw InputError(what + "for up to " + std::to_string(OrthogonalProjection<S>::most_constraints) + " constraints");
  if constexpr (std::is_same_v<S, double> || std::is_same_v<S, quad>) {
    std::vector<Gradient<S>> chosen;
    for (const std::string& text : spec_.tangent) chosen.push_back(tangent_vector(text));
    accompany("wedge",
              std::make_unique<Wedge<S>>(*system_, system_->template in<Dual<S>>(), entry, options, std::move(chosen)));
  } else {
    throw InputError(what + "tangent vectors are carried along in the precisions double and quad");
  }
}

template <class S>
void RunOf<S>::make_shadow(const MethodEntry& entry, const MethodOptions& options) {
  const std::string what = spec_.name_of("shadow") + " " + std::to_string(spec_.shadow) + ": ";
  if (spec_.shadow < 1 || spec_.shadow > ShadowWeights<S>::most)
    throw InputError(what + "the window has 1 to " + std::to_string(ShadowWeights<S>::most) + " steps");
  if (spec_.sample)
    throw InputError(what + "a shadow energy is known after steps only, not at the times of " +
                     spec_.name_of("sample"));
  if (steps < spec_.shadow)
    throw InputError(what + "the run has " + std::to_string(steps) +
                     " steps, fewer than the window; take a shorter one, or a longer run");
  try {
    accompany("shadow", std::make_unique<Shadow<S>>(*system_, entry, options, *method_, spec_.shadow));
  } catch (const Unsuitable& e) {
    throw InputError(what + e.what());
  }
}

template <class S>
void RunOf<S>::accompany(const std::string& field, std::unique_ptr<Companion<S>> companion) {
  const std::string name = companion->name();
  if (std::find(labels_.invariants.begin(), labels_.invariants.end(), name) != labels_.invariants.end())
    throw InputError(spec_.name_of(field) + ": the model has an invariant of the name '" + name + "'; call it another");
  labels_.invariants.push_back(name);
  companions_.push_back(std::move(companion));
}

// Options that the method makes no use of, and methods that are not for this system
template <class S>
void RunOf<S>::look_at_start() {
  const auto of_no_use = [&](bool asked, const std::string& field, const char* what) {
    if (asked)
      warnings.push_back(spec_.name_of(field) + ": " + method.key + " has " + what + " and makes no use of it");
  };
  of_no_use(spec_.newton != StageMatrix::automatic && method.stages == 0, "newton", "no implicit stages");
  const bool on_chart = method.formulation.starts_with("state-space");
  of_no_use(spec_.threads > 1 && (method.stages < 2 || on_chart), "threads", "no stages to share");
  of_no_use(spec_.stage_multipliers && !method.stage_multipliers, "multipliers stage", "no multipliers of stages");
  if (!method.constrained && system_->m() > 0)
    warnings.push_back(method.key +
                       " is for systems without constraints: with constraints it diverges in general. Try " +
                       spec_.name_of("projection") + " jay, or a lobatto method");
}

// All that the bits of a run depend on, and what its files look like. (Threads change nothing.)
template <class S>
void RunOf<S>::identify() {
  const auto is = [&](const std::string& what, const std::string& value) { identity.emplace_back(what, value); };
  const auto list = [](const std::vector<std::string>& texts) {
    std::string joined;
    for (const std::string& text : texts) joined += (joined.empty() ? "" : ", ") + text;
    return joined;
  };
  const auto content = [](const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return fingerprint(std::string(std::istreambuf_iterator<char>(file), {}));
  };
  // A folder may be moved, with all that is in it.
  const auto name_alone = [](const std::string& path) { return std::filesystem::path(path).filename().string(); };
  const Provenance about = provenance(model(), method.key, h_);
  is("version of holonom", version);
  is("machine", machine_name());
  is("precision", precision_name<S>());
  is("engine", engine_name(native));
  is("model text", model().text);
  for (std::size_t i = 1; i < model().files.size(); ++i)
    is("data file " + name_alone(model().files[i]), content(model().files[i]));
  for (const auto& [name, value] : about.parameters) is("parameter " + name, value);
  is("method", method.key);
  if (!method.file.empty()) is("method file " + name_alone(method.file), content(method.file));
  is("formulation", method.formulation.empty() ? "direct" : method.formulation);
  is("step", about.step);
  is("tolerance", to_text(spec_.tolerance));
  is("compensation", spec_.compensated.value_or(method.compensated) ? "on" : "off");
  is("Newton matrix", std::to_string(static_cast<int>(spec_.newton)));
  is("multipliers", spec_.stage_multipliers ? "stage" : "exact");
  is("wedge", spec_.wedge || !spec_.tangent.empty() ? "on" : "off");
  is("shadow", std::to_string(spec_.shadow));
  is("tangent vectors", list(spec_.tangent));
  is("watch", spec_.watch_all ? "all" : "recorded");
  is("every", std::to_string(every_));
  is("sampling interval", interval_ ? to_text(*interval_) : "");
  is("events", list(spec_.event));
  is("events that stop", list(spec_.stop_at));
  is("observables", list(spec_.observe));
  is("output", name_alone(spec_.out));
  is("output of events", name_alone(spec_.events_out));
  is(run_end, steps == open_end ? "open" : std::to_string(steps) + " steps");
}

template <class S>
Provenance RunOf<S>::about() const {
  Provenance about = provenance(model(), method.key, h_);
  const double rows =
      interval_ ? to_double(S(S(steps) * h_ / *interval_)) : static_cast<double>(steps) / static_cast<double>(every_);
  about.expected_rows = static_cast<long>(std::min(std::abs(rows), 1e9)) + 2;
  about.engine = engine_name(native);
  about.chosen = spec_.chosen;
  if (interval_) about.sample = to_text(*interval_);
  return about;
}

template <class S>
std::unique_ptr<Recorder<S>> RunOf<S>::make_file(OpenMode mode) const {
  if (spec_.out.empty()) return nullptr;
  return output_format<S>(spec_.out)->open({spec_.out, labels_, about(), mode});
}

template <class S>
void RunOf<S>::open(OpenMode mode, const std::atomic<bool>* interrupt_flag, RunListener* listener,
                    std::function<void(long)> now_and_then) {
  const Kept kept{method.keeps_position, method.keeps_hidden};
  std::vector<Recorder<S>*> recorders;
  file_ = make_file(mode);
  if (file_) recorders.push_back(file_.get());
  if (listener) {
    hearing_.emplace(*listener, labels_);
    const Provenance about_it = about();
    hearing_->begin(describe_run(labels_, about_it, precision_name<S>()), about_it.expected_rows, start_);
    recorders.push_back(&*hearing_);
  }
  if (interval_) {
    sampler_ = std::make_unique<Sampler<S>>(*system_, *interval_, recorders, kept);
    if (interrupt_flag) sampler_->interrupt_by(*interrupt_flag);
    recorders = {sampler_.get()};
  }
  watch_.emplace(*system_, kept, spec_.events_out, mode);
  if (watch_->finder) recorders.push_back(&*watch_->finder);
  RunPlan plan{.steps = steps,
               .every = every_,
               .watch_all = spec_.watch_all || !method.one_step,
               .retry = method.one_step,
               .stage_multipliers = spec_.stage_multipliers,
               .interrupt = interrupt_flag,
               .pause = std::move(now_and_then)};
  if (!method.constrained && system_->m() > 0)
    plan.advice = advice_without_constraints(method, spec_);
  else if (spec_.tolerance > 0)
    plan.advice =
        "Try a smaller tolerance, or none: what solves leave is carried from step to step. Or a smaller step.";
  driver_.emplace(*system_, *method_, start_, h_, std::move(plan), std::move(recorders));
  for (const auto& companion : companions_) driver_->accompany(*companion);
}

template <class S>
long RunOf<S>::steps_until(double t) const {
  return whole_steps(S(t - to_double(start_.t)), h_);
}

template <class S>
std::vector<std::string> RunOf<S>::remarks() const {
  std::vector<std::string> list;
  const Events<S> happened = events();
  for (std::size_t k = 0; k < happened.formulas.size(); ++k)
    if (const std::string trouble = complaint(happened.counts[k]); !trouble.empty())
      list.push_back(model().place("events." + happened.formulas[k].name) + "event '" + happened.formulas[k].name +
                     "' " + trouble);
  const auto undefined = [&](const std::string& what, const std::vector<std::string>& names,
                             const std::vector<long>& first, const char* so) {
    for (std::size_t k = 0; k < first.size(); ++k)
      if (const long step = first[k]; step >= 0)
        list.push_back(model().place(what + "s." + names[k]) + what + " '" + names[k] + "' is not finite after step " +
                       std::to_string(step) + " (t = " + shorten(S(S(step) * h_)) + "), and maybe later: " + so);
  };
  undefined("invariant", labels_.invariants, driver_->invariants_undefined(), "whether it is kept is not known");
  undefined("observable", labels_.observables, driver_->observables_undefined(),
            "it has no mean, least or largest value");
  constexpr double large = 0.01;
  if (const double residual = to_double(driver_->largest_residual());
      !method.formulation.empty() && !method.keeps_position && !(residual < large))
    list.push_back("the constraints are violated by up to " + shorten(residual) +
                   " of their terms: this is not the constrained motion any more. Take a shorter step, a " +
                   spec_.name_of("projection") + ", or another " + spec_.name_of("formulation"));
  if (driver_->energy_is_lost())
    list.push_back("the energy changed by " + shorten(driver_->energy_error()) +
                   ", and the largest kinetic energy was " + shorten(driver_->largest_motion()) +
                   ": this is not the motion of the model any more." +
                   (driver_->status() == RunStatus::failed ? "" : " " + driver_->advice()));  // (failures bring it)
  if (happened.may_stop() && !happened.stopped && done() == steps)
    list.push_back("the run was to stop at an event that did not happen: it went to its end");
  return list;
}

}  // namespace holonom
