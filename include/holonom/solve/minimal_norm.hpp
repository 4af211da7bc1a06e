// Multipliers of redundant constraints are not unique. Of those with the same force Gᵀλ, the ones of minimal norm, in
// units of the terms of their constraints: what Redundant finds by dense algebra, for many constraints.
#pragma once

#include "holonom/solve/gram.hpp"

namespace holonom {

// λ with zeros for the constraints that `gram` has dropped, which was factored at G. If these are too many to be
// worth it, λ stays as it is.
template <class S>
void minimise_norm(GramSolver<S, Dynamic, Dynamic>& gram, const Jacobian<S>& G, const Vec<Real<S>>& unit,
                   Vec<S>& lambda) {
  using R = Real<S>;
  constexpr std::size_t most = 20'000'000;  // numbers
  const std::vector<int> dropped = gram.dropped();
  const int count = static_cast<int>(dropped.size()), m = G.m();
  if (count == 0 || static_cast<std::size_t>(count) * static_cast<std::size_t>(m) > most) return;
  // G_d = Σ_k c_k G_k of the others: (e_d − c) has no force.
  std::vector<Vec<S>> null(static_cast<std::size_t>(count), Vec<S>(m));
  Vec<S> displacement(G.n());
  for (int d = 0; d < count; ++d) {
    Vec<S>& x = null[static_cast<std::size_t>(d)];
    x[dropped[static_cast<std::size_t>(d)]] = S(-1);
    fill(displacement, S(0));
    gram.subtract_displacement(G, S(1), x, displacement);
    multiply(G, displacement, x);
    gram.solve(x);
    x[dropped[static_cast<std::size_t>(d)]] -= S(1);
    for (int k = 0; k < m; ++k) x[k] /= S(unit[k]);
  }
  Square<S> overlap(count);
  Vec<S> y(count);
  for (int d = 0; d < count; ++d) {
    const Vec<S>& x = null[static_cast<std::size_t>(d)];
    for (int e = 0; e <= d; ++e) overlap(d, e) = overlap(e, d) = dot(x, null[static_cast<std::size_t>(e)]);
    for (int k = 0; k < m; ++k) y[d] += x[k] * lambda[k] / S(unit[k]);
  }
  if (factor_ldl(overlap, R(0)) >= 0) return;
  solve_ldl(overlap, y);
  for (int d = 0; d < count; ++d)
    for (int k = 0; k < m; ++k) lambda[k] -= null[static_cast<std::size_t>(d)][k] * S(unit[k]) * y[d];
}

}  // namespace holonom
