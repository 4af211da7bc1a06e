#include "holonom/analysis/trend.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace holonom {

namespace {

using Row = std::vector<double>;

// sin²-weighted means of equal parts
Row means_of_parts(const std::vector<double>& values, std::size_t parts) {
  const std::size_t length = values.size() / parts;
  Row means(parts), weight(length);
  double sum = 0;
  for (std::size_t i = 0; i < length; ++i) {
    const double s = std::sin(std::numbers::pi * (static_cast<double>(i) + 0.5) / static_cast<double>(length));
    sum += weight[i] = s * s;
  }
  for (std::size_t k = 0; k < parts; ++k)
    for (std::size_t i = 0; i < length; ++i) means[k] += weight[i] / sum * values[k * length + i];
  return means;
}

// Noise of unit innovations with correlation φ, and `white` times independent noise
struct Noise {
  double phi = 0, white = 0;
  double memory() const { return phi > 0 ? -1 / std::log(phi) : 0; }  // in parts
};

// What one noise says of the line
struct Fit {
  double slope = 0, error = 0;  // of the slope: a Student distribution with n − 2 degrees of freedom,
  double innovation = 0;        // and the size of innovations
  double log_likelihood = 0;    // restricted: of what a line leaves
};

// L⁻¹x, where L Lᵀ is the covariance of the noise: what is new in each x_k, in units of its own size, by Kalman's
// filter. log |L|² is added to log_determinant.
Row whitened(const Row& x, const Noise& noise, double& log_determinant) {
  Row y(x.size());
  double expected = 0, variance = 1 / (1 - noise.phi * noise.phi);  // of u_k, given all before
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double total = variance + noise.white, gain = variance / total, surprise = x[k] - expected;
    y[k] = surprise / std::sqrt(total);
    log_determinant += std::log(total);
    expected = noise.phi * (expected + gain * surprise);
    variance = noise.phi * noise.phi * (variance - gain * variance) + 1;
  }
  return y;
}

Fit fit_line(const Row& m, const Noise& noise) {
  const std::size_t n = m.size();
  Row constant(n, 1.0), line(n);
  for (std::size_t k = 0; k < n; ++k) line[k] = static_cast<double>(k) - static_cast<double>(n - 1) / 2;
  double log_determinant = 0, unused = 0;
  constant = whitened(constant, noise, log_determinant);
  line = whitened(line, noise, unused);
  const Row data = whitened(m, noise, unused);
  const auto dot = [](const Row& a, const Row& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); };
  // The line is odd about its middle, the noise is the same in both directions of time: constant and slope do not mix.
  const double cc = dot(constant, constant), ss = dot(line, line);
  const double level = dot(constant, data) / cc;
  Fit fit;
  fit.slope = dot(line, data) / ss;
  double rest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double r = data[i] - level * constant[i] - fit.slope * line[i];
    rest += r * r;
  }
  const double freedom = static_cast<double>(n) - 2;
  // Means over parts of a walk step by less than the walk itself: by this factor, with weights sin².
  constexpr double smoothing = 0.8246;
  fit.innovation = std::sqrt(rest / freedom) / (noise.memory() > 1 ? smoothing : 1);
  fit.error = fit.innovation / std::sqrt(ss);
  fit.log_likelihood = -(log_determinant + std::log(cc * ss) + freedom * std::log(std::max(rest, 1e-300))) / 2;
  return fit;
}

// P(|T| > t), by Wallace's normal approximation, which is good to a few per cent in the tails.
double student_tails(double t, double freedom) {
  const double z = (8 * freedom + 1) / (8 * freedom + 3) * std::sqrt(freedom * std::log1p(t * t / freedom));
  return std::erfc(z / std::numbers::sqrt2);
}

std::vector<Noise> noises(std::size_t parts) {
  std::vector<Noise> grid{{0, 0}};
  // (Memories longer than the run are all the same: one of them stands for a walk.)
  double memory = 0.5;
  while (memory < 8 * static_cast<double>(parts)) {
    for (const double white : {0.0, 1.0, 10.0}) grid.push_back({std::exp(-1 / memory), white});
    memory *= 4;
  }
  return grid;
}

double one_way(const Row& means) {
  int up = 0, down = 0;
  for (std::size_t k = 1; k < means.size(); ++k) {
    up += means[k] > means[k - 1];
    down += means[k] < means[k - 1];
  }
  return static_cast<double>(std::max(up, down)) / static_cast<double>(means.size() - 1);
}

// With so many parts; without the band
Trend trend_in_parts(const std::vector<double>& values, std::size_t n) {
  const Row means = means_of_parts(values, n);
  const std::vector<Noise> grid = noises(n);
  std::vector<Fit> fits;
  double best = -std::numeric_limits<double>::infinity();
  for (const Noise& noise : grid) {
    fits.push_back(fit_line(means, noise));
    best = std::max(best, fits.back().log_likelihood);
  }
  std::vector<double> weight;
  double all = 0, slope = 0, walk = 0;
  for (const Fit& fit : fits) all += weight.emplace_back(std::exp(fit.log_likelihood - best));
  for (std::size_t k = 0; k < fits.size(); ++k) {
    weight[k] /= all;
    slope += weight[k] * fits[k].slope;
    walk += weight[k] * fits[k].innovation;
  }
  const double freedom = static_cast<double>(n) - 2;
  // The probability of a slope outside slope ± width
  const auto outside = [&](double width) {
    double sum = 0;
    for (std::size_t k = 0; k < fits.size(); ++k) {
      const double shift = fits[k].slope - slope, error = std::max(fits[k].error, 1e-300);
      for (const double side : {width - shift, width + shift}) {
        const double tails = student_tails(side / error, freedom);
        sum += weight[k] / 2 * (side > 0 ? tails : 2 - tails);
      }
    }
    return sum;
  };
  double low = 0, high = 0;
  for (const Fit& fit : fits) high = std::max(high, 100 * fit.error + std::abs(fit.slope - slope));
  for (int k = 0; k < 60; ++k) {
    const double middle = (low + high) / 2;
    (outside(middle) > 1 - trend_confidence ? low : high) = middle;
  }
  const auto count = static_cast<double>(n);
  const std::size_t part = values.size() / n;
  const double whole = static_cast<double>(values.size()) / static_cast<double>(part);  // in parts
  Trend drift;
  drift.change = slope * whole;
  drift.interval = high * whole;
  drift.walk = walk * std::sqrt(count);
  double before = 0;
  for (std::size_t k = 0; k < grid.size(); ++k) {  // the grid is in the order of memory
    before += weight[k];
    if (before < 0.5) continue;
    drift.memory = grid[k].memory() / count;
    break;
  }
  return drift;
}

}  // namespace

Trend trend_of(const std::vector<double>& values) {
  Trend drift;
  drift.interval = std::numeric_limits<double>::infinity();
  constexpr std::size_t few = 32, many = 128;
  for (const std::size_t parts : {few, many})
    if (values.size() >= 4 * parts)
      if (const Trend found = trend_in_parts(values, parts); !(found.interval >= drift.interval)) drift = found;
  if (values.size() < few) return drift;
  drift.one_way = one_way(means_of_parts(values, few));
  double differences = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double d = values[i] - values[i - 1];
    differences += d * d;
  }
  drift.added_up = differences > 0 || differences != differences ? drift.walk / std::sqrt(differences) : 0;
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  const auto last = static_cast<double>(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double about = values[i] - drift.change * static_cast<double>(i) / last;
    lowest = std::min(lowest, about);
    highest = std::max(highest, about);
  }
  drift.band = highest - lowest;
  return drift;
}

}  // namespace holonom
