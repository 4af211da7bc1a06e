// The order of a method on a problem: the slope of log(error) over log(h) at a fixed time, for q and for
// p, from points above the round-off plateau.
#pragma once

#include <cmath>
#include <vector>

#include "holonom/analysis/numerical_map.hpp"

namespace holonom {

struct OrderPoint {
  double h = 0, error_q = 0, error_p = 0;  // relative to the size of the solution
};

struct OrderFit {
  std::vector<OrderPoint> points;  // all that were measured
  int used = 0;                    // those above the plateau
  double slope_q = 0, slope_p = 0;
};

// Least squares; nothing is fitted to fewer than three points.
inline OrderFit fit_order(std::vector<OrderPoint> points, double plateau) {
  OrderFit fit;
  fit.points = std::move(points);
  double s = 0, x = 0, xx = 0, q = 0, xq = 0, p = 0, xp = 0;
  for (const OrderPoint& point : fit.points) {
    if (!(point.error_q > plateau && point.error_p > plateau)) continue;
    const double log_h = std::log(point.h), log_q = std::log(point.error_q), log_p = std::log(point.error_p);
    s += 1;
    x += log_h;
    xx += log_h * log_h;
    q += log_q;
    xq += log_h * log_q;
    p += log_p;
    xp += log_h * log_p;
    ++fit.used;
  }
  if (fit.used < 3) return fit;
  const double determinant = s * xx - x * x;
  fit.slope_q = (s * xq - x * q) / determinant;
  fit.slope_p = (s * xp - x * p) / determinant;
  return fit;
}

// `exact`: the solution at x.t + time; `counts`: numbers of steps, each a point. Errors below
// 10⁴ ε √count are not told from rounding errors.
template <class S>
OrderFit convergence_order(const MethodEntry& entry, const AnySystem<S>& sys, const State<S>& x, const State<S>& exact,
                           const S& time, const std::vector<long>& counts) {
  NumericalMap<S> map(entry, sys);
  StateSize<Real<S>> size;
  size.include(x);
  size.include(exact);
  std::vector<OrderPoint> points;
  double most = 0;
  for (const long count : counts) {
    const S h = time / S(count);
    State<S> y = x;
    map(y, h, count);
    points.push_back({to_double(h), to_double(Real<S>(largest_difference(y.q, exact.q) / size.q)),
                      to_double(Real<S>(largest_difference(y.p, exact.p) / size.p))});
    most = std::max(most, static_cast<double>(count));
  }
  return fit_order(std::move(points), 1e4 * to_double(epsilon<S>()) * std::sqrt(most));
}

}  // namespace holonom
