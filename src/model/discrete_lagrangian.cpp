#include "holonom/model/discrete_lagrangian.hpp"

#include "nodes.hpp"

namespace holonom {

Expr Lagrangian::operator()(const ExprVector& q, const ExprVector& v) const {
  if (q.size() != q_.size() || v.size() != v_.size())
    throw std::invalid_argument("a Lagrangian takes as many positions and velocities as there are coordinates");
  std::unordered_map<NodeId, NodeId> by;
  for (std::size_t i = 0; i < q_.size(); ++i) {
    by[q_[i]] = detail::lift(&graph_, q[i]).node;
    by[v_[i]] = detail::lift(&graph_, v[i]).node;
  }
  return {&graph_, graph_.substitute(Nodes{L_}, by)[0]};
}

ExprVector DiscreteStep::at(int numerator, int denominator) const {
  Graph& g = *h.graph;
  const Expr c{&g, g.div(g.number(static_cast<long long>(numerator)), g.number(static_cast<long long>(denominator)))};
  ExprVector q;
  for (std::size_t i = 0; i < q0.size(); ++i) q.push_back((1 - c) * q0[i] + c * q1[i]);
  return q;
}

DiscreteRule trapezoidal_rule() {
  return {[](const Lagrangian& L, const DiscreteStep& s) { return s.h * (L(s.q0, s.v) + L(s.q1, s.v)) / 2; }};
}

DiscreteRule midpoint_rule() {
  return {[](const Lagrangian& L, const DiscreteStep& s) { return s.h * L(s.at(1, 2), s.v); }};
}

DiscreteLagrangian::DiscreteLagrangian(Graph& graph, NodeId mean, const Nodes& q0, const Nodes& q1, const Nodes& v,
                                       NodeId h) {
  const std::size_t n = q0.size();
  const Nodes of_v = gradient(graph, mean, v), of_q1 = gradient(graph, mean, q1);
  Nodes of_q0 = gradient(graph, mean, q0), start(n), force(n);
  for (std::size_t i = 0; i < n; ++i) {
    force[i] = graph.mul(h, graph.add(of_q0[i], of_q1[i]));
    of_q0[i] = graph.mul(h, of_q0[i]);
    start[i] = graph.sub(of_v[i], of_q0[i]);
  }
  // Along q₁ = q₀ + h v: a change of v_j is one of h in q₁_j.
  std::unordered_map<NodeId, NodeId> by;
  const Nodes u = new_inputs(graph, n);
  for (std::size_t j = 0; j < n; ++j) {
    by[v[j]] = graph.add(v[j], u[j]);
    by[q1[j]] = graph.add(q1[j], graph.mul(h, u[j]));
  }
  SparseJacobian J = jacobian(graph, graph.substitute(start, by), u);
  by.clear();
  for (const NodeId x : u) by[x] = Graph::zero;
  matrix_ = {static_cast<int>(n), std::move(J.row_start), std::move(J.column)};
  const auto set = [&](Formula f, const std::vector<Nodes>& out) {
    programs_[static_cast<std::size_t>(f)] =
        std::make_shared<const Program>(graph, std::vector<Nodes>{q0, q1, v, {h}}, out);
  };
  set(Formula::slopes, {of_v, of_q0});
  set(Formula::slopes_and_matrix, {of_v, of_q0, graph.substitute(J.entry, by)});
  set(Formula::force, {force});
  set(Formula::value, {{graph.mul(h, mean)}});
}

const std::vector<NativeProgram>& DiscreteLagrangian::native() const {
  std::call_once(native_once_, [this] {
    std::vector<const Program*> list;
    for (const auto& program : programs_) list.push_back(program.get());
    native_ = compile_native(list);
  });
  return native_;
}

}  // namespace holonom
