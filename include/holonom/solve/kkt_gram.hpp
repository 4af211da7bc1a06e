// G M⁻¹ Gᵀ for many constraints and a sparse constant mass M that is not diagonal. M⁻¹ is full, and so is
// G M⁻¹ Gᵀ; neither is ever formed. Solves go through the saddle point matrix, which is sparse:
//   [ M  Gᵀ ] [ u ]   [  0 ]
//   [ G  0  ] [ x ] = [ −b ]   <=>   G M⁻¹ Gᵀ x = b,
// by L D Lᵀ for momenta and multipliers. The same with G₁ in the lower rows, by L D U on the same pattern, for
// Newton steps. kkt_pattern.hpp says why there are no exchanges. No allocation after construction.
#pragma once

#include <memory>

#include "holonom/solve/gram_interface.hpp"
#include "holonom/solve/kkt_pattern.hpp"

namespace holonom {

template <class S>
class KktGram {
  using R = Real<S>;
  using Index = FactorPattern::Index;

 public:
  KktGram(std::shared_ptr<const KktPattern> pattern, const Pattern& G)
      : k_(std::move(pattern)),
        base_(G.nonzeros()),
        ldl_(*k_),
        newton_(*k_),
        x_(k_->n + k_->m),
        u_(k_->n),
        v_(k_->n),
        dropped_(k_->m) {}

  int m() const { return k_->m; }
  int rank() const { return m() - dropped_.count(); }
  int independent(int i) const { return i; }
  std::vector<int> dropped() const {
    std::vector<int> constraints;
    for (int k = 0; k < m(); ++k)
      if (dropped_.contains(k)) constraints.push_back(k);
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

  // The point that displacements start from, without a factorisation
  template <class Metric>
  void set_directions(const Jacobian<S>& G, const Metric& A) {
    base_ = G.values();
    mass_ = *sparse_mass_of<S>(A);
  }

  template <class Metric>
  Status factor(const Jacobian<S>& G, const Metric& A) {
    set_directions(G, A);
    return factor(G);
  }
  // At the point of the last `set_directions`
  Status factor(const Jacobian<S>& G) { return factor(G, nothing_left<S>()); }

  // (G M⁻¹ Gᵀ) x = b
  void solve(Vec<S>& b) {
    substitute(b, [&](S* x) { ldl_.solve(*k_, x); });
  }

  // r ← (G₁ M⁻¹ Gᵀ)⁻¹ r; the matrix is factored anew if `refresh`.
  static constexpr bool refreshes = false;
  void newton(const Jacobian<S>& G1, Vec<S>& r, bool refresh) {
    if (refresh) factor_newton(G1);
    substitute(r, [&](S* x) { newton_.solve(*k_, x); });
  }
  int negative_pivots() const { return negative_pivots_; }
  int negative_pivots(const Jacobian<S>& G1) {
    factor_newton(G1);
    return negative_pivots_;
  }

  // out = G M⁻¹ u
  void multiply(const Jacobian<S>& G, const Vec<S>& u, Vec<S>& out) {
    mass_.solve(u, v_);
    holonom::multiply(G, v_, out);
  }
  // out -= c M⁻¹ Gᵀλ
  void subtract_displacement(const Jacobian<S>& G, const S& c, const Vec<S>& lambda, Vec<S>& out) {
    fill(u_, S(0));
    subtract_force(G, lambda, u_);
    mass_.solve(u_, v_);
    axpy(c, v_, out);
  }

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  Status factor(const Jacobian<S>& G, const R& threshold) {
    Status status;
    const auto row = [&](int k, Vec<S>& y) {
      const Index i = k_->order[at(k)];
      if (i < k_->n) return mass_row(i, k, y);
      add_row(G.pattern(), base_, i - k_->n, y);
      return S(0);
    };
    const auto pivot = [&](int k, const S& d, const R& size, bool& stop) {
      const Index constraint = k_->order[at(k)] - k_->n;
      if (constraint < 0) return S(S(1) / d);  // positive by construction
      S reciprocal = dropped_.reciprocal(constraint, d, -value(d) > threshold * size, constraint, status);
      stop = !status.ok();
      return reciprocal;
    };
    dropped_.begin();
    ldl_.factor(*k_, row, pivot);
    return status;
  }

  // Row i of M as far as it stands left of the diagonal in the order of elimination. Constraints that use i come
  // later.
  S mass_row(Index i, int k, Vec<S>& y) const {
    const Pattern& M = mass_.pattern();
    S diagonal(0);
    for (int z = M.row_start[at(i)]; z < M.row_start[at(i) + 1]; ++z) {
      const Index j = k_->place[at(M.column[at(z)])];
      if (j < k)
        y[j] = mass_.values()[z];
      else if (j == k)
        diagonal = mass_.values()[z];
    }
    return diagonal;
  }
  // A whole row of G: its coordinates come before.
  void add_row(const Pattern& G, const Vec<S>& g, Index constraint, Vec<S>& y) const {
    for (int z = G.row_start[at(constraint)]; z < G.row_start[at(constraint) + 1]; ++z)
      y[k_->place[at(G.column[at(z)])]] += g[z];
  }

  void factor_newton(const Jacobian<S>& G1) {
    const auto row = [&](int k, Vec<S>& y, Vec<S>& z) {
      const Index i = k_->order[at(k)];
      if (i < k_->n) {
        (void)mass_row(i, k, z);
        return mass_row(i, k, y);
      }
      add_row(G1.pattern(), G1.values(), i - k_->n, y);
      add_row(G1.pattern(), base_, i - k_->n, z);
      return S(0);
    };
    negative_pivots_ = 0;
    newton_.factor(*k_, row, [&](int k, const S& d) {
      const Index constraint = k_->order[at(k)] - k_->n;
      if (constraint >= 0) {
        if (dropped_.contains(constraint)) return S(0);
        negative_pivots_ += value(d) > R(0);  // pivots of −G₁A Gᵀ
      }
      return S(S(1) / d);
    });
  }

  template <class Solve>
  void substitute(Vec<S>& b, Solve&& solve_all) {
    for (int i = 0; i < k_->n; ++i) x_[i] = S(0);
    for (int k = 0; k < m(); ++k) x_[k_->n + k] = -b[k];
    solve_all(x_.data());
    for (int k = 0; k < m(); ++k) b[k] = x_[k_->n + k];
  }

  std::shared_ptr<const KktPattern> k_;
  SparseMass<S> mass_;
  Vec<S> base_;
  SparseLdl<S> ldl_;
  SparseLdu<S> newton_;
  int negative_pivots_ = 0;
  Vec<S> x_, u_, v_;
  DroppedRows dropped_;
};
static_assert(GramOf<KktGram<double>, double, SomeMetric<double>>);

}  // namespace holonom
