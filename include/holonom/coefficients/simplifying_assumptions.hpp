// The simplifying assumptions of Jay (1996), sections 2 and 4: the largest p, q, r, ... for which B(p), C(q), D(r),
// CĈ(Q), DD̂(R) hold, and the orders that follow from them.
//
// Each of them is a statement about all polynomials f below some degree, which the paper writes for the powers of x.
// Here f runs through the Legendre polynomials of [0, 1] instead: the numbers are the same, but the first condition
// that fails does so visibly, where powers of high degree are so nearly dependent that in double all seem to hold.
#pragma once

#include <algorithm>

#include "holonom/coefficients/tableau.hpp"

namespace holonom {

// L_k(x) = P_k(2x − 1), and its first and second integral from 0. L_−1 = −1 makes ∫L_k = (L_k+1 − L_k−1)/(2(2k+1)) hold
// for k = 0 as well.
template <class R>
R legendre(int k, const R& x) {
  return k < 0 ? R(-1) : jacobi(k, 0, 0, R(R(2) * x - R(1))).first;
}
template <class R>
R legendre_integral(int k, const R& x) {
  return k < 0 ? R(-x) : R((legendre(k + 1, x) - legendre(k - 1, x)) / R(2 * (2 * k + 1)));
}
template <class R>
R legendre_second_integral(int k, const R& x) {
  return (legendre_integral(k + 1, x) - legendre_integral(k - 1, x)) / R(2 * (2 * k + 1));
}

// What rounding may leave of a sum of s terms with L_k(c), whose slope is up to k(k+1).
template <class R>
R coefficient_tolerance(int s) {
  return R(64 * s * s) * epsilon<R>();
}

// How far the k-th condition is from holding.
namespace residual {

template <class R>
Vec<R> legendre_at_nodes(int k, const Vec<R>& c) {
  Vec<R> f(c.size());
  for (int i = 0; i < c.size(); ++i) f[i] = legendre(k, c[i]);
  return f;
}

// Σ b_i f(c_i) = ∫₀¹ f,  f = L_k−1
template <class R>
R B(const Tableau<R>& t, int k) {
  R sum = -legendre_integral(k - 1, R(1));
  for (int i = 0; i < t.stages(); ++i) sum += t.b[i] * legendre(k - 1, t.c[i]);
  return magnitude(sum);
}

// Σ_j a_ij f(c_j) = ∫₀^c_i f,  f = L_k−1
template <class R>
R C(const Tableau<R>& t, int k) {
  const Vec<R> f = legendre_at_nodes(k - 1, t.c);
  R worst(0);
  for (int i = 0; i < t.stages(); ++i) {
    R sum = -legendre_integral(k - 1, t.c[i]);
    for (int j = 0; j < t.stages(); ++j) sum += t.A(i, j) * f[j];
    keep_largest(worst, R(magnitude(sum)));
  }
  return worst;
}

// Σ_i b_i f(c_i) a_ij = b_j ∫_c_j^1 f,  f = L_k−1
template <class R>
R D(const Tableau<R>& t, int k) {
  const Vec<R> f = legendre_at_nodes(k - 1, t.c);
  R worst(0);
  for (int j = 0; j < t.stages(); ++j) {
    R sum = t.b[j] * (legendre_integral(k - 1, t.c[j]) - legendre_integral(k - 1, R(1)));
    for (int i = 0; i < t.stages(); ++i) sum += t.b[i] * f[i] * t.A(i, j);
    keep_largest(worst, R(magnitude(sum)));
  }
  return worst;
}

// Σ_jl a_ij â_jl f(c_l) = ∫₀^c_i ∫₀^x f,  f = L_k−2
template <class R>
R CC(const Tableau<R>& t, const Tableau<R>& hat, int k) {
  const int s = t.stages();
  const Vec<R> f = legendre_at_nodes(k - 2, t.c);
  Vec<R> inner(s);
  for (int j = 0; j < s; ++j)
    for (int l = 0; l < s; ++l) inner[j] += hat.A(j, l) * f[l];
  R worst(0);
  for (int i = 0; i < s; ++i) {
    R sum = -legendre_second_integral(k - 2, t.c[i]);
    for (int j = 0; j < s; ++j) sum += t.A(i, j) * inner[j];
    keep_largest(worst, R(magnitude(sum)));
  }
  return worst;
}

// Σ_ij b_i f(c_i) a_ij â_jl = b_l ∫_c_l^1 (x − c_l) f(x) dx,  f = L_k−2; the integral by parts
template <class R>
R DD(const Tableau<R>& t, const Tableau<R>& hat, int k) {
  const int s = t.stages();
  const Vec<R> f = legendre_at_nodes(k - 2, t.c);
  Vec<R> outer(s);
  for (int i = 0; i < s; ++i)
    for (int j = 0; j < s; ++j) outer[j] += t.b[i] * f[i] * t.A(i, j);
  R worst(0);
  for (int l = 0; l < s; ++l) {
    const R end(1), &c = t.c[l];
    R sum = t.b[l] * (legendre_second_integral(k - 2, end) - legendre_second_integral(k - 2, c) -
                      (end - c) * legendre_integral(k - 2, end));
    for (int j = 0; j < s; ++j) sum += outer[j] * hat.A(j, l);
    keep_largest(worst, R(magnitude(sum)));
  }
  return worst;
}

}  // namespace residual

// (2.3): max |b_i − b̂_i| and |b_i â_ij + b̂_j a_ji − b_i b̂_j|
template <class R>
R symplecticity_defect(const Tableau<R>& t, const Tableau<R>& hat) {
  R worst(0);
  for (int i = 0; i < t.stages(); ++i) {
    keep_largest(worst, R(magnitude(R(t.b[i] - hat.b[i]))));
    for (int j = 0; j < t.stages(); ++j)
      keep_largest(worst, R(magnitude(R(t.b[i] * hat.A(i, j) + hat.b[j] * t.A(j, i) - t.b[i] * hat.b[j]))));
  }
  return worst;
}

// The degrees up to which the assumptions hold. The paper's symbols; hats are spelled out.
struct Assumptions {
  int p = 0, q = 0, r = 0, q_hat = 0, r_hat = 0, Q = 1, R = 1;
};

// Orders of the local error: O(h^k+1) in q, O(h^l+1) in p and λ. The global error of all is O(h^l) (Theorem 4.2).
struct Orders {
  int k = 0, l = 0;
};

// (4.2)
inline Orders order_of_pair(const Assumptions& a) {
  const int common = std::min({a.p, 2 * a.q + 2, 2 * a.q_hat + 2, a.q + a.r + 1, a.q + a.r_hat + 2, a.q_hat + a.r + 2,
                               a.q_hat + a.r_hat + 1, a.Q + a.r_hat, a.Q + a.R});
  return {std::min(common, 2 * a.Q), std::min(common, 2 * a.Q - 1)};
}

// (4.2'), for symplectic pairs with b_i ≠ 0 and distinct nodes: r and q take the places of q̂ and r̂.
inline Orders order_of_symplectic_pair(const Assumptions& a) {
  const int common = std::min({a.p, 2 * a.q + 2, 2 * a.r + 2, a.q + a.r + 1});
  return {std::min({common, 2 * a.Q, a.Q + a.q}), std::min(common, 2 * a.Q - 1)};
}

// Of the pair (A, b, c) and (Â, b, c).
template <class R>
Assumptions simplifying_assumptions(const Tableau<R>& t, const Tableau<R>& hat) {
  const int s = t.stages();
  const R tolerance = coefficient_tolerance<R>(s);
  // A quadrature formula cannot do better than 2s; c = 0 alone fulfils C(q) for all q, so the search needs an end.
  const auto largest = [&](int first, auto&& residual_of) {
    int k = first;
    while (k <= 2 * s && residual_of(k) <= tolerance) ++k;
    return k - 1;
  };
  Assumptions a;
  a.p = largest(1, [&](int k) { return residual::B(t, k); });
  a.q = largest(1, [&](int k) { return residual::C(t, k); });
  a.r = largest(1, [&](int k) { return residual::D(t, k); });
  a.q_hat = largest(1, [&](int k) { return residual::C(hat, k); });
  a.r_hat = largest(1, [&](int k) { return residual::D(hat, k); });
  a.Q = largest(2, [&](int k) { return residual::CC(t, hat, k); });
  a.R = largest(2, [&](int k) { return residual::DD(t, hat, k); });
  return a;
}

}  // namespace holonom
