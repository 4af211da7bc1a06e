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
    // The terms of dI/dt cancel when I is conserved: their size is the measure. It is the largest of all states,
    // because at rest there is nothing but rounding errors. Forces of constraints may cancel others, and leave rounding
    // errors of these; in wide scalars those of other coordinates count a little as well, for forces that are zero by
    // cancellation as that of sin²x + cos²x is.
    constexpr bool wide = !std::is_same_v<S, double>;
    const S part_of_forces(wide ? 1 : 1e-5), part_of_others(wide ? 1e-20 : 0);
    sys.H_q(y.q, y.p, force);
    for (S& f : force) f = S(magnitude(f));
    sys.G(y.q, G);
    for (int k = 0; k < sys.m(); ++k)
      G.row(k, [&](int j, const S& entry) { force[j] += S(magnitude(S(entry * y.lambda[k]))); });
    S fastest(0), strongest(0);
    for (int j = 0; j < n; ++j) {
      fastest = std::max(fastest, S(magnitude(dq[j])));
      strongest = std::max(strongest, force[j]);
    }
    for (int j = 0; j < n; ++j) {
      speed[j] = S(magnitude(dq[j])) + part_of_others * fastest;
      force[j] = S(magnitude(dp[j])) + part_of_forces * force[j] + part_of_others * strongest;
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
