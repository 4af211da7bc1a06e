// Tables of numbers, in CSV files that a model names or as lists in the model itself. Cells are kept as written;
// mistakes are told with their place.
#pragma once

#include <cstdint>

#include "toml_source.hpp"

namespace holonom {

struct CsvTable {
  std::string path;
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> columns;
  std::vector<long> line;  // of each row
  long header_line = 1;
  std::vector<std::vector<std::int32_t>> at;  // where in its line a cell begins, by columns
  std::vector<std::int32_t> header_at;
  // Of lists: the line of each cell, by columns, and of each name
  std::vector<std::vector<long>> cell_line;
  std::vector<long> name_line;

  std::size_t rows() const { return line.size(); }
  long line_of(std::size_t row, std::size_t column) const {
    return cell_line.empty() ? line[row] : cell_line[column][row];
  }
  const std::vector<std::string>* column(std::string_view name) const;
  // file:line:column of a cell, or of the name of a column
  std::string place(std::size_t row, std::size_t column) const;
  std::string place_of_name(std::size_t column) const;
};

// The file that a string of the model names, relative to the model. Throws InputError.
CsvTable read_csv(const TomlSource& source, const toml::node& file);
// { i = [0, 1], w = [0.5, 2] }: a list of numbers for each column. Throws InputError.
CsvTable read_lists(const TomlSource& source, const toml::table& lists);
// Whether a table has lists in it.
bool has_lists(const toml::table& table);

// A few digits: a number, without a closer look. Most cells of index tables are such.
bool is_index(const std::string& cell);
// The nearest double of a cell.
double as_double(const std::string& cell);

}  // namespace holonom
