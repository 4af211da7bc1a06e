// Index tables, over = { ... }: ranges, pairs, lists, or the rows of a file.
#include "table_reader.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "row_values.hpp"

namespace holonom {

int TableReader::integer(const toml::node& node, NodeId x, const std::string& what) const {
  const double value = evaluate_rows(*model_.graph, x, {}, 1)[0];
  if (!(std::abs(value) < max_items) || value != std::floor(value)) {
    std::ostringstream text;
    text << value;
    r_.source.fail(node, what + " must be a whole number, not " + text.str());
  }
  return static_cast<int>(value);
}

CsvTable TableReader::read(const toml::node& file) {
  CsvTable csv = read_csv(r_.source, file);
  model_.files.push_back(csv.path);
  return csv;
}

TableReader::Table TableReader::table_of(const toml::node& node, CsvTable csv) {
  if (static_cast<double>(csv.rows()) > max_items) r_.source.fail(node, "more rows than can be counted");
  Table table;
  table.rows = static_cast<int>(csv.rows());
  for (std::size_t k = 0; k < csv.names.size(); ++k) {
    if (!is_valid_name(csv.names[k]))
      throw InputError(csv.place_of_name(k) + "'" + csv.names[k] +
                       "' is not a name for a column: use letters, digits and underscores");
    table.names.push_back(csv.names[k]);
    table.values.push_back({model_.graph->input(), {}, std::move(csv.columns[k])});
  }
  return table;
}

TableReader::Table TableReader::read_table(const toml::node& over, const std::string& what) {
  const toml::table* t = over.as_table();
  if (!t)
    r_.source.fail(over, what +
                             " needs over = { i = \"0..N-1\" }, { pairs = \"r\" }, { i = [0, 1, 2] } or { file = "
                             "\"rows.csv\" }");
  if (const toml::node* file = t->get("file")) {
    r_.check_keys(*t, {"file"}, "over");
    return table_of(*file, read(*file));
  }
  if (has_lists(*t)) return table_of(over, read_lists(r_.source, *t));
  Table table;
  if (const toml::node* pairs = t->get("pairs")) {
    r_.check_keys(*t, {"pairs", "beyond"}, "over");
    const std::string name = pairs->value<std::string>().value_or("");
    const auto v = std::find_if(model_.vectors.begin(), model_.vectors.end(),
                                [&](const VectorCoordinate& c) { return c.name == name; });
    if (v == model_.vectors.end()) r_.source.fail(*pairs, "pairs must name a vector coordinate, not '" + name + "'");
    int beyond = 0;
    if (const toml::node* node = t->get("beyond")) beyond = integer(*node, r_.constant(*node, "beyond"), "beyond");
    MappedTerm::RowValue i{model_.graph->input(), {}, {}}, j{model_.graph->input(), {}, {}};
    if (static_cast<double>(v->count) * v->count / 2 > max_items)
      r_.source.fail(*pairs, "more pairs than can be counted");
    for (int a = 0; a < v->count; ++a)
      for (int b = a + 1 + std::max(beyond, 0); b < v->count; ++b) {
        i.integer.push_back(a);
        j.integer.push_back(b);
      }
    table.rows = static_cast<int>(i.integer.size());
    table.names = {"i", "j"};
    table.values = {std::move(i), std::move(j)};
    return table;
  }
  // Ranges: the last one runs fastest.
  for (const Entry& e : in_file_order(*t)) {
    const std::string text = e.node->value<std::string>().value_or("");
    const auto dots = text.find("..");
    if (!e.node->is_string() || dots == std::string::npos)
      r_.source.fail(*e.node, "a range is written \"0..N-1\", both ends included; a list of numbers [0, 1, 2]");
    const auto bound = [&](std::string_view part, std::size_t offset) {
      try {
        const FormulaValue value = parse_formula(part, r_.scope);
        if (const Expr* x = std::get_if<Expr>(&value)) return integer(*e.node, x->node, "the end of a range");
      } catch (const FormulaError& error) {
        r_.source.fail(*e.node, offset + error.offset, std::string("in a range: ") + error.what());
      }
      r_.source.fail(*e.node, "the end of a range must be a number");
    };
    const int first = bound(std::string_view(text).substr(0, dots), 0),
              last = bound(std::string_view(text).substr(dots + 2), dots + 2);
    const int length = std::max(0, last - first + 1);
    if (static_cast<double>(table.rows) * length > max_items) r_.source.fail(*e.node, "more rows than can be counted");
    const int before = table.rows;
    table.rows *= length;
    for (MappedTerm::RowValue& value : table.values) {
      std::vector<std::int32_t> repeated;
      repeated.reserve(static_cast<std::size_t>(table.rows));
      for (const std::int32_t x : value.integer) repeated.insert(repeated.end(), static_cast<std::size_t>(length), x);
      value.integer = std::move(repeated);
    }
    MappedTerm::RowValue value{model_.graph->input(), {}, {}};
    value.integer.reserve(static_cast<std::size_t>(table.rows));
    for (int k = 0; k < before; ++k)
      for (int x = first; x <= last; ++x) value.integer.push_back(x);
    table.values.push_back(std::move(value));
    table.names.push_back(e.key);
  }
  if (table.names.empty()) r_.source.fail(over, what + ": over is empty");
  return table;
}

}  // namespace holonom
