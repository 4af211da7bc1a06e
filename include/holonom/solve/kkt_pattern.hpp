// The symbolic side of the saddle point matrix of a sparse constant mass M,
//   [ M  Gᵀ ]
//   [ G  0  ],  rows 0 to n − 1 for the coordinates, n to n + m − 1 for the constraints,
// in an order in which each constraint comes after all coordinates that it uses. Then the matrix needs no
// exchanges. Let C be the coordinates and D the constraints eliminated so far; D uses coordinates of C only. With
//   P = M_CC⁻¹ − M_CC⁻¹ G_Dᵀ (G_D M_CC⁻¹ G_Dᵀ)⁻¹ G_D M_CC⁻¹,   0 ≤ P ≤ M_CC⁻¹,
// what is left to eliminate is
//   coordinates           M_RR − M_RC P M_CR      positive definite, between the Schur complement of M and M_RR
//   constraints                − G_kC P G_kCᵀ     between −(G M⁻¹ Gᵀ)_kk and 0; negative if G_D, G_k are independent
// So pivots have signs known in advance, and l_ij² |d_j| never exceeds M_ii or (G M⁻¹ Gᵀ)_ii: |L| |D| |Lᵀ| is
// bounded as in a Cholesky factorisation, and with it the backward error (Higham, Accuracy and Stability of
// Numerical Algorithms, 2nd ed., Theorem 9.3 and section 10.1). Eliminating all coordinates first would be such
// an order too, but fills the whole of G M⁻¹ Gᵀ.
#pragma once

#include "holonom/factor_pattern.hpp"

namespace holonom {

struct KktPattern : FactorPattern {
  // M: all entries of a symmetric matrix, both triangles.
  KktPattern(const Pattern& M, const Pattern& G);

  int n = 0, m = 0;
};

}  // namespace holonom
