// GramSolver: everything that has to do with G A Gᵀ, where A is M⁻¹ or H_pp.
//   analyse(G, A, unit) finds the rank at a first point, and factors; rows of G times `unit` are comparable
//   displace(G, A)     A Gᵀ at a point, for displacements from it
//   factor(G, A)       that, and K = G A Gᵀ, factored; factor(G): K alone, where `displace` was last called
//   solve(b)           K x = b
//   newton(G₁, r, ...) a step of Newton's method on g(q − A Gᵀλ) = 0, with G₁ A Gᵀ
// A is a metric: A(u, out) applies it, A.diagonal() points to its diagonal if it has nothing else, and
// A.sparse_mass(), where it exists, to a sparse mass M if A = M⁻¹.
// Compile-time sizes are dense; otherwise the number of constraints and the metric decide.
#pragma once

#include <optional>

#include "holonom/solve/dense_gram.hpp"
#include "holonom/solve/kkt_gram.hpp"
#include "holonom/solve/sparse_gram.hpp"

namespace holonom {

template <class S, int N, int M>
class GramSolver : public DenseGram<S, N, M> {
 public:
  using DenseGram<S, N, M>::DenseGram;
};

template <class S>
class GramSolver<S, Dynamic, Dynamic> {
  using R = Real<S>;
  // Up to here a dense factorisation is the faster one.
  static constexpr int few_constraints = 8;
  // Up to here redundant constraints get multipliers of minimal norm, by dense algebra.
  static constexpr int few_redundant = 300;
  // Up to here a rank is decided by exchanges of rows; elimination in the order of the pattern is enough where no pivot
  // is small.
  static constexpr int few_to_exchange = 1500;
  static constexpr double small_pivot = 1e-7;

 public:
  GramSolver(int n, int m) : n_(n), m_(m) {}

  int m() const { return m_; }
  int rank() const { return sparse_ ? sparse_->rank() : kkt_ ? kkt_->rank() : dense_ ? dense_->rank() : m_; }
  // The i-th of rank() independent constraints; dense only
  int independent(int i) const { return dense_ && !sparse_ && !kkt_ ? dense_->independent(i) : i; }
  bool refreshes() const { return !sparse_ && !kkt_; }

  // Pivots below this part of their diagonal are zero. True dependence leaves some ε; a mechanism this
  // near a singular position has lost most digits of its multipliers anyway.
  static R threshold(int m) { return DenseGram<S, Dynamic, Dynamic>::threshold(m < 64 ? m : 64); }
  static R nothing_left() { return DenseGram<S, Dynamic, Dynamic>::nothing_left(); }

  template <class Metric>
  Status analyse(const Jacobian<S>& G, const Metric& A, const Vec<R>& unit) {
    return analyse(G, A, unit, threshold(m_));
  }
  template <class Metric>
  Status analyse(const Jacobian<S>& G, const Metric& A, const Vec<R>& unit, const R& noise) {
    if (m_ == 0) return {};
    if (m_ > few_constraints && A.diagonal()) {
      kkt_.reset();
      if (!pattern_) pattern_ = std::make_shared<const GramPattern>(G.pattern());
      if (!sparse_) sparse_.emplace(pattern_, G.pattern());
      bool decided = false;
      const auto analyse_sparse = [&](const R& least) { return sparse_->analyse(G, *A.diagonal(), least); };
      if (const Status s = analyse_in_order(*sparse_, analyse_sparse, G, A, unit, noise, decided); decided) return s;
    } else if (const SparseMass<S>* mass = sparse_mass(A); mass && m_ > few_constraints) {
      sparse_.reset();
      if (!kkt_pattern_) kkt_pattern_ = std::make_shared<const KktPattern>(mass->pattern(), G.pattern());
      if (!kkt_) kkt_.emplace(kkt_pattern_, G.pattern());
      bool decided = false;
      const auto analyse_kkt = [&](const R& least) { return kkt_->analyse(G, *mass, least); };
      if (const Status s = analyse_in_order(*kkt_, analyse_kkt, G, A, unit, noise, decided); decided) return s;
    }
    kkt_.reset();
    sparse_.reset();
    if (!dense_) dense_.emplace(n_, m_);
    return dense_->analyse(G, A, unit, noise);
  }
  template <class Metric>
  Status factor(const Jacobian<S>& G, const Metric& A) {
    if (sparse_) return sparse_->factor(G, *A.diagonal(), nothing_left());
    if (kkt_) return kkt_->factor(G, *sparse_mass(A), nothing_left());
    return dense_->factor(G, A);
  }
  // The two parts of `factor`: A Gᵀ at a new point, then K there.
  template <class Metric>
  void displace(const Jacobian<S>& G, const Metric& A) {
    if (sparse_)
      sparse_->displace(G, *A.diagonal());
    else if (kkt_)
      kkt_->displace(G, *sparse_mass(A));
    else
      dense_->displace(G, A);
  }
  Status factor(const Jacobian<S>& G) {
    return sparse_ ? sparse_->factor(G, nothing_left()) : kkt_ ? kkt_->factor(G, nothing_left()) : dense_->factor(G);
  }
  void solve(Vec<S>& b) { sparse_ ? sparse_->solve(b) : kkt_ ? kkt_->solve(b) : dense_->solve(b); }
  void newton(const Jacobian<S>& G1, Vec<S>& r, bool refresh) {
    sparse_ ? sparse_->newton(G1, r, refresh) : kkt_ ? kkt_->newton(G1, r, refresh) : dense_->newton(G1, r, refresh);
  }

  // out = G A u, with the G and A last factored
  void multiply(const Jacobian<S>& G, const Vec<S>& u, Vec<S>& out) {
    sparse_ ? sparse_->multiply(G.pattern(), u, out) : kkt_ ? kkt_->multiply(G, u, out) : dense_->multiply(G, u, out);
  }
  // out -= c A Gᵀλ
  void subtract_displacement(const Jacobian<S>& G, const S& c, const Vec<S>& lambda, Vec<S>& out) {
    if (sparse_)
      sparse_->subtract_displacement(G.pattern(), c, lambda, out);
    else if (kkt_)
      kkt_->subtract_displacement(G, c, lambda, out);
    else
      dense_->subtract_displacement(G, c, lambda, out);
  }
  // Sparse only: constraints that were dropped because they depend on others.
  std::vector<int> dropped() const {
    return sparse_ ? sparse_->dropped() : kkt_ ? kkt_->dropped() : std::vector<int>{};
  }

  // Constraints that were found to be dependent stay left out wherever `factor` is called, and no others are.
  void keep_rows() {
    if (sparse_) sparse_->keep_rows();
    if (kkt_) kkt_->keep_rows();
  }

 private:
  // The rank by elimination in the order of a pattern, as far as that can be trusted. Not decided: the dense algebra of
  // redundant constraints has to take over.
  template <class Sparse, class Analyse, class Metric>
  Status analyse_in_order(Sparse& gram, Analyse&& analyse_with, const Jacobian<S>& G, const Metric& A,
                          const Vec<R>& unit, const R& noise, bool& decided) {
    decided = true;
    const R small(small_pivot);
    Status s = analyse_with(noise < small ? small : noise);
    if (!s.ok() || gram.rank() == m_) return s;
    if (m_ > few_to_exchange) return analyse_with(noise);
    DenseGram<S, Dynamic, Dynamic> full(n_, m_);
    full.assemble(G, A);
    const int rank = PivotOrder<S>(m_).choose(scaled(full.matrix(), unit), m_, noise);
    if (rank < m_ && m_ <= few_redundant) {
      decided = false;
      return {};
    }
    for (R least = small; least >= noise && gram.rank() != rank; least /= 10) s = analyse_with(least);
    if (gram.rank() != rank) s = analyse_with(noise);
    return s;
  }
  template <class Metric>
  static const SparseMass<S>* sparse_mass(const Metric& A) {
    if constexpr (requires { A.sparse_mass(); })
      return A.sparse_mass();
    else
      return nullptr;
  }

  int n_, m_;
  std::shared_ptr<const GramPattern> pattern_;
  std::shared_ptr<const KktPattern> kkt_pattern_;
  std::optional<DenseGram<S, Dynamic, Dynamic>> dense_;
  std::optional<SparseGram<S>> sparse_;
  std::optional<KktGram<S>> kkt_;
};

}  // namespace holonom
