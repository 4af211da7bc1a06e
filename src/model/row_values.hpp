// The numbers in the rows of an index table, and formulas of them.
#pragma once

#include <memory>

#include "csv_table.hpp"
#include "holonom/expr/derivative.hpp"
#include "holonom/expr/map_interpreter.hpp"
#include "holonom/model/model.hpp"

namespace holonom {

// Indices are 32 bits: that is enough for 2·10⁹ coordinates.
inline constexpr double max_items = 2e9;

inline std::vector<double> as_doubles(const MappedTerm::RowValue& value) {
  std::vector<double> numbers(value.integer.begin(), value.integer.end());
  for (const std::string& cell : value.text) numbers.push_back(as_double(cell));
  return numbers;
}

// A formula of row values, for every row.
inline std::vector<double> evaluate_rows(Graph& graph, NodeId formula, const std::vector<MappedTerm::RowValue>& values,
                                         int rows) {
  std::vector<Program::Block> blocks;
  std::vector<std::vector<double>> numbers;
  std::vector<const double*> in;
  MapSignature signature;
  for (const MappedTerm::RowValue& value : values) {
    if (!depends_on(graph, std::span(&formula, 1), std::span(&value.input, 1))) continue;
    blocks.push_back({value.input});
    numbers.push_back(as_doubles(value));
    signature.inputs.push_back(MapInput::per_row(1));
  }
  for (const auto& column : numbers) in.push_back(column.data());
  signature.outputs.push_back(MapOutput::stored(1));
  MapInterpreter<double> evaluate(std::make_shared<Program>(graph, blocks, std::vector<Program::Block>{{formula}}),
                                  signature);
  std::vector<double> result(static_cast<std::size_t>(rows));
  double* out = result.data();
  evaluate(0, rows, in.data(), nullptr, &out);
  return result;
}

}  // namespace holonom
