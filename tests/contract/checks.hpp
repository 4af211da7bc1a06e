// The contract: what a method's info may claim, and how each claim is measured on a problem. Broken
// methods go through the very same checks.
#pragma once

#include "holonom/analysis/bounds.hpp"
#include "problem.hpp"

namespace holonom::contract {

struct Verdict {
  bool holds = false;
  std::string evidence;  // the measured numbers
};

Verdict has_order(const MethodEntry& entry, const Problem& problem);
bool measures_order_in_quad(const MethodInfo& info, const Case& on);
Verdict is_symmetric(const MethodEntry& entry, const Problem& problem);
Verdict is_reversible(const MethodEntry& entry, const Problem& problem);
Verdict keeps_position(const MethodEntry& entry, const Problem& problem);
Verdict keeps_hidden(const MethodEntry& entry, const Problem& problem);
Verdict keeps_hidden_to_order_two(const MethodEntry& entry, const Problem& problem);
Verdict is_symplectic_by_tangents(const MethodEntry& entry, const Problem& problem);
Verdict is_symplectic_by_loops(const MethodEntry& entry, const Problem& problem);
Verdict preserves_volume(const MethodEntry& entry, const Problem& problem);
Verdict keeps_momenta(const MethodEntry& entry, const Problem& problem);
Verdict keeps_first_integrals(const MethodEntry& entry, const Problem& problem);
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
