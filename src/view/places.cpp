#include "places.hpp"

#include <algorithm>
#include <cmath>

namespace holonom {

namespace {

// A rotation matrix by rows as a unit quaternion (x, y, z, w), by way of its largest component. A reflection, which a
// body may be described by as well, is shown with its third axis turned round.
std::array<double, 4> quaternion_of(std::array<double, 9> Q) {
  const double determinant =
      Q[0] * (Q[4] * Q[8] - Q[5] * Q[7]) - Q[1] * (Q[3] * Q[8] - Q[5] * Q[6]) + Q[2] * (Q[3] * Q[7] - Q[4] * Q[6]);
  if (determinant < 0)
    for (const std::size_t i : {2, 5, 8}) Q[i] = -Q[i];
  const std::array<double, 4> square{1 + Q[0] - Q[4] - Q[8], 1 - Q[0] + Q[4] - Q[8], 1 - Q[0] - Q[4] + Q[8],
                                     1 + Q[0] + Q[4] + Q[8]};
  const auto largest = static_cast<std::size_t>(std::max_element(square.begin(), square.end()) - square.begin());
  const double x = Q[7] - Q[5], y = Q[2] - Q[6], z = Q[3] - Q[1];
  const double xy = Q[1] + Q[3], xz = Q[2] + Q[6], yz = Q[5] + Q[7];
  const std::array<std::array<double, 4>, 4> rows{
      {{square[0], xy, xz, x}, {xy, square[1], yz, y}, {xz, yz, square[2], z}, {x, y, z, square[3]}}};
  std::array<double, 4> e = rows[largest];
  double size = 0;
  for (const double a : e) size += a * a;
  for (double& a : e) a /= std::sqrt(size);
  return e;
}

std::array<double, 4> orientation(const double* x, std::size_t count, const std::array<double, 9>& axes) {
  if (count == 4) {
    const double size = std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
    return {x[1] / size, x[2] / size, x[3] / size, x[0] / size};
  }
  std::array<double, 9> Q{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) Q[3 * i + j] += x[3 * i + k] * axes[3 * k + j];
  return quaternion_of(Q);
}

}  // namespace

void Stage::Places::evaluate(const double* state_q, const double* state_p) const {
  if (!formulas) return;
  std::copy_n(state_q, std::min(q_size, known_q), q.begin());
  std::copy_n(state_p, std::min(p_size, known_p), p.begin());
  formulas({q.data(), p.data()}, {values.data()});
}

void Stage::place_points(const double* q, const double* p, float* out) const {
  const Places& where = *places_;
  where.evaluate(q, p);
  const std::size_t d = where.formula_dimension;
  for (std::size_t i = 0; i < where.formula_points; ++i)
    for (std::size_t c = 0; c < 3; ++c) *out++ = c < d ? static_cast<float>(where.values[i * d + c]) : 0.0F;
  for (const Places::Direct& point : where.points)
    for (std::size_t c = 0; c < 3; ++c)
      *out++ = static_cast<float>(point.column[c] < 0 ? point.number[c] : q[point.column[c]]);
}

void Stage::place_bodies(const double* q, const double* p, float* out) const {
  const Places& where = *places_;
  where.evaluate(q, p);
  const auto put = [&](const double* at, const std::array<double, 4>& e) {
    for (std::size_t c = 0; c < 3; ++c) *out++ = static_cast<float>(at[c]);
    for (const double a : e) *out++ = static_cast<float>(a);
  };
  const double* x = where.values.data() + where.formula_points * where.formula_dimension;
  for (const std::size_t numbers : where.formula_bodies) {
    put(x, orientation(x + 3, numbers - 3, Places::Turned().axes));
    x += numbers;
  }
  for (const Places::Turned& body : where.bodies) {
    std::array<double, 9> entries{};
    for (std::size_t k = 0; k < body.column.size(); ++k) entries[k] = q[body.column[k]];
    std::array<double, 3> at = body.at;
    if (body.point >= 0)
      for (std::size_t c = 0; c < 3; ++c) at[c] = q[where.points[static_cast<std::size_t>(body.point)].column[c]];
    put(at.data(), orientation(entries.data(), body.column.size(), body.axes));
  }
}

}  // namespace holonom
