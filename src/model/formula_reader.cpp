#include "formula_reader.hpp"

#include <algorithm>

#include "holonom/expr/derivative.hpp"

namespace holonom {

const toml::table* FormulaReader::table(const toml::table& parent, std::string_view key) const {
  const toml::node* node = parent.get(key);
  if (!node) return nullptr;
  if (!node->is_table()) source.fail(*node, "'" + std::string(key) + "' must be a table");
  return node->as_table();
}

void FormulaReader::check_keys(const toml::table& t, const std::vector<std::string>& known, const std::string& where) const {
  for (const Entry& e : in_file_order(t)) {
    if (std::find(known.begin(), known.end(), e.key) != known.end()) continue;
    source.fail(e.place->source().begin, "unknown key '" + e.key + "' in " + where + "." + suggestion(e.key, known, "Known keys"));
  }
}

void FormulaReader::declare(const std::string& name, const toml::source_position& at, FormulaValue value) {
  if (!is_valid_name(name)) source.fail(at, "'" + name + "' is not a name: use letters, digits and underscores");
  if (name == "t" || name == "pi") source.fail(at, "the name '" + name + "' is reserved");
  if (is_function_name(name)) source.fail(at, "'" + name + "' is the name of a function");
  const bool vector = std::find(scope.vectors.begin(), scope.vectors.end(), name) != scope.vectors.end();
  if (vector || !scope.names.emplace(name, std::move(value)).second) source.fail(at, "the name '" + name + "' is used twice");
}

FormulaValue FormulaReader::formula_value(const toml::node& node, const std::string& what) const {
  if (node.is_string()) {
    const std::string text = *node.value<std::string>();
    try {
      return parse_formula(text, scope);
    } catch (const FormulaError& e) {
      source.fail(node, e.offset, "in " + what + ": " + e.what());
    }
  }
  if (node.is_integer() || node.is_floating_point()) {
    const std::string digits = source.digits(node);
    try {
      return Expr{scope.graph, scope.graph->number(digits)};
    } catch (const std::exception&) {
      source.fail(node, "'" + digits + "' is not a number that can be used");
    }
  }
  source.fail(node, what + " must be a number or a formula in quotes");
}

NodeId FormulaReader::formula(const toml::node& node, const std::string& what) const {
  const FormulaValue value = formula_value(node, what);
  if (const Expr* x = std::get_if<Expr>(&value)) return x->node;
  source.fail(node, what + " must be a number, not a vector");
}

NodeId FormulaReader::constant(const toml::node& node, const std::string& what) const {
  const NodeId x = formula(node, what);
  for (const NodeId i : model.graph->reachable(std::span(&x, 1)))
    if ((*model.graph)[i].op == Op::input) source.fail(node, what + " must not depend on coordinates, momenta or velocities");
  return x;
}

void FormulaReader::refuse(const Fail& fail, NodeId x, const std::string& what, const std::vector<NodeId>& inputs,
                           const std::string& prefix, const std::string& remedy) const {
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (depends_on(*model.graph, std::span(&x, 1), std::span(&inputs[i], 1)))
      fail(what + " uses " + prefix + model.coordinates[i] + ": " + remedy);
}

NodeId FormulaReader::of_coordinates(const toml::node& node, const std::string& what) const {
  const NodeId x = formula(node, what);
  const std::string remedy = "it must be a formula of the coordinates alone";
  refuse(fail_at(node), x, what, model.p, "p_", remedy);
  refuse(fail_at(node), x, what, model.v, "v_", remedy);
  return x;
}

}  // namespace holonom
