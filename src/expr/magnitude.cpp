#include "holonom/expr/magnitude.hpp"

#include <cstdlib>

namespace holonom {

std::vector<NodeId> magnitude_of_terms(Graph& g, std::span<const NodeId> y) {
  std::unordered_map<NodeId, NodeId> size;
  for (const NodeId i : g.reachable(y)) {
    const Node n = g[i];
    const auto absolute = [&](NodeId x) { return g.apply(Op::abs, x); };
    const auto larger = [&](NodeId a, NodeId b) { return a == b ? a : g.apply(Op::max, a, b); };
    switch (n.op) {
      case Op::add:
      case Op::sub: size[i] = g.add(size[n.a], size[n.b]); break;
      // The error of one factor counts as much as the other factor makes of it: (x − X)² has errors of |x − X| |X|, not
      // X².
      case Op::mul: size[i] = larger(g.mul(size[n.a], absolute(n.b)), g.mul(absolute(n.a), size[n.b])); break;
      // At a pole a value is large, not uncertain: errors of denominators do not count.
      case Op::div: size[i] = g.div(size[n.a], absolute(n.b)); break;
      case Op::neg: size[i] = size[n.a]; break;
      case Op::powi:
        size[i] = n.exponent() > 0 ? g.mul(size[n.a], g.powi(absolute(n.a), n.exponent() - 1))
                                   : g.powi(absolute(n.a), n.exponent());
        break;
      case Op::sqrt: size[i] = g.apply(Op::sqrt, size[n.a]); break;
      case Op::select: size[i] = g.select(n.a, size[n.b], size[n.c]); break;
      default: size[i] = absolute(i);
    }
  }
  std::vector<NodeId> result;
  for (const NodeId r : y) result.push_back(size[r]);
  return result;
}

}  // namespace holonom
