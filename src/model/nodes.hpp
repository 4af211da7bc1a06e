// What the files of CompiledModel share: lists of nodes, and derivatives of the kernel of a mapped term.
#pragma once

#include "holonom/expr/derivative.hpp"
#include "holonom/model/model.hpp"

namespace holonom {

using Nodes = std::vector<NodeId>;

inline Nodes nodes_of(const std::vector<Named>& named) {
  Nodes nodes;
  for (const Named& x : named) nodes.push_back(x.node);
  return nodes;
}

inline Nodes new_inputs(Graph& g, std::size_t n) {
  Nodes nodes(n);
  for (NodeId& x : nodes) x = g.input();
  return nodes;
}

// ∂kernel/∂x for each gather.
inline std::vector<Nodes> kernel_gradient(Graph& graph, const MappedTerm& term, NodeId kernel) {
  Nodes x;
  for (const MappedTerm::Gather& gather : term.gathers) x.insert(x.end(), gather.x.begin(), gather.x.end());
  const Nodes all = gradient(graph, kernel, x);
  std::vector<Nodes> parts;
  auto next = all.begin();
  for (const MappedTerm::Gather& gather : term.gathers) {
    parts.emplace_back(next, next + static_cast<std::ptrdiff_t>(gather.x.size()));
    next += static_cast<std::ptrdiff_t>(gather.x.size());
  }
  return parts;
}

inline Nodes without_zeros(const std::vector<Nodes>& parts) {
  Nodes kept;
  for (const Nodes& part : parts)
    for (const NodeId x : part)
      if (x != Graph::zero) kept.push_back(x);
  return kept;
}

}  // namespace holonom
