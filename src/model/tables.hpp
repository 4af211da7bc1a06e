// Whether what a model is made of stands in formulas that one can take derivatives of, all of it.
#pragma once

#include <algorithm>

#include "holonom/model/model.hpp"

namespace holonom {

// Of H and g: items of vector coordinates, rows of sums and stacks, entries of a mass matrix by themselves.
inline bool has_tables(const Model& model) {
  const auto is_part = [](const MappedTerm& term) {
    return term.role == MappedTerm::Role::energy || term.role == MappedTerm::Role::constraint;
  };
  return !model.vectors.empty() || model.mass_table || std::any_of(model.terms.begin(), model.terms.end(), is_part);
}

}  // namespace holonom
