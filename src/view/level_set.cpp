#include "level_set.hpp"

#include <cmath>

#include "holonom/expr/derivative.hpp"

namespace holonom {

namespace {

constexpr int trials = 12;
constexpr double alike = 1e-9;  // of numbers that are the same but for rounding errors
constexpr std::size_t most = 6;

// (-1, 1) without a pattern, the same in every run
class Scatter {
 public:
  double operator()() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state_ >> 11U) / 4503599627370496.0 - 1;
  }

 private:
  std::uint64_t state_ = 19960101;
};

}  // namespace

LevelSet::LevelSet(Graph& graph, NodeId g, std::vector<NodeId> x, const std::vector<NodeId>& others,
                   std::vector<double> values)
    : size_(x.size()), values_(std::move(values)) {
  const std::vector<NodeId> slopes = gradient(graph, g, x);
  evaluate_ = Interpreter<double>(std::make_shared<Program>(graph, std::vector<Program::Block>{std::move(x), others},
                                                            std::vector<Program::Block>{{g}, slopes}));
}

double LevelSet::operator()(const double* x, double* slopes) const {
  double g = 0;
  evaluate_({x, values_.data()}, {&g, slopes});
  return g;
}

bool LevelSet::is_distance_between_points(double scale) const {
  if (size_ % 2 != 0 || size_ > most || size_ < 4) return false;
  const std::size_t d = size_ / 2;
  Scatter random;
  for (int trial = 0; trial < trials; ++trial) {
    std::array<double, most> x{}, slope{};
    for (std::size_t i = 0; i < size_; ++i) x[i] = scale * random();
    (*this)(x.data(), slope.data());
    double size = 0, sum = 0, across = 0, along = 0, length = 0;
    for (std::size_t i = 0; i < d; ++i) {
      size += slope[i] * slope[i];
      sum += (slope[i] + slope[i + d]) * (slope[i] + slope[i + d]);
      along += slope[i] * (x[i] - x[i + d]);
      length += (x[i] - x[i + d]) * (x[i] - x[i + d]);
    }
    for (std::size_t i = 0; i < d; ++i) {
      const double off = slope[i] - along / length * (x[i] - x[i + d]);
      across += off * off;
    }
    if (!(size > 0) || !(sum <= alike * alike * size) || !(across <= alike * alike * size)) return false;
  }
  return true;
}

// c with (1 - nnᵀ)(x - c) = 0 for the unit normals n at all x: least squares, and then it is looked whether it fits.
std::optional<std::vector<double>> LevelSet::centre(double scale) const {
  if (size_ > 4 || size_ < 2) return std::nullopt;
  const std::size_t d = size_;
  std::array<std::array<double, 5>, 4> A{};
  std::array<std::array<double, most>, trials> points{}, normals{};
  Scatter random;
  for (std::size_t k = 0; k < trials; ++k) {
    auto &x = points[k], &n = normals[k];
    for (std::size_t i = 0; i < d; ++i) x[i] = scale * random();
    (*this)(x.data(), n.data());
    double size = 0;
    for (std::size_t i = 0; i < d; ++i) size += n[i] * n[i];
    if (!(size > 0) || !std::isfinite(size)) return std::nullopt;
    for (std::size_t i = 0; i < d; ++i) n[i] /= std::sqrt(size);
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j) {
        const double a = (i == j ? 1.0 : 0.0) - n[i] * n[j];
        A[i][j] += a;
        A[i][d] += a * x[j];
      }
  }
  for (std::size_t i = 0; i < d; ++i) {  // symmetric and positive, or singular
    if (!(A[i][i] > 1e-6 * trials)) return std::nullopt;
    for (std::size_t r = 0; r < d; ++r) {
      if (r == i) continue;
      const double factor = A[r][i] / A[i][i];
      for (std::size_t j = i; j <= d; ++j) A[r][j] -= factor * A[i][j];
    }
  }
  std::vector<double> c(d);
  for (std::size_t i = 0; i < d; ++i) c[i] = A[i][d] / A[i][i];
  for (std::size_t k = 0; k < trials; ++k) {
    double along = 0, across = 0, size = 0;
    for (std::size_t i = 0; i < d; ++i) along += normals[k][i] * (points[k][i] - c[i]);
    for (std::size_t i = 0; i < d; ++i) {
      const double off = points[k][i] - c[i];
      across += (off - along * normals[k][i]) * (off - along * normals[k][i]);
      size += off * off + scale * scale;
    }
    if (!(across <= alike * alike * size)) return std::nullopt;
  }
  for (double& x : c)
    if (std::abs(x) < 1e-12 * scale) x = 0;
  return c;
}

}  // namespace holonom
