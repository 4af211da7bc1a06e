// Index tables as text: ranges where the columns follow one, pairs, and lists for all others.
#pragma once

#include "toml_names.hpp"

namespace holonom {

// A column of a table that a formula uses as a number: integers, or decimals as they are written.
struct ValueColumn {
  std::vector<std::int32_t> integer;
  std::vector<std::string> text;
  auto operator<=>(const ValueColumn&) const = default;
};
// Whole numbers become integers, decimals are written as TOML has them.
ValueColumn value_column(const MappedTerm::RowValue& value);

struct IndexTable {
  std::string over;                 // its lines in the file
  std::vector<std::string> index;   // a formula for each column of indices
  std::vector<std::string> values;  // a name for each column of values
};

IndexTable index_table(int rows, const std::vector<std::vector<std::int32_t>>& indices,
                       const std::vector<ValueColumn>& values, const Model& model, const TomlNames& names);

}  // namespace holonom
