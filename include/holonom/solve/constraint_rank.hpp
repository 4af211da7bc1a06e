// Dependent constraints: redundant ones (a loop closed twice) are dependent along the whole motion,
// a singular configuration (a dead centre) makes them so at one position only.
#pragma once

#include <string>
#include <vector>

#include "holonom/any_system.hpp"

namespace holonom {

struct ConstraintRank {
  int rank = 0;
  std::vector<std::vector<int>> dependent;  // each: constraints of which one follows from the others
  bool singular_position = false;           // dependent here, but not at positions nearby
  // The smallest pivot that counts over the largest that does not, where both were seen: a rank with no gap is a guess.
  double gap = std::numeric_limits<double>::infinity();
  bool is_clear() const { return gap > 1e3; }
};

ConstraintRank constraint_rank(const AnySystem<double>& sys, const State<double>& x);

}  // namespace holonom
