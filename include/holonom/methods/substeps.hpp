// What a step of a method is made of: steps c₁h, ..., c_s h of its base; or the stages of an implicit method, which are
// iterated.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "holonom/coefficients/composition.hpp"
#include "holonom/methods/method.hpp"

namespace holonom {

// "suzuki-4/respa-4", "suzuki-4": the scheme and the base of a composition; no scheme: all else.
struct KeyParts {
  const CompositionScheme* scheme = nullptr;
  std::string base;
};
inline KeyParts parts_of(std::string_view key) {
  const auto slash = key.find('/');
  const CompositionScheme* scheme = find_composition(key.substr(0, slash));
  if (!scheme) return {nullptr, std::string(key)};
  return {scheme, slash == std::string_view::npos ? "rattle" : std::string(key.substr(slash + 1))};
}

struct Substeps {
  int count = 1;                // evaluations of all forces, about
  double largest = 1, sum = 1;  // of |c_i|
};
inline Substeps substeps(const MethodInfo& info) {
  if (info.substeps.empty()) {
    constexpr int iterations = 5;
    return {std::max(1, iterations * info.stages), 1, 1};
  }
  Substeps result{0, 0, 0};
  for (const double c : info.substeps) {
    ++result.count;
    result.sum += std::abs(c);
    result.largest = std::max(result.largest, std::abs(c));
  }
  return result;
}

}  // namespace holonom
