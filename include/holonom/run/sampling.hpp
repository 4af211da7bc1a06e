// --sample: states at times of the user's choice, t0 + j DT, between the steps of the method, by dense output.
#pragma once

#include <atomic>
#include <optional>
#include <vector>

#include "holonom/run/dense_output.hpp"

namespace holonom {

// Stands before the recorders: it sees every step, they see the samples.
// A sample that falls on a step is that step. The run's own maxima are still those of the steps.
template <class S>
class Sampler final : public Recorder<S> {
 public:
  // Throws InputError if the interval is no positive number, or the system has no exact multipliers.
  Sampler(const AnySystem<S>& sys, const S& interval, std::vector<Recorder<S>*> to, Kept kept = {});
  bool needs_every_step() const override { return true; }
  void record(const State<S>& x, const Observation<S>& seen) override;
  void flush() override;
  void restart(const State<S>& x) override;
  void save(MemoryWriter& out) override;
  void load(MemoryReader& in) override;
  // Stops between two samples of a step as well.
  void interrupt_by(const std::atomic<bool>& flag) { interrupt_ = &flag; }
  // Where j = 0 is, for a run that continues another; otherwise it is the first state.
  void count_from(const S& t0);

 private:
  bool due(const S& t, const S& h) const;
  bool coincide(const S& a, const S& b, const S& h) const;
  S next_time() const { return backwards_ ? S(t0_ - S(next_) * interval_) : S(t0_ + S(next_) * interval_); }
  void forward(const State<S>& x, const Observation<S>& seen);
  void interpolate(const S& t);
  void samples_up_to(const State<S>& x, const Observation<S>& seen);
  template <class F>
  void visit_memory(F&& f) {
    f("between_steps", dense_);
    f("t0", t0_);
    f("next", next_);
    f("anchored", anchored_);
    f("backwards", backwards_);
    f("held", held_);
    f("held_seen", held_seen_);
  }

  S interval_, t0_{0};
  std::vector<Recorder<S>*> to_;
  DenseOutput<S> dense_;
  State<S> between_;
  Observation<S> seen_;
  long long next_ = 0;  // the sample that comes next
  bool anchored_ = false, backwards_ = false;
  // The end of a step within which samples were interrupted: the others come first when the run goes on.
  std::optional<State<S>> held_;
  Observation<S> held_seen_;
  const std::atomic<bool>* interrupt_ = nullptr;
};

}  // namespace holonom
