// Compositions: a method of higher order from substeps of sizes c₁h, c₂h, ..., c_s h of a simple one.
// The schemes are data: decimals long enough for the widest scalar.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "holonom/expr/graph.hpp"

namespace holonom {

// `coefficients` stand in the order of application: c₁ is the first substep.
// For a symmetric base Φ: Φ(c₁h), Φ(c₂h), ... For a base Φ and its adjoint Φ*: Φ(a₁h), Φ*(b₁h), Φ(a₂h), Φ*(b₂h), ...,
// listed as a₁, b₁, a₂, b₂, ...: the base comes first, the adjoint last. All schemes are palindromes, so they are
// symmetric, and Φ and Φ* may change places.
struct CompositionScheme {
  std::string key, title, citation;
  int order = 0;
  bool with_adjoint = false;
  std::vector<std::string> coefficients;
};

const std::vector<CompositionScheme>& composition_schemes();
const CompositionScheme* find_composition(std::string_view key);  // nullptr if there is none

// The coefficients in the scalar S, each rounded once.
template <class S>
std::vector<S> coefficients(const CompositionScheme& scheme) {
  std::vector<S> c;
  c.reserve(scheme.coefficients.size());
  for (const std::string& decimal : scheme.coefficients) c.push_back(exact_number<S>(exact_text(decimal)));
  return c;
}

}  // namespace holonom
