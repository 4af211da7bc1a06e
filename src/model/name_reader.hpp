// [names] of a model file: what outputs and messages call things whose names in formulas are plainer.
#pragma once

#include "formula_reader.hpp"
#include "holonom/model/view_formulas.hpp"

namespace holonom {

// After all other tables: from then on the model and its view have the new names.
void read_names(FormulaReader& reader, const toml::table* names, ViewFormulas& view);

}  // namespace holonom
