// When a run has lost its energy: what it follows is not the motion of the system any more.
#pragma once

#include "holonom/any_system.hpp"

namespace holonom {

// Whether the energy has changed by half of the largest kinetic energy p·H_p/2, or more, and by what no rounding errors
// of its terms explain. `energies`: |H| at the start and at x, the state now.
template <class S>
bool energy_is_lost(const AnySystem<S>& sys, const State<S>& x, const Real<S>& change, const Real<S>& kinetic,
                    const Real<S>& energies) {
  if (sys.is_field() || change < kinetic / 2) return false;
  Vec<S> force(sys.n());
  sys.H_q(x.q, x.p, force);
  Real<S> terms = energies + kinetic;
  for (int i = 0; i < sys.n(); ++i) terms += magnitude(S(force[i] * x.q[i]));
  return change > Real<S>(1e4) * epsilon<S>() * terms;
}

}  // namespace holonom
