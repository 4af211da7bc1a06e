// Symmetry, Φ_−h ∘ Φ_h = id, and reversibility, ρ ∘ Φ_h ∘ ρ ∘ Φ_h = id with an involution ρ of the
// system. A solve that stops early breaks both. The way back is in the chart of the way forth, where Φ has one.
#pragma once

#include "holonom/analysis/numerical_map.hpp"

namespace holonom {

// How far `steps` steps forth and as many with −h end from x, in units of the motion.
template <class S>
Real<S> symmetry_defect(NumericalMap<S>& map, const State<S>& x, const StateSize<Real<S>>& size, const S& h,
                        long steps) {
  State<S> y = x;
  map(y, h, steps);
  map.within(y, S(-h), steps);
  return distance(x, y, size);
}

template <class S>
Real<S> reversibility_defect(NumericalMap<S>& map, const Involution& rho, const State<S>& x,
                             const StateSize<Real<S>>& size, const S& h, long steps) {
  State<S> y = x;
  map(y, h, steps);
  rho(y);
  map.within(y, h, steps, &rho);
  rho(y);
  return distance(x, y, size);
}

}  // namespace holonom
