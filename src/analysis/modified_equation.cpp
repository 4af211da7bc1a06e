#include "holonom/analysis/modified_equation.hpp"

#include "../model/nodes.hpp"
#include "holonom/expr/derivative.hpp"
#include "holonom/expr/zero_prover.hpp"
#include "holonom/methods/registry.hpp"
#include "holonom/model/shear_parts.hpp"

namespace holonom {

namespace {

void require_suitable(const Model& model, const MethodInfo& method) {
  const bool splits = method.needs == Needs::shears;
  if (splits && !model.field)
    throw InputError(method.key + " is for fields, and " + model.name + " has a Hamiltonian: take verlet-b");
  if (!model.field) return;
  if (const std::string reason = splits ? shear_parts(model).obstacle : ""; !reason.empty())
    throw InputError(method.key + " does not suit " + model.name + ": " + reason);
  if (!method.for_fields)
    throw InputError(method.key + " is for Hamiltonian systems, and " + model.name +
                     " is a field y' = f(y): " + advice_for_fields(method));
  if (method.needs_parts && model.field->variables_in_p.empty())
    throw InputError(method.key + " treats q and p differently, and the variables of " + model.name +
                     " do not come in two parts");
}

// F + h F₂ + ... + h^(N−1) F_N
NodeId polynomial(Graph& g, const Nodes& coefficient, NodeId h) {
  NodeId sum = Graph::zero;
  for (std::size_t j = coefficient.size(); j-- > 0;) sum = g.add(coefficient[j], g.mul(h, sum));
  return sum;
}

Nodes initial_momenta(const Model& model) {
  if (!model.start_is_velocity) return model.start;
  if (!model.kinetic && model.mass.size() != model.q.size())
    throw InputError(model.name + ": give the initial momenta p, not velocities");
  Graph& g = *model.graph;
  Nodes p;
  if (!model.kinetic)
    for (std::size_t i = 0; i < model.q.size(); ++i) p.push_back(g.mul(model.mass[i], model.start[i]));
  else
    p = gradient(g, *model.kinetic, model.v);
  std::unordered_map<NodeId, NodeId> by;
  for (std::size_t i = 0; i < model.q.size(); ++i) {
    by[model.q[i]] = model.q0[i];
    by[model.v[i]] = model.start[i];
  }
  return g.substitute(p, by);
}

}  // namespace

// With D_i the derivative along F_i,   d_j = Σ_k L_kj/k!,   L_1j = F_j,   L_kj = Σ_i D_i L_{k−1,j−i},
// where i + (j − i) = j are the powers of h in h D̃ and in what it acts on; all but L_1j consist of F_1, ..., F_{j−1}.
std::vector<Nodes> modified_terms(Graph& g, const TaylorMap& map) {
  std::vector<std::vector<Nodes>> L;  // L[j − 1][k − 1]
  std::vector<Nodes> F;
  for (std::size_t j = 1; j <= map.d.size(); ++j) {
    std::vector<Nodes>& now = L.emplace_back(j);
    Nodes& F_j = F.emplace_back(map.d[j - 1]);
    long long factorial = 1;
    for (std::size_t k = 2; k <= j; ++k) {
      factorial *= static_cast<long long>(k);
      Nodes& sum = now[k - 1];
      sum.assign(map.y.size(), Graph::zero);
      for (std::size_t i = 1; j - i >= k - 1; ++i) {
        const Nodes term = along(g, L[j - i - 1][k - 2], map.y, F[i - 1]);
        for (std::size_t c = 0; c < sum.size(); ++c) sum[c] = g.add(sum[c], term[c]);
      }
      for (std::size_t c = 0; c < sum.size(); ++c) F_j[c] = g.sub(F_j[c], g.div(sum[c], g.number(factorial)));
    }
    for (NodeId& component : F_j)
      if (map.exact && ZeroProver(g).is_zero(component)) component = Graph::zero;
    now[0] = F_j;
  }
  return F;
}

// The action of a step of a symplectic method is that of the modified motion, so that the method on the equation
// with one more variable, z' = p·H_p − H, has the modified equation z' = p·q' − H̃: its terms tell those of H̃.
ModifiedEquation modified_equation(const Model& model, const std::string& method, int terms) {
  if (terms < 1) throw InputError("a modified equation has at least one term, not " + std::to_string(terms));
  const MethodInfo info = methods().find(method).info;
  require_suitable(model, info);
  Graph& g = *model.graph;
  const GraphField field = graph_field(model);
  ModifiedEquation equation{info.key, field.y, {}, {}};
  if (!info.on(0, model.field.has_value()).symplectic) {
    equation.F = modified_terms(g, taylor_map(g, field, info, terms));
    return equation;
  }
  const std::size_t n = field.of_q;
  equation.F = modified_terms(g, taylor_map(g, with_action(g, field, graph_hamiltonian(model)), info, terms));
  for (Nodes& F : equation.F) {
    const NodeId L = F.back();
    F.pop_back();
    equation.H.push_back(g.sub(weighted_sum(g, std::span(field.y).subspan(n), std::span(F).first(n)), L));
  }
  return equation;
}

Model truncated(const Model& model, const ModifiedEquation& equation, int terms, NodeId h) {
  if (terms < 1 || terms > static_cast<int>(equation.F.size()))
    throw InputError("the modified equation was asked for with " + std::to_string(equation.F.size()) + " terms, not " +
                     std::to_string(terms));
  Graph& g = *model.graph;
  Model result = model;
  result.name = model.name + ", modified by " + equation.method;
  result.start = initial_momenta(model);
  result.start_is_velocity = false;
  const auto first = [&](const auto& of_term) {
    Nodes coefficient;
    for (int j = 0; j < terms; ++j) coefficient.push_back(of_term(static_cast<std::size_t>(j)));
    return polynomial(g, coefficient, h);
  };
  FieldFormulas rates;
  for (std::size_t i = 0; i < equation.y.size(); ++i)
    (i < model.q.size() ? rates.q_rate : rates.p_rate).push_back(first([&](std::size_t j) {
      return equation.F[j][i];
    }));
  if (model.field)
    rates.variables_in_p = model.field->variables_in_p;
  else
    for (const std::string& name : model.coordinates) rates.variables_in_p.push_back("p_" + name);
  if (!equation.H.empty()) rates.energy = first([&](std::size_t j) { return equation.H[j]; });
  result.field = std::move(rates);
  result.hamiltonian = result.kinetic = result.potential = result.slow_potential = result.fast_potential = std::nullopt;
  result.mass.clear();
  result.observables.clear();  // formulas of velocities and energies of the old motion, perhaps
  result.text.clear();
  result.method = "gauss-2";
  return result;
}

}  // namespace holonom
