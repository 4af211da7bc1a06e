// Largest entries of vectors. What is not a number stays one.
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

}  // namespace holonom
