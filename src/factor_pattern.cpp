#include "holonom/factor_pattern.hpp"

#include <amd.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace holonom {

namespace {

using Index = SparseIndex;

std::vector<Index> inverse(const std::vector<Index>& order) {
  std::vector<Index> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) place[at(order[k])] = static_cast<Index>(k);
  return place;
}

// The columns of each row of L, by walks in the elimination tree; stops counting beyond `limit`.
struct FactorRows {
  std::vector<Index> start{0}, column;
  bool within_limit = true;

  FactorRows(const Adjacency& K, const std::vector<Index>& order, std::size_t limit) {
    const std::size_t m = order.size();
    const std::vector<Index> place = inverse(order);
    std::vector<Index> parent(m, -1), seen(m, -1);
    for (std::size_t k = 0; k < m; ++k) {
      const auto row = static_cast<Index>(k);
      seen[k] = row;
      const auto first = static_cast<std::ptrdiff_t>(column.size());
      for (Index u = K.start[at(order[k])]; u < K.start[at(order[k]) + 1]; ++u) {
        for (Index j = place[at(K.neighbour[at(u)])]; j < row && seen[at(j)] != row; j = parent[at(j)]) {
          if (parent[at(j)] < 0) parent[at(j)] = row;
          seen[at(j)] = row;
          column.push_back(j);
        }
      }
      std::sort(column.begin() + first, column.end());
      start.push_back(static_cast<Index>(column.size()));
      if (column.size() > limit) {
        within_limit = false;
        return;
      }
    }
  }
};

constexpr auto no_limit = static_cast<std::size_t>(-1);

void finish(FactorPattern& L, std::vector<Index> order, FactorRows rows) {
  L.order = std::move(order);
  L.place = inverse(L.order);
  L.factor_start.assign(L.order.size() + 1, 0);
  for (const Index j : rows.column) ++L.factor_start[at(j) + 1];
  for (std::size_t j = 1; j < L.factor_start.size(); ++j) L.factor_start[j] += L.factor_start[j - 1];
  L.factor_row.resize(rows.column.size());
  L.factor_place.resize(rows.column.size());
  std::vector<Index> next(L.factor_start.begin(), L.factor_start.end() - 1);
  for (Index k = 0; k < L.rows(); ++k)
    for (Index e = rows.start[at(k)]; e < rows.start[at(k) + 1]; ++e) {
      const Index p = next[at(rows.column[at(e)])]++;
      L.factor_row[at(p)] = k;
      L.factor_place[at(e)] = p;
    }
  L.natural = std::is_sorted(L.order.begin(), L.order.end());
  if (!L.natural) {
    L.factor_target.reserve(L.factor_row.size());
    for (const Index k : L.factor_row) L.factor_target.push_back(L.order[at(k)]);
  }
  L.factor_row_start = std::move(rows.start);
  L.factor_column = std::move(rows.column);
}

}  // namespace

std::vector<Index> minimum_degree(const Adjacency& K) {
  const auto m = static_cast<Index>(K.size());
  std::vector<Index> order(at(m));
  if (m > 0 && amd_order(m, K.start.data(), K.neighbour.data(), order.data(), nullptr, nullptr) < 0)
    throw std::runtime_error("no order of elimination was found for a sparse matrix");
  return order;
}

FactorPattern::FactorPattern(const Adjacency& K) {
  std::vector<Index> written(at(K.size()));
  std::iota(written.begin(), written.end(), 0);
  const std::size_t no_fill = K.neighbour.size() / 2;
  FactorRows rows(K, written, no_fill);
  if (rows.within_limit)
    finish(*this, std::move(written), std::move(rows));
  else
    *this = FactorPattern(K, {std::move(written), minimum_degree(K)});
}

FactorPattern::FactorPattern(const Adjacency& K, const std::vector<std::vector<Index>>& orders) {
  // From the last to the first: an earlier order wins if it has no more entries. The first, as written, may
  // have far too many to be counted to the end.
  std::size_t best = orders.size() - 1;
  FactorRows rows(K, orders[best], no_limit);
  for (std::size_t i = best; i-- > 0;) {
    FactorRows candidate(K, orders[i], rows.column.size());
    if (!candidate.within_limit) continue;
    best = i;
    rows = std::move(candidate);
  }
  finish(*this, orders[best], std::move(rows));
}

std::size_t FactorPattern::bytes() const {
  std::size_t total = 0;
  for (const auto* v :
       {&order, &place, &factor_start, &factor_row, &factor_row_start, &factor_column, &factor_place, &factor_target})
    total += v->size() * sizeof(Index);
  return total;
}

}  // namespace holonom
