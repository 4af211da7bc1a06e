// Vector coordinates r = { count, dim }: their items in formulas, r[i].x, and the initial values of all items.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "row_values.hpp"
#include "table_reader.hpp"

namespace holonom {

namespace {

// Of this machine, or of what this process may have of it; in bytes
double all_memory() {
  const double machine = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  rlimit limit{};
  const bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return limited ? std::min(machine, static_cast<double>(limit.rlim_cur)) : machine;
}

// Why a run of so many coordinates cannot be, or nothing
std::string too_large(double coordinates) {
  // q, p, the next q and p, and four vectors with which constraints and energies are watched: there is more, but this
  // is certain
  constexpr double bytes = 8 * sizeof(double);
  const double memory = all_memory();
  if (!(memory > 0) || coordinates * bytes <= memory) return {};
  char text[200];
  std::snprintf(
      text, sizeof text,
      "%.0f coordinates do not fit into memory: a run of them takes more than %.1f GB, and there are %.1f. Take "
      "fewer",
      coordinates, coordinates * bytes / 1e9, memory / 1e9);
  return text;
}

}  // namespace

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
  if (const std::string why = too_large(static_cast<double>(v.count) * v.dim + model_.n()); !why.empty())
    r_.source.fail(*t->get("count"), why);
  v.offset = model_.n();
  v.item = model_.graph->input();
  v.q0.assign(static_cast<std::size_t>(v.dim), Graph::zero);
  v.start = v.q0;
  r_.declare(e.key, at, Expr{r_.scope.graph, Graph::zero});  // checks the name
  r_.scope.names.erase(e.key);
  items_.add_vector(v);
  for (const char* prefix : {"", "p_", "v_"}) r_.scope.vectors.push_back(prefix + e.key);
  r_.scope.gather = [this](std::string_view name, NodeId index) { return items_.gather(name, index); };
  r_.scope.item_rates = [this](NodeId formula, std::vector<NodeId>& q, std::vector<NodeId>& velocity) {
    items_.add_rates(formula, q, velocity);
  };
  model_.vectors.push_back(std::move(v));
}

void TableReader::declare_multipliers() {
  Scope& scope = r_.scope;
  const auto is_free = [&](const std::string& name) { return !scope.names.contains(name) && !items_.array(name); };
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
      items_.add_array({name, MappedTerm::Gather::From::multiplier, term.rows, 0, first});
      if (term.single)
        scope.names.emplace(name, std::get<Expr>(items_.gather(name, Graph::zero)));
      else
        scope.vectors.push_back(name);
    }
    first += term.rows;
  }
}

NodeId TableReader::of_item(const toml::node& node, const VectorCoordinate& v, const std::string& what) {
  // A name of the model's own is hidden, and comes back.
  auto own = r_.scope.names.extract("i");
  r_.scope.names.emplace("i", Expr{model_.graph.get(), v.item});
  const NodeId x = r_.formula(node, what);
  r_.scope.names.erase("i");
  if (own) r_.scope.names.insert(std::move(own));
  for (const NodeId k : model_.graph->reachable(std::span(&x, 1)))
    if ((*model_.graph)[k].op == Op::input && k != v.item)
      r_.source.fail(node, what + " must be a formula of parameters and i, the number of the item");
  return x;
}

void TableReader::read_items(const toml::node& node, const std::string& where, VectorCoordinate& v, bool position) {
  const std::string what = where + "." + v.name;
  if (const toml::table* t = node.as_table()) {
    const toml::node* file = t->get("file");
    if (file) r_.check_keys(*t, {"file"}, what);
    if (file ? !file->is_string() : !has_lists(*t))
      r_.source.fail(node, what + " is a list of formulas, { file = \"start.csv\" }, or lists { x = [0, 1], ... }");
    const std::string name = file ? *file->value<std::string>() : what;
    const CsvTable csv = file ? read(*file) : read_lists(r_.source, *t);
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
      if (!cells) r_.source.fail(file ? *file : node, name + " has no column '" + column + "'");
      table.push_back(*cells);
      if (table.back().size() != static_cast<std::size_t>(v.count))
        r_.source.fail(file ? *file : node, name + " has " + std::to_string(table.back().size()) + " rows, but " +
                                                v.name + " has " + std::to_string(v.count) + " items");
    }
    return;
  }
  const toml::array* list = node.as_array();
  if (!list || list->size() != static_cast<std::size_t>(v.dim))
    r_.source.fail(node,
                   what + " needs " + std::to_string(v.dim) + " formulas, one for each component (i is the item)");
  for (std::size_t c = 0; c < list->size(); ++c) (position ? v.q0 : v.start)[c] = of_item((*list)[c], v, what);
}

}  // namespace holonom
