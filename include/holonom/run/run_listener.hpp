// RunListener: somebody who is told of a run while it goes on, in double whatever the precision of the run.
#pragma once

#include <span>

#include "holonom/run/recorder.hpp"
#include "holonom/run/run_description.hpp"

namespace holonom {

// A recorded state; columns as RunDescription names them.
struct HeardState {
  double t = 0, energy = 0, position_residual = 0, hidden_residual = 0;
  std::span<const double> q, p, lambda, invariants, observables;
};

// What it does must be quick: the run waits for it.
class RunListener {
 public:
  virtual ~RunListener() = default;

  // Once, before the first state: what is to come, about how many states, and where the run starts
  virtual void begin(const RunDescription& about, long expected, std::span<const double> q,
                     std::span<const double> p) = 0;
  // Whether the `row`-th recorded state is wanted; others cost next to nothing.
  virtual bool wants(long row) const = 0;
  // A state that was wanted; and the last one, when the run is over or pauses, wanted or not.
  virtual void hear(long row, const HeardState& state) = 0;
};

// The recorder that tells it. It remembers nothing for a checkpoint: a run that is resumed is heard from there on.
template <class S>
class Hearing final : public Recorder<S> {
 public:
  Hearing(RunListener& listener, const Labels& labels)
      : listener_(listener), q_(labels.coordinates.size()), p_(labels.momenta()) {}

  void begin(const RunDescription& about, long expected, const State<S>& start) {
    round(start);
    listener_.begin(about, expected, q_, p_);
  }
  void record(const State<S>& x, const Observation<S>& seen) override {
    ++row_;
    if (listener_.wants(row_)) {
      held_ = false;
      return tell(x, seen);
    }
    last_ = x;
    last_seen_ = seen;
    held_ = true;
  }
  void flush() override {
    if (held_) tell(last_, last_seen_);
    held_ = false;
  }

 private:
  void round(const State<S>& x) {
    for (std::size_t i = 0; i < q_.size(); ++i) q_[i] = to_double(x.q[static_cast<int>(i)]);
    for (std::size_t i = 0; i < p_.size(); ++i) p_[i] = to_double(x.p[static_cast<int>(i)]);
  }
  static std::span<const double> rounded(const Vec<S>& x, std::vector<double>& to) {
    to.clear();
    for (const S& a : x) to.push_back(to_double(a));
    return to;
  }
  void tell(const State<S>& x, const Observation<S>& seen) {
    round(x);
    listener_.hear(row_, {.t = to_double(x.t),
                          .energy = to_double(seen.energy),
                          .position_residual = to_double(seen.position.absolute),
                          .hidden_residual = to_double(seen.hidden.absolute),
                          .q = q_,
                          .p = p_,
                          .lambda = rounded(x.lambda, lambda_),
                          .invariants = rounded(seen.invariants, invariants_),
                          .observables = rounded(seen.observables, observables_)});
  }

  RunListener& listener_;
  std::vector<double> q_, p_, lambda_, invariants_, observables_;
  long row_ = -1;  // of the last state that was recorded
  bool held_ = false;
  State<S> last_;
  Observation<S> last_seen_;
};

}  // namespace holonom
