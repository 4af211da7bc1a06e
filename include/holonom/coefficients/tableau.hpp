// Implicit Runge-Kutta methods (A, b, c), computed in any real scalar R: collocation methods, the Lobatto families,
// and the dual that makes a symplectic pair (Jay 1996, Theorem 2.2). Lobatto IIIB is the dual of Lobatto IIIA.
#pragma once

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "holonom/dense.hpp"
#include "holonom/scalar.hpp"
#include "holonom/vector.hpp"

namespace holonom {

template <class R>
struct Tableau {
  Square<R> A;
  Vec<R> b, c;
  // What rounding took from these, if it is known.
  std::shared_ptr<const Tableau> rest = nullptr;

  Tableau() = default;
  explicit Tableau(int s) : A(s), b(s), c(s) {}
  int stages() const { return b.size(); }
  const Square<R>* rest_of_A() const { return rest ? &rest->A : nullptr; }
  const Vec<R>* rest_of_b() const { return rest ? &rest->b : nullptr; }
};

enum class Family { gauss, radau_2a, lobatto_3a, lobatto_3c };

// The tableau in the scalar S of a run (double, long double, quad, mp100, and Dual over double and quad): computed in
// 130 digits, once, and rounded, so that every coefficient is right to the last place.
template <class S>
Tableau<S> runge_kutta(Family family, int s);
// Its symplectic dual, rounded once as well: formed in S, 1 − a_ji/b_i would lose digits.
template <class S>
Tableau<S> runge_kutta_dual(Family family, int s);

// P_n^(α,β)(y) and its derivative, by the three-term recurrence.
template <class R>
std::pair<R, R> jacobi(int n, int alpha, int beta, const R& y) {
  R p0(1), d0(0);
  if (n == 0) return {p0, d0};
  const int ab = alpha + beta;
  R p1 = (R(alpha - beta) + R(ab + 2) * y) / R(2), d1 = R(ab + 2) / R(2);
  for (int k = 2; k <= n; ++k) {
    const R next(2 * k * (k + ab) * (2 * k + ab - 2)), slope((2 * k + ab - 1) * (2 * k + ab) * (2 * k + ab - 2));
    const R constant((2 * k + ab - 1) * (alpha * alpha - beta * beta)),
        last(2 * (k + alpha - 1) * (k + beta - 1) * (2 * k + ab));
    const R factor = slope * y + constant;
    const R p2 = (factor * p1 - last * p0) / next, d2 = (factor * d1 + slope * p1 - last * d0) / next;
    p0 = p1, p1 = p2, d0 = d1, d1 = d2;
  }
  return {p1, d1};
}

// The zeros of P_n^(α,β) in increasing order, by Newton's method from their asymptotic places.
template <class R>
Vec<R> jacobi_zeros(int n, int alpha, int beta) {
  using std::abs, std::sqrt;
  Vec<R> y(n);
  const bool symmetric = alpha == beta;
  for (int i = 0; i < n; ++i) {
    if (symmetric && 2 * i + 1 >= n) {  // the middle is 0, and the other half a mirror image, without rounding
      y[i] = 2 * i + 1 == n ? R(0) : R(-y[n - 1 - i]);
      continue;
    }
    const double theta = std::acos(-1.0) * (4 * (n - i) - 1 + 2 * alpha) / (4 * n + 2 * (alpha + beta + 1));
    R x(std::cos(theta)), dx;
    do {
      const auto [p, d] = jacobi(n, alpha, beta, x);
      dx = p / d;
      x -= dx;
    } while (R(abs(dx)) > R(sqrt(epsilon<R>())));
    const auto [p, d] = jacobi(n, alpha, beta, x);  // convergence is quadratic: once more, down to rounding
    y[i] = x - p / d;
  }
  return y;
}

// Nodes and weights on [0, 1].
template <class R>
struct Quadrature {
  Vec<R> x, weight;
};

// Exact for polynomials of degree 2n − 1.
template <class R>
Quadrature<R> gauss_quadrature(int n) {
  Quadrature<R> rule{jacobi_zeros<R>(n, 0, 0), Vec<R>(n)};
  for (int i = 0; i < n; ++i) {
    const R y = rule.x[i], d = jacobi(n, 0, 0, y).second;
    rule.x[i] = (R(1) + y) / R(2);
    rule.weight[i] = R(1) / ((R(1) - y) * (R(1) + y) * d * d);
  }
  return rule;
}

// The Lagrange polynomials ℓ_j of some nodes, kept as products: stable where powers of c would lose all digits.
template <class R>
class LagrangeBasis {
 public:
  explicit LagrangeBasis(const Vec<R>& nodes)
      : c_(nodes), scale_(nodes.size()), rule_(gauss_quadrature<R>((nodes.size() + 1) / 2)) {
    for (int j = 0; j < c_.size(); ++j) {
      R product(1);
      for (int k = 0; k < c_.size(); ++k)
        if (k != j) product *= c_[j] - c_[k];
      if (product == R(0))
        throw std::invalid_argument("collocation: node " + std::to_string(j + 1) +
                                    " is repeated; the nodes must be distinct");
      scale_[j] = R(1) / product;
    }
  }

  Vec<R> values(const R& x) const {
    const int n = c_.size();
    Vec<R> ell(scale_);
    R before(1), after(1);
    for (int j = 0; j < n; ++j) {
      ell[j] *= before;
      before *= x - c_[j];
    }
    for (int j = n - 1; j >= 0; --j) {
      ell[j] *= after;
      after *= x - c_[j];
    }
    return ell;
  }

  // ∫₀ᵉⁿᵈ ℓ_j(x) dx
  Vec<R> integrals(const R& end) const {
    Vec<R> sum(c_.size());
    for (int k = 0; k < rule_.x.size(); ++k) axpy(R(end * rule_.weight[k]), values(end * rule_.x[k]), sum);
    return sum;
  }

 private:
  Vec<R> c_, scale_;
  Quadrature<R> rule_;
};

// a_ij = ∫₀^c_i ℓ_j,  b_j = ∫₀¹ ℓ_j: C(s) and B(s) hold. A last node 1 makes the last row of A equal to b, to the last
// bit, and a first node 0 makes the first row 0.
template <class R>
Tableau<R> collocation(const Vec<R>& nodes) {
  Tableau<R> t(nodes.size());
  t.c = nodes;
  const LagrangeBasis<R> basis(nodes);
  t.b = basis.integrals(R(1));
  for (int i = 0; i < t.stages(); ++i) {
    const Vec<R> row = basis.integrals(nodes[i]);
    for (int j = 0; j < t.stages(); ++j) t.A(i, j) = row[j];
  }
  return t;
}

// `n` zeros of P_n^(α,β) on [0, 1], with the end 0 before them if β = 1, and the end 1 behind them if α = 1.
template <class R>
Vec<R> quadrature_nodes(int n, int alpha, int beta) {
  const Vec<R> y = jacobi_zeros<R>(n, alpha, beta);
  Vec<R> c(n + alpha + beta);
  for (int i = 0; i < n; ++i) c[i + beta] = (R(1) + y[i]) / R(2);
  if (alpha == 1) c[c.size() - 1] = R(1);
  return c;
}

inline void require_stages(int s, int least, const char* method) {
  if (s < least)
    throw std::invalid_argument(std::string(method) + " needs at least " + std::to_string(least) + " stage" +
                                (least == 1 ? "" : "s") + ", not " + std::to_string(s));
}

template <class R>
Tableau<R> gauss(int s) {
  require_stages(s, 1, "Gauss");
  return collocation(quadrature_nodes<R>(s, 0, 0));
}

template <class R>
Tableau<R> radau_2a(int s) {
  require_stages(s, 1, "Radau IIA");
  return collocation(quadrature_nodes<R>(s - 1, 1, 0));
}

template <class R>
Tableau<R> lobatto_3a(int s) {
  require_stages(s, 2, "Lobatto IIIA");
  return collocation(quadrature_nodes<R>(s - 2, 1, 1));
}

// a_i1 = b_1 and C(s−1). With the Lagrange polynomials m_j of c_2, ..., c_s, C(s−1) for f = m_j reads
// b_1 m_j(0) + a_ij = ∫₀^c_i m_j.
template <class R>
Tableau<R> lobatto_3c(int s) {
  require_stages(s, 2, "Lobatto IIIC");
  Tableau<R> t = lobatto_3a<R>(s);
  Vec<R> inner(s - 1);
  for (int j = 1; j < s; ++j) inner[j - 1] = t.c[j];
  const LagrangeBasis<R> basis(inner);
  const Vec<R> at_zero = basis.values(R(0));
  for (int i = 0; i < s - 1; ++i) {  // the last row is b already
    const Vec<R> integral = basis.integrals(t.c[i]);
    t.A(i, 0) = t.b[0];
    for (int j = 1; j < s; ++j) t.A(i, j) = integral[j - 1] - t.b[0] * at_zero[j - 1];
  }
  return t;
}

template <class R>
Tableau<R> tableau(Family family, int s) {
  switch (family) {
    case Family::gauss: return gauss<R>(s);
    case Family::radau_2a: return radau_2a<R>(s);
    case Family::lobatto_3a: return lobatto_3a<R>(s);
    case Family::lobatto_3c: return lobatto_3c<R>(s);
  }
  throw std::invalid_argument("unknown family of Runge-Kutta methods");
}

// â_ij = b_j (1 − a_ji / b_i), same b and c: the one partner with which the pair is symplectic.
template <class R>
Tableau<R> symplectic_dual(const Tableau<R>& t) {
  Tableau<R> dual = t;
  for (int i = 0; i < t.stages(); ++i) {
    if (t.b[i] == R(0)) throw std::invalid_argument("there is no symplectic dual: b_" + std::to_string(i + 1) + " = 0");
    for (int j = 0; j < t.stages(); ++j) dual.A(i, j) = t.b[j] * (R(1) - t.A(j, i) / t.b[i]);
  }
  return dual;
}

// Every coefficient in another scalar, by a cast unless another way to round is given.
template <class S>
struct Cast {
  S operator()(const auto& x) const { return S(static_cast<Real<S>>(x)); }
};
template <class S, class R, class Round = Cast<S>>
Tableau<S> rounded(const Tableau<R>& t, const Round& round = {}) {
  Tableau<S> r(t.stages()), rest(t.stages());
  const auto split = [&](const R& exact, S& x, S& its_rest) {
    x = round(exact);
    its_rest = round(R(exact - R(value(x))));
  };
  for (int i = 0; i < t.stages(); ++i) {
    split(t.b[i], r.b[i], rest.b[i]);
    split(t.c[i], r.c[i], rest.c[i]);
    for (int j = 0; j < t.stages(); ++j) split(t.A(i, j), r.A(i, j), rest.A(i, j));
  }
  r.rest = std::make_shared<const Tableau<S>>(std::move(rest));
  return r;
}

}  // namespace holonom
