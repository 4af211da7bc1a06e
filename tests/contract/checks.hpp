// The contract: what a method's info may claim, and how each claim is measured on a problem. Broken
// methods go through the very same checks.
#pragma once

#include "problem.hpp"

namespace holonom::contract {

struct Verdict {
  bool holds = false;
  std::string evidence;  // the measured numbers
};

// Bounds, in the scalar double. Those of symplecticity and order are promises of the project.
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

Verdict has_order(const MethodEntry& entry, const Problem& problem);
Verdict is_symmetric(const MethodEntry& entry, const Problem& problem);
Verdict is_reversible(const MethodEntry& entry, const Problem& problem);
Verdict keeps_position(const MethodEntry& entry, const Problem& problem);
Verdict keeps_hidden(const MethodEntry& entry, const Problem& problem);
Verdict keeps_hidden_to_order_two(const MethodEntry& entry, const Problem& problem);
Verdict is_symplectic_by_tangents(const MethodEntry& entry, const Problem& problem);
Verdict is_symplectic_by_loops(const MethodEntry& entry, const Problem& problem);
Verdict keeps_momenta(const MethodEntry& entry, const Problem& problem);
Verdict keeps_energy(const MethodEntry& entry, const Problem& problem);

struct Property {
  std::string name;
  bool (*claimed)(const MethodInfo& info, const Case& on);  // and there is something to be kept
  Verdict (*check)(const MethodEntry& entry, const Problem& problem);
};
const std::vector<Property>& properties();

// Key, title, order and citation are there, and the key leads back to the method.
Verdict info_is_complete(const MethodInfo& info);

}  // namespace holonom::contract
