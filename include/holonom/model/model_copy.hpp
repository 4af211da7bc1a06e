// A model that shares nothing with the one it was made from. (Copies of a Model share their graph, to which compiling
// adds nodes: not on two threads at once.)
#pragma once

#include "holonom/expr/graph_copy.hpp"
#include "holonom/model/model.hpp"

namespace holonom {

inline Model own_copy(const Model& model) {
  Model copy = model;
  copy.graph = copy_of(*model.graph);
  return copy;
}

}  // namespace holonom
