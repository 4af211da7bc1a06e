// Linear systems of expressions.
#pragma once

#include "nodes.hpp"

namespace holonom {

// A⁻¹b for a positive definite A, by rows: no pivot vanishes.
inline Nodes eliminate(Graph& g, std::vector<Nodes> A, Nodes b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t r = i + 1; r < n; ++r) {
      const NodeId factor = g.div(A[r][i], A[i][i]);
      for (std::size_t c = i; c < n; ++c) A[r][c] = g.sub(A[r][c], g.mul(factor, A[i][c]));
      b[r] = g.sub(b[r], g.mul(factor, b[i]));
    }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t c = i + 1; c < n; ++c) b[i] = g.sub(b[i], g.mul(A[i][c], b[c]));
    b[i] = g.div(b[i], A[i][i]);
  }
  return b;
}

}  // namespace holonom
