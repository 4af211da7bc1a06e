#include "holonom/analysis/taylor_map.hpp"

#include "../model/nodes.hpp"
#include "graph_pairs.hpp"
#include "holonom/coefficients/composition.hpp"

namespace holonom {

namespace {

using Series = std::vector<Nodes>;  // coefficients of h⁰, h¹, ...

// F(x + h x₁ + h² x₂ + ...) in powers of h, as formulas of x, x₁, x₂, ..., each when it is first asked for
class Expansion {
 public:
  Expansion(Graph& graph, const Nodes& F, const Nodes& x) : g_(graph), n_(x.size()), x_(x), coefficient_{F} {}

  // The coefficient of hᵏ on the curve, of which the coefficients up to k are known.
  Nodes operator()(std::size_t k, const Series& curve) {
    while (coefficient_.size() <= k) differentiate();
    std::unordered_map<NodeId, NodeId> by;
    for (std::size_t i = 0; i < (k + 1) * n_; ++i) by[x_[i]] = curve[i / n_][i % n_];
    return g_.substitute(coefficient_[k], by);
  }

 private:
  void differentiate() {
    const std::size_t k = coefficient_.size();
    const Nodes next = new_inputs(g_, n_);
    x_.insert(x_.end(), next.begin(), next.end());
    Nodes rate;
    for (std::size_t i = n_; i < x_.size(); ++i)
      rate.push_back(g_.mul(g_.number(static_cast<long long>(i / n_)), x_[i]));
    Nodes D = along(g_, coefficient_.back(), std::span(x_).first(k * n_), rate);
    for (NodeId& y : D) y = g_.div(y, g_.number(static_cast<long long>(k)));
    coefficient_.push_back(std::move(D));
  }

  Graph& g_;
  std::size_t n_;
  Nodes x_;  // x, x₁, x₂, ...
  Series coefficient_;
};

Series series_of(const TaylorMap& map) {
  Series series{map.y};
  series.insert(series.end(), map.d.begin(), map.d.end());
  return series;
}

}  // namespace

GraphPair adjoint(Graph& graph, const GraphPair& pair) {
  const std::size_t s = pair.stages();
  GraphPair result = pair;
  for (std::size_t i = 0; i < s; ++i) {
    result.b[i] = pair.b[s - 1 - i];
    result.b_hat[i] = pair.b_hat[s - 1 - i];
    for (std::size_t j = 0; j < s; ++j) {
      result.A[i][j] = graph.sub(pair.b[s - 1 - j], pair.A[s - 1 - i][s - 1 - j]);
      result.A_hat[i][j] = graph.sub(pair.b_hat[s - 1 - j], pair.A_hat[s - 1 - i][s - 1 - j]);
    }
  }
  return result;
}

// Stages Y_i = y + h Σ a_ij F(Y_j): the coefficients of hᵏ follow from those of hᵏ⁻¹ in F(Y_j), implicit or not.
TaylorMap taylor_map(Graph& graph, const GraphField& field, const GraphPair& pair, int terms) {
  const std::size_t s = pair.stages(), n = field.y.size();
  Expansion F(graph, field.F, field.y);
  std::vector<Series> stage(s, Series{field.y});
  TaylorMap map;
  map.y = field.y;
  for (std::size_t k = 0; k < static_cast<std::size_t>(terms); ++k) {
    Series slope;
    for (std::size_t j = 0; j < s; ++j) slope.push_back(F(k, stage[j]));
    const auto sum = [&](const Nodes& for_q, const Nodes& for_p) {
      Nodes y(n, Graph::zero);
      for (std::size_t j = 0; j < s; ++j)
        for (std::size_t i = 0; i < n; ++i)
          y[i] = graph.add(y[i], graph.mul(i < field.of_q ? for_q[j] : for_p[j], slope[j][i]));
      return y;
    };
    for (std::size_t i = 0; i < s; ++i) stage[i].push_back(sum(pair.A[i], pair.A_hat[i]));
    map.d.push_back(sum(pair.b, pair.b_hat));
  }
  return map;
}

TaylorMap with_step(Graph& graph, const TaylorMap& map, NodeId c) {
  TaylorMap scaled = map;
  NodeId power = Graph::one;
  for (Nodes& d : scaled.d) {
    power = graph.mul(power, c);
    for (NodeId& x : d) x = graph.mul(power, x);
  }
  return scaled;
}

TaylorMap compose(Graph& graph, const TaylorMap& first, const TaylorMap& second) {
  TaylorMap both = first;
  const Series curve = series_of(first);
  for (std::size_t j = 0; j < second.d.size(); ++j) {
    Expansion d(graph, second.d[j], second.y);
    for (std::size_t k = j; k < both.d.size(); ++k) {
      const Nodes term = d(k - j, curve);
      for (std::size_t i = 0; i < term.size(); ++i) both.d[k][i] = graph.add(both.d[k][i], term[i]);
    }
  }
  return both;
}

namespace {

// The splitting (2.22): y_i moves with the other variables at rest, one after the other, there and back.
TaylorMap volume_splitting(Graph& graph, const GraphField& field, int terms) {
  const std::size_t n = field.y.size();
  const Series nothing(static_cast<std::size_t>(terms), Nodes(n, Graph::zero));
  std::vector<TaylorMap> shears;
  for (std::size_t i = 0; i < n; ++i) {
    if (field.F[i] == Graph::zero) continue;
    TaylorMap& shear = shears.emplace_back(TaylorMap{field.y, nothing});
    shear.d[0][i] = field.F[i];
  }
  const NodeId half = graph.div(Graph::one, graph.number(2LL));
  TaylorMap there{field.y, nothing}, back = there;
  for (const TaylorMap& shear : shears) {
    there = compose(graph, there, with_step(graph, shear, half));
    back = compose(graph, with_step(graph, shear, half), back);
  }
  return compose(graph, there, back);
}

}  // namespace

TaylorMap taylor_map(Graph& graph, const GraphField& field, const MethodInfo& method, int terms) {
  const bool splits = method.needs == Needs::shears && method.file.empty();
  const GraphPair pair = splits ? GraphPair() : graph_pair(graph, method);
  TaylorMap base = splits ? volume_splitting(graph, field, terms) : taylor_map(graph, field, pair, terms);
  if (method.scheme.empty()) return base;
  const CompositionScheme& scheme = *find_composition(method.scheme);
  const TaylorMap back = scheme.with_adjoint && !splits ? taylor_map(graph, field, adjoint(graph, pair), terms) : base;
  TaylorMap all{field.y, std::vector<Nodes>(base.d.size(), Nodes(field.y.size(), Graph::zero)), false};
  for (std::size_t i = 0; i < scheme.coefficients.size(); ++i)
    all = compose(graph, all, with_step(graph, i % 2 == 0 ? base : back, graph.number(scheme.coefficients[i])));
  return all;
}

}  // namespace holonom
