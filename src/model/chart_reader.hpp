// [chart] of a model file: a parametrisation of the positions that the constraints allow.
#pragma once

#include "formula_reader.hpp"

namespace holonom {

// After all other formulas: its coordinates are names for those of the chart alone.
void read_chart(FormulaReader& reader, const toml::table* chart);

}  // namespace holonom
