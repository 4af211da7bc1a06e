// The formulas of a chain of beads as one would write them by hand, in scalar code: the yardstick for
// mapped kernels. V = 4 Σ (r⁻¹² − r⁻⁶) over all pairs i < j, g_k = (|r_k − r_{k+1}|² − 1)/2.
#pragma once

namespace hand::chain {

constexpr int beads = 50, n = 3 * beads, m = beads - 1;

void V_q(const double* q, double* out);
void V_qq(const double* q, const double* u, double* out);
void g_and_G(const double* q, double* g, double* G);       // six entries of G a row: by r_k, then by r_{k+1}
void g_qq(const double* u, const double* v, double* out);  // g_qq(u, v), the same for all q
void g_uu(const double* u, double* out);                   // g_qq(u, u)

}  // namespace hand::chain
