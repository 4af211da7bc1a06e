// G A Gᵀ for few constraints, or for a full A: dense, unrolled when sizes are known at compile time. No
// allocation after construction, but for the one in `analyse` that prepares for redundant constraints.
#pragma once

#include <memory>
#include <vector>

#include "holonom/jacobian.hpp"
#include "holonom/solve/redundant.hpp"
#include "holonom/solve/status.hpp"

namespace holonom {

template <class S, int N, int M>
class DenseGram {
 public:
  using G_t = Jacobian<S, N, M>;

  DenseGram(int n, int m) : m_(m), W_(n * m), row_(n), image_(n), K_(m), newton_(m) {}

  // A pivot below this part of its diagonal counts as zero. True dependence leaves some ε; a
  // mechanism this near a singular position has lost most digits of its multipliers anyway.
  static Real<S> threshold(int m) { return epsilon<S>() * Real<S>(64 * (m + 1)); }

  // Finds the rank at a first point, up to `noise`. apply(u, out): out = A u.
  template <class Apply>
  Status analyse(const G_t& G, Apply&& apply, const Real<S>& noise) {
    redundant_.reset();
    assemble(G, apply);
    if constexpr (M == Dynamic) {
      const int rank = PivotOrder<S>(m()).choose(K_, m(), noise);
      if (rank < m()) redundant_ = std::make_unique<Redundant<S>>(m(), rank);
    }
    return factor_assembled();
  }
  template <class Apply>
  Status analyse(const G_t& G, Apply&& apply) {
    return analyse(G, apply, threshold(m()));
  }

  template <class Apply>
  Status factor(const G_t& G, Apply&& apply) {
    displace(G, apply);
    return factor(G);
  }
  // At the point of the last `displace`
  Status factor(const G_t& G) {
    multiply_out(G);
    return factor_assembled();
  }

  // (G A Gᵀ) x = b, in place
  void solve(Vec<S, M>& b) {
    if constexpr (M == Dynamic)
      if (redundant_) return redundant_->solve(b);
    solve_ldl(K_, b);
  }

  // r ← (G₁ A Gᵀ)⁻¹ r, a Newton step for g(q − A Gᵀλ) = 0. Returns the constraint at which the matrix
  // is no longer positive, or -1. The matrix is made anew each time, so that convergence is quadratic.
  static constexpr bool refreshes = true;
  int newton(const G_t& G1, Vec<S, M>& r, bool /*refresh*/) {
    auto&& K = scratch(newton_);
    for (int k = 0; k < m(); ++k)
      for (int l = 0; l < m(); ++l) K(k, l) = times_row(G1, k, l);
    if constexpr (M == Dynamic)
      if (redundant_) return redundant_->newton(K, r);
    const int bad = factor_lu(K);
    solve_lu(K, r);
    return bad;
  }

  // A constraint whose gradient has turned by a right angle or more, or -1.
  int turned(const G_t& G1) const {
    for (int k = 0; k < m(); ++k)
      if (!(value(times_row(G1, k, k)) > Real<S>(0)) && rank() == m()) return k;
    return -1;
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

  // The i-th of rank() independent constraints, as chosen by the last factorisation
  int independent(int i) const { return redundant_ ? redundant_->chosen(i) : i; }
  int rank() const { return redundant_ ? redundant_->rank() : m(); }
  // G A Gᵀ as last assembled by `assemble`
  const Square<S, M>& matrix() const { return K_; }

  int m() const {
    if constexpr (M == Dynamic) return m_;
    else return M;
  }

  // A Gᵀ, the directions of displacements from a point, without a factorisation
  template <class Apply>
  void displace(const G_t& G, Apply&& apply) {
    auto&& row = scratch(row_);
    auto&& image = scratch(image_);
    for (int k = 0; k < m(); ++k) {
      fill(row, S(0));
      G.row(k, [&](int j, const S& x) { row[j] = x; });
      apply(row, image);
      for (int j = 0; j < row.size(); ++j) W(k, j) = image[j];
    }
  }
  // K = G A Gᵀ, not yet factored
  template <class Apply>
  void assemble(const G_t& G, Apply&& apply) {
    displace(G, apply);
    multiply_out(G);
  }

 private:
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

  Status factor_assembled() {
    if constexpr (M == Dynamic) {
      if (redundant_) {
        if (redundant_->factor(K_, threshold(m()))) return {};
        return {Failure::singular, 0};
      }
    }
    if (const int bad = factor_ldl(K_, threshold(m())); bad >= 0) {
      for (int k = 0; k < m(); ++k)
        if (!is_finite(K_(k, k))) return {Failure::not_finite, k};
      return {Failure::singular, bad};
    }
    return {};
  }

  int m_;
  Vec<S, times(N, M)> W_;  // rows: A G_kᵀ
  Vec<S, N> row_, image_;
  Square<S, M> K_, newton_;
  std::unique_ptr<Redundant<S>> redundant_;
};

}  // namespace holonom
