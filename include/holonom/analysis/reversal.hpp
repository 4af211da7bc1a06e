// Symmetry, Φ_−h ∘ Φ_h = id, and reversibility, ρ ∘ Φ_h ∘ ρ ∘ Φ_h = id with an involution ρ of the
// system. A solve that stops early breaks both.
#pragma once

#include "holonom/analysis/numerical_map.hpp"
#include "holonom/model/model.hpp"

namespace holonom {

// ρ: changes the sign of some positions and momenta; of all momenta, if the model does not say.
template <class S>
void reverse(const Model& model, State<S>& x) {
  for (int i = 0; i < x.q.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (!model.flip_q.empty() && model.flip_q[k]) x.q[i] = -x.q[i];
    if (model.flip_p.empty() || model.flip_p[k]) x.p[i] = -x.p[i];
  }
}

// How far `steps` steps forth and as many with −h end from x, in units of the motion.
template <class S>
Real<S> symmetry_defect(NumericalMap<S>& map, const State<S>& x, const StateSize<Real<S>>& size, const S& h,
                        long steps) {
  State<S> y = x;
  map(y, h, steps);
  map(y, S(-h), steps);
  return distance(x, y, size);
}

template <class S>
Real<S> reversibility_defect(NumericalMap<S>& map, const Model& model, const State<S>& x,
                             const StateSize<Real<S>>& size, const S& h, long steps) {
  State<S> y = x;
  map(y, h, steps);
  reverse(model, y);
  map(y, h, steps);
  reverse(model, y);
  return distance(x, y, size);
}

}  // namespace holonom
