// Sizes of vectors and of their rounding errors. What is not a number stays one.
#pragma once

#include "holonom/scalar.hpp"
#include "holonom/vector.hpp"

namespace holonom {

template <class S, int N>
Real<S> largest(const Vec<S, N>& a) {
  Real<S> size(0);
  for (int i = 0; i < a.size(); ++i) keep_largest(size, Real<S>(magnitude(a[i])));
  return size;
}

template <class S, int N>
Real<S> largest_difference(const Vec<S, N>& a, const Vec<S, N>& b) {
  Real<S> size(0);
  for (int i = 0; i < a.size(); ++i) keep_largest(size, Real<S>(magnitude(S(a[i] - b[i]))));
  return size;
}

// Like rounding errors of a, but for the factor ε: its entries times weights in (−1, 1) without a pattern, so that what
// depends on a difference of coordinates does not see equal errors.
template <class S, int N>
void like_rounding_errors(const Vec<S, N>& a, Vec<S, N>& out) {
  constexpr double golden = 0.6180339887498949;
  double turn = 0;
  for (int i = 0; i < a.size(); ++i) {
    turn += turn + golden < 1 ? golden : golden - 1;
    out[i] = S(2 * turn - 1) * a[i];
  }
}

}  // namespace holonom
