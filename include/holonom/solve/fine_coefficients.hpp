// Coefficients with more digits than the scalar S has. The rounding error of a coefficient is the same in every step,
// and energies drift by it; those of products and sums change from step to step. So a coefficient is kept in two parts:
// a coarse one of a few bits, and the fine rest, whose rounding error is 2⁻¹¹ of that of the whole (Hairer, McLachlan
// and Razakarivony 2008).
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "holonom/dense.hpp"
#include "holonom/solve/rounding.hpp"

namespace holonom {

// product = fl(a b): what rounding took from it, exactly (Dekker 1971, with Veltkamp's halves).
template <class S>
S lost_in_product(const S& a, const S& b, const S& product) {
  using std::ldexp;
  const auto upper_half = [](const S& x) {
    const S shifted = S(ldexp(Real<S>(1), (std::numeric_limits<Real<S>>::digits + 1) / 2) + Real<S>(1)) * x;
    return S(shifted - S(shifted - x));
  };
  const S a1 = upper_half(a), a2 = a - a1, b1 = upper_half(b), b2 = b - b1;
  return S(S(S(S(a1 * b1) - product) + S(a1 * b2)) + S(a2 * b1)) + S(a2 * b2);
}

// A sum as if in twice the digits (Ogita, Rump and Oishi 2005): larger + smaller.
template <class S>
class LongSum {
 public:
  void add(const S& x) {
    const S before = larger_;
    larger_ = before + x;
    smaller_ += lost_in_sum(before, x, larger_);
  }
  void add_product(const S& a, const S& b) {
    const S product = a * b;
    add(product);
    smaller_ += lost_in_product(a, b, product);
  }
  const S& larger() const { return larger_; }
  const S& smaller() const { return smaller_; }

 private:
  S larger_{0}, smaller_{0};
};

// A matrix of such coefficients.
template <class S>
class FineCoefficients {
 public:
  FineCoefficients(int rows, int columns) : columns_(columns), parts_(static_cast<std::size_t>(rows * columns)) {}
  // `rest`: what rounding took from A, if it is known
  FineCoefficients(const Square<S>& A, const Square<S>* rest = nullptr) : FineCoefficients(A.size(), A.size()) {
    for (int i = 0; i < A.size(); ++i)
      for (int j = 0; j < A.size(); ++j) set(i, j, A(i, j), rest ? (*rest)(i, j) : S(0));
  }
  FineCoefficients(const Vec<S>& b, const Vec<S>* rest = nullptr) : FineCoefficients(1, b.size()) {
    for (int j = 0; j < b.size(); ++j) set(0, j, b[j], rest ? (*rest)[j] : S(0));
  }

  int rows() const { return static_cast<int>(parts_.size()) / columns_; }
  const S& coarse(int i, int j) const { return part(i, j).coarse; }
  const S& fine(int i, int j) const { return part(i, j).fine; }
  const S& operator()(int i, int j) const { return part(i, j).rounded; }

  // out = Σ_j A_ij x_j. The parts are summed up apart from each other: coarse ones times forces that never change
  // (gravity) are exact, or would be rounded alike in every step. `fine_sum` is scratch.
  template <int N>
  void combine(int i, const std::vector<Vec<S, N>>& x, Vec<S, N>& out, Vec<S, N>& fine_sum) const {
    fill(out, S(0));
    fill(fine_sum, S(0));
    for (int j = 0; j < columns_; ++j) {
      const Parts& a = part(i, j);
      if (a.rounded == S(0)) continue;
      const Vec<S, N>& y = x[static_cast<std::size_t>(j)];
      for (int k = 0; k < out.size(); ++k) {
        out[k] += a.coarse * y[k];
        fine_sum[k] += a.fine * y[k];
      }
    }
    axpy(S(1), fine_sum, out);
  }
  // The same with rounded coefficients, for what is a correction anyway.
  template <int N>
  void combine(int i, const std::vector<Vec<S, N>>& x, Vec<S, N>& out) const {
    fill(out, S(0));
    for (int j = 0; j < columns_; ++j)
      if (const S& a = part(i, j).rounded; a != S(0)) axpy(a, x[static_cast<std::size_t>(j)], out);
  }

  friend FineCoefficients operator*(const FineCoefficients& A, const FineCoefficients& B) {
    FineCoefficients C(A.rows(), B.columns_);
    for (int i = 0; i < A.rows(); ++i)
      for (int j = 0; j < B.columns_; ++j) {
        LongSum<S> sum;
        for (int k = 0; k < A.columns_; ++k)
          for (const S& a : {A.coarse(i, k), A.fine(i, k)})
            for (const S& b : {B.coarse(k, j), B.fine(k, j)}) sum.add_product(a, b);
        C.set(i, j, sum.larger(), sum.smaller());
      }
    return C;
  }
  // One column
  FineCoefficients row_sums() const {
    FineCoefficients sums(rows(), 1);
    for (int i = 0; i < rows(); ++i) {
      LongSum<S> sum;
      for (int j = 0; j < columns_; ++j) {
        sum.add(coarse(i, j));
        sum.add(fine(i, j));
      }
      sums.set(i, 0, sum.larger(), sum.smaller());
    }
    return sums;
  }

 private:
  struct Parts {
    S coarse{0}, fine{0}, rounded{0};
  };
  static constexpr double grid = 1024;

  std::size_t place(int i, int j) const {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(columns_) + static_cast<std::size_t>(j);
  }
  const Parts& part(int i, int j) const { return parts_[place(i, j)]; }
  void set(int i, int j, const S& x, const S& rest) {
    Parts& parts = parts_[place(i, j)];
    parts.coarse = S(std::round(grid * to_double(x)) / grid);
    parts.fine = S(x - parts.coarse) + rest;
    parts.rounded = parts.coarse + parts.fine;
  }

  int columns_;
  std::vector<Parts> parts_;
};

}  // namespace holonom
