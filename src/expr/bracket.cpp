#include "holonom/expr/bracket.hpp"

#include <stdexcept>

namespace holonom {

namespace {

// Σ_k A_ik B_jk of two sparse rows
NodeId dot(Graph& graph, const SparseJacobian& A, std::size_t i, const SparseJacobian& B, std::size_t j) {
  NodeId sum = Graph::zero;
  auto a = static_cast<std::size_t>(A.row_start[i]), b = static_cast<std::size_t>(B.row_start[j]);
  const auto a_end = static_cast<std::size_t>(A.row_start[i + 1]), b_end = static_cast<std::size_t>(B.row_start[j + 1]);
  while (a < a_end && b < b_end) {
    if (A.column[a] == B.column[b])
      sum = graph.add(sum, graph.mul(A.entry[a++], B.entry[b++]));
    else
      ++(A.column[a] < B.column[b] ? a : b);
  }
  return sum;
}

}  // namespace

BracketMatrix poisson_bracket(Graph& graph, std::span<const NodeId> F, std::span<const NodeId> G,
                              std::span<const NodeId> q, std::span<const NodeId> p) {
  if (q.size() != p.size()) throw std::invalid_argument("a Poisson bracket needs one momentum for each coordinate");
  const SparseJacobian F_q = jacobian(graph, F, q), F_p = jacobian(graph, F, p), G_q = jacobian(graph, G, q),
                       G_p = jacobian(graph, G, p);
  BracketMatrix bracket{F.size(), G.size(), {}};
  for (std::size_t i = 0; i < F.size(); ++i)
    for (std::size_t j = 0; j < G.size(); ++j)
      bracket.entry.push_back(graph.sub(dot(graph, F_q, i, G_p, j), dot(graph, F_p, i, G_q, j)));
  return bracket;
}

NodeId poisson_bracket(Graph& graph, NodeId f, NodeId g, std::span<const NodeId> q, std::span<const NodeId> p) {
  return poisson_bracket(graph, std::span(&f, 1), std::span(&g, 1), q, p).entry[0];
}

}  // namespace holonom
