// The symbolic side of a sparse G A Gᵀ with diagonal A: which constraints share a coordinate, a
// fill-reducing order of elimination, the pattern of the factor, and which products of entries of G
// make up each entry. Made once for a pattern of G; no scalar is involved.
#pragma once

#include <cstdint>
#include <vector>

#include "holonom/jacobian.hpp"

namespace holonom {

struct GramPattern {
  explicit GramPattern(const Pattern& G);

  using Index = std::int32_t;
  struct Product {  // of entry `a` of the row's constraint and entry `b` of the column's
    Index a, b;
  };

  int m = 0;
  bool natural = true;             // order[k] = k
  std::vector<Index> order;        // order[k]: the constraint that is eliminated as the k-th

  // The strict lower triangle of K by rows, in the new order, and the products of each entry.
  std::vector<Index> row_start, column;
  std::vector<Index> product_start;
  std::vector<Product> products;
  // The diagonal: Σ over the entries of one row of G.
  std::vector<Index> diagonal_start, diagonal_entry;

  // L by columns (rows ascending), and the same by rows: for each entry of row k its column and its
  // place in the column storage.
  std::vector<Index> factor_start, factor_row;
  std::vector<Index> factor_row_start, factor_column, factor_place;

  std::size_t fill() const { return factor_row.size() - column.size(); }
  std::size_t bytes() const;
};

}  // namespace holonom
