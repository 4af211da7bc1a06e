// A polynomial between the two ends of a step, for many numbers at once. With θ in [0, 1], τ = 2θ − 1 and
// w = θ(1 − θ), and an interval of length h,
//   x(θ) = (1 − θ) x0 + θ x1 + h w (a + b w + τ (c + d w)).
// `ends` sets a and c by the slopes at both ends: the cubic of Hermite. `inner` adds b and d by the slopes at
// θ = 2/5 and 3/5: degree 5. (The slopes at the nodes of Lobatto's rule, or in the middle, would leave one of them
// open: they say nothing that x0 and x1 do not.)
#pragma once

#include "holonom/vector.hpp"

namespace holonom {

template <class S>
class StepPolynomial {
 public:
  explicit StepPolynomial(int n) : a_(n), b_(n), c_(n), d_(n) {}

  static S first_inner() { return S(2) / S(5); }
  static S second_inner() { return S(3) / S(5); }

  // x0 and x1 are not copied. Without slopes it is the chord.
  void chord(const S& h, const Vec<S>& x0, const Vec<S>& x1) {
    h_ = h;
    x0_ = &x0;
    x1_ = &x1;
    fill(a_, S(0));
    fill(c_, S(0));
    forget_inner();
  }
  void ends(const S& h, const Vec<S>& x0, const Vec<S>& v0, const Vec<S>& x1, const Vec<S>& v1) {
    chord(h, x0, x1);
    for (int i = 0; i < a_.size(); ++i) {
      const S mean = mean_slope(i), from = v0[i] - mean, to = v1[i] - mean;
      a_[i] = (from - to) / S(2);
      c_[i] = -(from + to) / S(2);
    }
  }
  void inner(const Vec<S>& v25, const Vec<S>& v35) {
    for (int i = 0; i < a_.size(); ++i) {
      const S mean = mean_slope(i), from = v25[i] - mean, to = v35[i] - mean;
      b_[i] = (S(5) * (from - to) / S(2) - a_[i]) * S(25) / S(12);
      d_[i] = (S(125) * (from + to) / S(2) - S(55) * c_[i]) / S(12);
    }
  }
  void forget_inner() {
    fill(b_, S(0));
    fill(d_, S(0));
  }

  void operator()(const S& theta, Vec<S>& out) const {
    const S rest = S(1) - theta, tau = theta - rest, w = theta * rest, hw = h_ * w;
    for (int i = 0; i < out.size(); ++i)
      out[i] = rest * (*x0_)[i] + theta * (*x1_)[i] + hw * (a_[i] + b_[i] * w + tau * (c_[i] + d_[i] * w));
  }

 private:
  S mean_slope(int i) const { return ((*x1_)[i] - (*x0_)[i]) / h_; }

  S h_{1};
  const Vec<S>*x0_ = nullptr, *x1_ = nullptr;
  Vec<S> a_, b_, c_, d_;
};

}  // namespace holonom
