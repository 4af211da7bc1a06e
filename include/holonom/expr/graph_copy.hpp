// A graph of one's own, with the same nodes under the same numbers: what is added to one is not seen by the other.
#pragma once

#include <memory>

#include "holonom/expr/graph.hpp"

namespace holonom {

std::shared_ptr<Graph> copy_of(const Graph& graph);

}  // namespace holonom
