#include "holonom/solve/constraint_rank.hpp"

#include <random>

#include "holonom/solve/manifold.hpp"

namespace holonom {

namespace {

using Gram = GramSolver<double, Dynamic, Dynamic>;
using Metric = MetricAt<AnySystem<double>>;

// Moves x along a random direction of the null space of G and back onto the independent constraints;
// redundant ones hold there as well. True if they do. The constraints that `gram` has found to be independent are kept.
bool dependence_persists(const AnySystem<double>& sys, State<double>& x, Gram& gram,
                         ConstraintScale<double, Dynamic, Dynamic>& scale) {
  const int n = sys.n();
  Vec<double> r(sys.m()), direction(n);
  Jacobian<double> G(sys.pattern());
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (double& d : direction) d = normal(random);
  sys.G(x.q, G);
  gram.keep_rows();
  if (!gram.factor(G, Metric{sys, x.q, x.p}).ok()) return false;
  multiply(G, direction, r);
  gram.solve(r);
  gram.subtract_displacement(G, 1.0, r, direction);
  double size = 0, extent = 0;
  for (int i = 0; i < n; ++i) {
    size = std::max(size, std::abs(direction[i]));
    extent = std::max(extent, std::abs(x.q[i]));
  }
  if (size == 0) return true;  // no freedom left
  axpy(1e-3 * (extent > 0 ? extent : 1.0) / size, direction, x.q);
  for (int iteration = 0; iteration < 20; ++iteration) {
    sys.g_and_G(x.q, r, G);
    if (!gram.factor(G, Metric{sys, x.q, x.p}).ok()) return false;
    gram.solve(r);
    gram.subtract_displacement(G, 1.0, r, x.q);
  }
  sys.g_and_G(x.q, r, G);
  return scale.residual_at(G, x.q, r) < 1e-10;
}

// Many constraints: each that was left out is reported with the constraints that share a coordinate with it.
std::vector<std::vector<int>> neighbourhoods(const Jacobian<double>& G, const std::vector<int>& dropped, int n) {
  std::vector<std::vector<int>> users(static_cast<std::size_t>(n)), sets;
  for (int k = 0; k < G.m(); ++k) G.row(k, [&](int j, double) { users[static_cast<std::size_t>(j)].push_back(k); });
  for (const int k : dropped) {
    std::vector<int> set{k};
    G.row(k, [&](int j, double) {
      set.insert(set.end(), users[static_cast<std::size_t>(j)].begin(), users[static_cast<std::size_t>(j)].end());
    });
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    sets.push_back(std::move(set));
  }
  return sets;
}

}  // namespace

ConstraintRank constraint_rank(const AnySystem<double>& sys, const State<double>& x) {
  ConstraintRank result;
  const int m = sys.m();
  if (m == 0) return result;
  Jacobian<double> G(sys.pattern());
  Vec<double> r(m);
  ConstraintScale<double, Dynamic, Dynamic> scale(sys.n(), m);
  Gram gram(sys.n(), m);
  const Metric metric{sys, x.q, x.p};
  sys.G(x.q, G);
  scale.begin(sys, metric, x.q, G, r);
  const Vec<double> unit = scale.row_units();
  if (const Status s = gram.analyse(G, metric, unit); !s.ok()) {
    result.singular_position = true;
    result.dependent = {{std::max(0, s.constraint)}};
    return result;
  }
  result.rank = gram.rank();
  constexpr int few = 300;  // so many rows are compared with each other
  Manifold<double> manifold(sys);
  const double threshold = Gram::threshold(m);
  if (m <= few) {
    PivotOrder<double> order(m);
    const Square<double> K = scaled(manifold.gram_matrix(x), unit);
    order.choose(K, m, threshold);
    result.gap = order.gap();
    if (result.rank < m) result.dependent = dependent_rows(K, threshold);
  } else if (result.rank < m) {
    result.dependent = neighbourhoods(G, gram.dropped(), sys.n());
  }
  if (result.rank == m) return result;
  State<double> nearby = x;
  result.singular_position = !dependence_persists(sys, nearby, gram, scale);
  // At x itself a gradient may vanish by chance (a dead centre), and hide what the others are.
  if (!result.singular_position && m <= few)
    result.dependent = dependent_rows(scaled(manifold.gram_matrix(nearby), unit), 1e-7);
  return result;
}

}  // namespace holonom
