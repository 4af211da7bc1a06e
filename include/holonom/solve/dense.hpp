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
    if constexpr (M == Dynamic) return m_;
    else return M;
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
// diagonal becomes 1/U_kk. Returns the first row whose pivot is not positive, or -1.
template <class S, int M>
int factor_lu(Square<S, M>& A) {
  const int m = A.size();
  if constexpr (M == 2) {
    const S a = A(0, 0), det = determinant(A);
    invert(A, det);
    return !(value(a) > Real<S>(0)) ? 0 : !(value(det) > Real<S>(0)) ? 1 : -1;
  }
  int suspicious = -1;
  for (int k = 0; k < m; ++k) {
    if (!(value(A(k, k)) > Real<S>(0)) && suspicious < 0) suspicious = k;
    const S r = S(1) / A(k, k);
    A(k, k) = r;
    for (int i = k + 1; i < m; ++i) {
      const S l = A(i, k) * r;
      A(i, k) = l;
      for (int j = k + 1; j < m; ++j) A(i, j) -= l * A(k, j);
    }
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
template <class S>
class PivotedLu {
 public:
  PivotedLu() = default;
  explicit PivotedLu(int m) : A_(m), row_(static_cast<std::size_t>(m)) {}

  Square<S>& matrix() { return A_; }
  int size() const { return A_.size(); }

  // False if the matrix is singular, or has entries that are not numbers.
  bool factor() {
    const int m = A_.size();
    for (int k = 0; k < m; ++k) {
      int best = k;
      for (int i = k + 1; i < m; ++i)
        if (magnitude(value(A_(i, k))) > magnitude(value(A_(best, k)))) best = i;
      row_[static_cast<std::size_t>(k)] = best;
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
  void solve(Vec<S>& b) const {
    const int m = A_.size();
    for (int k = 0; k < m; ++k)
      if (const int r = row_[static_cast<std::size_t>(k)]; r != k) std::swap(b[k], b[r]);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < i; ++j) b[i] -= A_(i, j) * b[j];
    for (int i = m - 1; i >= 0; --i) {
      for (int j = i + 1; j < m; ++j) b[i] -= A_(i, j) * b[j];
      b[i] /= A_(i, i);
    }
  }

 private:
  Square<S> A_;
  std::vector<int> row_;
};

}  // namespace holonom
