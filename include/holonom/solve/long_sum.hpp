// Sums of coefficients, whose rounding errors are the same in every step: energies would drift by them.
#pragma once

#include <cmath>
#include <limits>

#include "holonom/scalar.hpp"
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

// A sum as if in twice the digits, rounded once at its end (Ogita, Rump and Oishi 2005)
template <class S>
class LongSum {
 public:
  void add(const S& x) {
    const S before = sum_;
    sum_ = before + x;
    lost_ += lost_in_sum(before, x, sum_);
  }
  void add_product(const S& a, const S& b) {
    const S product = a * b;
    add(product);
    lost_ += lost_in_product(a, b, product);
  }
  S rounded() const { return sum_ + lost_; }

 private:
  S sum_{0}, lost_{0};
};

}  // namespace holonom
