// What is looked at before a first step: the method, the engine, the length of the run, the rank of the constraints.
#pragma once

#include <algorithm>
#include <cstdio>

#include "holonom/methods/registry.hpp"
#include "holonom/model/model_system.hpp"
#include "holonom/model/start.hpp"
#include "holonom/run/driver.hpp"
#include "holonom/run/run_spec.hpp"

namespace holonom {

std::string shorten(const auto& x) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.10g", to_double(x));
  return buffer;
}

// Throws InputError; `place` says where the key was written: how the message begins.
MethodEntry find_method(const std::string& key, const std::string& place);
// The method of a spec, or of the model, with its projection.
MethodEntry find_method(const RunSpec& spec, const Model& model);

// What to do about a step that fails, with a method that is not for constraints on a system that has some.
std::string advice_without_constraints(const MethodInfo& info, const RunSpec& spec);

// Whether to make native code for a run with so many substeps in all. Throws InputError if it is asked for and not
// there; `what` is how that was asked for.
bool use_native(EngineChoice engine, Precision precision, const Model& model, double substeps, const std::string& what);
inline std::string engine_name(bool native) { return native ? "llvm" : "interp"; }

// Step, end and method of the spec take the place of those of the model.
void replace_formulas(const RunSpec& spec, Model& model);

// Redundant constraints and ranks that are not clear, in words. Throws InputError if the start is a singular position,
// or the constraints are redundant and a method is on a formulation that is not for such. `place`: where the start was
// given. Ranks are decided in double.
std::vector<std::string> rank_remarks_in_double(const AnySystem<double>& sys, const State<double>& x,
                                                const std::string& place, const std::vector<MethodInfo>& used);
template <class S>
std::vector<std::string> rank_remarks(const AnySystem<S>& sys, const State<S>& start, const std::string& place,
                                      const std::vector<MethodInfo>& used) {
  State<double> x(sys.n(), sys.m());
  for (int i = 0; i < sys.n(); ++i) {
    x.q[i] = to_double(start.q[i]);
    x.p[i] = to_double(start.p[i]);
  }
  return rank_remarks_in_double(*sys.template in<double>(), x, place, used);
}

template <class S>
void check_step(const S& h, const std::string& place) {
  if (!is_finite(h) || h == S(0)) throw InputError(place + "the step must be a finite number other than zero");
}

// The step of the spec, or of the model
template <class S>
S step_of(const Start<S>& start, const RunSpec& spec, const Model& model) {
  if (!start.step)
    throw InputError("no step size: give " + spec.name_of("step") + ", or step in [integrate] of the model");
  check_step(*start.step, model.place("integrate.step"));
  return *start.step;
}

// Whole steps of h in [0, until], and whether these are all of it.
struct StepCount {
  long steps = 0;
  bool exact = true;
};
template <class S>
StepCount count_steps(const S& until, const S& h, const std::string& place) {
  if (!is_finite(until)) throw InputError(place + "the end of the run must be a finite number");
  if (until / h < S(0))
    throw InputError(place + "until = " + shorten(until) + " is never reached with the step " + shorten(h) +
                     "; both must have the same sign");
  if (to_double(S(until / h)) > 9e18)
    throw InputError(place + "the end of the run is more steps away than can be counted");
  const long steps = whole_steps(until, h);
  const S rest = until - S(steps) * h;
  return {steps, !(magnitude(rest) > std::min(magnitude(h), magnitude(until)) * Real<S>(1e-6))};
}

// The number of steps of the spec, or of the model, and after how many of them a state is recorded. Warns if the end is
// no multiple of the step.
struct RunLength {
  long steps = 0, every = 1;
};
template <class S>
RunLength length_of(const Start<S>& start, const RunSpec& spec, const Model& model,
                    std::vector<std::string>& warnings) {
  RunLength length{spec.steps, spec.every > 0 ? spec.every : model.every};
  if (length.steps >= 0) return length;
  if (!start.until)
    throw InputError("no end of the run: give " + spec.name_of("until") + " or " + spec.name_of("steps") +
                     ", or until in [integrate] of the model");
  const S h = step_of(start, spec, model);
  const StepCount count = count_steps(*start.until, h, model.place("integrate.until"));
  length.steps = count.steps;
  if (!count.exact)
    warnings.push_back("until = " + shorten(*start.until) +
                       " is no multiple of the step: the run ends at t = " + shorten(S(S(length.steps) * h)));
  return length;
}

}  // namespace holonom
