// The Poisson bracket of vectors of expressions, definition 3.1 of Leimkuhler and Reich (1994):
//   {F, G} = F_q G_pᵀ − F_p G_qᵀ,   {F, G}_ij = {F_i, G_j}.
// Along the motion of a Hamiltonian H, dF/dt = {F, H}.
#pragma once

#include "holonom/expr/derivative.hpp"

namespace holonom {

// A matrix of expressions, by rows.
struct BracketMatrix {
  std::size_t rows = 0, columns = 0;
  std::vector<NodeId> entry;

  NodeId operator()(std::size_t i, std::size_t j) const { return entry[i * columns + j]; }
};

// q and p: inputs of the graph, as many of one as of the other; else std::invalid_argument.
BracketMatrix poisson_bracket(Graph& graph, std::span<const NodeId> F, std::span<const NodeId> G,
                              std::span<const NodeId> q, std::span<const NodeId> p);
NodeId poisson_bracket(Graph& graph, NodeId f, NodeId g, std::span<const NodeId> q, std::span<const NodeId> p);

}  // namespace holonom
