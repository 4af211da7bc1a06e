// |dI/dt| along the underlying equation at given states, on the manifold or off it, in the scalar S.
#pragma once

#include "holonom/solve/underlying_field.hpp"

namespace holonom {

struct LargestRates {
  int states = 0;               // at which there is a motion
  std::vector<double> largest;  // of each invariant, relative to the size of its terms; NaN where it is not known
};

template <class S>
LargestRates largest_rates(const AnySystem<S>& sys, const std::vector<State<S>>& states) {
  const int n = sys.n();
  const auto count = static_cast<int>(sys.labels().invariants.size());
  const UnderlyingField<S> field(sys);
  Vec<S> dq(n), dp(n), speed(n), force(n), rate(count), terms(count), unused(count);
  Jacobian<S> G(sys.pattern());
  Vec<Real<S>> largest(count), size(count);
  LargestRates result;
  for (State<S> y : states) {
    if (!field.slopes(y, dq, dp).ok()) continue;
    ++result.states;
    sys.invariants_along(y.q, y.p, dq, dp, rate, unused);
    // The terms of dI/dt cancel when I is conserved: their size is the measure, with forces of constraints that may
    // cancel others. It is the largest of all states, because at rest there is nothing but rounding errors.
    speed = dq;
    sys.H_q(y.q, y.p, force);
    for (S& f : force) f = S(magnitude(f));
    sys.G(y.q, G);
    for (int k = 0; k < sys.m(); ++k)
      G.row(k, [&](int j, const S& entry) { force[j] += S(magnitude(S(entry * y.lambda[k]))); });
    if constexpr (!std::is_same_v<S, double>) {
      // There are digits enough for rounding errors of other coordinates to count: forces that are zero by
      // cancellation, as those of sin²x + cos²x, have no other measure.
      const S part(1e-20);
      S fastest(0), strongest(0);
      for (const S& v : speed) fastest = std::max(fastest, S(magnitude(v)));
      for (const S& f : force) strongest = std::max(strongest, f);
      for (S& v : speed) v = S(magnitude(v)) + part * fastest;
      for (S& f : force) f += part * strongest;
    }
    sys.invariants_along(y.q, y.p, speed, force, unused, terms);
    for (int k = 0; k < count; ++k) {
      keep_largest(largest[k], Real<S>(magnitude(rate[k])));  // NaN stays
      keep_largest(size[k], Real<S>(magnitude(terms[k])));
    }
  }
  for (int k = 0; k < count; ++k) {
    const bool known = result.states > 0 && size[k] == size[k];
    result.largest.push_back(!known                 ? std::numeric_limits<double>::quiet_NaN()
                             : size[k] > Real<S>(0) ? to_double(Real<S>(largest[k] / size[k]))
                                                    : to_double(largest[k]));
  }
  return result;
}

}  // namespace holonom
