// A method of the registry from a discrete Lagrangian of one's own:
//   methods().add(own_family(variational_method(variational_info("simpson", "Simpson's rule"),
//     {[](const Lagrangian& L, const DiscreteStep& s) {
//       return s.h * (L(s.q0, s.v) + 4 * L(s.at(1, 2), s.v) + L(s.q1, s.v)) / 6;
//     }})));
#pragma once

#include "holonom/methods/registry.hpp"
#include "holonom/model/discrete_lagrangian.hpp"

namespace holonom {

// What it claims: order 2, symmetry, and what all of them keep. Others may claim more, or less.
MethodInfo variational_info(std::string key, std::string title);
MethodEntry variational_method(MethodInfo info, DiscreteRule rule);
// A family of one method
MethodFamily own_family(MethodEntry entry);

}  // namespace holonom
