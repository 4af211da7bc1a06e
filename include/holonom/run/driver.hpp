// The driver owns time, the step count and the last good state. It never changes h by itself.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "holonom/methods/any_method.hpp"
#include "holonom/run/companion.hpp"
#include "holonom/run/recorder.hpp"
#include "holonom/run/time_averages.hpp"

namespace holonom {

enum class RunStatus { done, failed, interrupted };

struct RunPlan {
  long steps = 0;
  long every = 1;
  bool watch_all = true;  // observe every step; if not, the recorded ones only, and let the method save work between
  bool retry = true;      // a step that fails is tried once more (once_more); not for methods with a history
  bool stage_multipliers = false;                // record Λ_s where the method has it, instead of the exact λ(q, p)
  const std::atomic<bool>* interrupt = nullptr;  // set from a signal handler
  std::string advice = "Try a smaller step.";    // what to do about a step that fails for no reason of its own
  std::function<void(long done)> pause;          // called now and then between two steps, some times a second
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
  Real<S> motion{0};       // p·H_p/2, the kinetic energy where there is one, likewise
  Vec<S> invariant_initial;
  Vec<Real<S>> invariant_error;
  std::vector<std::optional<Line<Real<S>>>> invariant_trend;  // of those that are found along with the run
  std::vector<std::string> invariant_doubt;  // why the values of one of these tell nothing; empty where they do
  std::vector<long> invariant_undefined;     // for each, the first step after which it was not finite, or −1
  std::vector<ObservableSummary<S>> observables;
  std::vector<long> observable_undefined;  // likewise
  Counters counters;
  double wall_seconds = 0;
};

// A run from x with steps of h, which can be taken in parts. Nothing is thrown for numerical failures: the status says.
template <class S>
class Driver {
  using R = Real<S>;
  using Clock = std::chrono::steady_clock;

 public:
  Driver(const AnySystem<S>& sys, AnyMethod<S>& method, State<S> x, const S& h, RunPlan plan,
         std::vector<Recorder<S>*> recorders = {});
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  // Something that goes along, and is seen as one more invariant behind the others; before the first step.
  void accompany(Companion<S>& companion);

  // Before the first step: records the start. A run that is loaded has begun already.
  RunStatus begin();
  // Up to `count` steps more, not beyond the end of the plan. `done` if these were made, or a recorder has ended the
  // run.
  RunStatus advance(long count);
  // Records the last good state, if it is not, and flushes. There is nothing to come.
  void finish();

  // One more recorder, until it is taken away. It sees the present state first, and the last one before it leaves. It
  // is no part of a checkpoint.
  void attach(Recorder<S>& listener);
  void detach(Recorder<S>& listener);
  // One of the recorders that it was made with leaves for good.
  void dismiss(const Recorder<S>& recorder);
  // Another state at the present time: method, errors and what goes along with the run begin anew from it, also after a
  // failure.
  RunStatus restart(const Vec<S>& q, const Vec<S>& p);

  RunPlan& plan() { return plan_; }
  const std::string& advice() const { return plan_.advice; }
  const State<S>& state() const { return x_; }
  // λ of the state; NaN where it cannot be known
  const Vec<S>& multipliers() {
    find_multipliers();
    return x_.lambda;
  }
  const Observation<S>& seen() const { return seen_; }
  long steps() const { return done_; }
  // Whether there is nothing left to do: the plan's end, a failure, or a recorder that has ended the run.
  bool is_over() const { return done_ >= plan_.steps || status_ == RunStatus::failed || has_ended(); }
  RunStatus status() const { return status_; }
  // For each invariant or observable, the first step after which it was not finite, or −1
  const std::vector<long>& invariants_undefined() const { return result_.invariant_undefined; }
  const std::vector<long>& observables_undefined() const { return result_.observable_undefined; }
  // Whether the energy has changed by half of the largest kinetic energy, or more, and by what no rounding errors
  // explain: then the motion is not that of the system.
  bool energy_is_lost() const;
  const Real<S>& energy_error() const { return result_.energy_error; }
  const Real<S>& largest_motion() const { return result_.motion; }
  // The largest residual of the constraints so far, of their terms
  const Real<S>& largest_residual() const { return result_.position_relative; }
  RunResult<S> result();

  // All that a run needs to go on, the method's memory and the recorders' included; to be loaded into a driver that was
  // made in the same way. Throws OutputError if a recorder cannot write: then the run has failed.
  void save(MemoryWriter& out);
  void load(MemoryReader& in);

 private:
  int invariants() const { return seen_.invariants.size(); }
  bool has_ended() const;
  void observe_start();
  void take_steps(long end);
  Status attempt(long count);
  Status take(long count);
  void show(long count);
  void observe();
  bool changes_as_the_motion() const;
  void find_energy_terms();
  void note_undefined(const Vec<S>& values, std::vector<long>& first) const;
  void find_invariants();
  void find_multipliers();
  void record(bool all);
  void find_who_needs_every_step();
  void look_at_clock();
  void interrupted();
  void fail(const Status& s);
  void cannot_write(const OutputError& e);
  std::string nearly_dependent();
  template <class F>
  RunStatus timed(F&& f);
  template <class F>
  void visit_memory(F&& f);

  const AnySystem<S>& sys_;
  AnyMethod<S>& method_;
  State<S> x_, next_;
  S h_, t0_{0};
  RunPlan plan_;
  std::vector<Recorder<S>*> recorders_;
  struct Listener {
    Recorder<S>* recorder;
    long seen;  // the step after which it was told last
  };
  std::vector<Listener> listeners_;
  std::vector<Companion<S>*> companions_;
  long needs_states_ = 0;  // the most that one of these needs
  Vec<S> of_system_;       // invariants, where there are more
  Manifold<S> manifold_;
  Observation<S> seen_;
  Vec<S> force_, velocity_;
  R energy_terms_{0};  // the largest of the states where the energy has changed as the motion does
  TimeAverages<S> averages_;
  RunStatus status_ = RunStatus::done;
  RunResult<S> result_;
  S next_energy_{0};
  bool lambda_known_ = false;                        // of x_
  bool every_step_ = false;                          // some recorder needs it
  bool can_write_ = true;                            // so far
  long done_ = 0, failed_before_ = 0;                // within steps up to failed_before_ one has failed
  long recorded_ = -1, recorded_by_all_steps_ = -1;  // the last states that recorders have seen
  double seconds_ = 0;                               // in all parts so far
  long until_clock_ = 0, between_clocks_ = 1;        // steps until somebody looks at the clock
  typename Clock::time_point paused_;
};

// All of it at once.
template <class S>
RunResult<S> run(const AnySystem<S>& sys, AnyMethod<S>& method, State<S> x, const S& h, const RunPlan& plan,
                 const std::vector<Recorder<S>*>& recorders = {}) {
  Driver<S> driver(sys, method, std::move(x), h, plan, recorders);
  driver.begin();
  driver.advance(plan.steps);
  driver.finish();
  return driver.result();
}

// The number of whole steps of h in [0, until], rounding errors of the quotient forgiven.
template <class S>
long whole_steps(const S& until, const S& h);

}  // namespace holonom
