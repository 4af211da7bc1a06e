#include "holonom/model/toml.hpp"

#include <algorithm>
#include <filesystem>
#include <unordered_set>

#include "chart_reader.hpp"
#include "energy_reader.hpp"
#include "event_reader.hpp"
#include "field_reader.hpp"
#include "holonom/expr/derivative.hpp"
#include "holonom/model/columns.hpp"
#include "holonom/model/selection.hpp"
#include "name_reader.hpp"
#include "nodes.hpp"
#include "observable_reader.hpp"
#include "view_reader.hpp"

namespace holonom {

namespace {

class Reader : private FormulaReader {
 public:
  Reader(const TomlSource& toml_source, const ModelChanges& changes) : FormulaReader(toml_source), changes_(changes) {}

  ModelAndView read() {
    const toml::table root = source.parse();
    check_keys(
        root,
        {"format", "name",     "fixed_parameters", "parameters",        "units",      "let",         "coordinates",
         "energy", "field",    "constraints",      "phase_constraints", "invariants", "observables", "events",
         "chart",  "reversal", "initial",          "integrate",         "names",      "view"},
        "the model file");
    read_header(root);
    // Coordinates first: every later formula may use them.
    read_parameters(table(root, "parameters"), root.get("fixed_parameters"));
    const toml::table* field = table(root, "field");
    if (field)
      field_.declare(root, *field);
    else
      read_coordinates(root);
    read_let(table(root, "let"));
    if (field)
      field_.read(*field);
    else
      EnergyReader(*this, tables_).read(root);
    read_named(table(root, "constraints"), model.constraints, MappedTerm::Role::constraint);
    read_phase_constraints(table(root, "phase_constraints"));
    read_named(table(root, "invariants"), model.invariants, MappedTerm::Role::invariant);
    EventReader events(*this, tables_);
    events.read(table(root, "events"));
    for (const std::string& option : changes_.event) events.read_option(option, changes_.prefix);
    ObservableReader observables(*this, tables_);
    observables.read(table(root, "observables"));
    for (const std::string& option : changes_.observe) observables.read_option(option, changes_.prefix);
    read_reversal(table(root, "reversal"));
    read_initial(root);
    read_integrate(table(root, "integrate"));
    read_chart(*this, table(root, "chart"));
    read_units(table(root, "units"));
    ViewFormulas view = ViewReader(*this).read(table(root, "view"));
    model.text = source.text();
    read_names(*this, table(root, "names"), view);
    return {std::move(model), std::move(view)};
  }

 private:
  void read_header(const toml::table& root) {
    const toml::node* format = root.get("format");
    if (!format) throw InputError(source.file() + ":1:1: the file must begin with format = 1");
    if (format->value<int64_t>() != 1) source.fail(*format, "this version reads format = 1");
    if (const toml::node* name = root.get("name")) {
      if (!name->is_string()) source.fail(*name, "the name must be a string");
      model.name = *name->value<std::string>();
    } else {
      model.name = std::filesystem::path(source.file()).stem().string();
    }
  }

  // fixed: whether formulas of the file hold their values as numbers, so that another value would change nothing
  void read_parameters(const toml::table* parameters, const toml::node* fixed) {
    if (fixed && !fixed->is_boolean()) source.fail(*fixed, "fixed_parameters is true or false");
    std::vector<std::string> known;
    if (parameters) {
      for (const Entry& e : in_file_order(*parameters)) {
        known.push_back(e.key);
        const auto override =
            std::find_if(changes_.set.rbegin(), changes_.set.rend(), [&](const auto& o) { return o.first == e.key; });
        if (override == changes_.set.rend()) {
          declare(e.key, e.place->source().begin, formula_value(*e.node, "parameter '" + e.key + "'"));
          continue;
        }
        try {
          const FormulaValue value = parse_formula(override->second, scope);
          if (fixed && *fixed->value<bool>()) require_same(e, value, override->second);
          declare(e.key, e.place->source().begin, value);
        } catch (const FormulaError& error) {
          throw InputError(changes_.prefix + "set " + e.key + "=" + override->second + ": column " +
                           std::to_string(error.offset + 1) + ": " + error.what());
        }
      }
    }
    for (const std::string& name : known)
      if (const Expr* x = std::get_if<Expr>(&scope.names.find(name)->second)) model.parameters[name] = x->node;
    for (const auto& [name, value] : changes_.set)
      if (std::find(known.begin(), known.end(), name) == known.end())
        throw InputError(changes_.prefix + "set " + name + "=" + value + ": " + source.file() + " has no parameter '" +
                         name + "'." + suggestion(name, known, "Parameters"));
  }

  void require_same(const Entry& e, const FormulaValue& value, const std::string& text) {
    const FormulaValue own = formula_value(*e.node, "parameter '" + e.key + "'");
    const Expr *a = std::get_if<Expr>(&value), *b = std::get_if<Expr>(&own);
    if (a && b && a->node == b->node) return;
    throw InputError(changes_.prefix + "set " + e.key + "=" + text + ": formulas of " + source.file() +
                     " hold the values of its parameters as numbers (fixed_parameters = true), so that another value "
                     "would change nothing. Change the model that it was made from");
  }

  void read_coordinates(const toml::table& root) {
    const toml::table* coordinates = table(root, "coordinates");
    if (!coordinates)
      throw InputError(
          source.file() +
          ": the table [coordinates] with names = [...] is missing (or [field], for a first-order system)");
    mark("coordinates", *coordinates);
    const toml::node* names = coordinates->get("names");
    if ((names && (!names->is_array() || names->as_array()->empty())) || coordinates->empty())
      source.fail(names ? *names : *coordinates,
                  "[coordinates] needs names = [\"x\", \"y\", ...], or vectors r = { count = \"N\", dim = 3 }");
    static const toml::array none;
    for (const toml::node& node : names ? *names->as_array() : none) {
      if (!node.is_string()) source.fail(node, "a coordinate name must be a string");
      const std::string name = *node.value<std::string>();
      const auto at = node.source().begin;
      const Expr q = model.coordinate(name);
      declare(name, at, q);
      declare("p_" + name, at, Expr{scope.graph, model.p.back()});
      declare("v_" + name, at, Expr{scope.graph, model.v.back()});
    }
    scope.q = model.q;
    scope.v = model.v;
    for (const Entry& e : in_file_order(*coordinates))
      if (e.key != "names") tables_.read_vector(e);
  }

  void read_let(const toml::table* let) {
    if (!let) return;
    for (const Entry& e : in_file_order(*let))
      declare(e.key, e.place->source().begin, formula_value(*e.node, "let '" + e.key + "'"));
  }

  void read_named(const toml::table* t, std::vector<Named>& into, MappedTerm::Role role) {
    if (!t) return;
    const bool constraint = role == MappedTerm::Role::constraint;
    const std::set<std::string> columns = output_columns(model);
    const auto what_is = [&](const std::string& name) {
      return (constraint ? "constraint '" : "invariant '") + name + "'";
    };
    const auto add = [&](const toml::node& node, NodeId x, const std::string& name) {
      const std::string what = what_is(name);
      if (constraint)
        refuse(fail_at(node), x, what, model.p, "p_",
               "it must be a formula of the coordinates alone (of momenta there are [phase_constraints], which are "
               "something else)");
      if (constraint) refuse(fail_at(node), x, what, model.v, "v_", "it must be a formula of the coordinates alone");
      if (tables_.take_single(fail_at(node), x, role, name, false)) return;
      if (constraint && !depends_on(*model.graph, std::span(&x, 1), model.q))
        source.fail(node, what + " does not depend on any coordinate");
      if (!constraint) refuse(fail_at(node), x, what, model.v, "v_", "write it with momenta p_<name>");
      into.push_back({name, x});
    };
    for (const Entry& e : in_file_order(*t)) {
      const auto at = e.place->source().begin;
      if (e.node->is_array() && e.key == (constraint ? "stack" : "sum")) {
        tables_.read_terms(*e.node, role, [&](const toml::node& node, NodeId x, const std::string& name, bool) {
          add(node, x, name);
        });
        continue;
      }
      if (!is_valid_name(e.key)) source.fail(at, "'" + e.key + "' is not a name: use letters, digits and underscores");
      if (!constraint && columns.contains(e.key))
        source.fail(at, "an invariant must not be called '" + e.key + "': outputs have a column of that name already");
      if (constraint && e.key == "stack")
        source.fail(at, "the name 'stack' is reserved for constraints over index tables");
      mark((constraint ? "constraints." : "invariants.") + e.key, *e.node);
      const NodeId x = formula(*e.node, what_is(e.key));
      if (constraint) refuse_comparison(*e.node, x, what_is(e.key));
      add(*e.node, x, e.key);
    }
  }

  void read_phase_constraints(const toml::table* t) {
    if (!t) return;
    for (const Entry& e : in_file_order(*t)) {
      const std::string what = "phase constraint '" + e.key + "'";
      const auto at = e.place->source().begin;
      if (!is_valid_name(e.key)) source.fail(at, "'" + e.key + "' is not a name: use letters, digits and underscores");
      mark("phase_constraints." + e.key, *e.node);
      const NodeId x = formula(*e.node, what);
      refuse_comparison(*e.node, x, what);
      refuse(fail_at(*e.node), x, what, model.v, "v_", "write it with momenta p_<name>");
      model.phase_constraints.push_back({e.key, x});
    }
  }

  void read_reversal(const toml::table* reversal) {
    const toml::node* flip = reversal ? reversal->get("flip") : nullptr;
    if (reversal) {
      check_keys(*reversal, {"flip"}, "[reversal]");
      if (!flip || !flip->is_array()) source.fail(flip ? *flip : *reversal, "[reversal] needs flip = [\"p_x\", ...]");
      model.reversal_given = true;
    }
    if (model.field) return field_.read_reversal(reversal);
    model.flip_q.assign(static_cast<std::size_t>(model.n()), false);
    model.flip_p.assign(static_cast<std::size_t>(model.n()), true);
    if (!reversal) return;
    model.flip_p.assign(model.flip_p.size(), false);
    const CoordinateList coordinates(model, "flip", "p_", "momenta");
    for (const toml::node& node : *flip->as_array()) {
      const Selection chosen = coordinates.select(node.value<std::string>().value_or(""), fail_at(node));
      for (const int i : chosen.coordinates)
        (chosen.of_motion ? model.flip_p : model.flip_q)[static_cast<std::size_t>(i)] = true;
    }
  }

  void read_initial(const toml::table& root) {
    const toml::table* initial = table(root, "initial");
    if (!initial)
      throw InputError(source.file() + ": the table [initial] with " +
                       (model.field ? "a value for every variable" : "q = {...}") + " is missing");
    if (model.field) {
      mark("initial", *initial);
      return field_.read_initial(*initial);
    }
    check_keys(*initial, {"q", "p", "v", "project"}, "[initial]");
    mark("initial", *initial);
    const toml::table *q = table(*initial, "q"), *p = table(*initial, "p"), *v = table(*initial, "v");
    if (!q) source.fail(*initial, "[initial] needs q = { ... } with a value for every coordinate");
    if (p && v) source.fail(*initial, "[initial] takes momenta p or velocities v, not both");
    if (const toml::node* project = initial->get("project")) read_project(*project, v != nullptr);
    model.q0 = read_values(*q, "initial.q", true);
    model.start_is_velocity = v != nullptr;
    const toml::table* motion = v ? v : p;
    model.start =
        motion ? read_values(*motion, v ? "initial.v" : "initial.p", false) : Nodes(model.q.size(), Graph::zero);
  }

  // true, false, or what must stay as it is given: { keep = ["phi", "v_phi"] }
  void read_project(const toml::node& node, bool velocities) {
    mark("initial.project", node);
    if (node.is_boolean()) {
      model.project = *node.value<bool>();
      return;
    }
    const toml::table* t = node.as_table();
    if (!t) source.fail(node, "project must be true, false, or { keep = [\"phi\", \"v_phi\"] }");
    check_keys(*t, {"keep"}, "initial.project");
    const toml::node* keep = t->get("keep");
    if (!keep || !keep->is_array())
      source.fail(keep ? *keep : node,
                  "project needs keep = [\"phi\", \"v_phi\"]: coordinates and velocities that stay as they are given");
    model.project = true;
    const CoordinateList coordinates(model, "keep", "v_", "velocities");
    for (const toml::node& name : *keep->as_array()) {
      const Selection chosen = coordinates.select(name.value<std::string>().value_or(""), fail_at(name));
      if (chosen.of_motion && !velocities)
        source.fail(
            name, "keep: a velocity can be kept if the motion is given as velocities: write v = { ... } in [initial]");
      std::vector<int>& kept = chosen.of_motion ? model.keep_v : model.keep_q;
      kept.insert(kept.end(), chosen.coordinates.begin(), chosen.coordinates.end());
    }
    for (std::vector<int>* kept : {&model.keep_q, &model.keep_v}) {  // what is named twice is kept once
      std::sort(kept->begin(), kept->end());
      kept->erase(std::unique(kept->begin(), kept->end()), kept->end());
    }
  }

  Nodes read_values(const toml::table& t, const std::string& where, bool position) {
    std::vector<std::string> known = model.coordinates;
    for (const VectorCoordinate& v : model.vectors) known.push_back(v.name);
    check_keys(t, known, where);
    mark(where, t);
    Nodes values(model.q.size(), Graph::zero);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string& name = model.coordinates[i];
      if (const toml::node* node = t.get(name)) {
        values[i] = constant(*node, where + "." + name);
        mark(where + "." + name, *node);
      } else if (position) {
        source.fail(t, where + " has no value for the coordinate '" + name + "'");
      }
    }
    for (VectorCoordinate& v : model.vectors) {
      if (const toml::node* node = t.get(v.name))
        tables_.read_items(*node, where, v, position);
      else if (position)
        source.fail(t, where + " has no values for '" + v.name + "'");
    }
    return values;
  }

  void read_integrate(const toml::table* integrate) {
    if (!integrate) return;
    check_keys(*integrate, {"method", "step", "until", "every"}, "[integrate]");
    for (const Entry& e : in_file_order(*integrate)) mark("integrate." + e.key, *e.node);
    if (const toml::node* method = integrate->get("method")) {
      if (!method->is_string()) source.fail(*method, "method must be a string, such as \"rattle\"");
      model.method = *method->value<std::string>();
    }
    if (const toml::node* step = integrate->get("step")) model.step = constant(*step, "step");
    if (const toml::node* until = integrate->get("until")) model.until = constant(*until, "until");
    if (const toml::node* every = integrate->get("every")) {
      model.every = static_cast<long>(every->value<int64_t>().value_or(0));
      if (model.every < 1) source.fail(*every, "every must be a whole number of steps, at least 1");
    }
  }

  void read_units(const toml::table* units) {
    if (!units) return;
    std::vector<std::string> known;
    for (const auto& [name, value] : scope.names) known.push_back(name);
    for (const auto* list : {&model.constraints, &model.invariants, &model.observables})
      for (const Named& x : *list) known.push_back(x.name);
    for (const MappedTerm& term : model.terms) known.push_back(term.name);
    known.insert(known.end(), scope.vectors.begin(), scope.vectors.end());
    known.emplace_back("t");
    const std::unordered_set<std::string_view> names(known.begin(), known.end());
    for (const Entry& e : in_file_order(*units)) {
      if (!names.contains(e.key))
        source.fail(e.place->source().begin, "[units] names '" + e.key + "', which the model does not have." +
                                                 suggestion(e.key, known, "Names"));
      if (!e.node->is_string()) source.fail(*e.node, "a unit is text in quotes");
      model.units[e.key] = *e.node->value<std::string>();
    }
  }

  const ModelChanges& changes_;
  TableReader tables_{*this};
  FieldReader field_{*this};
};

}  // namespace

ModelAndView parse_model_and_view(std::string text, const std::string& file_name, const ModelChanges& changes) {
  const TomlSource source(file_name, std::move(text));
  return Reader(source, changes).read();
}

Model parse_model(std::string text, const std::string& file_name, const ModelChanges& changes) {
  return parse_model_and_view(std::move(text), file_name, changes).model;
}

Model load_model(const std::string& path, const ModelChanges& changes) {
  Model model = parse_model(read_text(path), path, changes);
  model.files.insert(model.files.begin(), path);
  return model;
}

}  // namespace holonom
