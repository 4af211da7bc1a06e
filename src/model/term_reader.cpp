// Sums and stacks over index tables, and formulas that name single items: both become mapped terms.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "holonom/expr/derivative.hpp"
#include "row_values.hpp"
#include "table_reader.hpp"

namespace holonom {

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

}  // namespace holonom
