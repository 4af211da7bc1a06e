// The matrix A of a state space form (state_space.hpp), such that [A; G] is not singular: an orthonormal basis of the
// tangent space where it was made, or unit vectors, which part the coordinates into independent and dependent ones.
#pragma once

#include <algorithm>
#include <vector>

#include "holonom/any_system.hpp"
#include "holonom/dense.hpp"
#include "holonom/formulations/formulation.hpp"
#include "holonom/norm.hpp"
#include "holonom/solve/status.hpp"

namespace holonom {

template <class S>
class LinearChart {
  using R = Real<S>;

 public:
  LinearChart(const ChartPolicy& policy, int n, int m) : policy_(policy), n_(n), m_(m), a_(n) {
    A_.assign(at(n - m), Vec<S>(n));
  }

  const ChartPolicy& policy() const { return policy_; }
  const Vec<S>& row(int i) const { return A_[at(i)]; }

  // The next choice does not depend on the last one.
  void forget() { dependent_ = Vec<int>(); }
  // For a position with this G
  Status choose(const Jacobian<S>& G) {
    return policy_.kind == ChartPolicy::Kind::partition ? choose_partition(G) : choose_tangent(G);
  }

  // That of the mirrored positions
  void mirror(const Involution& rho) {
    if (rho.flip_q.empty()) return;
    for (Vec<S>& row : A_)
      for (int j = 0; j < n_; ++j)
        if (rho.flip_q[at(j)]) row[j] = -row[j];
  }

  template <class F>
  void visit_memory(F&& f) {
    f("dependent", dependent_);
    for (Vec<S>& row : A_) f("chart", row);
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  // Unit vectors with the largest parts in the tangent space, made orthogonal
  Status choose_tangent(const Jacobian<S>& G) {
    std::vector<Vec<S>> basis;
    Vec<S> row(n_);
    for (int k = 0; k < m_; ++k) {
      fill(row, S(0));
      G.row(k, [&](int j, const S& y) { row[j] = y; });
      if (!add_orthogonal(basis, row)) return {Failure::singular, k};
    }
    std::vector<bool> used(at(n_));
    for (Vec<S>& to : A_) {
      int best = -1;
      R largest(0);
      for (int j = 0; j < n_; ++j) {
        if (used[at(j)]) continue;
        R left(1);
        for (const Vec<S>& e : basis) left -= value(e[j]) * value(e[j]);
        if (best < 0 || left > largest) {
          best = j;
          largest = left;
        }
      }
      used[at(best)] = true;
      fill(row, S(0));
      row[best] = S(1);
      if (!add_orthogonal(basis, row)) return {Failure::singular, 0};
      to = basis.back();
      if (policy_.kind == ChartPolicy::Kind::fixed)  // a constant, whatever the state it was made at depends on
        for (S& y : to) y = S(value(y));
    }
    return {};
  }
  static bool add_orthogonal(std::vector<Vec<S>>& basis, Vec<S> x) {
    using std::sqrt;
    const R before = value(dot(x, x));
    for (int round = 0; round < 2; ++round)
      for (const Vec<S>& e : basis) axpy(S(-dot(e, x)), e, x);
    const S square = dot(x, x);
    if (!(value(square) > R(1e-20) * before)) return false;
    const S length = sqrt(square);
    for (S& y : x) y /= length;
    basis.push_back(std::move(x));
    return true;
  }

  // Elimination with complete pivoting tells which coordinates depend on the others best.
  Status choose_partition(const Jacobian<S>& G) {
    std::vector<int> best;
    R product(1);
    Square<R> B(m_ > 0 ? n_ : 0);
    for (int k = 0; k < m_; ++k) G.row(k, [&](int j, const S& y) { B(k, j) = value(y); });
    std::vector<bool> used(at(n_)), done(at(m_));
    for (int i = 0; i < m_; ++i) {
      int row = -1, column = -1;
      R pivot(0);
      for (int k = 0; k < m_; ++k)
        for (int j = 0; j < n_; ++j)
          if (!done[at(k)] && !used[at(j)] && magnitude(B(k, j)) > pivot) {
            pivot = magnitude(B(k, j));
            row = k;
            column = j;
          }
      if (row < 0) return {Failure::singular, i};
      product *= pivot;
      done[at(row)] = used[at(column)] = true;
      best.push_back(column);
      for (int k = 0; k < m_; ++k) {
        if (done[at(k)]) continue;
        const R factor = B(k, column) / B(row, column);
        for (int j = 0; j < n_; ++j) B(k, j) -= factor * B(row, j);
      }
    }
    std::sort(best.begin(), best.end());
    if (dependent_.size() == m_ && determinant(G) >= R(policy_.leave) * product) return {};  // it is good enough
    dependent_ = Vec<int>(m_);
    for (int k = 0; k < m_; ++k) dependent_[k] = best[at(k)];
    int row = 0;
    for (int j = 0; j < n_; ++j) {
      if (used[at(j)]) continue;
      fill(A_[at(row)], S(0));
      A_[at(row++)][j] = S(1);
    }
    return {};
  }
  // Of the columns of G that belong to the dependent coordinates
  R determinant(const Jacobian<S>& G) {
    PivotedLu<R, Dynamic> present(m_);
    for (int k = 0; k < m_; ++k) {
      fill(a_, S(0));
      G.row(k, [&](int j, const S& y) { a_[j] = y; });
      for (int j = 0; j < m_; ++j) present.matrix()(k, j) = value(a_[dependent_[j]]);
    }
    if (!present.factor()) return R(0);
    R product(1);
    for (int k = 0; k < m_; ++k) product *= magnitude(present.matrix()(k, k));
    return product;
  }

  const ChartPolicy policy_;
  const int n_, m_;
  std::vector<Vec<S>> A_;
  Vec<int> dependent_;  // coordinates, of a partition
  Vec<S> a_;
};

}  // namespace holonom
