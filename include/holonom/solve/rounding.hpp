// Compensated summation of a state: what rounding takes from a long sum is kept beside it, and enters
// the next addition (Kahan 1965; Møller 1965).
#pragma once

#include "holonom/vector.hpp"

namespace holonom {

// sum = fl(a + b): the part of b that did not fit, exactly, whichever of the two is larger (Knuth's
// two-sum; compilers must not reassociate).
template <class S>
S lost_in_sum(const S& a, const S& b, const S& sum) {
  const S from_b = sum - a;
  return S(a - S(sum - from_b)) + S(b - from_b);
}

// What was lost of positions and momenta.
template <class S, int N>
struct Rounding {
  Vec<S, N> q, p;

  Rounding() = default;
  explicit Rounding(int n) : q(n), p(n) {}
  void clear() {
    fill(q, S(0));
    fill(p, S(0));
  }
  template <class F>
  void visit_memory(F&& f) {
    f("lost_q", q);
    f("lost_p", p);
  }
};

// x ← x + lost; what does not fit is lost again.
template <class S, int N>
void absorb(Vec<S, N>& x, Vec<S, N>& lost) {
  for (int i = 0; i < x.size(); ++i) {
    const S before = x[i], increment = lost[i];
    x[i] = before + increment;
    lost[i] = lost_in_sum(before, increment, x[i]);
  }
}

// x ← x + a y with compensation
template <class S, int N>
void axpy(const S& a, const Vec<S, N>& y, Vec<S, N>& x, Vec<S, N>& lost) {
  for (int i = 0; i < x.size(); ++i) {
    const S before = x[i], increment = lost[i] + a * y[i];
    x[i] = before + increment;
    lost[i] = lost_in_sum(before, increment, x[i]);
  }
}

}  // namespace holonom
