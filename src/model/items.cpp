#include "holonom/model/items.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "holonom/expr/derivative.hpp"
#include "row_values.hpp"

namespace holonom {

namespace {
// How far p_r and v_r are behind r.
constexpr std::size_t to_momentum = 1, to_velocity = 2;
}  // namespace

void Items::add_vector(const VectorCoordinate& v) {
  for (const auto& [prefix, from] :
       {std::pair{"", From::position}, std::pair{"p_", From::momentum}, std::pair{"v_", From::velocity}})
    add_array({prefix + v.name, from, v.count, v.dim, v.offset});
}

void Items::add_array(Array array) {
  array_by_name_.emplace(array.name, arrays_.size());
  arrays_.push_back(std::move(array));
}

const Items::Array* Items::array(std::string_view name) const {
  const auto it = array_by_name_.find(name);
  return it == array_by_name_.end() ? nullptr : &arrays_[it->second];
}

const Items::Item& Items::find(std::size_t array, NodeId index) {
  const auto [known, is_new] = items_by_name_.try_emplace({array, index}, items_.size());
  if (!is_new) return items_[known->second];
  Item& fresh = items_.emplace_back(Item{array, index, {}});
  for (int c = 0; c < std::max(1, arrays_[array].dim); ++c) {
    fresh.x.push_back(model_.graph->input());
    item_of_input_.emplace(fresh.x.back(), known->second);
  }
  return fresh;
}

const Items::Item& Items::item(std::string_view array, NodeId index) {
  return find(array_by_name_.find(array)->second, index);
}

FormulaValue Items::gather(std::string_view array, NodeId index) {
  const Item& found = item(array, index);
  if (arrays_[found.array].dim == 0) return Expr{model_.graph.get(), found.x.front()};
  ExprVector components;
  for (const NodeId x : found.x) components.push_back({model_.graph.get(), x});
  return components;
}

std::optional<NodeId> Items::partner(NodeId x, From from) {
  const auto it = item_of_input_.find(x);
  if (it == item_of_input_.end()) return {};
  const Item item = items_[it->second];
  if (arrays_[item.array].from != From::position) return {};
  const auto c = static_cast<std::size_t>(std::find(item.x.begin(), item.x.end(), x) - item.x.begin());
  return find(item.array + (from == From::momentum ? to_momentum : to_velocity), item.index).x[c];
}

void Items::insert_multiplier(int at) {
  for (Array& array : arrays_)
    if (array.from == From::multiplier && array.offset >= at) ++array.offset;
  for (MappedTerm& term : model_.terms)
    for (MappedTerm::Gather& gather : term.gathers)
      if (gather.from == From::multiplier)
        for (std::int32_t& i : gather.first) i += i >= at ? 1 : 0;
}

std::set<std::size_t> Items::used_in(NodeId formula) const {
  std::set<std::size_t> used;
  for (const NodeId i : model_.graph->reachable(std::span(&formula, 1)))
    if (const auto it = item_of_input_.find(i); it != item_of_input_.end()) used.insert(it->second);
  return used;
}

void Items::add_rates(NodeId formula, std::vector<NodeId>& q, std::vector<NodeId>& v) {
  for (const std::size_t k : used_in(formula)) {
    const Item item = items_[k];
    if (arrays_[item.array].from != From::position) continue;
    const Item& velocity = find(item.array + to_velocity, item.index);
    q.insert(q.end(), item.x.begin(), item.x.end());
    v.insert(v.end(), velocity.x.begin(), velocity.x.end());
  }
}

bool Items::take_single(const Fail& fail, NodeId formula, MappedTerm::Role role, const std::string& name, bool fast) {
  if (used_in(formula).empty()) return false;
  MappedTerm single = term(fail, formula, role, name, {});
  single.fast = fast;
  single.single = true;
  model_.terms.push_back(std::move(single));
  return true;
}

MappedTerm::Gather Items::gather_rows(const Fail& fail, const Item& item, const Table& table,
                                      const std::string& what) const {
  Graph& graph = *model_.graph;
  const Array& v = arrays_[item.array];
  MappedTerm::Gather gather{v.from, item.x, {}};
  for (const NodeId i : graph.reachable(std::span(&item.index, 1)))
    if (graph[i].op == Op::input &&
        std::none_of(table.values.begin(), table.values.end(), [&](const auto& x) { return x.input == i; }))
      fail("an index of '" + v.name + "' in " + what + " must be a formula of the table's own columns");
  const std::vector<double> index = evaluate_rows(graph, item.index, table.values, table.rows);
  gather.first.reserve(index.size());
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
  return gather;
}

MappedTerm Items::term(const Fail& fail, NodeId kernel, MappedTerm::Role role, const std::string& name, Table table) {
  MappedTerm term;
  term.role = role;
  term.name = name;
  term.rows = table.rows;
  Graph& graph = *model_.graph;
  const std::vector<NodeId> used = graph.reachable(std::span(&kernel, 1));
  const std::string what = name.empty() ? "this term" : "'" + name + "'";
  const bool with_momenta = role != MappedTerm::Role::energy && role != MappedTerm::Role::constraint;
  const auto check_use = [&](From from, const std::string& name_used) {
    if (role == MappedTerm::Role::observable || from == From::position || (from == From::momentum && with_momenta))
      return;
    fail(
        what + " uses " + name_used +
        (with_momenta ? ": write it with coordinates and momenta" : ": it must be a formula of the coordinates alone"));
  };
  for (const std::size_t k : used_in(kernel)) {
    check_use(arrays_[items_[k].array].from, arrays_[items_[k].array].name);
    term.gathers.push_back(gather_rows(fail, items_[k], table, what));
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
      check_use(from, from == From::multiplier ? "multipliers"
                      : from == From::energies ? "the kinetic or the potential energy"
                                               : prefix + model_.coordinates[i]);
      by[x] = graph.input();
      term.gathers.push_back(
          {from,
           {by[x]},
           std::vector<std::int32_t>(static_cast<std::size_t>(table.rows), static_cast<std::int32_t>(i))});
    }
  term.kernel = graph.substitute(std::span(&kernel, 1), by)[0];
  refuse_foreign(fail, term, table, what);
  for (MappedTerm::RowValue& value : table.values)
    if (depends_on(graph, std::span(&term.kernel, 1), std::span(&value.input, 1)))
      term.values.push_back(std::move(value));
  check_rows(fail, term, what);
  return term;
}

void Items::refuse_foreign(const Fail& fail, const MappedTerm& term, const Table& table,
                           const std::string& what) const {
  std::set<NodeId> bound;
  for (const MappedTerm::Gather& gather : term.gathers) bound.insert(gather.x.begin(), gather.x.end());
  for (const MappedTerm::RowValue& value : table.values) bound.insert(value.input);
  for (const NodeId x : model_.graph->reachable(std::span(&term.kernel, 1)))
    if ((*model_.graph)[x].op == Op::input && !bound.contains(x))
      fail(what + " uses a variable of another formula: an index of another table, or a name of the chart");
}

// A row that meets the same coordinate twice is a mistake in the table (a link from an item to itself).
void Items::check_rows(const Fail& fail, const MappedTerm& term, const std::string& what) const {
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
