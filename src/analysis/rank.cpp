#include "holonom/analysis/rank.hpp"

#include <random>

#include "holonom/analysis/manifold.hpp"

namespace holonom {

namespace {

// Moves x along a random direction of the null space of G and back onto the independent constraints;
// redundant ones hold there as well. True if they do.
bool dependence_persists(const AnySystem<double>& sys, State<double>& x, const PivotOrder<double>& order, int rank) {
  const int n = sys.n();
  Manifold<double> manifold(sys);
  Vec<double> r(sys.m()), step(n), image(n), part(rank);
  Jacobian<double> G(sys.pattern());
  Square<double> K(rank);
  const auto correct = [&](auto residual_of) {  // x -= H_pp G_Iᵀ (G_I H_pp G_Iᵀ)⁻¹ residual_I
    const Square<double>& full = manifold.gram_matrix(x);
    for (int i = 0; i < rank; ++i)
      for (int j = 0; j < rank; ++j) K(i, j) = full(order[i], order[j]);
    if (factor_ldl(K, 0.0) >= 0) return false;
    for (int i = 0; i < rank; ++i) part[i] = residual_of(order[i]);
    solve_ldl(K, part);
    fill(step, 0.0);
    for (int i = 0; i < rank; ++i) G.row(order[i], [&](int j, double g) { step[j] += g * part[i]; });
    sys.H_pp(x.q, x.p, step, image);
    return true;
  };
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  Vec<double> direction(n);
  double size = 0, extent = 0;
  for (double& d : direction) d = normal(random);
  sys.G(x.q, G);
  multiply(G, direction, r);
  if (!correct([&](int k) { return r[k]; })) return false;
  axpy(-1.0, image, direction);
  for (int i = 0; i < n; ++i) {
    size = std::max(size, std::abs(direction[i]));
    extent = std::max(extent, std::abs(x.q[i]));
  }
  if (size == 0) return true;  // no freedom left
  axpy(1e-3 * (extent > 0 ? extent : 1.0) / size, direction, x.q);
  for (int iteration = 0; iteration < 20; ++iteration) {
    sys.g_and_G(x.q, r, G);
    if (!correct([&](int k) { return r[k]; })) return false;
    axpy(-1.0, image, x.q);
  }
  return manifold.position(x.q).relative < 1e-10;
}

// Many constraints: by the sparse factorisation, which drops those that depend on others. Each is
// reported with the constraints that share a coordinate with it.
ConstraintRank sparse_rank(const AnySystem<double>& sys, const State<double>& x) {
  ConstraintRank result;
  GramSolver<double, Dynamic, Dynamic> gram(sys.n(), sys.m());
  Jacobian<double> G(sys.pattern());
  sys.G(x.q, G);
  if (!gram.analyse(G, MetricAt<AnySystem<double>>{sys, x.q, x.p}).ok()) return result;
  result.rank = gram.rank();
  std::vector<std::vector<int>> users(static_cast<std::size_t>(sys.n()));
  const std::vector<int> dropped = gram.dropped();
  if (dropped.empty()) return result;
  for (int k = 0; k < sys.m(); ++k) G.row(k, [&](int j, double) { users[static_cast<std::size_t>(j)].push_back(k); });
  for (const int k : dropped) {
    std::vector<int> set{k};
    G.row(k, [&](int j, double) { set.insert(set.end(), users[static_cast<std::size_t>(j)].begin(), users[static_cast<std::size_t>(j)].end()); });
    std::sort(set.begin(), set.end());
    set.erase(std::unique(set.begin(), set.end()), set.end());
    result.dependent.push_back(std::move(set));
  }
  return result;
}

}  // namespace

ConstraintRank constraint_rank(const AnySystem<double>& sys, const State<double>& x) {
  ConstraintRank result;
  if (sys.m() == 0) return result;
  constexpr int few = 300;
  if (sys.m() > few && (sys.inverse_mass_diagonal() || sys.sparse_mass())) return sparse_rank(sys, x);
  Manifold<double> manifold(sys);
  const Square<double> K = manifold.gram_matrix(x);
  const double threshold = GramSolver<double, Dynamic, Dynamic>::threshold(sys.m());
  PivotOrder<double> order(sys.m());
  result.rank = order.choose(K, sys.m(), threshold);
  if (result.rank == sys.m()) return result;
  result.dependent = dependent_rows(K, threshold);
  State<double> nearby = x;
  result.singular_position = !dependence_persists(sys, nearby, order, result.rank);
  // At x itself a gradient may vanish by chance (a dead centre), and hide what the others are.
  if (!result.singular_position) result.dependent = dependent_rows(manifold.gram_matrix(nearby), 1e-7);
  return result;
}

std::string quoted_list(const std::vector<std::string>& names, const std::vector<int>& which) {
  std::string list;
  for (std::size_t i = 0; i < which.size(); ++i) {
    if (i > 0) list += i + 1 == which.size() ? " and " : ", ";
    list += "'" + names[static_cast<std::size_t>(which[i])] + "'";
  }
  return list;
}

}  // namespace holonom
