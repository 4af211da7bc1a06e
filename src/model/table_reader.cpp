#include "table_reader.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <tuple>

#include "holonom/expr/derivative.hpp"
#include "holonom/expr/map_interpreter.hpp"

namespace holonom {

namespace {

// Indices are 32 bits: that is enough for 2·10⁹ coordinates.
constexpr double max_items = 2e9;

std::vector<double> as_doubles(const MappedTerm::RowValue& value) {
  std::vector<double> numbers(value.integer.begin(), value.integer.end());
  for (const std::string& cell : value.text) numbers.push_back(as_double(cell));
  return numbers;
}

// A formula of row values, for every row.
std::vector<double> evaluate_rows(Graph& graph, NodeId formula, const std::vector<MappedTerm::RowValue>& values,
                                  int rows) {
  std::vector<Program::Block> blocks;
  std::vector<std::vector<double>> numbers;
  std::vector<const double*> in;
  MapSignature signature;
  for (const MappedTerm::RowValue& value : values) {
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

}  // namespace

int TableReader::integer(const toml::node& node, NodeId x, const std::string& what) const {
  const double value = evaluate_rows(*model_.graph, x, {}, 1)[0];
  if (!(std::abs(value) < max_items) || value != std::floor(value)) {
    std::ostringstream text;
    text << value;
    r_.source.fail(node, what + " must be a whole number, not " + text.str());
  }
  return static_cast<int>(value);
}

void TableReader::read_vector(const Entry& e) {
  const auto at = e.place->source().begin;
  const toml::table* t = e.node->as_table();
  if (!t) r_.source.fail(*e.node, "a vector coordinate is written " + e.key + " = { count = \"N\", dim = 3 }");
  r_.check_keys(*t, {"count", "dim"}, "coordinates." + e.key);
  VectorCoordinate v;
  v.name = e.key;
  for (const char* key : {"count", "dim"})
    if (!t->get(key)) r_.source.fail(*t, "the vector coordinate '" + e.key + "' needs " + key);
  v.count = integer(*t->get("count"), r_.constant(*t->get("count"), "count"), "count");
  v.dim = integer(*t->get("dim"), r_.constant(*t->get("dim"), "dim"), "dim");
  if (v.count < 1) r_.source.fail(*t->get("count"), "count must be at least 1");
  if (v.dim < 1 || v.dim > 3) r_.source.fail(*t->get("dim"), "dim must be 1, 2 or 3");
  if (static_cast<double>(v.count) * v.dim + model_.n() > max_items)
    r_.source.fail(*t, "more coordinates than can be counted");
  v.offset = model_.n();
  v.item = model_.graph->input();
  v.q0.assign(static_cast<std::size_t>(v.dim), Graph::zero);
  v.start = v.q0;
  r_.declare(e.key, at, Expr{r_.scope.graph, Graph::zero});  // checks the name
  r_.scope.names.erase(e.key);
  using From = MappedTerm::Gather::From;
  for (const auto& [prefix, from] :
       {std::pair{"", From::position}, std::pair{"p_", From::momentum}, std::pair{"v_", From::velocity}}) {
    add_array({prefix + e.key, from, v.count, v.dim, v.offset});
    r_.scope.vectors.push_back(prefix + e.key);
  }
  r_.scope.gather = [this](std::string_view name, NodeId index) { return gather(name, index); };
  r_.scope.item_rates = [this](NodeId formula, std::vector<NodeId>& q, std::vector<NodeId>& velocity) {
    add_item_rates(formula, q, velocity);
  };
  model_.vectors.push_back(std::move(v));
}

void TableReader::add_array(Array array) {
  array_by_name_.emplace(array.name, arrays_.size());
  arrays_.push_back(std::move(array));
}

void TableReader::declare_multipliers() {
  Scope& scope = r_.scope;
  const auto is_free = [&](const std::string& name) {
    return !scope.names.contains(name) && !array_by_name_.contains(name);
  };
  for (const Named& c : model_.constraints) {
    model_.lambda.push_back(model_.graph->input());
    if (is_free("lambda_" + c.name))
      scope.names.emplace("lambda_" + c.name, Expr{model_.graph.get(), model_.lambda.back()});
  }
  auto first = static_cast<int>(model_.constraints.size());
  for (const MappedTerm& term : model_.terms) {
    if (term.role != MappedTerm::Role::constraint) continue;
    const std::string name = "lambda_" + term.name;
    if (is_free(name)) {
      add_array({name, MappedTerm::Gather::From::multiplier, term.rows, 0, first});
      if (term.single)
        scope.names.emplace(name, std::get<Expr>(gather(name, Graph::zero)));
      else
        scope.vectors.push_back(name);
    }
    first += term.rows;
  }
}

const TableReader::Item& TableReader::find_item(std::size_t array, NodeId index) {
  const auto [known, is_new] = items_by_name_.try_emplace({array, index}, items_.size());
  if (!is_new) return items_[known->second];
  Item& fresh = items_.emplace_back(Item{array, index, {}});
  for (int c = 0; c < std::max(1, arrays_[array].dim); ++c) {
    fresh.x.push_back(model_.graph->input());
    item_of_input_.emplace(fresh.x.back(), known->second);
  }
  return fresh;
}

FormulaValue TableReader::gather(std::string_view name, NodeId index) {
  const std::size_t array = array_by_name_.find(name)->second;
  const Item& found = find_item(array, index);
  if (arrays_[array].dim == 0) return Expr{model_.graph.get(), found.x.front()};
  ExprVector components;
  for (const NodeId x : found.x) components.push_back({model_.graph.get(), x});
  return components;
}

void TableReader::add_item_rates(NodeId formula, std::vector<NodeId>& q, std::vector<NodeId>& v) {
  for (const std::size_t k : items_in(formula)) {
    const Item item = items_[k];
    if (arrays_[item.array].from != MappedTerm::Gather::From::position) continue;
    constexpr std::size_t to_velocity = 2;  // r, p_r, v_r
    const Item& velocity = find_item(item.array + to_velocity, item.index);
    q.insert(q.end(), item.x.begin(), item.x.end());
    v.insert(v.end(), velocity.x.begin(), velocity.x.end());
  }
}

NodeId TableReader::of_item(const toml::node& node, const VectorCoordinate& v, const std::string& what) const {
  const NodeId x = r_.formula(node, what);
  for (const NodeId k : model_.graph->reachable(std::span(&x, 1)))
    if ((*model_.graph)[k].op == Op::input && k != v.item)
      r_.source.fail(node, what + " must be a formula of parameters and i, the number of the item");
  return x;
}

void TableReader::read_masses(const toml::table& masses) {
  std::vector<std::string> known = model_.coordinates;
  for (const VectorCoordinate& v : model_.vectors) known.push_back(v.name);
  r_.check_keys(masses, known, "energy.mass");
  for (const std::string& name : known)
    if (!masses.get(name)) r_.source.fail(masses, "energy.mass has no entry for '" + name + "'");
  for (const std::string& name : model_.coordinates)
    model_.mass.push_back(r_.constant(*masses.get(name), "the mass of '" + name + "'"));
  for (VectorCoordinate& v : model_.vectors) {
    r_.scope.names.insert_or_assign("i", Expr{model_.graph.get(), v.item});
    v.mass = of_item(*masses.get(v.name), v, "the mass of '" + v.name + "'");
    r_.scope.names.erase("i");
  }
}

void TableReader::read_mass_file(const toml::node& node) {
  const CsvTable csv = read(node);
  for (std::size_t k = 0; k < csv.names.size(); ++k)
    if (csv.names[k] != "i" && csv.names[k] != "j" && csv.names[k] != "m")
      throw InputError(csv.place_of_name(k) + "unknown column '" + csv.names[k] +
                       "'; a mass matrix has the columns i, j and m");
  const std::vector<std::string>*i = csv.column("i"), *j = csv.column("j"), *m = csv.column("m");
  for (const auto& [name, column] : {std::pair{"i", i}, std::pair{"j", j}, std::pair{"m", m}})
    if (!column)
      throw InputError(csv.place_of_name(0) + "the column '" + name +
                       "' is missing; a mass matrix has the columns i, j and m");
  const auto column_of = [&](const std::vector<std::string>* column) {
    return static_cast<std::size_t>(column - csv.columns.data());
  };
  const auto fail = [&](std::size_t row, const std::string& what, const std::vector<std::string>* column) {
    throw InputError(csv.place(row, column_of(column)) + what);
  };
  const int n = model_.n();
  struct MassEntry {
    std::int32_t row, column;  // column <= row
    bool upper;                // written the other way round
    std::size_t at;
  };
  std::vector<MassEntry> entries;
  bool has_lower = false, has_upper = false;
  for (std::size_t k = 0; k < m->size(); ++k) {
    const auto coordinate = [&](const std::vector<std::string>* column, const char* name) {
      const std::string& text = (*column)[k];
      const double x = as_double(text);
      if (!(x >= 0 && x < n) || x != std::floor(x))
        fail(k,
             std::string(name) + " = " + text + " is not a coordinate: they have the numbers 0 to " +
                 std::to_string(n - 1),
             column);
      return static_cast<std::int32_t>(x);
    };
    const std::int32_t a = coordinate(i, "i"), b = coordinate(j, "j");
    entries.push_back({std::max(a, b), std::min(a, b), a < b, k});
    has_lower |= a > b;
    has_upper |= a < b;
  }
  std::sort(entries.begin(), entries.end(), [](const MassEntry& a, const MassEntry& b) {
    return std::tie(a.row, a.column, a.upper, a.at) < std::tie(b.row, b.column, b.upper, b.at);
  });
  const auto name = [](const MassEntry& e) {
    return "(" + std::to_string(e.upper ? e.column : e.row) + ", " + std::to_string(e.upper ? e.row : e.column) + ")";
  };
  const auto line = [&](const MassEntry& e) { return std::to_string(csv.line[e.at]); };
  MassTable table{csv.path, {}, {}, {}, {}, {}};
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const MassEntry& e = entries[k];
    const MassEntry* next = k + 1 < entries.size() && entries[k + 1].row == e.row && entries[k + 1].column == e.column
                                ? &entries[k + 1]
                                : nullptr;
    if (next && next->upper == e.upper)
      fail(next->at, "the entry " + name(e) + " is given twice; first in line " + line(e), i);
    if (e.row != e.column && has_lower && has_upper && !next) {
      const MassEntry mirrored{e.row, e.column, !e.upper, e.at};
      fail(e.at,
           "the mass matrix is not symmetric: the entry " + name(e) + " has no partner " + name(mirrored) +
               ". Give both triangles, or only one",
           i);
    }
    if (next) {
      if (exact_text((*m)[e.at]) != exact_text((*m)[next->at]))
        fail(std::max(e.at, next->at),
             "the mass matrix is not symmetric: the entry " + name(e) + " in line " + line(e) + " is " + (*m)[e.at] +
                 ", and " + name(*next) + " in line " + line(*next) + " is " + (*m)[next->at],
             m);
      if (k + 2 < entries.size() && entries[k + 2].row == e.row && entries[k + 2].column == e.column)
        fail(entries[k + 2].at, "the entry " + name(*next) + " is given twice; first in line " + line(*next), i);
      ++k;
    }
    table.row.push_back(e.row);
    table.column.push_back(e.column);
    table.text.push_back((*m)[e.at]);
    table.line.push_back(csv.line[e.at]);
    table.at.push_back(csv.at[column_of(m)][e.at]);
  }
  model_.mass_table = std::move(table);
}

CsvTable TableReader::read(const toml::node& file) {
  CsvTable csv = read_csv(r_.source, file);
  model_.files.push_back(csv.path);
  return csv;
}

TableReader::Table TableReader::file_table(const toml::node& file) {
  CsvTable csv = read(file);
  if (static_cast<double>(csv.rows()) > max_items) r_.source.fail(file, "more rows than can be counted");
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
  if (!t) r_.source.fail(over, what + " needs over = { i = \"0..N-1\" }, { pairs = \"r\" } or { file = \"rows.csv\" }");
  if (const toml::node* file = t->get("file")) {
    r_.check_keys(*t, {"file"}, "over");
    return file_table(*file);
  }
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
      r_.source.fail(*e.node, "a range is written \"0..N-1\", both ends included");
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

void TableReader::read_terms(const toml::node& list, MappedTerm::Role role) {
  const bool stack = role == MappedTerm::Role::constraint;
  const bool observable = role == MappedTerm::Role::observable;
  const std::string kind = stack                              ? "constraints.stack"
                           : observable                       ? "observables.sum"
                           : role == MappedTerm::Role::energy ? "energy.sum"
                                                              : "invariants.sum";
  if (!list.is_array()) r_.source.fail(list, "write it as a list of tables: [[" + kind + "]]");
  for (const toml::node& node : *list.as_array()) {
    const toml::table* t = node.as_table();
    if (!t) r_.source.fail(node, "write it as a list of tables: [[" + kind + "]]");
    const std::string formula_key = stack ? "zero" : "term";
    std::vector<std::string> keys{"over", formula_key, "where", "name"};
    if (role == MappedTerm::Role::energy) keys.emplace_back("part");
    r_.check_keys(*t, keys, "[[" + kind + "]]");
    const toml::node *over = t->get("over"), *formula = t->get(formula_key), *name_node = t->get("name");
    if (!over || !formula) r_.source.fail(*t, "[[" + kind + "]] needs over and " + formula_key);
    std::string name = name_node ? name_node->value<std::string>().value_or("") : "";
    if (role != MappedTerm::Role::energy && !is_valid_name(name))
      r_.source.fail(name_node ? *name_node : *t, "[[" + kind + "]] needs a name");
    const std::string what = role == MappedTerm::Role::energy ? "a sum of the energy"
                                                              : (stack        ? "constraint '"
                                                                 : observable ? "observable '"
                                                                              : "invariant '") +
                                                                    name + "'";
    Table table = read_table(*over, what);
    std::vector<std::string> own = table.names;  // index variables and `where` are names of this term alone
    for (std::size_t k = 0; k < table.names.size(); ++k)
      r_.declare(table.names[k], over->source().begin, Expr{model_.graph.get(), table.values[k].input});
    if (const toml::node* where = t->get("where")) {
      if (!where->is_table()) r_.source.fail(*where, "where must be a table: { d = \"norm(r[i] - r[j])\" }");
      for (const Entry& e : in_file_order(*where->as_table())) {
        r_.declare(e.key, e.place->source().begin, r_.formula_value(*e.node, "where '" + e.key + "'"));
        own.push_back(e.key);
      }
    }
    const NodeId kernel = r_.formula(*formula, what);
    if (stack) r_.refuse_comparison(*formula, kernel, what);
    if (role != MappedTerm::Role::energy)
      r_.mark((stack ? "constraints." : observable ? "observables." : "invariants.") + name, *formula);
    MappedTerm term = finish(r_.fail_at(*formula), kernel, role, name, std::move(table));
    if (const toml::node* part = t->get("part")) {
      const std::string word = part->value<std::string>().value_or("");
      if (word != "fast" && word != "slow") r_.source.fail(*part, "part must be \"slow\" or \"fast\"");
      term.fast = word == "fast";
    }
    for (const std::string& declared : own) r_.scope.names.erase(declared);
    if (term.rows > 0) model_.terms.push_back(std::move(term));
  }
}

std::set<std::size_t> TableReader::items_in(NodeId formula) const {
  std::set<std::size_t> used;
  for (const NodeId i : model_.graph->reachable(std::span(&formula, 1)))
    if (const auto it = item_of_input_.find(i); it != item_of_input_.end()) used.insert(it->second);
  return used;
}

bool TableReader::take_single(const Fail& fail, NodeId formula, MappedTerm::Role role, const std::string& name,
                              bool fast) {
  if (items_in(formula).empty()) return false;
  MappedTerm term = finish(fail, formula, role, name, {});
  term.fast = fast;
  term.single = true;
  model_.terms.push_back(std::move(term));
  return true;
}

MappedTerm TableReader::finish(const Fail& fail, NodeId kernel, MappedTerm::Role role, const std::string& name,
                               Table table) {
  MappedTerm term;
  term.role = role;
  term.name = name;
  term.rows = table.rows;
  Graph& graph = *model_.graph;
  const std::vector<NodeId> used = graph.reachable(std::span(&kernel, 1));
  const std::string what = name.empty() ? "this term" : "'" + name + "'";
  using From = MappedTerm::Gather::From;
  const bool with_momenta = role != MappedTerm::Role::energy && role != MappedTerm::Role::constraint;
  const auto check_use = [&](From from, const std::string& name_used) {
    if (role == MappedTerm::Role::observable || from == From::position || (from == From::momentum && with_momenta))
      return;
    fail(
        what + " uses " + name_used +
        (with_momenta ? ": write it with coordinates and momenta" : ": it must be a formula of the coordinates alone"));
  };
  for (const std::size_t k : items_in(kernel)) {
    const Item& item = items_[k];
    const Array& v = arrays_[item.array];
    check_use(v.from, v.name);
    MappedTerm::Gather gather{v.from, item.x, {}};
    const std::vector<double> index = [&] {
      for (const NodeId i : graph.reachable(std::span(&item.index, 1)))
        if (graph[i].op == Op::input &&
            std::none_of(table.values.begin(), table.values.end(), [&](const auto& x) { return x.input == i; }))
          fail("an index of '" + v.name + "' in " + what + " must be a formula of the table's own columns");
      return evaluate_rows(graph, item.index, table.values, table.rows);
    }();
    for (int row = 0; row < table.rows; ++row) {
      const double i = index[static_cast<std::size_t>(row)];
      if (i >= 0 && i < v.count && i == std::floor(i)) {
        gather.first.push_back(v.offset + static_cast<int>(i) * std::max(1, v.dim));
        continue;
      }
      std::ostringstream text;
      text << "row " << row << " of " << what << " asks for " << v.name << "[" << i << "], but " << v.name
           << " has the items 0 to " << v.count - 1;
      fail(text.str());
    }
    term.gathers.push_back(std::move(gather));
  }
  // What has a name of its own is the same for all rows.
  std::unordered_map<NodeId, NodeId> by;
  const struct {
    const std::vector<NodeId>& inputs;  // in the order in which they were made
    From from;
    const char* prefix;
  } named[] = {{model_.q, From::position, ""},
               {model_.p, From::momentum, "p_"},
               {model_.v, From::velocity, "v_"},
               {model_.lambda, From::multiplier, ""},
               {model_.energies, From::energies, ""}};
  for (const auto& [inputs, from, prefix] : named)
    for (const NodeId x : used) {
      const auto it = std::lower_bound(inputs.begin(), inputs.end(), x);
      if (it == inputs.end() || *it != x) continue;
      const auto i = static_cast<std::size_t>(it - inputs.begin());
      if (from == From::momentum || from == From::velocity) check_use(from, prefix + model_.coordinates[i]);
      by[x] = graph.input();
      term.gathers.push_back(
          {from,
           {by[x]},
           std::vector<std::int32_t>(static_cast<std::size_t>(table.rows), static_cast<std::int32_t>(i))});
    }
  term.kernel = graph.substitute(std::span(&kernel, 1), by)[0];
  for (MappedTerm::RowValue& value : table.values)
    if (depends_on(graph, std::span(&term.kernel, 1), std::span(&value.input, 1)))
      term.values.push_back(std::move(value));
  check_rows(fail, term, what);
  return term;
}

// A row that meets the same coordinate twice is a mistake in the table (a link from an item to itself).
void TableReader::check_rows(const Fail& fail, const MappedTerm& term, const std::string& what) const {
  if (term.role == MappedTerm::Role::constraint && term.gathers.empty())
    fail(what + " does not depend on any coordinate");
  for (std::size_t a = 0; a < term.gathers.size(); ++a)
    for (std::size_t b = a + 1; b < term.gathers.size(); ++b) {
      const auto &x = term.gathers[a], &y = term.gathers[b];
      if (x.from != y.from) continue;
      for (std::size_t row = 0; row < x.first.size(); ++row)
        if (x.first[row] == y.first[row])
          fail("row " + std::to_string(row) + " of " + what + " uses the same item twice under two indices");
    }
}

void TableReader::read_items(const toml::node& node, const std::string& where, VectorCoordinate& v, bool position) {
  const std::string what = where + "." + v.name;
  if (const toml::table* t = node.as_table()) {
    r_.check_keys(*t, {"file"}, what);
    const toml::node* file = t->get("file");
    if (!file || !file->is_string()) r_.source.fail(node, what + " is a list of formulas, or { file = \"start.csv\" }");
    const std::string name = *file->value<std::string>();
    const CsvTable csv = read(*file);
    std::vector<std::string> components;
    for (int c = 0; c < v.dim; ++c) components.emplace_back(1, "xyz"[c]);
    for (std::size_t k = 0; k < csv.names.size(); ++k)
      if (std::find(components.begin(), components.end(), csv.names[k]) == components.end())
        throw InputError(csv.place_of_name(k) + "unknown column '" + csv.names[k] + "'." +
                         suggestion(csv.names[k], components, "The columns of " + what + " are"));
    auto& table = position ? v.q0_table : v.start_table;
    for (int c = 0; c < v.dim; ++c) {
      const std::string column(1, "xyz"[c]);
      const std::vector<std::string>* cells = csv.column(column);
      if (!cells) r_.source.fail(*file, name + " has no column '" + column + "'");
      table.push_back(*cells);
      if (table.back().size() != static_cast<std::size_t>(v.count))
        r_.source.fail(*file, name + " has " + std::to_string(table.back().size()) + " rows, but " + v.name + " has " +
                                  std::to_string(v.count) + " items");
    }
    return;
  }
  const toml::array* list = node.as_array();
  if (!list || list->size() != static_cast<std::size_t>(v.dim))
    r_.source.fail(node,
                   what + " needs " + std::to_string(v.dim) + " formulas, one for each component (i is the item)");
  r_.scope.names.insert_or_assign("i", Expr{model_.graph.get(), v.item});
  for (std::size_t c = 0; c < list->size(); ++c) {
    (position ? v.q0 : v.start)[c] = of_item((*list)[c], v, what);
  }
  r_.scope.names.erase("i");
}

}  // namespace holonom
