#include "observable_reader.hpp"

#include <algorithm>

#include "holonom/model/columns.hpp"

namespace holonom {

ObservableReader::ObservableReader(FormulaReader& reader, TableReader& tables) : r_(reader), tables_(tables) {
  tables_.declare_multipliers();
  Model& model = r_.model;
  for (const char* name : {"kinetic", "potential"}) {
    model.energies.push_back(model.graph->input());
    // A name of the model's own comes first.
    const bool vector = std::find(r_.scope.vectors.begin(), r_.scope.vectors.end(), name) != r_.scope.vectors.end();
    if (!vector) r_.scope.names.emplace(name, Expr{model.graph.get(), model.energies.back()});
  }
  columns_ = output_columns(model);
}

// Outputs have a column for each observable: no two columns may have one name.
void ObservableReader::take_name(const Fail& fail, const std::string& name) {
  if (!columns_.insert(name).second)
    fail("an observable must not be called '" + name + "': outputs have a column of that name already");
}

void ObservableReader::add(const Fail& fail, const std::string& name, NodeId x) {
  take_name(fail, name);
  if (!tables_.take_single(fail, x, MappedTerm::Role::observable, name, false))
    r_.model.observables.push_back({name, x});
}

void ObservableReader::read(const toml::table* observables) {
  if (!observables) return;
  for (const Entry& e : in_file_order(*observables)) {
    if (e.node->is_array() && e.key == "sum") {
      for (const toml::node& node : *e.node->as_array()) {
        const toml::node* name = node.is_table() ? node.as_table()->get("name") : nullptr;
        if (!name) continue;
        take_name(r_.fail_at(*name), name->value<std::string>().value_or(""));
      }
      tables_.read_terms(*e.node, MappedTerm::Role::observable,
                         [&](const toml::node&, NodeId x, const std::string& name, bool) {
                           r_.model.observables.push_back({name, x});
                         });
      continue;
    }
    const auto at = e.place->source().begin;
    if (!is_valid_name(e.key)) r_.source.fail(at, "'" + e.key + "' is not a name: use letters, digits and underscores");
    r_.mark("observables." + e.key, *e.node);
    const NodeId x = r_.formula(*e.node, "observable '" + e.key + "'");
    add([&](const std::string& what) { r_.source.fail(at, what); }, e.key, x);
  }
}

void ObservableReader::read_option(const std::string& option, const std::string& prefix) {
  const NamedFormula named = split_option(option);
  const std::string field = prefix + "observe";
  const Fail fail = [&](const std::string& what) { throw InputError(field + " " + option + ": " + what); };
  if (named.has_name && !is_valid_name(named.name))
    fail("'" + named.name + "' is not a name: write " + field + " \"name=formula\"");
  try {
    const FormulaValue value = parse_formula(std::string_view(option).substr(named.formula_at), r_.scope);
    const Expr* x = std::get_if<Expr>(&value);
    if (!x)
      fail("a number was expected, not a vector");
    else
      add(fail, named.name, x->node);
    r_.model.places["observables." + named.name] = field + " " + option;
  } catch (const FormulaError& e) {
    fail("column " + std::to_string(named.formula_at + e.offset + 1) + ": " + e.what());
  }
}

}  // namespace holonom
