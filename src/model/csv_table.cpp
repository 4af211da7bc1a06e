#include "csv_table.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "holonom/expr/decimal.hpp"

namespace holonom {

bool is_index(const std::string& cell) {
  return !cell.empty() && cell.size() < 10 &&
         std::all_of(cell.begin(), cell.end(), [](char c) { return c >= '0' && c <= '9'; });
}

double as_double(const std::string& cell) { return decimal_number<double>(cell); }

const std::vector<std::string>* CsvTable::column(std::string_view name) const {
  const auto it = std::find(names.begin(), names.end(), name);
  return it == names.end() ? nullptr : &columns[static_cast<std::size_t>(it - names.begin())];
}

std::string CsvTable::place(std::size_t row, std::size_t column) const {
  return path + ":" + std::to_string(line_of(row, column)) + ":" + std::to_string(at[column][row]) + ": ";
}

std::string CsvTable::place_of_name(std::size_t column) const {
  const long named_in = name_line.empty() ? header_line : name_line[column];
  return path + ":" + std::to_string(named_in) + ":" + std::to_string(header_at[column]) + ": ";
}

namespace {

struct Cell {
  std::string text;
  std::int32_t at;  // in code points, from 1
};

// Cells between commas, without the blanks around them.
void split(std::string_view line, std::vector<Cell>& cells) {
  cells.clear();
  std::int32_t at = 1;
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    std::size_t first = begin, last = end;
    while (first < last && (line[first] == ' ' || line[first] == '\t')) ++first;
    while (last > first && (line[last - 1] == ' ' || line[last - 1] == '\t')) --last;
    cells.push_back({std::string(line.substr(first, last - first)), at + static_cast<std::int32_t>(first - begin)});
    for (std::size_t k = begin; k < end; ++k) at += !continues(line[k]);
    ++at;
    begin = end + 1;
  }
}

// Why a cell is no number, or nothing.
std::string trouble(const std::string& cell) {
  if (is_index(cell)) return {};
  try {
    (void)exact_text(cell);
    return {};
  } catch (const std::out_of_range&) {
    return " is out of range: at most 5000 digits, and exponents from -5000 to 5000";
  } catch (const std::exception&) {
    return " is not a number";
  }
}

}  // namespace

CsvTable read_csv(const TomlSource& source, const toml::node& node) {
  if (!node.is_string() || node.as_string()->get().empty()) source.fail(node, "file must be a name in quotes");
  const std::filesystem::path name(*node.value<std::string>());
  CsvTable csv;
  csv.path = name.is_absolute() ? name.string() : (std::filesystem::path(source.file()).parent_path() / name).string();
  std::error_code ignored;
  std::ifstream file(csv.path, std::ios::binary);
  if (!file || std::filesystem::is_directory(csv.path, ignored))
    source.fail(node, csv.path + ": the file cannot be read");
  const auto fail = [&](long line, std::int32_t column, const std::string& what) {
    throw InputError(csv.path + ":" + std::to_string(line) + ":" + std::to_string(column) + ": " + what);
  };
  std::string line;
  std::vector<Cell> cells;
  long number = 1;
  for (; std::getline(file, line); ++number) {
    std::string_view text = line;
    if (number == 1 && text.starts_with("\xEF\xBB\xBF"))
      text.remove_prefix(3);  // a byte order mark, as Excel writes it
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (text.empty() || text[0] == '#') continue;
    split(text, cells);
    if (csv.names.empty()) {
      for (const Cell& cell : cells) {
        if (std::find(csv.names.begin(), csv.names.end(), cell.text) != csv.names.end())
          fail(number, cell.at, "there are two columns '" + cell.text + "'");
        csv.names.push_back(cell.text);
        csv.header_at.push_back(cell.at);
      }
      csv.header_line = number;
      csv.columns.resize(cells.size());
      csv.at.resize(cells.size());
      continue;
    }
    if (cells.size() != csv.names.size()) {
      const std::size_t last = std::min(cells.size(), csv.names.size() + 1) - 1;  // the first one too many, or the last
      fail(number, cells[last].at,
           "this row has " + std::to_string(cells.size()) + " cells, the header has " +
               std::to_string(csv.names.size()));
    }
    for (std::size_t k = 0; k < cells.size(); ++k) {
      if (const std::string why = trouble(cells[k].text); !why.empty())
        fail(number, cells[k].at, "'" + cells[k].text + "' in column '" + csv.names[k] + "'" + why);
      csv.columns[k].push_back(std::move(cells[k].text));
      csv.at[k].push_back(cells[k].at);
    }
    csv.line.push_back(number);
  }
  if (file.bad()) fail(number, 1, "the file cannot be read");
  if (csv.names.empty()) fail(1, 1, "the file is empty; its first line must name the columns");
  if (csv.line.empty())
    fail(csv.header_line, 1,
         "the file names its columns, and has no rows: nothing would be made of it. Add rows, or leave "
         "out what names the file");
  return csv;
}

bool has_lists(const toml::table& table) {
  return std::any_of(table.begin(), table.end(), [](const auto& entry) { return entry.second.is_array(); });
}

CsvTable read_lists(const TomlSource& source, const toml::table& lists) {
  CsvTable table;
  table.path = source.file();
  for (const Entry& e : in_file_order(lists)) {
    const toml::array* list = e.node->as_array();
    if (!list)
      source.fail(*e.node, "'" + e.key + "' must be a list of numbers, " + e.key +
                               " = [0, 1, 2], as other columns of " + "this table are");
    const auto& name_at = e.place->source().begin;
    table.names.push_back(e.key);
    table.name_line.push_back(static_cast<long>(name_at.line));
    table.header_at.push_back(static_cast<std::int32_t>(name_at.column));
    std::vector<std::string>& cells = table.columns.emplace_back();
    std::vector<long>& line = table.cell_line.emplace_back();
    std::vector<std::int32_t>& at = table.at.emplace_back();
    for (const toml::node& cell : *list) {
      if (!cell.is_integer() && !cell.is_floating_point())
        source.fail(cell, "the list '" + e.key + "' must have numbers alone");
      cells.push_back(source.digits(cell));
      if (const std::string why = trouble(cells.back()); !why.empty())
        source.fail(cell, "'" + cells.back() + "' in the list '" + e.key + "'" + why);
      const auto& place = cell.source().begin;
      line.push_back(static_cast<long>(place.line));
      at.push_back(static_cast<std::int32_t>(place.column));
    }
    if (cells.size() != table.columns.front().size())
      source.fail(*e.node, "the list '" + e.key + "' has " + std::to_string(cells.size()) + " numbers, and '" +
                               table.names.front() + "' has " + std::to_string(table.columns.front().size()) +
                               ": each needs one for every row");
  }
  table.line = table.cell_line.front();
  return table;
}

}  // namespace holonom
