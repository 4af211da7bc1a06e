// Symbolic differentiation on the graph. Derivatives are expressions of the same graph, so any order
// is reached by differentiating again, and common parts are shared.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "holonom/expr/graph.hpp"

namespace holonom {

// Directional derivative Σ_j ∂y_i/∂x_j u_j (forward mode).
std::vector<NodeId> along(Graph& graph, std::span<const NodeId> y, std::span<const NodeId> x,
                          std::span<const NodeId> u);

// ∂y/∂x_j for all j (reverse mode).
std::vector<NodeId> gradient(Graph& graph, NodeId y, std::span<const NodeId> x);

// A sparse matrix of expressions, by rows.
struct SparseJacobian {
  std::vector<int> row_start, column;
  std::vector<NodeId> entry;
};

// The entries of ∂y_i/∂x_j that are not identically zero.
SparseJacobian jacobian(Graph& graph, std::span<const NodeId> y, std::span<const NodeId> x);

// Σ_k w_k y_k
NodeId weighted_sum(Graph& graph, std::span<const NodeId> w, std::span<const NodeId> y);

// The first of x that y depends on.
std::optional<std::size_t> first_used(const Graph& graph, std::span<const NodeId> y, std::span<const NodeId> x);
bool depends_on(const Graph& graph, std::span<const NodeId> y, std::span<const NodeId> x);

}  // namespace holonom
