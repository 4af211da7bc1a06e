#include "holonom/expr/derivative.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace holonom {

namespace {

struct Partials {
  NodeId a = Graph::zero, b = Graph::zero;
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
    default: return {};  // constants, sign, floor, comparisons; choices are handled by the callers
  }
}

// if(), min and max follow one of two branches. The other one must not be touched, not even by a
// factor of zero: its derivative may be infinite, as that of sqrt(x) in if(x > 0, sqrt(x), 0).
struct Choice {
  NodeId condition, yes, no;
};
std::optional<Choice> choice(Graph& g, const Node& n) {
  switch (n.op) {
    case Op::select: return Choice{n.a, n.b, n.c};
    case Op::min: return Choice{g.apply(Op::less, n.a, n.b), n.a, n.b};
    case Op::max: return Choice{g.apply(Op::less, n.b, n.a), n.a, n.b};
    default: return std::nullopt;
  }
}

class Reverse {
 public:
  // The entries of a gradient that are not identically zero, by the place of their variable.
  using Slope = std::map<std::size_t, NodeId>;

  Reverse(Graph& graph, std::span<const NodeId> x) : g_(graph), x_(x) {
    for (std::size_t j = 0; j < x.size(); ++j) place_.emplace(x[j], j);
  }

  Slope gradient(NodeId y) {
    std::unordered_map<NodeId, NodeId> adjoint{{y, Graph::one}};
    const auto accumulate = [&](NodeId i, NodeId v) {
      if (v == Graph::zero) return;
      const auto [it, fresh] = adjoint.try_emplace(i, v);
      if (!fresh) it->second = g_.add(it->second, v);
    };
    const std::vector<NodeId> order = g_.reachable(std::span(&y, 1));
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      const auto found = adjoint.find(*it);
      const Node n = g_[*it];
      const int k = arity(n.op);
      if (found == adjoint.end() || k == 0) continue;
      const NodeId w = found->second;
      if (const auto either = choice(g_, n)) {
        for (const auto& [j, slope] : gradient_of_choice(*it, *either)) accumulate(x_[j], g_.mul(w, slope));
        continue;
      }
      const Partials d = partials(g_, *it);
      accumulate(n.a, g_.mul(w, d.a));
      if (k > 1) accumulate(n.b, g_.mul(w, d.b));
    }
    Slope slope;
    for (const NodeId i : order) {
      const auto variable = place_.find(i);
      const auto it = variable == place_.end() ? adjoint.end() : adjoint.find(i);
      if (it != adjoint.end() && it->second != Graph::zero) slope.emplace(variable->second, it->second);
    }
    return slope;
  }

 private:
  // Each branch by itself, then the choice between the results.
  const Slope& gradient_of_choice(NodeId i, const Choice& either) {
    if (const auto it = choices_.find(i); it != choices_.end()) return it->second;
    const Slope yes = gradient(either.yes), no = gradient(either.no);
    Slope both = yes;
    both.insert(no.begin(), no.end());
    const auto at = [](const Slope& slope, std::size_t j) {
      const auto it = slope.find(j);
      return it == slope.end() ? Graph::zero : it->second;
    };
    for (auto& [j, slope] : both) slope = g_.select(either.condition, at(yes, j), at(no, j));
    return choices_.emplace(i, std::move(both)).first->second;
  }

  Graph& g_;
  std::span<const NodeId> x_;
  std::unordered_map<NodeId, std::size_t> place_;
  std::unordered_map<NodeId, Slope> choices_;
};

}  // namespace

std::vector<NodeId> along(Graph& g, std::span<const NodeId> y, std::span<const NodeId> x, std::span<const NodeId> u) {
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
    if (const auto either = choice(g, n)) {
      tangent[i] = g.select(either->condition, at(either->yes), at(either->no));
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
  std::vector<NodeId> result(x.size(), Graph::zero);
  for (const auto& [j, slope] : Reverse(g, x).gradient(y)) result[j] = slope;
  return result;
}

SparseJacobian jacobian(Graph& g, std::span<const NodeId> y, std::span<const NodeId> x) {
  SparseJacobian J;
  J.row_start.push_back(0);
  Reverse reverse(g, x);
  for (const NodeId r : y) {
    for (const auto& [j, slope] : reverse.gradient(r)) {
      J.column.push_back(static_cast<int>(j));
      J.entry.push_back(slope);
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

std::optional<std::size_t> first_used(const Graph& g, std::span<const NodeId> y, std::span<const NodeId> x) {
  // Inputs are numbered in the order in which they were made, so that x is sorted as a rule.
  std::unordered_map<NodeId, std::size_t> place;
  const bool sorted = std::is_sorted(x.begin(), x.end());
  if (!sorted)
    for (std::size_t j = 0; j < x.size(); ++j) place.emplace(x[j], j);
  std::optional<std::size_t> first;
  for (const NodeId i : g.reachable(y)) {
    std::size_t j = x.size();
    if (sorted) {
      const auto it = std::lower_bound(x.begin(), x.end(), i);
      if (it != x.end() && *it == i) j = static_cast<std::size_t>(it - x.begin());
    } else if (const auto it = place.find(i); it != place.end()) {
      j = it->second;
    }
    if (j < x.size() && (!first || j < *first)) first = j;
  }
  return first;
}

bool depends_on(const Graph& g, std::span<const NodeId> y, std::span<const NodeId> x) {
  return first_used(g, y, x).has_value();
}

}  // namespace holonom
