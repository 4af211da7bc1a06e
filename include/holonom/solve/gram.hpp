// GramSolver: everything that has to do with G A Gᵀ, where A is M⁻¹ or H_pp. Compile-time sizes are dense; otherwise
// the number of constraints and the metric decide which kind it is, each of them a Gram (gram_interface.hpp).
#pragma once

#include <variant>

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
  using Dense = DenseGram<S, Dynamic, Dynamic>;
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
  int rank() const {
    int rank = m_;
    with([&](const auto& gram) { rank = gram.rank(); });
    return rank;
  }
  // The i-th of rank() independent constraints; dense only
  int independent(int i) const {
    int constraint = i;
    with([&](const auto& gram) { constraint = gram.independent(i); });
    return constraint;
  }
  bool refreshes() const {
    bool does = true;
    with([&](const auto& gram) { does = gram.refreshes; });
    return does;
  }

  // Pivots below this part of their diagonal are zero. True dependence leaves some ε; a mechanism this
  // near a singular position has lost most digits of its multipliers anyway.
  static R threshold(int m) { return Dense::threshold(m < 64 ? m : 64); }

  template <MetricOf<S> Metric>
  Status analyse(const Jacobian<S>& G, const Metric& A, const Vec<R>& unit) {
    return analyse(G, A, unit, threshold(m_));
  }
  template <MetricOf<S> Metric>
  Status analyse(const Jacobian<S>& G, const Metric& A, const Vec<R>& unit, const R& noise) {
    if (m_ == 0) return {};
    bool decided = false;
    Status status;
    if (m_ > few_constraints && A.diagonal()) {
      if (!pattern_) pattern_ = std::make_shared<const GramPattern>(G.pattern());
      status = analyse_in_order(become<SparseGram<S>>(pattern_, G.pattern()), G, A, unit, noise, decided);
    } else if (const SparseMass<S>* mass = sparse_mass_of<S>(A); mass && m_ > few_constraints) {
      if (!kkt_pattern_) kkt_pattern_ = std::make_shared<const KktPattern>(mass->pattern(), G.pattern());
      status = analyse_in_order(become<KktGram<S>>(kkt_pattern_, G.pattern()), G, A, unit, noise, decided);
    }
    return decided ? status : become<Dense>(n_, m_).analyse(G, A, unit, noise);
  }
  template <MetricOf<S> Metric>
  Status factor(const Jacobian<S>& G, const Metric& A) {
    Status status;
    with([&](auto& gram) { status = gram.factor(G, A); });
    return status;
  }
  // The two parts of `factor`: A Gᵀ at a new point, then K there.
  template <MetricOf<S> Metric>
  void set_directions(const Jacobian<S>& G, const Metric& A) {
    with([&](auto& gram) { gram.set_directions(G, A); });
  }
  Status factor(const Jacobian<S>& G) {
    Status status;
    with([&](auto& gram) { status = gram.factor(G); });
    return status;
  }
  void solve(Vec<S>& b) {
    with([&](auto& gram) { gram.solve(b); });
  }
  void newton(const Jacobian<S>& G1, Vec<S>& r, bool refresh) {
    with([&](auto& gram) { gram.newton(G1, r, refresh); });
  }
  int negative_pivots() const {
    int count = 0;
    with([&](const auto& gram) { count = gram.negative_pivots(); });
    return count;
  }
  int negative_pivots(const Jacobian<S>& G1) {
    int count = 0;
    with([&](auto& gram) { count = gram.negative_pivots(G1); });
    return count;
  }
  void multiply(const Jacobian<S>& G, const Vec<S>& u, Vec<S>& out) {
    with([&](auto& gram) { gram.multiply(G, u, out); });
  }
  void subtract_displacement(const Jacobian<S>& G, const S& c, const Vec<S>& lambda, Vec<S>& out) {
    with([&](auto& gram) { gram.subtract_displacement(G, c, lambda, out); });
  }
  // Sparse only: constraints that were dropped because they depend on others.
  std::vector<int> dropped() const {
    std::vector<int> constraints;
    with([&](const auto& gram) { constraints = gram.dropped(); });
    return constraints;
  }
  // Constraints that were found to be dependent stay left out wherever `factor` is called, and no others are.
  void keep_rows() {
    with([&](auto& gram) { gram.keep_rows(); });
  }

 private:
  template <class F>
  void with(F&& f) {
    std::visit(
        [&](auto& gram) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(gram)>, std::monostate>) f(gram);
        },
        gram_);
  }
  template <class F>
  void with(F&& f) const {
    std::visit(
        [&](const auto& gram) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(gram)>, std::monostate>) f(gram);
        },
        gram_);
  }
  // This kind from now on; one that is there already is kept.
  template <class Kind, class... Args>
  Kind& become(const Args&... args) {
    if (Kind* gram = std::get_if<Kind>(&gram_)) return *gram;
    return gram_.template emplace<Kind>(args...);
  }

  // The rank by elimination in the order of a pattern, as far as that can be trusted. Not decided: the dense algebra of
  // redundant constraints has to take over.
  template <class Sparse, class Metric>
  Status analyse_in_order(Sparse& gram, const Jacobian<S>& G, const Metric& A, const Vec<R>& unit, const R& noise,
                          bool& decided) {
    decided = true;
    const R small(small_pivot);
    Status s = gram.analyse(G, A, noise < small ? small : noise);
    if (!s.ok() || gram.rank() == m_) return s;
    if (m_ > few_to_exchange) return gram.analyse(G, A, noise);
    Dense full(n_, m_);
    full.assemble(G, A);
    const int rank = PivotOrder<S>(m_).choose(scaled(full.matrix(), unit), m_, noise);
    if (rank < m_ && m_ <= few_redundant) {
      decided = false;
      return {};
    }
    for (R least = small; least >= noise && gram.rank() != rank; least /= 10) s = gram.analyse(G, A, least);
    if (gram.rank() != rank) s = gram.analyse(G, A, noise);
    return s;
  }

  int n_, m_;
  std::shared_ptr<const GramPattern> pattern_;
  std::shared_ptr<const KktPattern> kkt_pattern_;
  std::variant<std::monostate, Dense, SparseGram<S>, KktGram<S>> gram_;  // none before it is analysed
};

}  // namespace holonom
