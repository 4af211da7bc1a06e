// What a step of a method is made of: steps c₁h, ..., c_s h of its base; or the stages of an implicit method, which are
// iterated.
#pragma once

#include <algorithm>
#include <cmath>

#include "holonom/methods/method.hpp"

namespace holonom {

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
