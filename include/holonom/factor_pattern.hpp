// The symbolic side of the one sparse factorisation of this library, L D Lᵀ or L D U without exchanges: an
// order of elimination, and the pattern of L. No scalar is involved.
#pragma once

#include <cstdint>
#include <vector>

#include "holonom/jacobian.hpp"

namespace holonom {

using SparseIndex = std::int32_t;
inline std::size_t at(SparseIndex i) { return static_cast<std::size_t>(i); }

// The graph of a symmetric matrix: for each row its columns without the diagonal, sorted.
struct Adjacency {
  std::vector<SparseIndex> start{0}, neighbour;

  int size() const { return static_cast<int>(start.size()) - 1; }
};

struct FactorPattern {
  using Index = SparseIndex;

  FactorPattern() = default;
  // Takes the order as written, or minimum degree if that has less fill: chains as they are written have
  // none, and memory is then read in order.
  explicit FactorPattern(const Adjacency& K);
  // The best of some orders that the caller allows; an earlier one must not be worse to be taken.
  FactorPattern(const Adjacency& K, const std::vector<std::vector<Index>>& orders);

  bool natural = true;              // order[k] = k
  std::vector<Index> order, place;  // order[k]: the row that is eliminated as the k-th; place: its inverse

  // L by columns (rows ascending), and the same by rows: for each entry of row k its column and its
  // place in the column storage.
  std::vector<Index> factor_start, factor_row;
  std::vector<Index> factor_row_start, factor_column, factor_place;
  std::vector<Index> factor_target;  // order[factor_row] if not natural: solves work on vectors as they are written

  int rows() const { return static_cast<int>(order.size()); }
  int entries() const { return static_cast<int>(factor_row.size()); }
  std::size_t bytes() const;
};

// An order of little fill (approximate minimum degree, of SuiteSparse).
std::vector<SparseIndex> minimum_degree(const Adjacency& K);

}  // namespace holonom
