// What counts as kept: the bounds of the contract tests and of `holonom certify`.
#pragma once

#include <algorithm>
#include <limits>

#include "holonom/methods/registry.hpp"
#include "holonom/methods/substeps.hpp"

namespace holonom {

// In the scalar double. Those of symplecticity and order are promises of the project.
// Rounding errors of a composition grow with the way that its substeps go back and forth: for these the bound of
// round-off is multiplied by Σ|c_i| (1 to 9 for good schemes, 189 for the triple jump of order 10). SHAKE in its
// two-step form has its momenta from positions, (q₊ − q)/h: for it by |q| / |h q'|, that of loops too. In wide scalars
// defects fall with epsilon (precision_test.cpp, for the representatives of choice.hpp): this is rounding.
struct Bounds {
  static constexpr double order = 0.05;               // |slope − order| of methods of even order, off by O(h²),
  static constexpr double order_unsymmetric = 0.15;   // and of others, off by O(h)
  static constexpr double tangent_defect = 1e-13;  // of the wedge product, per one and per ten steps
  static constexpr double loop_defect = 1e-12;     // of the action, relative to the area of the loop
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

// How many times the rounding errors of a simple step a method has by its nature: by having its momenta from
// positions, where `travel` is |h q'| / |q|, and by going back and forth.
inline double positions_to_momenta(const MethodInfo& info, double travel) {
  return info.key == "shake-two-step" ? std::max(1.0, 1 / travel) : 1.0;
}
inline double rounding_of(const MethodInfo& info, double travel) {
  return std::max(positions_to_momenta(info, travel), substeps(info).sum);
}

}  // namespace holonom
