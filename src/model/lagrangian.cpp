// The Lagrangian of a model as a formula, L(q, v) = T − V, or by Legendre's transformation of a Hamiltonian that is
// quadratic in the momenta: with b = H_p(q, 0),
//   H = ½ pᵀH_pp(q) p + b·p + H(q, 0),   L = ½ (v − b)·H_pp⁻¹(v − b) − H(q, 0).

#include "graph_elimination.hpp"
#include "holonom/model/compiled_model.hpp"
#include "holonom/model/discrete_lagrangian.hpp"
#include "tables.hpp"

namespace holonom {

namespace {

// One matrix of a step is dense, in positions and multipliers.
constexpr int most_unknowns = 800;
// H_pp that is full is solved with on the graph.
constexpr std::size_t most_eliminated = 12;

NodeId half(Graph& g, NodeId x) { return g.div(x, g.number(2LL)); }

NodeId kinetic_energy(Graph& g, const Model& model) {
  if (model.kinetic) return *model.kinetic;
  const std::size_t n = model.q.size();
  const bool full = model.mass.size() > n;
  NodeId twice = Graph::zero;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = full ? 0 : i; j < (full ? n : i + 1); ++j)
      twice = g.add(twice, g.mul(model.mass[full ? i * n + j : i], g.mul(model.v[i], model.v[j])));
  return half(g, twice);
}

// L of a Hamiltonian, or why there is none
NodeId legendre(Graph& g, const Model& model, std::string& lacks) {
  const std::size_t n = model.q.size();
  const Nodes slope = gradient(g, *model.hamiltonian, model.p);
  const SparseJacobian J = jacobian(g, slope, model.p);
  if (depends_on(g, J.entry, model.p)) {
    lacks = "the hamiltonian is not quadratic in the momenta, and has no Lagrangian as a formula";
    return Graph::zero;
  }
  std::vector<Nodes> H_pp(n, Nodes(n, Graph::zero));
  bool diagonal = true;
  for (std::size_t i = 0; i < n; ++i) {
    bool moves = false;
    for (auto z = static_cast<std::size_t>(J.row_start[i]); z < static_cast<std::size_t>(J.row_start[i + 1]); ++z) {
      const auto j = static_cast<std::size_t>(J.column[z]);
      H_pp[i][j] = J.entry[z];
      moves = moves || J.entry[z] != Graph::zero;
      diagonal = diagonal && (i == j || J.entry[z] == Graph::zero);
    }
    if (!moves) {
      lacks =
          "the hamiltonian is not quadratic in the momentum of '" + model.coordinates[i] + "': it has no Lagrangian";
      return Graph::zero;
    }
  }
  if (!diagonal && n > most_eliminated) {
    lacks = "H_pp is a full matrix of " + std::to_string(n) + " coordinates, and its inverse is too long as a formula";
    return Graph::zero;
  }
  std::unordered_map<NodeId, NodeId> at_rest;
  for (const NodeId p : model.p) at_rest[p] = Graph::zero;
  const Nodes b = g.substitute(slope, at_rest);
  Nodes rate(n);
  for (std::size_t i = 0; i < n; ++i) rate[i] = g.sub(model.v[i], b[i]);
  const NodeId twice = weighted_sum(g, rate, eliminate(g, std::move(H_pp), rate));
  return g.sub(half(g, twice), g.substitute(Nodes{*model.hamiltonian}, at_rest)[0]);
}

// L_d/h, without a product and a quotient where h is a factor of all terms
NodeId divided(Graph& g, NodeId x, NodeId h) {
  const Node node = g[x];
  if (x == h) return Graph::one;
  switch (node.op) {
    case Op::add: return g.add(divided(g, node.a, h), divided(g, node.b, h));
    case Op::sub: return g.sub(divided(g, node.a, h), divided(g, node.b, h));
    case Op::neg: return g.neg(divided(g, node.a, h));
    case Op::mul:
      if (node.a == h) return node.b;
      if (node.b == h) return node.a;
      if (g.is_number(node.a)) return g.mul(node.a, divided(g, node.b, h));
      break;
    default: break;
  }
  return g.div(x, h);
}

}  // namespace

void CompiledModel::find_lagrangian() const {
  LagrangianFormula& found = lagrangian_;
  if (found.looked_for) return;
  found.looked_for = true;
  Graph& g = *model_.graph;
  const std::string instead = "; take rattle or midpoint";
  if (model_.field) {
    found.lacks = "a field has no Lagrangian";
  } else if (has_tables(model_)) {
    found.lacks =
        "it takes the Lagrangian as one formula, and vector coordinates and tables are none (a name for each "
        "coordinate is)" +
        instead;
  } else if (const int unknowns = model_.n() + model_.m(); unknowns > most_unknowns) {
    found.lacks = "coordinates and constraints are " + std::to_string(unknowns) +
                  ", and its matrices are dense ones, up to " + std::to_string(most_unknowns) + instead;
  } else if (model_.hamiltonian) {
    found.node = legendre(g, model_, found.lacks);
    if (!found.lacks.empty()) found.lacks += instead;
  } else {
    found.node = g.sub(kinetic_energy(g, model_), V_);
  }
}

const std::string& CompiledModel::lacks_lagrangian() const {
  const std::lock_guard lock(mutex_);
  find_lagrangian();
  return lagrangian_.lacks;
}

std::shared_ptr<const DiscreteLagrangian> CompiledModel::discrete_lagrangian(
    const std::shared_ptr<const DiscreteRule>& rule) const {
  const std::lock_guard lock(mutex_);
  find_lagrangian();
  LagrangianFormula& L = lagrangian_;
  if (!L.lacks.empty()) throw InputError(model_.name + ": " + L.lacks);
  auto& known = L.discrete[rule];
  if (known) return known;
  Graph& g = *model_.graph;
  const std::size_t n = model_.q.size();
  if (L.q0.empty()) {
    L.q0 = new_inputs(g, n);
    L.q1 = new_inputs(g, n);
    L.v = new_inputs(g, n);
    L.h = g.input();
  }
  const auto expressions = [&](const Nodes& nodes) {
    ExprVector x;
    for (const NodeId i : nodes) x.push_back({&g, i});
    return x;
  };
  const Expr L_d = rule->formula(Lagrangian(g, L.node, model_.q, model_.v),
                                 {expressions(L.q0), expressions(L.q1), expressions(L.v), {&g, L.h}});
  const Nodes root{detail::lift(&g, L_d).node};
  for (const Nodes* others : {&model_.q, &model_.p, &model_.v})
    if (depends_on(g, root, *others))
      throw InputError(model_.name +
                       ": a discrete Lagrangian is a formula of q0, q1, v and h alone; take L(q, v) at positions and "
                       "velocities made of these");
  return known = std::make_shared<const DiscreteLagrangian>(g, divided(g, root[0], L.h), L.q0, L.q1, L.v, L.h);
}

}  // namespace holonom
