#include "bracket_proof.hpp"

#include <set>

#include "../model/nodes.hpp"
#include "holonom/expr/bracket.hpp"
#include "holonom/expr/zero_prover.hpp"

namespace holonom {

namespace {

// T(q, v) of a model that has no hamiltonian
NodeId kinetic_energy(Graph& g, const Model& model) {
  if (model.kinetic) return *model.kinetic;
  const std::size_t n = model.q.size();
  const bool full = model.mass.size() == n * n && n > 1;
  NodeId twice = Graph::zero;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = full ? 0 : i; j < (full ? n : i + 1); ++j)
      twice = g.add(twice, g.mul(model.mass[full ? i * n + j : i], g.mul(model.v[i], model.v[j])));
  return g.div(twice, g.number(2LL));
}

// The entries of a row, with the places where they stand
template <class F>
void for_row(const SparseJacobian& J, std::size_t row, F&& f) {
  for (auto z = static_cast<std::size_t>(J.row_start[row]); z < static_cast<std::size_t>(J.row_start[row + 1]); ++z)
    f(static_cast<std::size_t>(J.column[z]), J.entry[z]);
}

// If every invariant meets every constraint, time grows with the square of their number.
constexpr long most_brackets = 20'000;

}  // namespace

BracketProof::BracketProof(const Model& model)
    : model_(model),
      graph_(*model.graph),
      I_q_(jacobian(graph_, nodes_of(model.invariants), model.q)),
      I_p_(jacobian(graph_, nodes_of(model.invariants), model.p)),
      constraints_of_(model.q.size()),
      brackets_left_(most_brackets) {
  const SparseJacobian G = jacobian(graph_, nodes_of(model.constraints), model.q);
  for (std::size_t k = 0; k < model.constraints.size(); ++k)
    for_row(G, k, [&](std::size_t j, NodeId) { constraints_of_[j].push_back(k); });
  for (std::size_t j = 0; j < model.p.size(); ++j) momenta_.emplace(model.p[j], j);
  if (model.field) {
    H_p_ = model.field->q_rate;
    for (const NodeId rate : model.field->p_rate) H_q_.push_back(graph_.neg(rate));
    return;
  }
  if (model.hamiltonian) {
    H_q_ = gradient(graph_, *model.hamiltonian, model.q);
    H_p_ = gradient(graph_, *model.hamiltonian, model.p);
    return;
  }
  // H_q at fixed p is V_q − T_q at fixed v: nothing has to be inverted.
  const NodeId T = kinetic_energy(graph_, model);
  H_q_ = gradient(graph_, graph_.sub(*model.potential, T), model.q);
  H_p_ = model.v;
  T_v_ = gradient(graph_, T, model.v);
}

bool BracketProof::vanish(std::size_t invariant) {
  ZeroProver prover(graph_);
  return with_constraints(invariant, prover) && prover.is_zero(with_energy(invariant));
}

bool BracketProof::vanish_on_manifold(std::size_t invariant, std::span<const NodeId> C) {
  ZeroProver prover(graph_);
  return with_constraints(invariant, prover, C) && prover.is_zero(with_energy(invariant));
}

// Only constraints of coordinates whose momenta I depends on have a bracket with it.
bool BracketProof::with_constraints(std::size_t invariant, ZeroProver& prover, std::span<const NodeId> C) {
  Nodes q, p, g;
  std::set<std::size_t> met;
  for_row(I_p_, invariant, [&](std::size_t j, NodeId) {
    q.push_back(model_.q[j]);
    p.push_back(model_.p[j]);
    met.insert(constraints_of_[j].begin(), constraints_of_[j].end());
  });
  brackets_left_ -= static_cast<long>(met.size());
  if (brackets_left_ < 0) return false;
  for (const std::size_t k : met) g.push_back(model_.constraints[k].node);
  const BracketMatrix brackets = poisson_bracket(graph_, std::span(&model_.invariants[invariant].node, 1), g, q, p);
  auto k = met.begin();
  for (NodeId bracket : brackets.entry) {
    const std::size_t row = *k++ * model_.constraints.size();
    for (std::size_t l = 0; l < C.size() / model_.constraints.size(); ++l)
      bracket = graph_.sub(bracket, graph_.mul(C[row + l], model_.constraints[l].node));
    if (!prover.is_zero(bracket)) return false;
  }
  return true;
}

// {I, H} = I_q H_p − I_p H_q
NodeId BracketProof::with_energy(std::size_t invariant) {
  NodeId rate = Graph::zero;
  for_row(I_q_, invariant, [&](std::size_t j, NodeId slope) { rate = graph_.add(rate, graph_.mul(slope, H_p_[j])); });
  for_row(I_p_, invariant, [&](std::size_t j, NodeId slope) { rate = graph_.sub(rate, graph_.mul(slope, H_q_[j])); });
  if (T_v_.empty()) return rate;
  std::unordered_map<NodeId, NodeId> by;
  for (const NodeId i : graph_.reachable(std::span(&rate, 1)))
    if (const auto p = momenta_.find(i); p != momenta_.end()) by[i] = T_v_[p->second];
  return graph_.substitute(std::span(&rate, 1), by)[0];
}

}  // namespace holonom
