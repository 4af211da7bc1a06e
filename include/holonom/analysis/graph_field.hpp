// The motion of a model without constraints as a field y' = F(y) on its expression graph.
#pragma once

#include "holonom/model/model.hpp"

namespace holonom {

// y = (q, p): the first `of_q` variables are q.
struct GraphField {
  std::vector<NodeId> y, F;
  std::size_t of_q = 0;
};

// Throws InputError for constraints, and for vector coordinates and tables, which are no nodes of a graph.
GraphField graph_field(const Model& model);

// H(q, p) in every form of the energy: ½ pᵀM⁻¹p + V, with M(q)⁻¹p by elimination on the graph. Throws InputError for
// fields as well.
NodeId graph_hamiltonian(const Model& model);

// One more variable of a Hamiltonian system, the action z' = p·H_p − H.
GraphField with_action(Graph& graph, const GraphField& field, NodeId H);

}  // namespace holonom
