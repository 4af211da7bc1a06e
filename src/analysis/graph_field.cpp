#include "holonom/analysis/graph_field.hpp"

#include "../model/graph_elimination.hpp"
#include "../model/tables.hpp"
#include "holonom/expr/derivative.hpp"

namespace holonom {

namespace {

void require_nodes(const Model& model) {
  if (model.m() > 0)
    throw InputError(model.name +
                     ": with constraints, a motion is no field on the graph. Take a model without them, or a shadow "
                     "energy, which is measured");
  if (has_tables(model))
    throw InputError(model.name +
                     ": vector coordinates and tables are no formulas of the graph. Write the model with a name for "
                     "each coordinate");
}

// M, n × n by rows
std::vector<Nodes> mass_matrix(Graph& g, const Model& model) {
  const std::size_t n = model.q.size();
  std::vector<Nodes> M(n, Nodes(n, Graph::zero));
  if (model.kinetic) {
    const Nodes T_v = gradient(g, *model.kinetic, model.v);
    for (std::size_t i = 0; i < n; ++i) M[i] = gradient(g, T_v[i], model.v);
    return M;
  }
  const bool full = model.mass.size() > n;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (full || i == j) M[i][j] = model.mass[full ? i * n + j : i];
  return M;
}

}  // namespace

NodeId graph_hamiltonian(const Model& model) {
  require_nodes(model);
  if (model.field) throw InputError(model.name + ": a field has no Hamiltonian");
  if (model.hamiltonian) return *model.hamiltonian;
  Graph& g = *model.graph;
  const NodeId twice_T = weighted_sum(g, model.p, eliminate(g, mass_matrix(g, model), model.p));
  return g.add(g.div(twice_T, g.number(2LL)), *model.potential);
}

GraphField graph_field(const Model& model) {
  require_nodes(model);
  Graph& g = *model.graph;
  GraphField field{model.q, {}, model.q.size()};
  field.y.insert(field.y.end(), model.p.begin(), model.p.end());
  if (model.field) {
    field.F = model.field->q_rate;
    field.F.insert(field.F.end(), model.field->p_rate.begin(), model.field->p_rate.end());
    return field;
  }
  const NodeId H = graph_hamiltonian(model);
  field.F = gradient(g, H, model.p);
  for (const NodeId slope : gradient(g, H, model.q)) field.F.push_back(g.neg(slope));
  return field;
}

GraphField with_action(Graph& graph, const GraphField& field, NodeId H) {
  GraphField extended = field;
  const std::span<const NodeId> p = std::span(field.y).subspan(field.of_q), q_rate(field.F.data(), field.of_q);
  extended.y.push_back(graph.input());
  extended.F.push_back(graph.sub(weighted_sum(graph, p, q_rate), H));
  return extended;
}

}  // namespace holonom
