#include "holonom/model/toml.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "holonom/expr/derivative.hpp"
#include "holonom/expr/parser.hpp"
#include "toml_source.hpp"

namespace holonom {

namespace {

using Nodes = std::vector<NodeId>;

class Reader {
 public:
  Reader(const TomlSource& source, const Overrides& overrides) : source_(source), overrides_(overrides) {}

  Model read() {
    toml::table root;
    try {
      root = toml::parse(source_.text(), source_.file());
    } catch (const toml::parse_error& e) {
      source_.fail(e.source().begin, std::string(e.description()));
    }
    check_keys(root, {"format", "name", "parameters", "units", "let", "coordinates", "energy", "constraints", "invariants",
                      "reversal", "initial", "integrate"}, "the model file");
    read_header(root);
    scope_.graph = model_.graph.get();
    // Coordinates first: every later formula may use them.
    read_parameters(table(root, "parameters"));
    read_coordinates(root);
    read_let(table(root, "let"));
    read_energy(root);
    read_named(table(root, "constraints"), model_.constraints, "constraint");
    read_named(table(root, "invariants"), model_.invariants, "invariant");
    read_reversal(table(root, "reversal"));
    read_initial(root);
    read_integrate(table(root, "integrate"));
    read_units(table(root, "units"));
    model_.text = source_.text();
    return std::move(model_);
  }

 private:
  // Remembers where a part of the model is written, for messages about its value.
  void mark(const std::string& part, const toml::node& node) { model_.places[part] = source_.place(node.source().begin); }

  // ---- tables and keys
  const toml::table* table(const toml::table& parent, std::string_view key) const {
    const toml::node* node = parent.get(key);
    if (!node) return nullptr;
    if (!node->is_table()) source_.fail(*node, "'" + std::string(key) + "' must be a table");
    return node->as_table();
  }
  void check_keys(const toml::table& t, const std::vector<std::string>& known, const std::string& where) const {
    for (const Entry& e : in_file_order(t)) {
      if (std::find(known.begin(), known.end(), e.key) != known.end()) continue;
      source_.fail(e.place->source().begin, "unknown key '" + e.key + "' in " + where + "." + suggestion(e.key, known, "Known keys"));
    }
  }

  void read_header(const toml::table& root) {
    const toml::node* format = root.get("format");
    if (!format) throw InputError(source_.file() + ":1:1: the file must begin with format = 1");
    if (format->value<int64_t>() != 1) source_.fail(*format, "this version reads format = 1");
    if (const toml::node* name = root.get("name")) {
      if (!name->is_string()) source_.fail(*name, "the name must be a string");
      model_.name = *name->value<std::string>();
    } else {
      model_.name = std::filesystem::path(source_.file()).stem().string();
    }
  }

  // ---- formulas
  FormulaValue formula_value(const toml::node& node, const std::string& what) {
    if (node.is_string()) {
      const std::string text = *node.value<std::string>();
      try {
        return parse_formula(text, scope_);
      } catch (const FormulaError& e) {
        source_.fail(node, e.offset, "in " + what + ": " + e.what());
      }
    }
    if (node.is_integer() || node.is_floating_point()) {
      const std::string digits = source_.digits(node);
      try {
        return Expr{scope_.graph, scope_.graph->number(digits)};
      } catch (const std::exception&) {
        source_.fail(node, "'" + digits + "' is not a number that can be used");
      }
    }
    source_.fail(node, what + " must be a number or a formula in quotes");
  }
  NodeId formula(const toml::node& node, const std::string& what) {
    const FormulaValue value = formula_value(node, what);
    if (const Expr* x = std::get_if<Expr>(&value)) return x->node;
    source_.fail(node, what + " must be a number, not a vector");
  }
  // A formula without coordinates.
  NodeId constant(const toml::node& node, const std::string& what) {
    const NodeId x = formula(node, what);
    for (const auto* inputs : {&model_.q, &model_.p, &model_.v})
      if (depends_on(*model_.graph, std::span(&x, 1), *inputs))
        source_.fail(node, what + " must not depend on coordinates, momenta or velocities");
    return x;
  }
  // A formula that must not use some of the inputs.
  NodeId restricted(const toml::node& node, const std::string& what, const Nodes& forbidden, const std::string& prefix,
                    const std::string& remedy) {
    const NodeId x = formula(node, what);
    refuse(node, x, what, forbidden, prefix, remedy);
    return x;
  }
  void refuse(const toml::node& node, NodeId x, const std::string& what, const Nodes& forbidden, const std::string& prefix,
              const std::string& remedy) const {
    for (std::size_t i = 0; i < forbidden.size(); ++i)
      if (depends_on(*model_.graph, std::span(&x, 1), std::span(&forbidden[i], 1)))
        source_.fail(node, what + " uses " + prefix + model_.coordinates[i] + ": " + remedy);
  }

  void declare(const std::string& name, const toml::source_position& at, FormulaValue value) {
    if (!is_valid_name(name)) source_.fail(at, "'" + name + "' is not a name: use letters, digits and underscores");
    if (name == "t" || name == "pi") source_.fail(at, "the name '" + name + "' is reserved");
    if (is_function_name(name)) source_.fail(at, "'" + name + "' is the name of a function");
    if (!scope_.names.emplace(name, std::move(value)).second) source_.fail(at, "the name '" + name + "' is used twice");
  }

  // ---- sections
  void read_parameters(const toml::table* parameters) {
    std::vector<std::string> known;
    if (parameters) {
      for (const Entry& e : in_file_order(*parameters)) {
        known.push_back(e.key);
        const auto override = std::find_if(overrides_.rbegin(), overrides_.rend(), [&](const auto& o) { return o.first == e.key; });
        if (override == overrides_.rend()) {
          declare(e.key, e.place->source().begin, formula_value(*e.node, "parameter '" + e.key + "'"));
          continue;
        }
        try {
          declare(e.key, e.place->source().begin, parse_formula(override->second, scope_));
        } catch (const FormulaError& error) {
          throw InputError("--set " + e.key + "=" + override->second + ": column " + std::to_string(error.offset + 1) + ": " + error.what());
        }
      }
    }
    for (const std::string& name : known)
      if (const Expr* x = std::get_if<Expr>(&scope_.names.find(name)->second)) model_.parameters[name] = x->node;
    for (const auto& [name, value] : overrides_)
      if (std::find(known.begin(), known.end(), name) == known.end())
        throw InputError("--set " + name + "=" + value + ": " + source_.file() + " has no parameter '" + name + "'." + suggestion(name, known, "Parameters"));
  }

  void read_coordinates(const toml::table& root) {
    const toml::table* coordinates = table(root, "coordinates");
    if (!coordinates) throw InputError(source_.file() + ": the table [coordinates] with names = [...] is missing");
    check_keys(*coordinates, {"names"}, "[coordinates]");
    const toml::node* names = coordinates->get("names");
    if (!names || !names->is_array() || names->as_array()->empty())
      source_.fail(names ? *names : *coordinates, "[coordinates] needs names = [\"x\", \"y\", ...]");
    for (const toml::node& node : *names->as_array()) {
      if (!node.is_string()) source_.fail(node, "a coordinate name must be a string");
      const std::string name = *node.value<std::string>();
      const auto at = node.source().begin;
      const Expr q = model_.coordinate(name);
      declare(name, at, q);
      declare("p_" + name, at, model_.momentum(q));
      declare("v_" + name, at, model_.velocity(q));
    }
    scope_.q = model_.q;
    scope_.v = model_.v;
  }

  void read_let(const toml::table* let) {
    if (!let) return;
    for (const Entry& e : in_file_order(*let))
      declare(e.key, e.place->source().begin, formula_value(*e.node, "let '" + e.key + "'"));
  }

  void read_energy(const toml::table& root) {
    const toml::table* energy = table(root, "energy");
    const std::string forms = "[energy] needs exactly one of: hamiltonian; kinetic and potential; mass and potential";
    if (!energy) throw InputError(source_.file() + ": " + forms);
    check_keys(*energy, {"hamiltonian", "kinetic", "mass", "potential"}, "[energy]");
    mark("energy", *energy);
    for (const Entry& e : in_file_order(*energy)) mark("energy." + e.key, *e.node);
    const toml::node *H = energy->get("hamiltonian"), *T = energy->get("kinetic"), *M = energy->get("mass"), *V = energy->get("potential");
    if ((H != nullptr) + (T != nullptr) + (M != nullptr) != 1) source_.fail(*energy, forms);
    if (H && V) source_.fail(*V, "the hamiltonian contains the potential already: give one of them");
    if (H) {
      model_.hamiltonian = restricted(*H, "the hamiltonian", model_.v, "v_", "write it with momenta p_<name>");
      return;
    }
    if (!V) source_.fail(*energy, "the potential is missing (write potential = \"0\" for free motion)");
    read_potential(*V);
    if (T) model_.kinetic = restricted(*T, "the kinetic energy", model_.p, "p_", "write it with velocities v_<name>");
    if (M) read_mass(*M);
  }

  void read_potential(const toml::node& node) {
    const auto part = [&](const toml::node& formula_node, const std::string& what) {
      const std::string remedy = "it is a formula of the coordinates alone";
      const NodeId V = restricted(formula_node, what, model_.p, "p_", remedy);
      refuse(formula_node, V, what, model_.v, "v_", remedy);
      return V;
    };
    const toml::table* split = node.as_table();
    if (!split) {
      model_.potential = part(node, "the potential");
      return;
    }
    check_keys(*split, {"slow", "fast"}, "energy.potential");
    const toml::node *slow = split->get("slow"), *fast = split->get("fast");
    if (!slow || !fast) source_.fail(node, "a split potential is { slow = \"...\", fast = \"...\" }");
    model_.fast_potential = part(*fast, "the fast potential");
    model_.potential = model_.graph->add(part(*slow, "the slow potential"), *model_.fast_potential);
  }

  void read_mass(const toml::node& node) {
    const std::size_t n = model_.q.size();
    const std::string shape = "mass needs one number for each of the " + std::to_string(n) + " coordinates, or a matrix of " +
                              std::to_string(n) + " rows";
    if (!node.is_array() || node.as_array()->size() != n) source_.fail(node, shape);
    const bool matrix = node.as_array()->front().is_array();
    for (std::size_t i = 0; i < n; ++i) {
      const toml::node& row = (*node.as_array())[i];
      if (row.is_array() != matrix) source_.fail(row, shape);
      mark("energy.mass." + model_.coordinates[i], row);
      if (!matrix) {
        model_.mass.push_back(constant(row, "the mass of '" + model_.coordinates[i] + "'"));
        continue;
      }
      if (row.as_array()->size() != n) source_.fail(row, "this row of the mass matrix needs " + std::to_string(n) + " entries");
      for (const toml::node& entry : *row.as_array()) model_.mass.push_back(constant(entry, "an entry of the mass matrix"));
    }
  }

  void read_named(const toml::table* t, std::vector<Named>& into, const std::string& kind) {
    if (!t) return;
    for (const Entry& e : in_file_order(*t)) {
      const std::string what = kind + " '" + e.key + "'";
      const auto at = e.place->source().begin;
      if (!is_valid_name(e.key)) source_.fail(at, "'" + e.key + "' is not a name: use letters, digits and underscores");
      if (kind == "constraint" && e.key == "stack")
        source_.fail(at, "the name 'stack' is reserved for constraints over index tables");
      const NodeId x = formula(*e.node, what);
      if (kind == "constraint") {
        for (const auto& [inputs, prefix] : {std::pair{&model_.p, "p_"}, std::pair{&model_.v, "v_"}})
          refuse(*e.node, x, what, *inputs, prefix, "constraints are formulas of the coordinates alone");
        if (!depends_on(*model_.graph, std::span(&x, 1), model_.q)) source_.fail(*e.node, what + " does not depend on any coordinate");
      } else {
        refuse(*e.node, x, what, model_.v, "v_", "write it with momenta p_<name>");
      }
      mark(kind + "s." + e.key, *e.node);
      into.push_back({e.key, x});
    }
  }

  void read_reversal(const toml::table* reversal) {
    model_.flip_q.assign(model_.q.size(), false);
    model_.flip_p.assign(model_.q.size(), true);
    if (!reversal) return;
    check_keys(*reversal, {"flip"}, "[reversal]");
    const toml::node* flip = reversal->get("flip");
    if (!flip || !flip->is_array()) source_.fail(flip ? *flip : *reversal, "[reversal] needs flip = [\"p_x\", ...]");
    model_.reversal_given = true;
    model_.flip_p.assign(model_.q.size(), false);
    std::vector<std::string> known;
    for (const std::string& c : model_.coordinates) known.insert(known.end(), {c, "p_" + c});
    for (const toml::node& node : *flip->as_array()) {
      const std::string name = node.value<std::string>().value_or("");
      const auto it = std::find(known.begin(), known.end(), name);
      if (it == known.end()) source_.fail(node, "flip takes coordinates and momenta, not '" + name + "'." + suggestion(name, known, "They are"));
      const auto k = static_cast<std::size_t>(it - known.begin());
      (k % 2 == 0 ? model_.flip_q : model_.flip_p)[k / 2] = true;
    }
  }

  void read_initial(const toml::table& root) {
    const toml::table* initial = table(root, "initial");
    if (!initial) throw InputError(source_.file() + ": the table [initial] with q = {...} is missing");
    check_keys(*initial, {"q", "p", "v", "project"}, "[initial]");
    mark("initial", *initial);
    const toml::table *q = table(*initial, "q"), *p = table(*initial, "p"), *v = table(*initial, "v");
    if (!q) source_.fail(*initial, "[initial] needs q = { ... } with a value for every coordinate");
    if (p && v) source_.fail(*initial, "[initial] takes momenta p or velocities v, not both");
    if (const toml::node* project = initial->get("project")) {
      if (!project->is_boolean()) source_.fail(*project, "project must be true or false");
      model_.project = *project->value<bool>();
    }
    model_.q0 = read_values(*q, "initial.q", true);
    model_.start_is_velocity = v != nullptr;
    const toml::table* motion = v ? v : p;
    model_.start = motion ? read_values(*motion, v ? "initial.v" : "initial.p", false) : Nodes(model_.q.size(), Graph::zero);
  }
  Nodes read_values(const toml::table& t, const std::string& where, bool all_required) {
    check_keys(t, model_.coordinates, where);
    mark(where, t);
    Nodes values(model_.q.size(), Graph::zero);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string& name = model_.coordinates[i];
      if (const toml::node* node = t.get(name)) {
        values[i] = constant(*node, where + "." + name);
        mark(where + "." + name, *node);
      } else if (all_required) {
        source_.fail(t, where + " has no value for the coordinate '" + name + "'");
      }
    }
    return values;
  }

  void read_integrate(const toml::table* integrate) {
    if (!integrate) return;
    check_keys(*integrate, {"method", "step", "until", "every"}, "[integrate]");
    for (const Entry& e : in_file_order(*integrate)) mark("integrate." + e.key, *e.node);
    if (const toml::node* method = integrate->get("method")) {
      if (!method->is_string()) source_.fail(*method, "method must be a string, such as \"rattle\"");
      model_.method = *method->value<std::string>();
    }
    if (const toml::node* step = integrate->get("step")) model_.step = constant(*step, "step");
    if (const toml::node* until = integrate->get("until")) model_.until = constant(*until, "until");
    if (const toml::node* every = integrate->get("every")) {
      model_.every = static_cast<long>(every->value<int64_t>().value_or(0));
      if (model_.every < 1) source_.fail(*every, "every must be a whole number of steps, at least 1");
    }
  }

  void read_units(const toml::table* units) {
    if (!units) return;
    std::vector<std::string> known;
    for (const auto& [name, value] : scope_.names) known.push_back(name);
    for (const auto* list : {&model_.constraints, &model_.invariants})
      for (const Named& x : *list) known.push_back(x.name);
    known.emplace_back("t");
    for (const Entry& e : in_file_order(*units)) {
      if (std::find(known.begin(), known.end(), e.key) == known.end())
        source_.fail(e.place->source().begin, "[units] names '" + e.key + "', which the model does not have." + suggestion(e.key, known, "Names"));
      if (!e.node->is_string()) source_.fail(*e.node, "a unit is text in quotes");
      model_.units[e.key] = *e.node->value<std::string>();
    }
  }

  const TomlSource& source_;
  const Overrides& overrides_;
  Model model_;
  Scope scope_{};
};

}  // namespace

Model parse_model(std::string text, const std::string& file_name, const Overrides& overrides) {
  const TomlSource source(file_name, std::move(text));
  return Reader(source, overrides).read();
}

Model load_model(const std::string& path, const Overrides& overrides) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) throw InputError(path + ": the file cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  return parse_model(text.str(), path, overrides);
}

}  // namespace holonom
