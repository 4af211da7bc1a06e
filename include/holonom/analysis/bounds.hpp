// What counts as kept: the bounds of the contract tests and of `holonom certify`.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "holonom/methods/registry.hpp"
#include "holonom/methods/substeps.hpp"

namespace holonom {

// In the scalar double. Those of symplecticity and order are promises of the project.
// Rounding errors of methods that go back and forth, or that have their momenta from positions, are larger by
// `rounding_of`. In wide scalars defects fall with epsilon (precision_test.cpp, for the representatives of choice.hpp):
// this is rounding.
struct Bounds {
  static constexpr double order = 0.05;              // |slope − order| of methods of even order, off by O(h²),
  static constexpr double order_unsymmetric = 0.15;  // and of others, off by O(h)
  static constexpr double tangent_defect = 1e-13;    // of the wedge product, per one and per ten steps
  static constexpr double loop_defect = 1e-12;       // of the action, relative to the area of the loop
  static constexpr double round_off = 64 * std::numeric_limits<double>::epsilon();  // residuals, reversal, momenta
  static constexpr double energy_drift = 0.05;  // of the band in which the energy oscillates
};

// A bound on rounding errors in double, for those of the scalar S.
template <class S>
double in_scalar(double bound) {
  return bound / std::numeric_limits<double>::epsilon() * to_double(epsilon<S>());
}

inline double order_bound(const MethodInfo& info) {
  const bool even = info.symmetric || (info.symplectic && !info.one_step);  // SHAKE is RATTLE seen elsewhere
  return even ? Bounds::order : Bounds::order_unsymmetric;
}

// SHAKE in its two-step form has its momenta from positions, (q₊ − q)/h: with errors that are larger by 1 / `travel`,
// |q| / |h q'|.
inline double positions_to_momenta(const MethodInfo& info, double travel) {
  return info.from_positions ? std::max(1.0, 1 / travel) : 1.0;
}

// How many times the rounding errors of a simple step of length h a method has in a step of length part · h. A
// composition goes Σ|c| of its step to and fro; where rounding errors are compensated, those of its longest substep are
// left.
inline double rounding_of(const MethodInfo& info, double travel, double part = 1) {
  const Substeps parts = substeps(info);
  return std::max({1.0, positions_to_momenta(info, travel), part * (info.compensated ? parts.largest : parts.sum)});
}

// What rounding errors do to an energy of this size in so many steps: a random walk of some ε a step, or less than one
// where they are compensated. (Those within the implicit equations of a general H are not.) Constraints with roots have
// a mean error, some 3e-17 a step (docs/compensation.md); so have rounded coefficients of stages, 2e-18.
inline double energy_noise(const MethodInfo& info, double rounding, bool general, bool roots, double size,
                           double epsilon, long steps) {
  const double count = static_cast<double>(steps);
  const double step = (info.compensated && !general ? 1 : 8) * rounding;
  const double mean = (roots ? 0.25 : 0) + (info.stages > 0 ? 0.01 : 0);
  return epsilon * size * (step * std::sqrt(count) + mean * count);
}

}  // namespace holonom
