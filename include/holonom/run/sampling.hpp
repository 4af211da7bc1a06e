// --sample: states at times of the user's choice, t0 + j DT, between the steps of the method. Between two
// steps of length h, q and p are cubic polynomials (Hermite) with the slopes of the equations of motion,
//   q' = H_p,   p' = −H_q − G(q)ᵀλ(q, p),
// at both ends. That adds an error of order h⁴ between exact states, whatever DT is (more on a run of order 2: the
// slopes are those of H, not of the run). Such a state is a picture of the motion, not
// a state of the symplectic map: it lies off the constraints by as much, and nothing is continued from it.
#pragma once

#include <vector>

#include "holonom/run/driver.hpp"

namespace holonom {

// out(θ) with out(0) = x0, out(1) = x1 and slopes v0, v1 in time, for an interval of length h
template <class S>
void hermite(const S& theta, const S& h, const Vec<S>& x0, const Vec<S>& v0, const Vec<S>& x1, const Vec<S>& v1,
             Vec<S>& out);

// Stands before the recorders: the driver shows it every step (RunPlan::every = 1), they see the samples.
// A sample that falls on a step is that step. The run's own maxima are still those of the steps.
template <class S>
class Sampler final : public Recorder<S> {
 public:
  // Throws InputError if the interval is no positive number, or the system has no exact multipliers.
  Sampler(const AnySystem<S>& sys, const S& interval, std::vector<Recorder<S>*> to);
  void record(const State<S>& x, const Observation<S>& seen) override;
  void flush() override;
  // Where j = 0 is, for a run that continues another; otherwise it is the first state.
  void count_from(const S& t0);

 private:
  struct Slope {
    Vec<S> q, p;
    bool known = false;
  };
  bool due(const S& t, const S& h) const;
  bool coincide(const S& a, const S& b, const S& h) const;
  S next_time() const { return backwards_ ? S(t0_ - S(next_) * interval_) : S(t0_ + S(next_) * interval_); }
  void slope(State<S>& x, Slope& v);
  void forward(const State<S>& x, const Observation<S>& seen);
  void interpolate(const S& t);

  const AnySystem<S>& sys_;
  S interval_, t0_{0};
  std::vector<Recorder<S>*> to_;
  Manifold<S> manifold_;
  Jacobian<S> G_;
  State<S> previous_, now_, between_;
  Slope previous_slope_, now_slope_;
  Observation<S> seen_;
  long long next_ = 0;  // the sample that comes next
  bool anchored_ = false, begun_ = false, backwards_ = false;
};

}  // namespace holonom
