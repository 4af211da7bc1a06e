#include "holonom/solve/kkt_pattern.hpp"

#include <algorithm>
#include <numeric>

namespace holonom {

namespace {

using Index = SparseIndex;

Adjacency adjacency(const Pattern& M, const Pattern& G) {
  const int n = M.n;
  std::vector<std::vector<Index>> users(at(n));
  for (Index k = 0; k < G.m(); ++k)
    for (int z = G.row_start[at(k)]; z < G.row_start[at(k) + 1]; ++z) users[at(G.column[at(z)])].push_back(n + k);
  Adjacency K;
  const auto finish_row = [&](std::size_t first) {
    const auto begin = K.neighbour.begin() + static_cast<std::ptrdiff_t>(first);
    std::sort(begin, K.neighbour.end());
    K.neighbour.erase(std::unique(begin, K.neighbour.end()), K.neighbour.end());
    K.start.push_back(static_cast<Index>(K.neighbour.size()));
  };
  for (Index i = 0; i < n; ++i) {
    const std::size_t first = K.neighbour.size();
    for (int z = M.row_start[at(i)]; z < M.row_start[at(i) + 1]; ++z)
      if (M.column[at(z)] != i) K.neighbour.push_back(M.column[at(z)]);
    K.neighbour.insert(K.neighbour.end(), users[at(i)].begin(), users[at(i)].end());
    finish_row(first);
  }
  for (Index k = 0; k < G.m(); ++k) {
    const std::size_t first = K.neighbour.size();
    K.neighbour.insert(K.neighbour.end(), G.column.begin() + G.row_start[at(k)],
                       G.column.begin() + G.row_start[at(k) + 1]);
    finish_row(first);
  }
  return K;
}

// The given order, but each constraint as soon as possible after the last of its coordinates.
std::vector<Index> delayed(const std::vector<Index>& order, const Pattern& G) {
  const int n = G.n, m = G.m();
  std::vector<Index> place(order.size()), last(at(m));
  for (std::size_t k = 0; k < order.size(); ++k) place[at(order[k])] = static_cast<Index>(k);
  for (Index k = 0; k < m; ++k) {
    last[at(k)] = place[at(n + k)];
    for (int z = G.row_start[at(k)]; z < G.row_start[at(k) + 1]; ++z)
      last[at(k)] = std::max(last[at(k)], place[at(G.column[at(z)])]);
  }
  std::vector<Index> constraints(at(m));
  std::iota(constraints.begin(), constraints.end(), 0);
  std::sort(constraints.begin(), constraints.end(), [&](Index a, Index b) {
    return last[at(a)] != last[at(b)] ? last[at(a)] < last[at(b)] : place[at(n + a)] < place[at(n + b)];
  });
  std::vector<Index> result;
  result.reserve(order.size());
  auto next = constraints.begin();
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (order[k] < n) result.push_back(order[k]);
    for (; next != constraints.end() && last[at(*next)] == static_cast<Index>(k); ++next) result.push_back(n + *next);
  }
  return result;
}

// Coordinates as written; constraints, which are placed before them here, follow their last coordinate.
std::vector<Index> as_written(int n, int m) {
  std::vector<Index> order(at(n + m));
  std::iota(order.begin(), order.begin() + m, n);
  std::iota(order.begin() + m, order.end(), 0);
  return order;
}

}  // namespace

KktPattern::KktPattern(const Pattern& M, const Pattern& G) : n(M.n), m(G.m()) {
  const Adjacency K = adjacency(M, G);
  FactorPattern::operator=(FactorPattern(K, {delayed(as_written(n, m), G), delayed(minimum_degree(K), G)}));
}

}  // namespace holonom
