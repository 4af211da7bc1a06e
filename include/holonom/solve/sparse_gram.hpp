// G A Gᵀ with diagonal A for many constraints, by the factorisation of sparse_factor.hpp.
//   K = G A Gᵀ = L D Lᵀ                       for momenta and multipliers
//   N = G₁ A Gᵀ = L D U, same pattern as K     for Newton steps; N is K but for the turn of a step
// N is factored at the first iterate of a step and kept for the others: the error of that is as small
// as the first guess of the multipliers is good. No allocation after construction.
#pragma once

#include <memory>

#include "holonom/solve/gram_interface.hpp"
#include "holonom/solve/gram_pattern.hpp"
#include "holonom/sparse_factor.hpp"

namespace holonom {

template <class S>
class SparseGram {
  using R = Real<S>;
  using Index = GramPattern::Index;

 public:
  explicit SparseGram(std::shared_ptr<const GramPattern> pattern, const Pattern& G)
      : k_(std::move(pattern)), weighted_(G.nonzeros()), ldl_(*k_), newton_(*k_), dropped_(k_->m) {}

  int m() const { return k_->m; }
  int rank() const { return m() - dropped_.count(); }
  int independent(int i) const { return i; }
  std::vector<int> dropped() const {
    std::vector<int> constraints;
    for (int k = 0; k < m(); ++k)
      if (dropped_.contains(k)) constraints.push_back(k_->order[at(k)]);
    return constraints;
  }

  // Finds the rank: dependent constraints are dropped, their multipliers are zero.
  template <class Metric>
  Status analyse(const Jacobian<S>& G, const Metric& A, const R& threshold) {
    dropped_.allow_all();
    set_directions(G, A);
    const Status status = factor(G, threshold);
    dropped_.allow_these();
    return status;
  }

  // Constraints that were dropped stay so, and no others are, wherever `factor` is called.
  void keep_rows() { dropped_.keep(); }

  // A Gᵀ, the directions of displacements from a point, without a factorisation
  template <class Metric>
  void set_directions(const Jacobian<S>& G, const Metric& A) {
    const Vec<S>&g = G.values(), &inverse_mass = *A.diagonal();
    for (int z = 0; z < g.size(); ++z)
      weighted_[z] = g[z] * inverse_mass[G.pattern().column[static_cast<std::size_t>(z)]];
  }

  template <class Metric>
  Status factor(const Jacobian<S>& G, const Metric& A) {
    set_directions(G, A);
    return factor(G);
  }
  // At the point of the last `set_directions`
  Status factor(const Jacobian<S>& G) { return factor(G, nothing_left<S>()); }

  // (G A Gᵀ) x = b
  void solve(Vec<S>& b) { ldl_.solve(*k_, b.data()); }

  // r ← N⁻¹ r; N is factored anew if `refresh`.
  static constexpr bool refreshes = false;
  void newton(const Jacobian<S>& G1, Vec<S>& r, bool refresh) {
    if (refresh) factor_newton(G1.values());
    newton_.solve(*k_, r.data());
  }
  int negative_pivots() const { return negative_pivots_; }
  int negative_pivots(const Jacobian<S>& G1) {
    factor_newton(G1.values());
    return negative_pivots_;
  }

  // out = G A u
  void multiply(const Jacobian<S>& jacobian, const Vec<S>& u, Vec<S>& out) const {
    const Pattern& G = jacobian.pattern();
    for (int k = 0; k < m(); ++k) {
      S s(0);
      for (int z = G.row_start[at(k)]; z < G.row_start[at(k) + 1]; ++z)
        s += weighted_[z] * u[G.column[static_cast<std::size_t>(z)]];
      out[k] = s;
    }
  }
  // out -= c A Gᵀλ
  void subtract_displacement(const Jacobian<S>& jacobian, const S& c, const Vec<S>& lambda, Vec<S>& out) const {
    const Pattern& G = jacobian.pattern();
    for (int k = 0; k < m(); ++k) {
      const S l = c * lambda[k];
      for (int z = G.row_start[at(k)]; z < G.row_start[at(k) + 1]; ++z)
        out[G.column[static_cast<std::size_t>(z)]] -= weighted_[z] * l;
    }
  }

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  Status factor(const Jacobian<S>& G, const R& threshold) {
    const Vec<S>& g = G.values();
    Status status;
    const auto row = [&](int k, Vec<S>& y) {
      for (Index e = k_->row_start[at(k)]; e < k_->row_start[at(k) + 1]; ++e) {
        S s(0);
        for (Index p = k_->product_start[at(e)]; p < k_->product_start[at(e) + 1]; ++p)
          s += g[k_->products[at(p)].a] * weighted_[k_->products[at(p)].b];
        y[k_->column[at(e)]] = s;
      }
      return diagonal(g, k);
    };
    const auto pivot = [&](int k, const S& d, const R& size, bool& stop) {
      S reciprocal = dropped_.reciprocal(k, d, value(d) > threshold * size, k_->order[at(k)], status);
      stop = !status.ok();
      return reciprocal;
    };
    dropped_.begin();
    ldl_.factor(*k_, row, pivot);
    return status;
  }

  S diagonal(const Vec<S>& g, int k) const {
    S d(0);
    for (Index e = k_->diagonal_start[at(k)]; e < k_->diagonal_start[at(k) + 1]; ++e) {
      const Index z = k_->diagonal_entry[at(e)];
      d += g[z] * weighted_[z];
    }
    return d;
  }

  void factor_newton(const Vec<S>& g) {
    const auto row = [&](int k, Vec<S>& y, Vec<S>& z) {
      for (Index e = k_->row_start[at(k)]; e < k_->row_start[at(k) + 1]; ++e) {
        S lower(0), upper(0);
        for (Index p = k_->product_start[at(e)]; p < k_->product_start[at(e) + 1]; ++p) {
          const auto [a, b] = k_->products[at(p)];
          lower += g[a] * weighted_[b];
          upper += g[b] * weighted_[a];
        }
        y[k_->column[at(e)]] = lower;
        z[k_->column[at(e)]] = upper;
      }
      return diagonal(g, k);
    };
    negative_pivots_ = 0;
    newton_.factor(*k_, row, [&](int k, const S& d) {
      if (dropped_.contains(k)) return S(0);
      negative_pivots_ += value(d) < R(0);
      return S(S(1) / d);
    });
  }

  std::shared_ptr<const GramPattern> k_;
  Vec<S> weighted_;  // G A, entry by entry
  SparseLdl<S> ldl_;
  SparseLdu<S> newton_;
  int negative_pivots_ = 0;
  DroppedRows dropped_;
};
static_assert(GramOf<SparseGram<double>, double, SomeMetric<double>>);

}  // namespace holonom
