#include "holonom/analysis/horizon.hpp"

#include <limits>

#include "holonom/run/line_fit.hpp"

namespace holonom {

namespace {

constexpr double saturated = 0.1;  // errors of this size are those of another motion

}  // namespace

double ErrorHistory::followed() const {
  double last = 0;
  for (std::size_t k = 0; k < times.size() && errors[k] < saturated; ++k) last = times[k];
  return last;
}

double ErrorHistory::power(double settled) const {
  const double last = followed();
  LineFit<double> line;
  double first_x = 0, last_x = 0;
  for (std::size_t k = 0; k < times.size() && times[k] <= last; ++k) {
    if (times[k] < std::max(settled, last / 8) || !(errors[k] > 0)) continue;
    last_x = std::log(times[k]);
    if (line.count() == 0) first_x = last_x;
    line.add(last_x, std::log(errors[k]));
  }
  if (last_x - first_x < std::log(3.9)) return std::numeric_limits<double>::quiet_NaN();
  return line().drift / (last_x - first_x);
}

double ErrorHistory::rate() const {
  const double last = followed();
  LineFit<double> line;
  double first = 0;
  for (std::size_t k = 0; k < times.size() && times[k] <= last; ++k) {
    if (times[k] < last / 2 || !(errors[k] > 0)) continue;
    if (line.count() == 0) first = times[k];
    line.add(times[k], std::log(errors[k]));
  }
  return line.count() < 2 ? std::numeric_limits<double>::quiet_NaN() : line().drift / (last - first);
}

ErrorHistory error_history(const MethodEntry& entry, const MethodEntry& exact, const AnySystem<double>& sys,
                           const State<double>& start, double h, long steps, double unit) {
  NumericalMap<double> coarse(entry, sys), fine(exact, sys);
  State<double> x = start, y = start;
  ErrorHistory result;
  const int order = std::max(entry.info.on(sys.m(), sys.is_field()).order, 1);
  const double share = 1 - std::pow(2.0, -order);
  double largest = 0, next = 0;
  try {
    coarse.begin(x, h);
    fine.begin(y, h / 2);
    for (long k = 1; k <= steps; ++k) {
      coarse.step(x, h, k);
      for (const long part : {1, 0}) fine.step(y, h / 2, 2 * k - part);
      keep_largest(largest, largest_difference(x.q, y.q) / share / unit);
      const bool is_lost = !(largest < saturated);
      if (static_cast<double>(k) < next && k != steps && !is_lost) continue;
      next = 1.1 * static_cast<double>(k);
      result.times.push_back(std::abs(h) * static_cast<double>(k));
      result.errors.push_back(largest);
      if (is_lost) break;
    }
  } catch (const StepFailed&) {
    result.failed = true;
  }
  return result;
}

Horizon horizon(const ErrorHistory& history, double accuracy, double rate, double power) {
  double before_t = 0, before_e = 0;
  for (std::size_t k = 0; k < history.times.size(); ++k) {
    const double t = history.times[k], e = history.errors[k];
    if (e > accuracy) {
      // Between two times that are close together, as a power
      if (k == 0 || !(before_e > 0)) return {before_t, true};
      return {before_t * std::pow(t / before_t, std::log(accuracy / before_e) / std::log(e / before_e)), true};
    }
    before_t = t;
    before_e = e;
  }
  if (history.failed || !(before_e > 0)) return {before_t, history.failed};
  if (rate > 0) return {before_t + std::log(accuracy / before_e) / rate, false};
  return {before_t * std::pow(accuracy / before_e, 1 / std::max(power, 1.0)), false};
}

}  // namespace holonom
