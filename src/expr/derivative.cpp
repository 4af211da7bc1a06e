#include "holonom/expr/derivative.hpp"

#include <unordered_map>
#include <unordered_set>

namespace holonom {

namespace {

struct Partials {
  NodeId a = Graph::zero, b = Graph::zero, c = Graph::zero;
};

// ∂(node i)/∂(its arguments), as expressions.
Partials partials(Graph& g, NodeId i) {
  const Node n = g[i];
  const NodeId two = g.number(2LL);
  const auto reciprocal = [&](NodeId x) { return g.div(Graph::one, x); };
  switch (n.op) {
    case Op::add: return {Graph::one, Graph::one};
    case Op::sub: return {Graph::one, g.neg(Graph::one)};
    case Op::mul: return {n.b, n.a};
    case Op::div: {
      const NodeId r = reciprocal(n.b);  // one reciprocal for both
      return {r, g.neg(g.mul(i, r))};
    }
    case Op::neg: return {g.neg(Graph::one)};
    case Op::powi: return {g.mul(g.number(static_cast<long long>(n.exponent())), g.powi(n.a, n.exponent() - 1))};
    case Op::pow:
      return {g.mul(n.b, g.pow(n.a, g.sub(n.b, Graph::one))),
              g.is_number(n.b) ? Graph::zero : g.mul(i, g.apply(Op::log, n.a))};
    case Op::sqrt: return {g.mul(reciprocal(two), reciprocal(i))};
    case Op::exp: return {i};
    case Op::log: return {reciprocal(n.a)};
    case Op::sin: return {g.apply(Op::cos, n.a)};
    case Op::cos: return {g.neg(g.apply(Op::sin, n.a))};
    case Op::tan: return {g.add(Graph::one, g.powi(i, 2))};
    case Op::asin: return {reciprocal(g.apply(Op::sqrt, g.sub(Graph::one, g.powi(n.a, 2))))};
    case Op::acos: return {g.neg(reciprocal(g.apply(Op::sqrt, g.sub(Graph::one, g.powi(n.a, 2)))))};
    case Op::atan: return {reciprocal(g.add(Graph::one, g.powi(n.a, 2)))};
    case Op::atan2: {
      const NodeId r = reciprocal(g.add(g.powi(n.a, 2), g.powi(n.b, 2)));
      return {g.mul(n.b, r), g.neg(g.mul(n.a, r))};
    }
    case Op::sinh: return {g.apply(Op::cosh, n.a)};
    case Op::cosh: return {g.apply(Op::sinh, n.a)};
    case Op::tanh: return {g.sub(Graph::one, g.powi(i, 2))};
    case Op::abs: return {g.apply(Op::sign, n.a)};
    case Op::min:
    case Op::max: {
      const NodeId first = n.op == Op::min ? g.apply(Op::less, n.a, n.b) : g.apply(Op::less, n.b, n.a);
      return {first, g.sub(Graph::one, first)};
    }
    case Op::select: return {Graph::zero, Graph::one, Graph::one};  // branches are handled by the callers
    default: return {};                                             // constants, sign, comparisons
  }
}

}  // namespace

std::vector<NodeId> along(Graph& g, std::span<const NodeId> y, std::span<const NodeId> x,
                          std::span<const NodeId> u) {
  std::unordered_map<NodeId, NodeId> tangent;
  for (std::size_t j = 0; j < x.size(); ++j) tangent[x[j]] = u[j];
  const auto at = [&](NodeId i) {
    const auto it = tangent.find(i);
    return it == tangent.end() ? Graph::zero : it->second;
  };
  for (const NodeId i : g.reachable(y)) {
    const Node n = g[i];
    const int k = arity(n.op);
    if (k == 0) continue;
    if (n.op == Op::select) {
      tangent[i] = g.select(n.a, at(n.b), at(n.c));
      continue;
    }
    const NodeId da = at(n.a), db = k > 1 ? at(n.b) : Graph::zero;
    if (da == Graph::zero && db == Graph::zero) continue;
    if (n.op == Op::div) {  // (ȧ − (a/b) ḃ)/b: one division
      tangent[i] = g.mul(g.sub(da, g.mul(i, db)), g.div(Graph::one, n.b));
      continue;
    }
    const Partials d = partials(g, i);
    tangent[i] = g.add(g.mul(d.a, da), k > 1 ? g.mul(d.b, db) : Graph::zero);
  }
  std::vector<NodeId> result;
  for (const NodeId r : y) result.push_back(at(r));
  return result;
}

std::vector<NodeId> gradient(Graph& g, NodeId y, std::span<const NodeId> x) {
  std::unordered_map<NodeId, NodeId> adjoint{{y, Graph::one}};
  const auto accumulate = [&](NodeId i, NodeId v) {
    if (v == Graph::zero) return;
    const auto [it, fresh] = adjoint.try_emplace(i, v);
    if (!fresh) it->second = g.add(it->second, v);
  };
  const std::vector<NodeId> order = g.reachable(std::span(&y, 1));
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const auto found = adjoint.find(*it);
    const Node n = g[*it];
    const int k = arity(n.op);
    if (found == adjoint.end() || k == 0) continue;
    const NodeId w = found->second;
    if (n.op == Op::select) {
      accumulate(n.b, g.select(n.a, w, Graph::zero));
      accumulate(n.c, g.select(n.a, Graph::zero, w));
      continue;
    }
    const Partials d = partials(g, *it);
    accumulate(n.a, g.mul(w, d.a));
    if (k > 1) accumulate(n.b, g.mul(w, d.b));
  }
  std::vector<NodeId> result;
  for (const NodeId j : x) {
    const auto it = adjoint.find(j);
    result.push_back(it == adjoint.end() ? Graph::zero : it->second);
  }
  return result;
}

SparseJacobian jacobian(Graph& g, std::span<const NodeId> y, std::span<const NodeId> x) {
  SparseJacobian J;
  J.row_start.push_back(0);
  for (const NodeId r : y) {
    const std::vector<NodeId> row = gradient(g, r, x);
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (row[j] == Graph::zero) continue;
      J.column.push_back(static_cast<int>(j));
      J.entry.push_back(row[j]);
    }
    J.row_start.push_back(static_cast<int>(J.column.size()));
  }
  return J;
}

NodeId weighted_sum(Graph& g, std::span<const NodeId> w, std::span<const NodeId> y) {
  NodeId s = Graph::zero;
  for (std::size_t k = 0; k < y.size(); ++k) s = g.add(s, g.mul(w[k], y[k]));
  return s;
}

bool depends_on(const Graph& g, std::span<const NodeId> y, std::span<const NodeId> x) {
  const std::unordered_set<NodeId> wanted(x.begin(), x.end());
  for (const NodeId i : g.reachable(y))
    if (wanted.contains(i)) return true;
  return false;
}

}  // namespace holonom
