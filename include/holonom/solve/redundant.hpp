// Rank-revealing companions of GramSolver, for constraints of which only some are independent.
#pragma once

#include <utility>
#include <vector>

#include "holonom/dense.hpp"

namespace holonom {

// Orders the rows of a positive semidefinite K by pivots, the largest first. A pivot is noise when
// almost nothing is left of its own diagonal, or when the diagonal itself is the square of a rounding error. The rows
// of K must be comparable (ConstraintScale::row_units).
template <class S>
class PivotOrder {
 public:
  explicit PivotOrder(int m) : work_(m), original_(m), order_(static_cast<std::size_t>(m)) {}

  // Chooses at most `most` rows; returns how many are independent.
  int choose(const Square<S>& K, int most, const Real<S>& threshold) {
    const int m = K.size();
    work_ = K;
    Real<S> largest(0);
    for (int k = 0; k < m; ++k) {
      order_[static_cast<std::size_t>(k)] = k;
      original_[k] = value(K(k, k));
      if (original_[k] > largest) largest = original_[k];
    }
    const Real<S> noise = threshold * threshold * largest;
    rejected_ = Real<S>(0);
    for (int k = 0; k < most; ++k) {
      int best = -1;
      for (int i = k; i < m; ++i) {
        const int r = (*this)[i];
        const Real<S>& pivot = value(work_(r, r));
        if (!(pivot > noise && pivot > threshold * original_[r])) continue;
        if (best < 0 || pivot > value(work_((*this)[best], (*this)[best]))) best = i;
      }
      if (best < 0) {
        for (int i = k; i < m; ++i) keep_largest(rejected_, Real<S>(value(work_((*this)[i], (*this)[i]))));
        return k;
      }
      std::swap(order_[static_cast<std::size_t>(k)], order_[static_cast<std::size_t>(best)]);
      const int p = (*this)[k];
      accepted_ = value(work_(p, p));
      const S reciprocal = S(1) / work_(p, p);
      for (int i = k + 1; i < m; ++i) {
        const int r = (*this)[i];
        const S l = work_(r, p) * reciprocal;
        for (int j = k + 1; j < m; ++j) work_(r, (*this)[j]) -= l * work_(p, (*this)[j]);
      }
    }
    return most;
  }

  int operator[](int i) const { return order_[static_cast<std::size_t>(i)]; }
  // The last pivot that was chosen over the largest that was not
  double gap() const {
    return rejected_ > Real<S>(0) ? to_double(Real<S>(accepted_ / rejected_)) : std::numeric_limits<double>::infinity();
  }

 private:
  Real<S> accepted_{0}, rejected_{0};
  Square<S> work_;
  Vec<Real<S>> original_;
  std::vector<int> order_;
};

// K with rows and columns times `unit`
template <class S, int M>
Square<S> scaled(const Square<S, M>& K, const Vec<Real<S>, M>& unit) {
  Square<S> result(K.size());
  for (int k = 0; k < K.size(); ++k)
    for (int l = 0; l < K.size(); ++l) result(k, l) = K(k, l) * S(unit[k] * unit[l]);
  return result;
}

// K of known rank < m. At every factorisation the best conditioned subset is chosen anew: no fixed
// subset need stay independent along a motion. Constraint forces do not depend on the choice, because
// all subsets span the same space; multipliers are made unique by taking those of minimal norm, in units of the terms
// of their constraints: a constraint that is written with a factor has the same force.
template <class S>
class Redundant {
 public:
  // unit: powers of two that make the rows of G comparable
  Redundant(int m, int rank, const Vec<Real<S>>& unit)
      : m_(m),
        rank_(rank),
        unit_(unit),
        at_(m),
        scaled_(m),
        dependence_(m * m),
        factor_(rank),
        newton_(rank),
        overlap_(m - rank),
        x_(rank),
        y_(m - rank) {}

  int rank() const { return rank_; }
  // The i-th constraint of the subset, i < rank
  int chosen(int i) const { return at_[i]; }

  // K: the full m × m Gram matrix. False if its rank has fallen below the known one.
  bool factor(const Square<S>& unscaled, const Real<S>& threshold) {
    Square<S>& K = scaled_;
    for (int k = 0; k < m_; ++k)
      for (int l = 0; l < m_; ++l) K(k, l) = unscaled(k, l) * S(unit_[k] * unit_[l]);
    if (at_.choose(K, rank_, threshold) < rank_) return false;
    for (int i = 0; i < rank_; ++i)
      for (int j = 0; j < rank_; ++j) factor_(i, j) = K(at_[i], at_[j]);
    if (factor_ldl(factor_, Real<S>(0)) >= 0) return false;
    // Rows of G outside the subset are combinations of those inside: G_d = Σ_i c_di G_i.
    const int dropped = m_ - rank_;
    for (int d = 0; d < dropped; ++d) {
      for (int i = 0; i < rank_; ++i) x_[i] = K(at_[i], at_[rank_ + d]);
      solve_ldl(factor_, x_);
      for (int i = 0; i < rank_; ++i) c(d, i) = x_[i];
    }
    for (int d = 0; d < dropped; ++d)
      for (int e = 0; e < dropped; ++e) {
        overlap_(d, e) = S(d == e ? 1 : 0);
        for (int i = 0; i < rank_; ++i) overlap_(d, e) += c(d, i) * c(e, i);
      }
    return factor_ldl(overlap_, Real<S>(0)) < 0;
  }

  // The minimum-norm solution of K x = b, for b in the range of K.
  void solve(Vec<S>& b) {
    gather(b);
    solve_ldl(factor_, x_);
    // The null space of K is spanned by (−c_d, e_d): subtract the component along it.
    const int dropped = m_ - rank_;
    for (int d = 0; d < dropped; ++d) {
      y_[d] = S(0);
      for (int i = 0; i < rank_; ++i) y_[d] += c(d, i) * x_[i];
    }
    solve_ldl(overlap_, y_);
    for (int d = 0; d < dropped; ++d)
      for (int i = 0; i < rank_; ++i) x_[i] -= c(d, i) * y_[d];
    for (int i = 0; i < rank_; ++i) b[at_[i]] = x_[i] * S(unit_[at_[i]]);
    for (int d = 0; d < dropped; ++d) b[at_[rank_ + d]] = y_[d] * S(unit_[at_[rank_ + d]]);
  }

  // The same subset of G₁ A G₀ᵀ, for Newton steps.
  void factor_newton(const Square<S>& K) {
    for (int i = 0; i < rank_; ++i)
      for (int j = 0; j < rank_; ++j) newton_.matrix()(i, j) = K(at_[i], at_[j]) * S(unit_[at_[i]] * unit_[at_[j]]);
    newton_.factor();
  }
  int negative_pivots() const { return newton_.negative_pivots(); }
  void solve_newton(Vec<S>& r) {
    gather(r);
    newton_.solve(x_);
    fill(r, S(0));
    for (int i = 0; i < rank_; ++i) r[at_[i]] = x_[i] * S(unit_[at_[i]]);
  }

 private:
  S& c(int d, int i) { return dependence_[d * m_ + i]; }
  void gather(const Vec<S>& b) {
    for (int i = 0; i < rank_; ++i) x_[i] = b[at_[i]] * S(unit_[at_[i]]);
  }

  int m_, rank_;
  Vec<Real<S>> unit_;
  PivotOrder<S> at_;
  Square<S> scaled_;
  Vec<S> dependence_;
  Square<S> factor_;
  NewtonMatrix<S, Dynamic> newton_;
  Square<S> overlap_;
  Vec<S> x_, y_;
};

// For each row that depends on others: itself and those others. What messages name.
template <class S>
std::vector<std::vector<int>> dependent_rows(const Square<S>& K, const Real<S>& threshold) {
  const int m = K.size();
  PivotOrder<S> at(m);
  const int rank = at.choose(K, m, threshold);
  Square<S> factor(rank);
  for (int i = 0; i < rank; ++i)
    for (int j = 0; j < rank; ++j) factor(i, j) = K(at[i], at[j]);
  std::vector<std::vector<int>> sets;
  if (factor_ldl(factor, Real<S>(0)) >= 0) return sets;
  const Real<S> negligible(1e-6);
  for (int d = rank; d < m; ++d) {
    Vec<S> c(rank);
    for (int i = 0; i < rank; ++i) c[i] = K(at[i], at[d]);
    solve_ldl(factor, c);
    std::vector<int> set{at[d]};
    for (int i = 0; i < rank; ++i)
      // |c_i| relative to what constraint i would need to produce row d alone
      if (magnitude(c[i]) * magnitude(c[i]) * value(K(at[i], at[i])) > negligible * value(K(at[d], at[d])))
        set.push_back(at[i]);
    std::sort(set.begin(), set.end());
    sets.push_back(set);
  }
  return sets;
}

}  // namespace holonom
