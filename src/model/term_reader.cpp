// Sums and stacks over index tables.
#include "table_reader.hpp"

namespace holonom {

void TableReader::read_terms(const toml::node& list, MappedTerm::Role role, const Alone& alone) {
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
    if (!formula)
      r_.source.fail(*t, "[[" + kind + "]] needs over and " + formula_key + " (without over, " + formula_key +
                             " is a single formula)");
    std::string name = name_node ? name_node->value<std::string>().value_or("") : "";
    if (role != MappedTerm::Role::energy && !is_valid_name(name))
      r_.source.fail(name_node ? *name_node : *t, "[[" + kind + "]] needs a name");
    const std::string what = role == MappedTerm::Role::energy ? "a sum of the energy"
                                                              : (stack        ? "constraint '"
                                                                 : observable ? "observable '"
                                                                              : "invariant '") +
                                                                    name + "'";
    Table table = over ? read_table(*over, what) : Table{};
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
    bool fast = false;
    if (const toml::node* part = t->get("part")) {
      const std::string word = part->value<std::string>().value_or("");
      if (word != "fast" && word != "slow") r_.source.fail(*part, "part must be \"slow\" or \"fast\"");
      fast = word == "fast";
    }
    for (const std::string& declared : own) r_.scope.names.erase(declared);
    if (!over) {
      if (!take_single(r_.fail_at(*formula), kernel, role, name, fast)) alone(*formula, kernel, name, fast);
      continue;
    }
    MappedTerm term = items_.term(r_.fail_at(*formula), kernel, role, name, std::move(table));
    term.fast = fast;
    if (term.rows > 0) model_.terms.push_back(std::move(term));
  }
}

}  // namespace holonom
