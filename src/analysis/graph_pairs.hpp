// Coefficients of the methods of the registry as exact constants of a graph.
#pragma once

#include "holonom/analysis/taylor_map.hpp"

namespace holonom {

// Of a composition: those of its base. Throws InputError if they are not known exactly, or if the method is no map of
// this kind.
GraphPair graph_pair(Graph& graph, const MethodInfo& method);

}  // namespace holonom
