#include "holonom/solve/gram_pattern.hpp"

#include <amd.h>

#include <algorithm>
#include <stdexcept>

namespace holonom {

namespace {

using Index = GramPattern::Index;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

struct Adjacency {
  std::vector<Index> start{0}, neighbour;  // without the diagonal, each row sorted
};

// For each coordinate the entries of G that use it: (constraint, entry).
struct Users {
  std::vector<Index> start, constraint, entry;

  explicit Users(const Pattern& G) : start(static_cast<std::size_t>(G.n) + 1, 0) {
    for (const int j : G.column) ++start[static_cast<std::size_t>(j) + 1];
    for (std::size_t j = 1; j < start.size(); ++j) start[j] += start[j - 1];
    constraint.resize(G.column.size());
    entry.resize(G.column.size());
    std::vector<Index> next(start.begin(), start.end() - 1);
    for (int k = 0; k < G.m(); ++k)
      for (int z = G.row_start[static_cast<std::size_t>(k)]; z < G.row_start[static_cast<std::size_t>(k) + 1]; ++z) {
        const Index place = next[static_cast<std::size_t>(G.column[static_cast<std::size_t>(z)])]++;
        constraint[at(place)] = k;
        entry[at(place)] = z;
      }
  }
};

Adjacency adjacency(const Pattern& G, const Users& users) {
  Adjacency result;
  std::vector<Index> seen(static_cast<std::size_t>(G.m()), -1);
  for (int k = 0; k < G.m(); ++k) {
    seen[static_cast<std::size_t>(k)] = k;
    const auto first = static_cast<std::ptrdiff_t>(result.neighbour.size());
    for (int z = G.row_start[static_cast<std::size_t>(k)]; z < G.row_start[static_cast<std::size_t>(k) + 1]; ++z) {
      const auto j = static_cast<std::size_t>(G.column[static_cast<std::size_t>(z)]);
      for (Index u = users.start[j]; u < users.start[j + 1]; ++u) {
        const Index l = users.constraint[at(u)];
        if (seen[at(l)] == k) continue;
        seen[at(l)] = k;
        result.neighbour.push_back(l);
      }
    }
    std::sort(result.neighbour.begin() + first, result.neighbour.end());
    result.start.push_back(static_cast<Index>(result.neighbour.size()));
  }
  return result;
}

// The columns of each row of L, by walks in the elimination tree; stops counting beyond `limit`.
struct FactorRows {
  std::vector<Index> start{0}, column;
  bool within_limit = true;

  FactorRows(const Adjacency& K, const std::vector<Index>& order, std::size_t limit) {
    const std::size_t m = order.size();
    std::vector<Index> place(m), parent(m, -1), seen(m, -1);
    for (std::size_t k = 0; k < m; ++k) place[at(order[k])] = static_cast<Index>(k);
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

std::vector<Index> minimum_degree(const Adjacency& K) {
  const auto m = static_cast<Index>(K.start.size()) - 1;
  std::vector<Index> order(at(m));
  if (amd_order(m, K.start.data(), K.neighbour.data(), order.data(), nullptr, nullptr) < 0)
    throw std::runtime_error("no order of elimination was found for the constraints");
  return order;
}

}  // namespace

GramPattern::GramPattern(const Pattern& G) : m(G.m()) {
  const Users users(G);
  const Adjacency K = adjacency(G, users);
  order.resize(static_cast<std::size_t>(m));
  for (int k = 0; k < m; ++k) order[static_cast<std::size_t>(k)] = k;
  // Chains as they are written have no fill, and memory is then read in order: another order must be
  // better to be taken.
  const std::size_t entries = K.neighbour.size() / 2, no_fill = entries;
  FactorRows rows(K, order, no_fill);
  if (!rows.within_limit) {
    std::vector<Index> better = minimum_degree(K);
    FactorRows reordered(K, better, static_cast<std::size_t>(-1));
    rows = FactorRows(K, order, reordered.column.size());
    if (!rows.within_limit) {
      order = std::move(better);
      rows = std::move(reordered);
      natural = false;
    }
  }
  std::vector<Index> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) place[at(order[k])] = static_cast<Index>(k);

  // K by rows with its products.
  row_start.push_back(0);
  product_start.push_back(0);
  diagonal_start.push_back(0);
  struct Term {
    Index column;
    Product product;
  };
  std::vector<Term> terms;
  for (const Index constraint : order) {
    const Index k = place[at(constraint)];
    terms.clear();
    for (int z = G.row_start[at(constraint)]; z < G.row_start[at(constraint) + 1]; ++z) {
      diagonal_entry.push_back(z);
      const auto j = static_cast<std::size_t>(G.column[static_cast<std::size_t>(z)]);
      for (Index u = users.start[j]; u < users.start[j + 1]; ++u) {
        const Index l = place[at(users.constraint[at(u)])];
        if (l < k) terms.push_back({l, {z, users.entry[at(u)]}});
      }
    }
    std::stable_sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return a.column < b.column; });
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (i > 0 && terms[i].column != terms[i - 1].column) product_start.push_back(static_cast<Index>(products.size()));
      if (i == 0 || terms[i].column != terms[i - 1].column) column.push_back(terms[i].column);
      products.push_back(terms[i].product);
    }
    if (!terms.empty()) product_start.push_back(static_cast<Index>(products.size()));
    row_start.push_back(static_cast<Index>(column.size()));
    diagonal_start.push_back(static_cast<Index>(diagonal_entry.size()));
  }

  // L by columns.
  factor_start.assign(order.size() + 1, 0);
  for (const Index j : rows.column) ++factor_start[at(j) + 1];
  for (std::size_t j = 1; j < factor_start.size(); ++j) factor_start[j] += factor_start[j - 1];
  factor_row.resize(rows.column.size());
  factor_place.resize(rows.column.size());
  std::vector<Index> next(factor_start.begin(), factor_start.end() - 1);
  for (Index k = 0; k < m; ++k)
    for (Index e = rows.start[at(k)]; e < rows.start[at(k) + 1]; ++e) {
      const Index p = next[at(rows.column[at(e)])]++;
      factor_row[at(p)] = k;
      factor_place[at(e)] = p;
    }
  factor_row_start = std::move(rows.start);
  factor_column = std::move(rows.column);
}

std::size_t GramPattern::bytes() const {
  std::size_t total = products.size() * sizeof(Product);
  for (const auto* v : {&order, &row_start, &column, &product_start, &diagonal_start, &diagonal_entry, &factor_start, &factor_row,
                        &factor_row_start, &factor_column, &factor_place})
    total += v->size() * sizeof(Index);
  return total;
}

}  // namespace holonom
