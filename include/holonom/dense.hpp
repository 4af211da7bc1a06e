// Small dense factorisations in the scalar S, in place and without allocation. Row-major, k × k in
// an array of row length `stride`.
#pragma once

#include <utility>
#include <vector>

#include "holonom/scalar.hpp"
#include "holonom/vector.hpp"

namespace holonom {

// A square matrix with room for m × m numbers.
template <class S, int M = Dynamic>
class Square {
 public:
  static constexpr bool is_static = M != Dynamic;
  Square() = default;
  explicit Square(int m) : m_(m), a_(m * m) {}
  S& operator()(int i, int j) { return a_[i * size() + j]; }
  const S& operator()(int i, int j) const { return a_[i * size() + j]; }
  int size() const {
    if constexpr (M == Dynamic)
      return m_;
    else
      return M;
  }

 private:
  int m_ = M == Dynamic ? 0 : M;
  Vec<S, times(M, M)> a_;
};

// Two constraints are common, and their solves stand one after the other in a step: the explicit
// inverse has the shortest chain of dependent operations.
template <class S>
S determinant(const Square<S, 2>& A) {
  return A(0, 0) * A(1, 1) - A(0, 1) * A(1, 0);
}
template <class S>
void invert(Square<S, 2>& A, const S& det) {
  const S r = S(1) / det, a = A(0, 0);
  A(0, 0) = A(1, 1) * r;
  A(0, 1) = -(A(0, 1) * r);
  A(1, 0) = -(A(1, 0) * r);
  A(1, 1) = a * r;
}
template <class S>
void multiply(const Square<S, 2>& A, Vec<S, 2>& b) {
  const S x = A(0, 0) * b[0] + A(0, 1) * b[1];
  b[1] = A(1, 0) * b[0] + A(1, 1) * b[1];
  b[0] = x;
}

// A = L D Lᵀ; the strict lower triangle of A becomes L, the diagonal 1/D. Returns the index of the
// first pivot that is not safely positive (relative to the diagonal it came from), or -1.
template <class S, int M>
int factor_ldl(Square<S, M>& A, const Real<S>& threshold) {
  const int m = A.size();
  if constexpr (M == 2) {
    const S a = A(0, 0), d = A(1, 1), det = determinant(A);
    if (!(value(a) > Real<S>(0))) return 0;
    if (!(value(det) > threshold * value(S(a * d)))) return 1;
    invert(A, det);
    return -1;
  }
  for (int k = 0; k < m; ++k) {
    S d = A(k, k);
    const Real<S> original = value(d);
    for (int j = 0; j < k; ++j) {
      // A(k, j) still holds L(k, j) D(j): divide on the way.
      const S ld = A(k, j);
      const S l = ld * A(j, j);
      d -= l * ld;
      A(k, j) = l;
    }
    if (!(value(d) > threshold * original)) return k;
    A(k, k) = S(1) / d;
    for (int i = k + 1; i < m; ++i) {
      S s = A(i, k);
      for (int j = 0; j < k; ++j) s -= A(i, j) * A(k, j);
      A(i, k) = s;
    }
  }
  return -1;
}

template <class S, int M>
void solve_ldl(const Square<S, M>& A, Vec<S, M>& b) {
  if constexpr (M == 2) return multiply(A, b);
  const int m = A.size();
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < i; ++j) b[i] -= A(i, j) * b[j];
  for (int i = 0; i < m; ++i) b[i] *= A(i, i);
  for (int i = m - 1; i >= 0; --i)
    for (int j = i + 1; j < m; ++j) b[i] -= A(j, i) * b[j];
}

// A = L U without exchanges (A is a small perturbation of a positive definite matrix here); the
// diagonal becomes 1/U_kk. Returns the first row whose pivot is not positive, or less than `least` of its diagonal, or
// -1.
template <class S, int M>
int factor_lu(Square<S, M>& A, const Real<S>& least = Real<S>(0)) {
  const int m = A.size();
  if constexpr (M == 2) {
    const S a = A(0, 0), both = a * A(1, 1), det = both - A(0, 1) * A(1, 0);
    invert(A, det);
    return !(value(a) > Real<S>(0)) ? 0 : !(value(det) > least * value(both)) ? 1 : -1;
  }
  int suspicious = -1;
  for (int k = 0; k < m; ++k) {
    // row k of L, then of U: its diagonal is seen before and after
    const Real<S> original = value(A(k, k));
    for (int j = 0; j < k; ++j) {
      const S l = A(k, j) * A(j, j);
      A(k, j) = l;
      for (int i = j + 1; i < m; ++i) A(k, i) -= l * A(j, i);
    }
    if (suspicious < 0 && !(original > Real<S>(0) && value(A(k, k)) > least * original)) suspicious = k;
    A(k, k) = S(1) / A(k, k);
  }
  return suspicious;
}

template <class S, int M>
void solve_lu(const Square<S, M>& A, Vec<S, M>& b) {
  if constexpr (M == 2) return multiply(A, b);
  const int m = A.size();
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < i; ++j) b[i] -= A(i, j) * b[j];
  for (int i = m - 1; i >= 0; --i) {
    for (int j = i + 1; j < m; ++j) b[i] -= A(i, j) * b[j];
    b[i] *= A(i, i);
  }
}

// A = P L U with row exchanges, for matrices that need not be near a positive definite one.
template <class S, int M = Dynamic>
class PivotedLu {
 public:
  PivotedLu() = default;
  explicit PivotedLu(int m) : A_(m), row_(m) {}

  Square<S, M>& matrix() { return A_; }
  int size() const { return A_.size(); }

  // False if the matrix is singular, or has entries that are not numbers.
  bool factor() {
    const int m = A_.size();
    for (int k = 0; k < m; ++k) {
      int best = k;
      for (int i = k + 1; i < m; ++i)
        if (magnitude(value(A_(i, k))) > magnitude(value(A_(best, k)))) best = i;
      row_[k] = best;
      if (!(magnitude(value(A_(best, k))) > Real<S>(0))) return false;
      if (best != k)
        for (int j = 0; j < m; ++j) std::swap(A_(k, j), A_(best, j));
      const S r = S(1) / A_(k, k);
      for (int i = k + 1; i < m; ++i) {
        const S l = A_(i, k) * r;
        A_(i, k) = l;
        if (magnitude(l) == Real<S>(0)) continue;
        for (int j = k + 1; j < m; ++j) A_(i, j) -= l * A_(k, j);
      }
    }
    return true;
  }
  // Of the determinant
  int sign() const {
    int sign = 1;
    for (int k = 0; k < A_.size(); ++k)
      if ((row_[k] != k) != (value(A_(k, k)) < Real<S>(0))) sign = -sign;
    return sign;
  }
  void solve(Vec<S, M>& b) const {
    const int m = A_.size();
    for (int k = 0; k < m; ++k)
      if (const int r = row_[k]; r != k) std::swap(b[k], b[r]);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < i; ++j) b[i] -= A_(i, j) * b[j];
    for (int i = m - 1; i >= 0; --i) {
      for (int j = i + 1; j < m; ++j) b[i] -= A_(i, j) * b[j];
      b[i] /= A_(i, i);
    }
  }
  // With the transposed matrix
  void solve_transposed(Vec<S, M>& b) const {
    const int m = A_.size();
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < i; ++j) b[i] -= A_(j, i) * b[j];
      b[i] /= A_(i, i);
    }
    for (int i = m - 1; i >= 0; --i)
      for (int j = i + 1; j < m; ++j) b[i] -= A_(j, i) * b[j];
    for (int k = m - 1; k >= 0; --k)
      if (const int r = row_[k]; r != k) std::swap(b[k], b[r]);
  }

 private:
  Square<S, M> A_;
  Vec<int, M> row_;
};

// The matrix G₁ A G₀ᵀ of a Newton step: nearly positive definite, and then factored without exchanges; not near a dead
// centre, where the determinant may change its sign.
template <class S, int M>
class NewtonMatrix {
  // Pivots below this part of their diagonal mean that constraints are nearly dependent.
  static constexpr double nearly_dependent = 1e-3;

 public:
  static constexpr bool is_static = false;
  NewtonMatrix() = default;
  explicit NewtonMatrix(int m) : A_(m), lu_(m), pivoted_(m) {}
  Square<S, M>& matrix() { return A_; }
  void factor() {
    lu_ = A_;
    exchanged_ = factor_lu(lu_, Real<S>(nearly_dependent)) >= 0;
    if (!exchanged_) return;
    pivoted_.matrix() = A_;
    exchanged_ = pivoted_.factor();
  }
  void solve(Vec<S, M>& b) const { exchanged_ ? pivoted_.solve(b) : solve_lu(lu_, b); }
  // Without exchanges of rows
  int negative_pivots() const {
    int count = 0;
    for (int k = 0; k < lu_.size(); ++k) count += value(lu_(k, k)) < Real<S>(0);
    return count;
  }

 private:
  Square<S, M> A_, lu_;
  PivotedLu<S, M> pivoted_;
  bool exchanged_ = false;
};
// One or two constraints have an explicit inverse, which needs no exchanges.
template <class S, int M>
requires(M == 1 || M == 2) class NewtonMatrix<S, M> {
 public:
  static constexpr bool is_static = true;
  NewtonMatrix() = default;
  explicit NewtonMatrix(int) {}
  Square<S, M>& matrix() { return A_; }
  void factor() { is_positive_ = factor_lu(A_) < 0; }
  void solve(Vec<S, M>& b) const { solve_lu(A_, b); }
  int negative_pivots() const { return is_positive_ ? 0 : 1; }

 private:
  Square<S, M> A_;
  bool is_positive_ = true;
};

}  // namespace holonom
