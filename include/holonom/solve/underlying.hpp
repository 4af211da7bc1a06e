// The underlying ordinary differential equation of a constrained system,
//   q' = v = H_p,   p' = −H_q − Gᵀλ(q, p),   G H_pp Gᵀ λ = g_qq(v, v) + G (H_pq v − H_pp H_q),
// whose solutions from states on the manifold are the motion.
#pragma once

#include "holonom/system.hpp"

namespace holonom {

// H_pq v − H_pp f, with v = H_p and f = H_q: dv/dt without the forces of constraints. u is scratch.
template <System Sys>
void free_acceleration(const Sys& sys, const QVec<Sys>& q, const QVec<Sys>& p, const QVec<Sys>& v, const QVec<Sys>& f,
                       QVec<Sys>& out, QVec<Sys>& u) {
  energy_pq(sys, q, p, v, out);
  energy_pp(sys, q, p, f, u);
  axpy(ScalarOf<Sys>(-1), u, out);
}

// λ(q, p), where `gram` has been factored: a is the free acceleration, r scratch.
template <HasCurvature Sys, class Gram>
void exact_multipliers(const Sys& sys, Gram& gram, const JacobianOf<Sys>& G, const QVec<Sys>& q, const QVec<Sys>& v,
                       const QVec<Sys>& a, MVec<Sys>& lambda, MVec<Sys>& r) {
  sys.g_qq(q, v, v, lambda);
  multiply(G, a, r);
  axpy(ScalarOf<Sys>(1), r, lambda);
  gram.solve(lambda);
}

}  // namespace holonom
