// The symbolic side of a sparse G A Gᵀ with diagonal A: which constraints share a coordinate, the pattern of
// the factor, and which products of entries of G make up each entry. Made once for a pattern of G; no scalar
// is involved.
#pragma once

#include "holonom/factor_pattern.hpp"

namespace holonom {

struct GramPattern : FactorPattern {
  explicit GramPattern(const Pattern& G);

  struct Product {  // of entry `a` of the row's constraint and entry `b` of the column's
    Index a, b;
  };

  int m = 0;

  // The strict lower triangle of K by rows, in the new order, and the products of each entry.
  std::vector<Index> row_start, column;
  std::vector<Index> product_start;
  std::vector<Product> products;
  // The diagonal: Σ over the entries of one row of G.
  std::vector<Index> diagonal_start, diagonal_entry;

  std::size_t fill() const { return factor_row.size() - column.size(); }
  std::size_t bytes() const;
};

}  // namespace holonom
