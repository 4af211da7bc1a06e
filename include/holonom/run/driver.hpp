// The driver owns time, the step count and the last good state. It never changes h by itself.
#pragma once

#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "holonom/analysis/manifold.hpp"
#include "holonom/methods/any_method.hpp"

namespace holonom {

enum class RunStatus { done, failed, interrupted };

// What is known of a state beside the state itself.
template <class S>
struct Observation {
  S energy{0};
  Residual<Real<S>> position, hidden;
  Vec<S> invariants, observables;
};

// An observable over the states that were watched. The mean is that over time, by the trapezoidal rule.
template <class S>
struct ObservableSummary {
  S initial{0}, last{0}, mean{0}, least{0}, largest{0};
};

// A recorder that can no longer write. The run ends as a failure, with its last state.
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Sees the states that are recorded: the first, every k-th, and the last good one.
template <class S>
class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual void record(const State<S>& x, const Observation<S>& seen) = 0;
  virtual void flush() {}
};

struct RunPlan {
  long steps = 0;
  long every = 1;
  bool watch_all = true;  // observe every step; if not, the recorded ones only, and let the method save work between
  bool retry = true;      // a step that fails is tried once more after `begin`; not for methods with a history
  bool stage_multipliers = false;                // record Λ_s where the method has it, instead of the exact λ(q, p)
  const std::atomic<bool>* interrupt = nullptr;  // set from a signal handler
  const bool* stop = nullptr;                  // set by a recorder: the run is done with the step that it has just seen
  std::string advice = "Try a smaller step.";  // what to do about a step that fails for no reason of its own
  std::function<void(long done, long steps)> progress;  // called now and then
};

template <class S>
struct RunResult {
  RunStatus status = RunStatus::done;
  std::string message;  // what went wrong, where, and what to try
  State<S> state;       // the last good one, with its multipliers
  long steps = 0;
  S energy_initial{0}, energy_final{0};
  Real<S> energy_error{0}, position{0}, position_relative{0}, hidden{0},
      hidden_relative{0};  // largest over all steps that were watched
  Vec<S> invariant_initial;
  Vec<Real<S>> invariant_error;
  std::vector<long> invariant_undefined;  // for each, the first step after which it was not finite, or −1
  std::vector<ObservableSummary<S>> observables;
  Counters counters;
  double wall_seconds = 0;
};

// Runs from x with steps of h. Nothing is thrown for numerical failures: the result says.
template <class S>
RunResult<S> run(const AnySystem<S>& sys, AnyMethod<S>& method, State<S> x, const S& h, const RunPlan& plan,
                 const std::vector<Recorder<S>*>& recorders = {});

// The number of whole steps of h in [0, until], rounding errors of the quotient forgiven.
template <class S>
long whole_steps(const S& until, const S& h);

}  // namespace holonom
