// How errors of positions grow in time, by what was seen of them: with a power of it, which is 1 or 2 where the motion
// is regular (Hairer, Lubich and Wanner 2003, theorem 5.5), or exponentially.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace holonom {

// From the end of what was seen until a later time: by a factor, and in words
struct Growth {
  double factor = 1;
  std::string law;
  double e_fold = 0;  // the time of one, if it is exponential
};

// Of the line through these points, by least squares
inline double line_slope(const std::vector<double>& x, const std::vector<double>& y) {
  const auto count = static_cast<double>(x.size());
  double mx = 0, my = 0, xx = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) mx += x[i] / count, my += y[i] / count;
  for (std::size_t i = 0; i < x.size(); ++i) xx += (x[i] - mx) * (x[i] - mx), xy += (x[i] - mx) * (y[i] - my);
  return xy / xx;
}

// Times are parts of the time that was seen, `unit`; `ratio` is the later time as a multiple of it. Early times, when
// growth has not begun, are not looked at. Growth is at least with the least power, which may show only later; a power
// that is steeper than the steepest is none, unless it is to be one.
inline Growth error_growth(const std::vector<double>& times, const std::vector<double>& errors, double ratio,
                           double unit, double least_power, bool is_power = false, double steepest = 2.2) {
  std::vector<double> time, log_time, log_error;
  for (std::size_t k = 0; k < times.size(); ++k) {
    if (!(errors[k] > 0) || times[k] < 0.2) continue;
    time.push_back(times[k]);
    log_time.push_back(std::log(times[k]));
    log_error.push_back(std::log(errors[k]));
  }
  if (time.size() < 3) return {std::pow(ratio, least_power), "unknown"};
  const double power = line_slope(log_time, log_error), rate = line_slope(time, log_error);
  char words[64];
  if (power > steepest && !is_power) {
    const double e_fold = std::abs(unit) / rate;
    std::snprintf(words, sizeof words, "exponential, e-fold in %.3g", e_fold);
    return {std::exp(std::min(600.0, rate * (ratio - 1))), words, e_fold};
  }
  const double exponent = std::max(is_power ? std::min(power, 2.0) : power, least_power);
  std::snprintf(words, sizeof words, "t^%.2f", exponent);
  return {std::pow(ratio, exponent), words};
}

}  // namespace holonom
