// The order of a method on a problem: the slope of log(error) over log(h) at a fixed time, for q and for
// p, from points above the round-off plateau.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
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
  bool settled = false;  // (settled_order) not limits of slopes that move
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

// The errors at x.t + time, where `exact` is the solution, of `count` steps from x.
template <class S>
OrderPoint order_point(NumericalMap<S>& map, const State<S>& x, const State<S>& exact, const S& time, long count) {
  StateSize<Real<S>> size;
  size.include(x);
  size.include(exact);
  const S h = time / S(count);
  State<S> y = x;
  map(y, h, count);
  const auto error = [](const Vec<S>& a, const Vec<S>& b, const Real<S>& of) {
    return to_double(Real<S>(largest_difference(a, b) / of));
  };
  OrderPoint point{to_double(h), error(y.q, exact.q, size.q), error(y.p, exact.p, size.p)};
  // A field may have all its variables in one part; the other is zero.
  if (size.p == Real<S>(0) && largest_difference(y.p, exact.p) == Real<S>(0)) point.error_p = point.error_q;
  return point;
}

// Errors below are not told from rounding errors.
template <class S>
double order_plateau(long count) {
  return 1e4 * to_double(epsilon<S>()) * std::sqrt(static_cast<double>(count));
}

// `counts`: numbers of steps, each a point.
template <class S>
OrderFit convergence_order(const MethodEntry& entry, const AnySystem<S>& sys, const State<S>& x, const State<S>& exact,
                           const S& time, const std::vector<long>& counts) {
  NumericalMap<S> map(entry, sys);
  std::vector<OrderPoint> points;
  long most = 0;
  for (const long count : counts) {
    points.push_back(order_point(map, x, exact, time, count));
    most = std::max(most, count);
  }
  return fit_order(std::move(points), order_plateau<S>(most));
}

// Slopes between points, each with half the step of the one before, that approach their limit geometrically, as those
// of an error with one more term do: the limit (Aitken). NaN if they do not.
inline double limit_of_slopes(const std::vector<OrderPoint>& points, double OrderPoint::*error) {
  constexpr double no_limit = std::numeric_limits<double>::quiet_NaN();
  if (points.size() < 4) return no_limit;
  const OrderPoint* last = &points.back();
  const auto slope = [&](int k) { return std::log2((last - k - 1)->*error / (last - k)->*error); };
  const double bend = slope(0) - slope(1), before = slope(1) - slope(2);
  if (!(std::abs(bend) < 0.15 && std::abs(bend) < 0.7 * std::abs(before))) return no_limit;
  return slope(0) + bend * bend / (before - bend);
}

// Halves the step, from `coarsest` steps on, until the slope between two points, of q and of p, is the same as between
// the two before to `settled`, so many `times` one after the other, and fits the last three points. What the order
// should be plays no part. For methods of high order, whose errors fall through the whole range between too long steps
// and rounding within a few halvings; where the plateau comes before they agree as often as that, what agreed last is
// taken. If slopes do not settle above it, their limits are taken, or nothing where they have none.
template <class S>
OrderFit settled_order(const MethodEntry& entry, const AnySystem<S>& sys, const State<S>& x, const State<S>& exact,
                       const S& time, long coarsest, double settled = 0.05, int times = 1) {
  constexpr std::size_t most_points = 12;
  NumericalMap<S> map(entry, sys);
  std::vector<OrderPoint> points;
  std::size_t above = most_points;  // the plateau
  int agreed = 0;
  OrderFit once;  // slopes that have agreed less often
  for (long count = coarsest; points.size() < most_points; count *= 2) {
    points.push_back(order_point(map, x, exact, time, count));
    const OrderPoint* last = &points.back();
    if (!(last->error_q > order_plateau<S>(count) && last->error_p > order_plateau<S>(count))) {
      above = points.size() - 1;
      break;
    }
    if (points.size() < 3) continue;
    // The second difference of log₂(error)
    const auto bend = [&](double OrderPoint::*error) {
      return std::log2(last->*error * (last - 2)->*error / ((last - 1)->*error * (last - 1)->*error));
    };
    const bool agrees =
        std::abs(bend(&OrderPoint::error_q)) < settled && std::abs(bend(&OrderPoint::error_p)) < settled;
    agreed = agrees ? agreed + 1 : 0;
    if (!agrees) continue;
    once = fit_order({last - 2, last + 1}, 0);
    once.settled = true;
    if (agreed < times) continue;
    once.points = std::move(points);
    return once;
  }
  points.resize(std::min(above, points.size()));
  if (once.settled) {
    once.points = std::move(points);
    return once;
  }
  OrderFit fit;
  fit.points = points;
  const double slope_q = limit_of_slopes(points, &OrderPoint::error_q),
               slope_p = limit_of_slopes(points, &OrderPoint::error_p);
  if (std::isnan(slope_q) || std::isnan(slope_p)) return fit;
  fit.used = 4;
  fit.slope_q = slope_q;
  fit.slope_p = slope_p;
  return fit;
}

}  // namespace holonom
