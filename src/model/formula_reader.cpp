#include "formula_reader.hpp"

#include <algorithm>
#include <unordered_set>

#include "holonom/expr/derivative.hpp"

namespace holonom {

namespace {

// Of things that other programs have under such names.
std::string what_is_possible(std::string_view key) {
  const auto is_one_of = [&](std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return key.find(word) != std::string_view::npos; });
  };
  if (is_one_of({"damp", "friction", "drag", "dissip", "viscous", "viscosity"}))
    return " Damping and friction are not possible with an energy and constraints, whose methods conserve them. "
           "Without "
           "constraints the rates of all variables can be written in [field] (docs/fields.md); a decay of all momenta "
           "at "
           "one rate with a clock coordinate (docs/time-dependent.md).";
  if (is_one_of({"force", "torque", "load", "drive", "drivin", "actuat", "motor", "control", "input"}))
    return " A force is given by its potential in [energy]: F along x is potential = \"-F*x\", a torque M about phi "
           "\"-M*phi\". A drive that "
           "depends on time is written with a clock coordinate (docs/time-dependent.md). Forces without a potential, "
           "friction and damping need a model without constraints, as a [field] (docs/fields.md).";
  return {};
}

}  // namespace

NamedFormula split_option(const std::string& option) {
  const auto equals = option.find('=');
  const bool comparison = equals == std::string::npos || option.compare(equals, 2, "==") == 0 ||
                          (equals > 0 && std::string_view("<>!").find(option[equals - 1]) != std::string_view::npos);
  std::string name = comparison ? option : option.substr(0, equals);
  while (name.ends_with(' ')) name.pop_back();
  return {std::move(name), !comparison, comparison ? 0 : equals + 1};
}

const toml::table* FormulaReader::table(const toml::table& parent, std::string_view key) const {
  const toml::node* node = parent.get(key);
  if (!node) return nullptr;
  if (!node->is_table()) source.fail(*node, "'" + std::string(key) + "' must be a table");
  return node->as_table();
}

void FormulaReader::check_keys(const toml::table& t, const std::vector<std::string>& known,
                               const std::string& where) const {
  const std::unordered_set<std::string_view> names(known.begin(), known.end());
  for (const Entry& e : in_file_order(t)) {
    if (names.contains(e.key)) continue;
    const std::string near = did_you_mean(e.key, known), hint = near.empty() ? what_is_possible(e.key) : near;
    source.fail(e.place->source().begin, "unknown key '" + e.key + "' in " + where + "." +
                                             (hint.empty() ? suggestion(e.key, known, "Known keys") : hint));
  }
}

void FormulaReader::declare(const std::string& name, const toml::source_position& at, FormulaValue value) {
  if (!is_valid_name(name)) source.fail(at, "'" + name + "' is not a name: use letters, digits and underscores");
  if (name == "t" || name == "pi") source.fail(at, "the name '" + name + "' is reserved");
  if (is_function_name(name)) source.fail(at, "'" + name + "' is the name of a function");
  const bool vector = std::find(scope.vectors.begin(), scope.vectors.end(), name) != scope.vectors.end();
  if (vector || !scope.names.emplace(name, std::move(value)).second)
    source.fail(at, "the name '" + name + "' is used twice");
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
      source.fail(node,
                  "the number " + digits + " is out of range: at most 5000 digits, and exponents from -5000 to 5000");
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
    if ((*model.graph)[i].op == Op::input)
      source.fail(node, what + " must not depend on coordinates, momenta or velocities");
  return x;
}

void FormulaReader::refuse(const Fail& fail, NodeId x, const std::string& what, const std::vector<NodeId>& inputs,
                           const std::string& prefix, const std::string& remedy) const {
  if (const auto i = first_used(*model.graph, std::span(&x, 1), inputs))
    fail(what + " uses " + prefix + model.coordinates[*i] + ": " + remedy);
}

namespace {

// "a - b" for the text "a == b", and the comparison itself; empty if it is not written in the text.
std::pair<std::string, std::string> difference_of_sides(const std::string& text) {
  const auto trimmed = [](std::string_view part) {
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    return std::string(part);
  };
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if (text[i] == ')' || text[i] == ']') --depth;
    if (depth != 0 || std::string_view("<>=!").find(text[i]) == std::string_view::npos) continue;
    const std::size_t length = i + 1 < text.size() && text[i + 1] == '=' ? 2 : 1;
    const std::string left = trimmed(text.substr(0, i)), right = trimmed(text.substr(i + length));
    const bool sum = right.find_first_of("+-") != std::string::npos;
    return {right == "0" ? left : left + " - " + (sum ? "(" + right + ")" : right), text.substr(i, length)};
  }
  return {};
}

bool is_comparison(const Graph& graph, NodeId x) {
  const Node& n = graph[x];
  if (n.op == Op::sub && n.a == Graph::one) return is_comparison(graph, n.b);  // a != b
  return n.op == Op::less || n.op == Op::less_equal || n.op == Op::equal;
}

}  // namespace

void FormulaReader::refuse_comparison(const toml::node& node, NodeId x, const std::string& what) const {
  if (!is_comparison(*model.graph, x)) return;
  const auto [difference, sign] = difference_of_sides(node.value<std::string>().value_or(""));
  if (sign == "==" || sign.empty())
    source.fail(
        node,
        what + " is a comparison, which is 1 or 0 and holds nothing: write the formula that is zero along the motion" +
            (sign.empty() ? "" : ", \"" + difference + "\""));
  source.fail(
      node, what + " is an inequality: constraints are equations, formulas that are zero along the motion, such as \"" +
                difference + "\"");
}

NodeId FormulaReader::of_coordinates(const toml::node& node, const std::string& what) const {
  const NodeId x = formula(node, what);
  const std::string remedy = "it must be a formula of the coordinates alone";
  refuse(fail_at(node), x, what, model.p, "p_", remedy);
  refuse(fail_at(node), x, what, model.v, "v_", remedy);
  return x;
}

}  // namespace holonom
