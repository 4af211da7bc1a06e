// The columns of outputs. Results are found by their names, in files and from other languages: no two have the same.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "holonom/model/model.hpp"

namespace holonom {

// Those that every output has
bool is_in_every_output(std::string_view column);
// Of a model as far as it is known: these, and the model's own. Vectors and stacks count as one.
std::set<std::string> output_columns(const Model& model);
// Throws InputError, with the place, where two are the same.
void check_columns(const Model& model);

}  // namespace holonom
