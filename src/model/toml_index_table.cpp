#include "toml_index_table.hpp"

#include <algorithm>
#include <optional>

#include "csv_table.hpp"
#include "toml_words.hpp"

namespace holonom {

namespace {

using Column = std::vector<std::int32_t>;

// "2*i + j - 3"
std::string affine(const std::vector<std::pair<long, std::string>>& terms, long constant) {
  std::string text;
  for (const auto& [slope, name] : terms) {
    if (slope == 0) continue;
    const long size = std::abs(slope);
    text += text.empty() ? (slope < 0 ? "-" : "") : (slope < 0 ? " - " : " + ");
    text += (size == 1 ? "" : std::to_string(size) + "*") + name;
  }
  if (text.empty()) return std::to_string(constant);
  if (constant != 0) text += (constant < 0 ? " - " : " + ") + std::to_string(std::abs(constant));
  return text;
}

// Names for columns: i, j, k, ..., or a, b, c, ..., but for those that the model has.
class ColumnNames {
 public:
  explicit ColumnNames(const TomlNames& names, std::string_view letters = "ijklmn")
      : names_(names), letters_(letters) {}
  std::string next() {
    for (;;) {
      const std::size_t round = count_ / letters_.size();
      std::string name(1, letters_[count_++ % letters_.size()]);
      if (round > 0) name += std::to_string(round);
      if (!names_.in_formulas.contains(name)) return name;
    }
  }

 private:
  const TomlNames& names_;
  std::string_view letters_;
  std::size_t count_ = 0;
};

// All combinations of ranges, the last one fastest; each column is base + slope · place in them.
struct Grid {
  std::vector<int> length;  // of each range
  struct Line {
    long base = 0;
    std::vector<long> slope;  // for each range
  };
  std::vector<Line> columns;
};

std::optional<Grid> grid_of(int rows, std::vector<Column> columns) {
  Grid grid;
  for (const Column& c : columns) grid.columns.push_back({c[0], {}});
  // From the fastest range on; then of each block the first row remains.
  for (int count = rows; count > 1 || grid.length.empty();) {
    int length = 1;
    const auto slope = [](const Column& c) { return c.size() > 1 ? static_cast<long>(c[1]) - c[0] : 0; };
    const auto follows = [&](const Column& c, int row) {
      const auto k = static_cast<std::size_t>(row);
      return static_cast<long>(c[k]) - c[k - 1] == slope(c);
    };
    while (length < count &&
           std::all_of(columns.begin(), columns.end(), [&](const Column& c) { return follows(c, length); }))
      ++length;
    if (count % length != 0) return std::nullopt;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      Column& c = columns[k];
      Column firsts;
      for (int row = 0; row < count; ++row) {
        if (row % length == 0)
          firsts.push_back(c[static_cast<std::size_t>(row)]);
        else if (!follows(c, row))
          return std::nullopt;
      }
      grid.columns[k].slope.push_back(slope(c));
      c = std::move(firsts);
    }
    grid.length.push_back(length);
    count /= length;
  }
  std::reverse(grid.length.begin(), grid.length.end());
  for (Grid::Line& line : grid.columns) std::reverse(line.slope.begin(), line.slope.end());
  return grid;
}

// The range that a column runs through itself
std::optional<std::size_t> range_of(const Grid::Line& line) {
  std::optional<std::size_t> found;
  for (std::size_t k = 0; k < line.slope.size(); ++k) {
    if (line.slope[k] == 0) continue;
    if (line.slope[k] != 1 || found) return std::nullopt;
    found = k;
  }
  return found;
}

std::optional<IndexTable> as_ranges(int rows, const std::vector<Column>& indices,
                                    const std::vector<ValueColumn>& values, const TomlNames& names) {
  std::vector<Column> columns;
  for (const ValueColumn& v : values) {
    if (!v.text.empty()) return std::nullopt;
    columns.push_back(v.integer);
  }
  columns.insert(columns.end(), indices.begin(), indices.end());
  const std::optional<Grid> grid = grid_of(rows, columns);
  if (!grid) return std::nullopt;
  const std::size_t ranges = grid->length.size();
  // A value must be a range itself. Else ranges begin where an index does.
  std::vector<std::optional<long>> first(ranges);
  std::vector<std::size_t> range_of_value;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const Grid::Line& line = grid->columns[k];
    const std::optional<std::size_t> range = range_of(line);
    if (k < values.size()) {
      if (!range || (first[*range] && *first[*range] != line.base)) return std::nullopt;
      range_of_value.push_back(*range);
    }
    if (range && !first[*range]) first[*range] = line.base;
  }
  IndexTable table;
  ColumnNames next(names);
  std::vector<std::string> name;
  for (std::size_t k = 0; k < ranges; ++k) {
    name.push_back(next.next());
    const long begin = first[k].value_or(0);
    table.over += (k > 0 ? ", " : "") + name[k] + " = \"" + std::to_string(begin) + ".." +
                  std::to_string(begin + grid->length[k] - 1) + "\"";
  }
  table.over = "over = { " + table.over + " }\n";
  for (const std::size_t k : range_of_value) table.values.push_back(name[k]);
  for (std::size_t k = values.size(); k < columns.size(); ++k) {
    const Grid::Line& line = grid->columns[k];
    long constant = line.base;
    std::vector<std::pair<long, std::string>> terms;
    for (std::size_t l = 0; l < ranges; ++l) {
      constant -= line.slope[l] * first[l].value_or(0);
      terms.emplace_back(line.slope[l], name[l]);
    }
    table.index.push_back(affine(terms, constant));
  }
  return table;
}

// All i < j of a vector's items with j - i > beyond
std::optional<IndexTable> as_pairs(const std::vector<Column>& indices, const std::vector<ValueColumn>& values,
                                   const Model& model, const TomlNames& names) {
  std::set<Column> distinct(indices.begin(), indices.end());
  for (const ValueColumn& v : values) {
    if (!v.text.empty()) return std::nullopt;
    distinct.insert(v.integer);
  }
  if (distinct.size() != 2 || names.in_formulas.contains("i") || names.in_formulas.contains("j")) return std::nullopt;
  const Column &i = *distinct.begin(), &j = *distinct.rbegin();
  const int beyond = j[0] - i[0] - 1, count = j.back() + 1;
  if (beyond < 0 || count < 1) return std::nullopt;
  std::size_t row = 0;
  for (int a = 0; a < count; ++a)
    for (int b = a + 1 + beyond; b < count; ++b, ++row)
      if (row >= i.size() || i[row] != a || j[row] != b) return std::nullopt;
  if (row != i.size()) return std::nullopt;
  for (std::size_t k = 0; k < model.vectors.size(); ++k) {
    if (model.vectors[k].count != count) continue;
    IndexTable table;
    table.over = "over = { pairs = \"" + names.vectors[k] + "\"" +
                 (beyond > 0 ? ", beyond = " + std::to_string(beyond) : "") + " }\n";
    for (const Column& c : indices) table.index.emplace_back(c == i ? "i" : "j");
    for (const ValueColumn& v : values) table.values.emplace_back(v.integer == i ? "i" : "j");
    return table;
  }
  return std::nullopt;
}

IndexTable as_lists(const std::vector<Column>& indices, const std::vector<ValueColumn>& values,
                    const TomlNames& names) {
  IndexTable table;
  ColumnNames next(names), next_of_decimals(names, "abcdefgh");
  std::vector<std::pair<const Column*, std::string>> known;
  const auto add = [&](const std::string& name, const std::vector<std::string>& cells) {
    const std::string start = "over." + name + " = ";
    table.over += start + toml_list(cells, start.size()) + "\n";
  };
  const auto cells_of = [](const Column& c) {
    std::vector<std::string> cells;
    for (const std::int32_t x : c) cells.push_back(std::to_string(x));
    return cells;
  };
  for (const ValueColumn& v : values) {
    table.values.push_back(v.text.empty() ? next.next() : next_of_decimals.next());
    if (!v.text.empty()) continue;
    add(table.values.back(), cells_of(v.integer));
    known.emplace_back(&v.integer, table.values.back());
  }
  for (const Column& c : indices) {
    const bool same = std::all_of(c.begin(), c.end(), [&](std::int32_t x) { return x == c[0]; });
    if (same) {
      table.index.push_back(std::to_string(c[0]));
      continue;
    }
    const auto base = std::find_if(known.begin(), known.end(), [&](const auto& other) {
      const Column& o = *other.first;
      for (std::size_t row = 0; row < c.size(); ++row)
        if (static_cast<long>(c[row]) - o[row] != static_cast<long>(c[0]) - o[0]) return false;
      return true;
    });
    if (base != known.end()) {
      table.index.push_back(affine({{1, base->second}}, static_cast<long>(c[0]) - (*base->first)[0]));
      continue;
    }
    const std::string name = next.next();
    add(name, cells_of(c));
    known.emplace_back(&c, name);
    table.index.push_back(name);
  }
  for (std::size_t k = 0; k < values.size(); ++k)
    if (!values[k].text.empty()) add(table.values[k], values[k].text);
  return table;
}

}  // namespace

ValueColumn value_column(const MappedTerm::RowValue& value) {
  ValueColumn column{value.integer, {}};
  const bool whole = std::all_of(value.text.begin(), value.text.end(), [](const std::string& cell) {
    return is_index(cell.starts_with('-') ? cell.substr(1) : cell);
  });
  for (const std::string& cell : value.text) {
    if (whole)
      column.integer.push_back(static_cast<std::int32_t>(std::stol(cell)));
    else
      column.text.push_back(toml_number(cell));
  }
  return column;
}

IndexTable index_table(int rows, const std::vector<Column>& indices, const std::vector<ValueColumn>& values,
                       const Model& model, const TomlNames& names) {
  if (auto table = as_ranges(rows, indices, values, names)) return *table;
  if (auto table = as_pairs(indices, values, model, names)) return *table;
  return as_lists(indices, values, names);
}

}  // namespace holonom
