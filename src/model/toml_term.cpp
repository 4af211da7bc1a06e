#include "toml_term.hpp"

#include <algorithm>
#include <tuple>

#include "toml_index_table.hpp"
#include "toml_words.hpp"

namespace holonom {

namespace {

using Column = std::vector<std::int32_t>;

}  // namespace

std::vector<NamedInput> in_order(std::vector<OrderedInput> inputs) {
  std::stable_sort(inputs.begin(), inputs.end(), [](const OrderedInput& a, const OrderedInput& b) {
    return std::tie(a.from, a.place) < std::tie(b.from, b.place);
  });
  std::vector<NamedInput> result;
  for (OrderedInput& x : inputs) result.push_back({x.input, std::move(x.name)});
  return result;
}

void TermText::fail(const MappedTerm& term, const std::string& what) const {
  throw InputError(model_.name + ": " + (term.name.empty() ? "a sum of the energy" : "'" + term.name + "'") + " " +
                   what);
}

TermText::Entry TermText::entry(From from, long place) const {
  const auto own = [](std::string name) { return Entry{std::move(name)}; };
  if (from == From::energies) return own(place == 0 ? "kinetic" : "potential");
  if (from == From::multiplier) {
    if (place < static_cast<long>(names_.constraints.size()))
      return own("lambda_" + names_.constraints[static_cast<std::size_t>(place)]);
    long first = static_cast<long>(names_.constraints.size());
    for (std::size_t k = 0; k < model_.terms.size(); ++k) {
      const MappedTerm& stack = model_.terms[k];
      if (stack.role != MappedTerm::Role::constraint) continue;
      if (place < first + stack.rows) {
        if (stack.single) return own("lambda_" + names_.terms[k]);
        return {"lambda_" + names_.terms[k], "", first, first + stack.rows, 1};
      }
      first += stack.rows;
    }
    throw InputError(model_.name + ": a formula uses a multiplier that no constraint has");
  }
  const std::string prefix = from == From::momentum ? "p_" : from == From::velocity ? "v_" : "";
  if (place < static_cast<long>(names_.coordinates.size()))
    return own(prefix + names_.coordinates[static_cast<std::size_t>(place)]);
  for (std::size_t k = 0; k < model_.vectors.size(); ++k) {
    const VectorCoordinate& v = model_.vectors[k];
    if (place < v.offset || place >= v.offset + v.size()) continue;
    const auto component = static_cast<std::size_t>((place - v.offset) % v.dim);
    return {prefix + names_.vectors[k], std::string(".") + "xyz"[component], v.offset, v.offset + v.size(), v.dim};
  }
  throw InputError(model_.name + ": a formula uses a coordinate that the model does not have");
}

std::string TermText::name_of(From from, long place) const {
  const Entry e = entry(from, place);
  return e.dim == 0 ? e.before : e.before + "[" + std::to_string((place - e.begin) / e.dim) + "]" + e.after;
}

std::vector<OrderedInput> TermText::inputs_of_single(const MappedTerm& term) const {
  if (!term.values.empty()) fail(term, "has columns without a table");
  std::vector<OrderedInput> inputs;
  for (const MappedTerm::Gather& g : term.gathers)
    for (std::size_t c = 0; c < g.x.size(); ++c) {
      const long place = g.first.at(0) + static_cast<long>(c);
      inputs.push_back({static_cast<int>(g.from), place, g.x[c], name_of(g.from, place)});
    }
  return inputs;
}

std::string TermText::with_table(const MappedTerm& term, const std::string& key,
                                 const std::string& abbreviation) const {
  const std::vector<NodeId> used = model_.graph->reachable(std::span(&term.kernel, 1));
  const auto is_used = [&](NodeId x) { return std::binary_search(used.begin(), used.end(), x); };
  // Items by what they read: the array, and the item in each row
  struct Item {
    int from = 0;
    long begin = 0;  // of the array
    Column item;
    bool operator<(const Item& other) const {
      return std::tie(from, begin, item) < std::tie(other.from, other.begin, other.item);
    }
  };
  struct Component {
    NodeId input;
    Entry entry;
  };
  std::map<Item, std::vector<Component>> items;
  std::vector<OrderedInput> inputs;
  for (const MappedTerm::Gather& g : term.gathers)
    for (std::size_t c = 0; c < g.x.size(); ++c) {
      if (!is_used(g.x[c])) continue;
      const long shift = static_cast<long>(c);
      const Entry first = entry(g.from, g.first.at(0) + shift);
      const int from = static_cast<int>(g.from);
      if (first.dim == 0) {
        if (std::any_of(g.first.begin(), g.first.end(), [&](std::int32_t x) { return x != g.first[0]; }))
          fail(term,
               "reads coordinates with names of their own row by row: a model file can do that with the items of "
               "a vector coordinate");
        inputs.push_back({from, g.first[0] + shift, g.x[c], first.before});
        continue;
      }
      Item item{from, first.begin, {}};
      const long component = (g.first[0] + shift - first.begin) % first.dim;
      for (const std::int32_t x : g.first) {
        const long at = x + shift - first.begin;
        if (at < 0 || x + shift >= first.end || at % first.dim != component)
          fail(term, "reads different arrays, or different components, in its rows: give each a sum of its own");
        item.item.push_back(static_cast<std::int32_t>(at / first.dim));
      }
      items[std::move(item)].push_back({g.x[c], first});
    }
  std::map<ValueColumn, std::vector<NodeId>> values;
  for (const MappedTerm::RowValue& value : term.values)
    if (is_used(value.input)) values[value_column(value)].push_back(value.input);

  std::vector<Column> indices;
  std::vector<ValueColumn> columns;
  for (const auto& [item, components] : items)
    if (std::find(indices.begin(), indices.end(), item.item) == indices.end()) indices.push_back(item.item);
  std::sort(indices.begin(), indices.end());
  for (const auto& [column, nodes] : values) columns.push_back(column);
  const IndexTable table = index_table(term.rows, indices, columns, model_, names_);

  std::vector<NamedInput> named = in_order(std::move(inputs));
  for (const auto& [item, components] : items) {
    const auto at = std::lower_bound(indices.begin(), indices.end(), item.item) - indices.begin();
    std::vector<NamedInput> parts;
    for (const auto& [input, e] : components)
      parts.push_back({input, e.before + "[" + table.index[static_cast<std::size_t>(at)] + "]" + e.after});
    std::stable_sort(parts.begin(), parts.end(),
                     [](const NamedInput& a, const NamedInput& b) { return a.name < b.name; });
    named.insert(named.end(), parts.begin(), parts.end());
  }
  std::size_t k = 0;
  for (const auto& [column, nodes] : values) {
    for (const NodeId x : nodes) named.push_back({x, table.values[k]});
    ++k;
  }
  const FormulaTexts texts = ordered_texts(*model_.graph, std::span(&term.kernel, 1), named, abbreviation);
  return table.over + where(texts.let) + key + " = " + toml_value(texts.formulas.front()) + "\n";
}

std::string TermText::where(const std::vector<std::pair<std::string, std::string>>& let) {
  std::string lines;
  for (const auto& [name, formula] : let) lines += "where." + name + " = " + toml_value(formula) + "\n";
  return lines;
}

}  // namespace holonom
