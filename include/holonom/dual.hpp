// Dual numbers a + b ε with ε² = 0: a run in Dual<S> carries one exact tangent vector of the
// numerical map along with the state.
#pragma once

#include <cmath>
#include <limits>

#include "holonom/scalar.hpp"

namespace holonom {

template <class S>
struct Dual {
  S v{};  // value
  S d{};  // tangent

  Dual() = default;
  Dual(const S& value) : v(value), d(0) {}  // NOLINT: numbers convert to constants
  Dual(const S& value, const S& tangent) : v(value), d(tangent) {}
  template <class T>
  requires(std::is_arithmetic_v<T> && !std::is_same_v<T, S>) Dual(T value)
      : v(static_cast<S>(value)), d(0) {}  // NOLINT

  Dual& operator+=(const Dual& y) {
    v += y.v;
    d += y.d;
    return *this;
  }
  Dual& operator-=(const Dual& y) {
    v -= y.v;
    d -= y.d;
    return *this;
  }
  Dual& operator*=(const Dual& y) { return *this = *this * y; }
  Dual& operator/=(const Dual& y) { return *this = *this / y; }

  friend Dual operator+(const Dual& x, const Dual& y) { return {x.v + y.v, x.d + y.d}; }
  friend Dual operator-(const Dual& x, const Dual& y) { return {x.v - y.v, x.d - y.d}; }
  friend Dual operator-(const Dual& x) { return {-x.v, -x.d}; }
  friend Dual operator*(const Dual& x, const Dual& y) { return {x.v * y.v, x.d * y.v + x.v * y.d}; }
  friend Dual operator/(const Dual& x, const Dual& y) {
    const S z = x.v / y.v;
    return {z, (x.d - z * y.d) / y.v};
  }

  // Order is the order of the values: branches follow the trajectory, not its tangent.
  friend bool operator<(const Dual& x, const Dual& y) { return x.v < y.v; }
  friend bool operator>(const Dual& x, const Dual& y) { return x.v > y.v; }
  friend bool operator<=(const Dual& x, const Dual& y) { return x.v <= y.v; }
  friend bool operator>=(const Dual& x, const Dual& y) { return x.v >= y.v; }
  friend bool operator==(const Dual& x, const Dual& y) { return x.v == y.v; }
};

template <class S>
struct RealOf<Dual<S>> {
  using type = S;
};

template <class S>
const S& value(const Dual<S>& x) {
  return x.v;
}

template <class S>
S magnitude(const Dual<S>& x) {
  using std::abs;
  const S a = abs(x.v), b = abs(x.d);
  return a < b ? b : a;
}

template <class S>
bool is_finite(const Dual<S>& x) {
  return is_finite(x.v) && is_finite(x.d);
}

// f(x) with derivative f'(x): the chain rule, once.
template <class S>
Dual<S> chain(const Dual<S>& x, const S& f, const S& df) {
  return {f, df * x.d};
}

template <class S>
Dual<S> sqrt(const Dual<S>& x) {
  using std::sqrt;
  const S r = sqrt(x.v);
  return chain(x, r, S(1) / (r + r));
}
template <class S>
Dual<S> exp(const Dual<S>& x) {
  using std::exp;
  const S e = exp(x.v);
  return chain(x, e, e);
}
template <class S>
Dual<S> log(const Dual<S>& x) {
  using std::log;
  return chain<S>(x, log(x.v), S(1) / x.v);
}
template <class S>
Dual<S> sin(const Dual<S>& x) {
  using std::cos, std::sin;
  return chain<S>(x, sin(x.v), cos(x.v));
}
template <class S>
Dual<S> cos(const Dual<S>& x) {
  using std::cos, std::sin;
  return chain<S>(x, cos(x.v), -sin(x.v));
}
template <class S>
Dual<S> tan(const Dual<S>& x) {
  using std::tan;
  const S t = tan(x.v);
  return chain<S>(x, t, S(1) + t * t);
}
template <class S>
Dual<S> asin(const Dual<S>& x) {
  using std::asin, std::sqrt;
  return chain<S>(x, asin(x.v), S(1) / sqrt(S(1) - x.v * x.v));
}
template <class S>
Dual<S> acos(const Dual<S>& x) {
  using std::acos, std::sqrt;
  return chain<S>(x, acos(x.v), -S(1) / sqrt(S(1) - x.v * x.v));
}
template <class S>
Dual<S> atan(const Dual<S>& x) {
  using std::atan;
  return chain<S>(x, atan(x.v), S(1) / (S(1) + x.v * x.v));
}
template <class S>
Dual<S> sinh(const Dual<S>& x) {
  using std::cosh, std::sinh;
  return chain<S>(x, sinh(x.v), cosh(x.v));
}
template <class S>
Dual<S> cosh(const Dual<S>& x) {
  using std::cosh, std::sinh;
  return chain<S>(x, cosh(x.v), sinh(x.v));
}
template <class S>
Dual<S> tanh(const Dual<S>& x) {
  using std::tanh;
  const S t = tanh(x.v);
  return chain<S>(x, t, S(1) - t * t);
}
template <class S>
Dual<S> abs(const Dual<S>& x) {
  return x.v < S(0) ? -x : x;
}
template <class S>
Dual<S> floor(const Dual<S>& x) {
  using std::floor;
  return S(floor(x.v));
}
template <class S>
Dual<S> atan2(const Dual<S>& y, const Dual<S>& x) {
  using std::atan2;
  return {S(atan2(y.v, x.v)), (y.d * x.v - y.v * x.d) / (x.v * x.v + y.v * y.v)};
}
template <class S>
Dual<S> pow(const Dual<S>& x, const Dual<S>& y) {
  using std::log, std::pow;
  const S z = pow(x.v, y.v);
  S tangent = y.v * pow(x.v, S(y.v - S(1))) * x.d;
  if (!(y.d == S(0))) tangent += z * log(x.v) * y.d;
  return {z, tangent};
}

}  // namespace holonom
