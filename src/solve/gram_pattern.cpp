#include "holonom/solve/gram_pattern.hpp"

#include <algorithm>

namespace holonom {

namespace {

using Index = GramPattern::Index;

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

}  // namespace

GramPattern::GramPattern(const Pattern& G) : m(G.m()) {
  const Users users(G);
  FactorPattern::operator=(FactorPattern(adjacency(G, users)));

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
}

std::size_t GramPattern::bytes() const {
  std::size_t total = FactorPattern::bytes() + products.size() * sizeof(Product);
  for (const auto* v : {&row_start, &column, &product_start, &diagonal_start, &diagonal_entry})
    total += v->size() * sizeof(Index);
  return total;
}

}  // namespace holonom
