// G A Gᵀ for few constraints, or for a full A: dense, unrolled when sizes are known at compile time. No
// allocation after construction, but for the one in `analyse` that prepares for redundant constraints.
#pragma once

#include <memory>
#include <vector>

#include "holonom/solve/gram_interface.hpp"
#include "holonom/solve/redundant.hpp"

namespace holonom {

template <class S, int N, int M>
class DenseGram {
 public:
  using G_t = Jacobian<S, N, M>;

  DenseGram(int n, int m) : m_(m), W_(n * m), row_(n), image_(n), K_(m), newton_(m) {}

  // A pivot below this part of its diagonal counts as zero. True dependence leaves some ε; a
  // mechanism this near a singular position has lost most digits of its multipliers anyway.
  static Real<S> threshold(int m) { return epsilon<S>() * Real<S>(64 * (m + 1)); }

  // Finds the rank at a first point, up to `noise`. unit: powers of two that make the rows of G comparable.
  template <class Metric>
  Status analyse(const G_t& G, const Metric& A, const Vec<Real<S>, M>& unit, const Real<S>& noise) {
    redundant_.reset();
    assemble(G, A);
    if constexpr (M == Dynamic || M > 2) {
      // (Without exchanges of rows, two that are nearly dependent hide that a third depends on them.)
      PivotOrder<S> order(m());
      const int rank = order.choose(scaled(K_, unit), m(), noise);
      if constexpr (M == Dynamic) {
        if (rank < m()) redundant_ = std::make_unique<Redundant<S>>(m(), rank, unit);
      } else if (rank < m()) {
        return {Failure::singular, order[rank]};
      }
    }
    return factor_assembled(threshold(m()));
  }
  template <class Metric>
  Status analyse(const G_t& G, const Metric& A, const Vec<Real<S>, M>& unit) {
    return analyse(G, A, unit, threshold(m()));
  }

  template <class Metric>
  Status factor(const G_t& G, const Metric& A) {
    set_directions(G, A);
    return factor(G);
  }
  // At the point of the last `set_directions`
  Status factor(const G_t& G) {
    multiply_out(G);
    return factor_assembled(nothing_left<S>());
  }

  // (G A Gᵀ) x = b, in place
  void solve(Vec<S, M>& b) {
    if constexpr (M == Dynamic)
      if (redundant_) return redundant_->solve(b);
    solve_ldl(K_, b);
  }

  // r ← (G₁ A Gᵀ)⁻¹ r, a Newton step for g(q − A Gᵀλ) = 0. The matrix is made anew each time, so that convergence is
  // quadratic.
  static constexpr bool refreshes = true;
  void newton(const G_t& G1, Vec<S, M>& r, bool /*refresh*/) {
    auto&& newton = scratch(newton_);
    factor_newton(G1, newton);
    if constexpr (M == Dynamic)
      if (redundant_) return redundant_->solve_newton(r);
    newton.solve(r);
  }
  int negative_pivots() const { return negative_pivots_; }
  int negative_pivots(const G_t& G1) {
    factor_newton(G1, newton_);
    return negative_pivots_;
  }

  // out_k = (G A u)_k
  void multiply(const G_t&, const Vec<S, N>& u, Vec<S, M>& out) const {
    for (int k = 0; k < m(); ++k) {
      S s(0);
      for (int j = 0; j < u.size(); ++j) s += W(k, j) * u[j];
      out[k] = s;
    }
  }
  // out -= c A Gᵀ λ
  void subtract_displacement(const G_t&, const S& c, const Vec<S, M>& lambda, Vec<S, N>& out) const {
    for (int k = 0; k < m(); ++k) {
      const S l = c * lambda[k];
      for (int j = 0; j < out.size(); ++j) out[j] -= W(k, j) * l;
    }
  }

  // Two constraints: solves leave rounding errors of the terms, a few of them, and no more.
  bool is_well_conditioned() const { return well_conditioned_; }

  // The i-th of rank() independent constraints, as chosen by the last factorisation
  int independent(int i) const { return redundant_ ? redundant_->chosen(i) : i; }
  int rank() const { return redundant_ ? redundant_->rank() : m(); }
  // Redundant constraints all have multipliers here: those of minimal norm.
  std::vector<int> dropped() const { return {}; }
  void keep_rows() {}
  // G A Gᵀ as last assembled by `assemble`
  const Square<S, M>& matrix() const { return K_; }

  int m() const {
    if constexpr (M == Dynamic)
      return m_;
    else
      return M;
  }

  // A Gᵀ, the directions of displacements from a point, without a factorisation
  template <class Metric>
  void set_directions(const G_t& G, const Metric& A) {
    auto&& row = scratch(row_);
    auto&& image = scratch(image_);
    for (int k = 0; k < m(); ++k) {
      fill(row, S(0));
      G.row(k, [&](int j, const S& x) { row[j] = x; });
      A(row, image);
      for (int j = 0; j < row.size(); ++j) W(k, j) = image[j];
    }
  }
  // K = G A Gᵀ, not yet factored
  template <class Metric>
  void assemble(const G_t& G, const Metric& A) {
    set_directions(G, A);
    multiply_out(G);
  }

 private:
  void factor_newton(const G_t& G1, NewtonMatrix<S, M>& newton) {
    Square<S, M>& K = newton.matrix();
    for (int k = 0; k < m(); ++k)
      for (int l = 0; l < m(); ++l) K(k, l) = times_row(G1, k, l);
    if constexpr (M == Dynamic)
      if (redundant_) {
        redundant_->factor_newton(K);
        negative_pivots_ = redundant_->negative_pivots();
        return;
      }
    newton.factor();
    negative_pivots_ = newton.negative_pivots();
  }
  void multiply_out(const G_t& G) {
    for (int k = 0; k < m(); ++k)
      for (int l = 0; l <= k; ++l) K_(l, k) = K_(k, l) = times_row(G, k, l);
  }
  S& W(int k, int j) { return W_[k * row_.size() + j]; }
  const S& W(int k, int j) const { return W_[k * row_.size() + j]; }

  S times_row(const G_t& G, int k, int l) const {
    S s(0);
    G.row(k, [&](int j, const S& x) { s += x * W(l, j); });
    return s;
  }

  Status factor_assembled(const Real<S>& least) {
    if constexpr (M == 2) well_conditioned_ = value(determinant(K_)) > value(S(K_(0, 0) * K_(1, 1))) / 8;
    if constexpr (M == Dynamic) {
      if (redundant_) {
        if (redundant_->factor(K_, least)) return {};
        return {Failure::singular, 0};
      }
    }
    if (const int bad = factor_ldl(K_, least); bad >= 0) {
      for (int k = 0; k < m(); ++k)
        if (!is_finite(K_(k, k))) return {Failure::not_finite, k};
      return {Failure::singular, bad};
    }
    return {};
  }

  int m_;
  Vec<S, times(N, M)> W_;  // rows: A G_kᵀ
  Vec<S, N> row_, image_;
  Square<S, M> K_;
  NewtonMatrix<S, M> newton_;
  std::unique_ptr<Redundant<S>> redundant_;
  bool well_conditioned_ = false;
  int negative_pivots_ = 0;
};
static_assert(GramOf<DenseGram<double, Dynamic, Dynamic>, double, SomeMetric<double>>);

}  // namespace holonom
