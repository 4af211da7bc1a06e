// A numerical map as a power series in its step, (4.3) of Hairer, Lubich and Wanner (2003):
//   Φ_h(y) = y + h d₁(y) + h² d₂(y) + ...,
// with coefficients on the expression graph. Compositions with a field F, and of maps, are derivatives along a curve:
// for
//   y(h) = x + h x₁ + h² x₂ + ...   and   D = Σ (l + 1) x_{l+1}·∂/∂x_l,   the coefficient of hᵏ in F(y(h)) is DᵏF/k!,
// which is k calls of `along`, and never a tensor.
#pragma once

#include "holonom/analysis/graph_field.hpp"
#include "holonom/methods/method.hpp"

namespace holonom {

// A partitioned Runge-Kutta method: (A, b) for q and (Â, b̂) for p. Its coefficients are constants of the graph, so that
// √3 is exact.
struct GraphPair {
  std::vector<std::vector<NodeId>> A, A_hat;
  std::vector<NodeId> b, b_hat;

  std::size_t stages() const { return b.size(); }
};

// Of Φ_{−h}⁻¹: the coefficients b_{s+1−j} − a_{s+1−i, s+1−j}.
GraphPair adjoint(Graph& graph, const GraphPair& pair);

struct TaylorMap {
  std::vector<NodeId> y;
  std::vector<std::vector<NodeId>> d;  // d[j − 1] is d_j
  bool exact = true;                   // if not, there are decimals in it, and what should cancel leaves a little
};

TaylorMap taylor_map(Graph& graph, const GraphField& field, const GraphPair& pair, int terms);
// Φ_{ch}
TaylorMap with_step(Graph& graph, const TaylorMap& map, NodeId c);
// First one map, then the other.
TaylorMap compose(Graph& graph, const TaylorMap& first, const TaylorMap& second);

// Of a method of the registry without constraints: symplectic Euler, Verlet, the midpoint rule, the splitting of fields
// that preserves volume (which each rate must allow, see shear_parts), compositions of these,
// Gauss and Lobatto methods with up to three stages, explicit Runge-Kutta methods. All coefficients are exact, but for
// those of compositions, which have 110 decimals. Throws InputError for other methods.
TaylorMap taylor_map(Graph& graph, const GraphField& field, const MethodInfo& method, int terms);

}  // namespace holonom
