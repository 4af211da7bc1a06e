#include "holonom/model/toml_text.hpp"

#include <algorithm>

#include "nodes.hpp"
#include "toml_model_formulas.hpp"
#include "toml_view.hpp"
#include "toml_words.hpp"

namespace holonom {

namespace {

using Role = MappedTerm::Role;

class ModelText {
 public:
  ModelText(const Model& model, const ViewFormulas& view)
      : model_(model), view_(view), names_(model), terms_(model, names_), formulas_(model, view, names_, terms_) {}

  std::string write() {
    line("format = 1");
    line("name = " + toml_string(model_.name));
    if (!model_.parameters.empty()) line("fixed_parameters = true  # formulas below hold their values as numbers");
    parameters();
    if (!model_.field) coordinates();
    abbreviations();
    if (model_.field)
      field();
    else
      energy();
    named_formulas("constraints", "stack", "zero", model_.constraints, names_.constraints, Role::constraint);
    phase_constraints();
    named_formulas("invariants", "sum", "term", model_.invariants, names_.invariants, Role::invariant);
    named_formulas("observables", "sum", "term", model_.observables, names_.observables, Role::observable);
    events();
    chart();
    reversal();
    initial();
    integrate();
    units();
    other_names();
    out_ += view_text(view_, model_, names_, [this](NodeId x) { return value(x); });
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { out_ += text + "\n"; }
  void entry(const std::string& name, const std::string& text) { line(toml_key(name) + " = " + text); }
  void header(const std::string& name) { line("\n[" + name + "]"); }
  std::string value(NodeId x) const { return formulas_.value(x); }
  std::string list(const Nodes& nodes, std::size_t indent) const {
    std::vector<std::string> values;
    for (const NodeId x : nodes) values.push_back(value(x));
    return toml_list(values, indent);
  }

  void parameters() {
    if (model_.parameters.empty()) return;
    header("parameters");
    for (const auto& [name, node] : model_.parameters)
      entry(names_.parameters.at(name),
            toml_value(ordered_text(*model_.graph, node, {}, model_.name + ": the parameter '" + name + "'")));
  }

  void coordinates() {
    header("coordinates");
    if (!names_.coordinates.empty()) {
      std::vector<std::string> quoted;
      for (const std::string& name : names_.coordinates) quoted.push_back(toml_string(name));
      entry("names", toml_list(quoted, 8));
    }
    for (std::size_t k = 0; k < model_.vectors.size(); ++k)
      entry(names_.vectors[k], "{ count = " + std::to_string(model_.vectors[k].count) +
                                   ", dim = " + std::to_string(model_.vectors[k].dim) + " }");
  }

  void abbreviations() {
    if (formulas_.let().empty()) return;
    header("let");
    for (const auto& [name, text] : formulas_.let()) entry(name, toml_value(text));
  }

  void field() {
    const FieldFormulas& rates = *model_.field;
    const bool parts = !rates.variables_in_p.empty();
    header("field");
    if (rates.energy) entry("energy", value(*rates.energy));
    if (parts) header("field.q");
    for (std::size_t i = 0; i < names_.coordinates.size(); ++i) entry(names_.coordinates[i], value(rates.q_rate[i]));
    if (parts) header("field.p");
    for (std::size_t i = 0; i < names_.variables_in_p.size(); ++i)
      entry(names_.variables_in_p[i], value(rates.p_rate[i]));
  }

  void energy() {
    header("energy");
    std::vector<std::size_t> sums;
    for (std::size_t k = 0; k < model_.terms.size(); ++k)
      if (model_.terms[k].role == Role::energy && model_.terms[k].rows > 0) sums.push_back(k);
    if (model_.hamiltonian) {
      if (!sums.empty()) throw InputError(model_.name + ": a hamiltonian with sums over tables is in no model file");
      entry("hamiltonian", value(*model_.hamiltonian));
      return;
    }
    if (model_.kinetic)
      entry("kinetic", value(*model_.kinetic));
    else
      mass();
    // A part that uses items is a term of its own; those that come first stand where they would be read first.
    auto next = sums.begin();
    const auto part = [&](NodeId own, bool fast) {
      const bool taken =
          own == Graph::zero && next != sums.end() && model_.terms[*next].single && model_.terms[*next].fast == fast;
      return taken ? value(model_.terms[*next++].kernel) : value(own);
    };
    if (model_.slow_potential && model_.fast_potential) {
      const std::string fast = part(*model_.fast_potential, true), slow = part(*model_.slow_potential, false);
      entry("potential", "{ slow = " + slow + ", fast = " + fast + " }");
    } else {
      const std::string potential = part(model_.potential.value_or(Graph::zero), false);
      if (potential != "0" || next == sums.end()) entry("potential", potential);
    }
    for (; next != sums.end(); ++next) {
      const MappedTerm& term = model_.terms[*next];
      line("\n[[energy.sum]]");
      if (!term.name.empty()) entry("name", toml_string(term.name));
      if (term.fast) line("part = \"fast\"");
      out_ += term.single ? "term = " + value(term.kernel) + "\n"
                          : terms_.with_table(term, "term", names_.free_prefix("w"));
    }
  }

  void mass() {
    if (model_.mass_table) {
      const MassTable& table = *model_.mass_table;
      const auto numbers = [](const std::vector<std::int32_t>& places) {
        std::vector<std::string> cells;
        for (const std::int32_t x : places) cells.push_back(std::to_string(x));
        return toml_list(cells, 9);
      };
      std::vector<std::string> entries;
      for (const std::string& cell : table.text) entries.push_back(toml_number(cell));
      line("mass.i = " + numbers(table.row));
      line("mass.j = " + numbers(table.column));
      line("mass.m = " + toml_list(entries, 9));
      return;
    }
    const std::size_t n = model_.q.size();
    if (!model_.vectors.empty()) {
      if (model_.mass.size() != n)
        throw InputError(model_.name +
                         ": beside vector coordinates, a model file has one mass for each other coordinate");
      for (std::size_t i = 0; i < n; ++i) line("mass." + names_.coordinates[i] + " = " + value(model_.mass[i]));
      for (std::size_t k = 0; k < model_.vectors.size(); ++k) {
        const VectorCoordinate& v = model_.vectors[k];
        line("mass." + names_.vectors[k] + " = " + of_item(v, v.mass, "the mass of '" + v.name + "'"));
      }
      return;
    }
    if (model_.mass.size() == n) return entry("mass", list(model_.mass, 7));
    line("mass = [");
    for (std::size_t i = 0; i < n; ++i) {
      const auto row = model_.mass.begin() + static_cast<std::ptrdiff_t>(i * n);
      line("  " + list(Nodes(row, row + static_cast<std::ptrdiff_t>(n)), 2) + (i + 1 < n ? "," : "]"));
    }
  }
  std::string of_item(const VectorCoordinate& v, NodeId x, const std::string& what) const {
    return toml_value(ordered_text(*model_.graph, x, {{v.item, "i"}}, model_.name + ": " + what));
  }

  // Those with names alone, then the terms. A list of tables holds what has a table, or names of its own, and all that
  // comes after it.
  void named_formulas(const std::string& table, const std::string& list_key, const std::string& key,
                      const std::vector<Named>& named, const std::vector<std::string>& names, Role role) {
    std::string alone, listed;
    const std::string next_table = "\n[[" + table + "." + list_key + "]]\nname = ";
    const auto add = [&](const std::string& name, const FormulaOfModel& f, bool& in_list) {
      in_list = in_list || !f.where.empty();
      if (in_list)
        listed += next_table + toml_string(name) + "\n" + f.where + key + " = " + f.value + "\n";
      else
        alone += name + " = " + f.value + "\n";
    };
    bool in_list = false;
    for (std::size_t k = 0; k < named.size(); ++k) add(names[k], formulas_.formula(named[k].node), in_list);
    in_list = false;
    for (std::size_t k = 0; k < model_.terms.size(); ++k) {
      const MappedTerm& term = model_.terms[k];
      if (term.role != role || term.rows == 0) continue;
      if (term.single) {
        add(names_.terms[k], formulas_.formula(term), in_list);
        continue;
      }
      in_list = true;
      listed +=
          next_table + toml_string(names_.terms[k]) + "\n" + terms_.with_table(term, key, names_.free_prefix("w"));
    }
    if (!alone.empty()) header(table);
    out_ += alone + listed;
  }

  void phase_constraints() {
    if (model_.phase_constraints.empty()) return;
    header("phase_constraints");
    for (std::size_t k = 0; k < model_.phase_constraints.size(); ++k)
      entry(names_.phase_constraints[k], value(model_.phase_constraints[k].node));
  }

  void events() {
    if (model_.events.empty()) return;
    header("events");
    for (std::size_t k = 0; k < model_.events.size(); ++k) {
      const EventFormula& e = model_.events[k];
      const auto term = std::find_if(model_.terms.begin(), model_.terms.end(), [&](const MappedTerm& t) {
        return t.role == Role::event && t.event == static_cast<int>(k);
      });
      const std::string zero = value(term == model_.terms.end() ? e.node : term->kernel);
      if (e.direction == Direction::both && !e.stop) {
        entry(names_.events[k], zero);
        continue;
      }
      const char* direction = e.direction == Direction::up     ? ", direction = \"up\""
                              : e.direction == Direction::down ? ", direction = \"down\""
                                                               : "";
      entry(names_.events[k], "{ zero = " + zero + direction + (e.stop ? ", stop = true" : "") + " }");
    }
  }

  void chart() {
    const ChartFormulas& chart = model_.chart;
    if (chart.names.empty()) return;
    std::vector<NamedInput> delta;
    std::vector<std::string> quoted;
    for (std::size_t k = 0; k < chart.names.size(); ++k) {
      delta.push_back({chart.delta[k], names_.chart[k]});
      quoted.push_back(toml_string(names_.chart[k]));
    }
    const FormulaTexts texts = ordered_texts(*model_.graph, chart.q, delta, names_.free_prefix("w"));
    header("chart");
    entry("names", toml_list(quoted, 8));
    out_ += TermText::where(texts.let);
    for (std::size_t i = 0; i < chart.q.size(); ++i)
      line("q." + names_.coordinates[i] + " = " + toml_value(texts.formulas[i]));
    for (std::size_t k = 0; k < chart.near.size(); ++k)
      if (chart.near[k] != Graph::zero) line("near." + names_.chart[k] + " = " + value(chart.near[k]));
  }

  // Coordinates of a list, such as flip: "p_x"; of a vector "p_r", "p_r.y", "p_r[3]", "p_r[3].y"
  void select(const std::vector<bool>& chosen, const std::string& prefix, std::vector<std::string>& into) const {
    const auto is_chosen = [&](int i) {
      return static_cast<std::size_t>(i) < chosen.size() && chosen[static_cast<std::size_t>(i)];
    };
    for (std::size_t i = 0; i < names_.coordinates.size(); ++i)
      if (is_chosen(static_cast<int>(i))) into.push_back(toml_string(prefix + names_.coordinates[i]));
    for (std::size_t k = 0; k < model_.vectors.size(); ++k) {
      const VectorCoordinate& v = model_.vectors[k];
      const std::string name = prefix + names_.vectors[k];
      std::vector<int> of_component(static_cast<std::size_t>(v.dim));
      for (int at = 0; at < v.size(); ++at)
        of_component[static_cast<std::size_t>(at % v.dim)] += is_chosen(v.offset + at);
      const auto is_whole = [&](int c) { return of_component[static_cast<std::size_t>(c)] == v.count; };
      if (std::all_of(of_component.begin(), of_component.end(), [&](int count) { return count == v.count; })) {
        into.push_back(toml_string(name));
        continue;
      }
      for (int c = 0; c < v.dim; ++c)
        if (is_whole(c)) into.push_back(toml_string(name + "." + "xyz"[c]));
      for (int at = 0; at < v.size(); ++at)
        if (is_chosen(v.offset + at) && !is_whole(at % v.dim))
          into.push_back(toml_string(name + "[" + std::to_string(at / v.dim) + "]." + "xyz"[at % v.dim]));
    }
  }

  void reversal() {
    if (!model_.reversal_given) return;
    std::vector<std::string> flipped;
    if (model_.field) {
      for (std::size_t i = 0; i < names_.coordinates.size(); ++i)
        if (model_.flip_q.at(i)) flipped.push_back(toml_string(names_.coordinates[i]));
      for (std::size_t i = 0; i < names_.variables_in_p.size(); ++i)
        if (model_.flip_p.at(i)) flipped.push_back(toml_string(names_.variables_in_p[i]));
    } else {
      select(model_.flip_q, "", flipped);
      select(model_.flip_p, "p_", flipped);
    }
    header("reversal");
    entry("flip", toml_list(flipped, 7));
  }

  void initial() {
    if (model_.field) {
      header("initial");
      for (std::size_t i = 0; i < names_.coordinates.size(); ++i) entry(names_.coordinates[i], value(model_.q0[i]));
      for (std::size_t i = 0; i < names_.variables_in_p.size(); ++i)
        entry(names_.variables_in_p[i], value(model_.start[i]));
      return;
    }
    if (!model_.keep_q.empty() || !model_.keep_v.empty()) {
      std::vector<std::string> kept;
      for (const auto& [list_of, prefix] : {std::pair{&model_.keep_q, ""}, std::pair{&model_.keep_v, "v_"}}) {
        std::vector<bool> chosen(static_cast<std::size_t>(model_.n()));
        for (const int i : *list_of) chosen.at(static_cast<std::size_t>(i)) = true;
        select(chosen, prefix, kept);
      }
      header("initial");
      entry("project", "{ keep = " + toml_list(kept, 19) + " }");
    } else if (model_.project) {
      header("initial");
      line("project = true");
    }
    header("initial.q");
    values(model_.q0, true);
    const bool at_rest =
        std::all_of(model_.start.begin(), model_.start.end(), [](NodeId x) { return x == Graph::zero; }) &&
        std::all_of(model_.vectors.begin(), model_.vectors.end(), is_at_rest);
    if (at_rest && !model_.start_is_velocity) return;
    header(model_.start_is_velocity ? "initial.v" : "initial.p");
    values(model_.start, false);
  }
  static bool is_at_rest(const VectorCoordinate& v) {
    return v.start_table.empty() &&
           std::all_of(v.start.begin(), v.start.end(), [](NodeId x) { return x == Graph::zero; });
  }

  void values(const Nodes& named, bool position) {
    for (std::size_t i = 0; i < named.size(); ++i)
      if (position || named[i] != Graph::zero) entry(names_.coordinates[i], value(named[i]));
    for (std::size_t k = 0; k < model_.vectors.size(); ++k) {
      const VectorCoordinate& v = model_.vectors[k];
      if (!position && is_at_rest(v)) continue;
      const auto& table = position ? v.q0_table : v.start_table;
      for (std::size_t c = 0; c < table.size(); ++c) {
        const std::string start = names_.vectors[k] + "." + "xyz"[c] + " = ";
        std::vector<std::string> cells;
        for (const std::string& cell : table[c]) cells.push_back(toml_number(cell));
        line(start + toml_list(cells, start.size()));
      }
      if (!table.empty()) continue;
      std::vector<std::string> formulas;
      for (const NodeId x : position ? v.q0 : v.start)
        formulas.push_back(of_item(v, x, "the initial values of '" + v.name + "'"));
      if (formulas.empty()) formulas.resize(static_cast<std::size_t>(v.dim), "0");
      entry(names_.vectors[k], toml_list(formulas, names_.vectors[k].size() + 3));
    }
  }

  void integrate() {
    header("integrate");
    entry("method", toml_string(model_.method));
    if (model_.step) entry("step", value(*model_.step));
    if (model_.until) entry("until", value(*model_.until));
    if (model_.every != 1) entry("every", std::to_string(model_.every));
  }

  // Abbreviations have other names now: their units are left out.
  void units() {
    std::map<std::string, std::string, std::less<>> plain{{"t", "t"}};
    const auto add = [&](const std::string& name, const std::string& plain_name) { plain.emplace(name, plain_name); };
    const auto add_all = [&](const std::vector<std::string>& list_of, const std::vector<std::string>& plain_names,
                             bool motion) {
      for (std::size_t i = 0; i < list_of.size(); ++i)
        for (const std::string prefix : {"", "p_", "v_"})
          if (prefix.empty() || motion) add(prefix + list_of[i], prefix + plain_names[i]);
    };
    add_all(model_.coordinates, names_.coordinates, !model_.field);
    if (model_.field) add_all(model_.field->variables_in_p, names_.variables_in_p, false);
    std::vector<std::string> vectors;
    for (const VectorCoordinate& v : model_.vectors) vectors.push_back(v.name);
    add_all(vectors, names_.vectors, true);
    add_all(model_.chart.names, names_.chart, false);
    for (const auto& [name, plain_name] : names_.parameters) add(name, plain_name);
    const auto add_named = [&](const std::vector<Named>& named, const std::vector<std::string>& plain_names) {
      for (std::size_t k = 0; k < named.size(); ++k) add(named[k].name, plain_names[k]);
    };
    add_named(model_.constraints, names_.constraints);
    add_named(model_.invariants, names_.invariants);
    add_named(model_.observables, names_.observables);
    for (std::size_t k = 0; k < model_.terms.size(); ++k)
      if (model_.terms[k].role != Role::event) add(model_.terms[k].name, names_.terms[k]);
    bool first = true;
    for (const auto& [name, unit] : model_.units) {
      const auto it = plain.find(name);
      if (it == plain.end()) continue;
      if (std::exchange(first, false)) header("units");
      entry(it->second, toml_string(unit));
    }
  }

  void other_names() {
    if (names_.plain.empty()) return;
    header("names");
    for (const auto& [plain_name, name] : names_.plain) entry(plain_name, toml_string(name));
  }

  const Model& model_;
  const ViewFormulas& view_;
  TomlNames names_;
  TermText terms_;
  FormulasOfModel formulas_;
  std::string out_;
};

}  // namespace

std::string toml_text(const Model& model) { return toml_text(model, {}); }

std::string toml_text(const Model& model, const ViewFormulas& view) {
  validate(model);
  return ModelText(model, view).write();
}

}  // namespace holonom
