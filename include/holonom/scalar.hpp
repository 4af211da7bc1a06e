// What every algorithm asks of its scalar S. The scalars are double, long double, quad and mp100
// (wide.hpp) and Dual over double and quad (dual.hpp). Elementary functions are found by argument
// dependent lookup after `using std::sin;` and the like.
#pragma once

#include <cmath>
#include <limits>
#include <string>

namespace holonom {

// The real numbers beneath S: S itself, unless S carries a tangent.
template <class S>
struct RealOf {
  using type = S;
};
template <class S>
using Real = typename RealOf<S>::type;

template <class S>
Real<S> epsilon() {
  return std::numeric_limits<Real<S>>::epsilon();
}

// The value without a tangent.
template <class S>
const S& value(const S& x) {
  return x;
}

// |x|, tangent included: an iteration has converged only when this stands still.
template <class S>
Real<S> magnitude(const S& x) {
  using std::abs;
  return abs(x);
}

// largest = max(largest, x). NaN is larger than anything: a measurement must not lose it.
template <class R>
void keep_largest(R& largest, const R& x) {
  if (!(x <= largest) && largest == largest) largest = x;
}

template <class S>
bool is_finite(const S& x) {
  using std::isfinite;
  return isfinite(x);
}

template <class S>
double to_double(const S& x) {
  return static_cast<double>(value(x));
}

// "double", "long", "quad", "100": the words of --precision.
template <class S>
std::string precision_name();

// All digits that are needed to read the number back without loss.
template <class S>
std::string to_text(const S& x);

}  // namespace holonom
