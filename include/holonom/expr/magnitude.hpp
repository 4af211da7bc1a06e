// The size of the terms that an expression is made of: |x| + |y| for x − y, and (|x| + |y|) |z| for (x − y) z. Rounding
// errors of the value are about ε times this, however small the value is.
#pragma once

#include <span>
#include <vector>

#include "holonom/expr/graph.hpp"

namespace holonom {

std::vector<NodeId> magnitude_of_terms(Graph& graph, std::span<const NodeId> y);

}  // namespace holonom
