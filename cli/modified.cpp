// holonom modified: the modified equation of a method on a model, and its Hamiltonian, as formulas.
#include <algorithm>
#include <cstdio>

#include "commands.hpp"
#include "holonom/analysis/modified_equation.hpp"
#include "holonom/expr/formula_text.hpp"
#include "holonom/expr/zero_prover.hpp"
#include "holonom/json.hpp"
#include "holonom/run/preparation.hpp"
#include "options.hpp"

namespace holonom {

namespace {

struct ModifiedOptions {
  RunSpec spec;
  int terms = 3;
  std::vector<std::string> set;
  bool json = false;
};

// The formulas in words: those of F_1, of H_1, of F_2, ...
struct Written {
  std::vector<std::string> variables;
  FormulaTexts texts;
  std::size_t terms = 0;
  bool has_H = false;

  std::size_t per_term() const { return variables.size() + (has_H ? 1 : 0); }
  const std::string& F(std::size_t j, std::size_t i) const { return texts.formulas[j * per_term() + i]; }
  const std::string& H(std::size_t j) const { return texts.formulas[j * per_term() + variables.size()]; }
};

// y without what fills up the parts of a field
struct Variable {
  std::string name;
  std::size_t place;  // in y = (q, p)
};
std::vector<Variable> variables_of(const Model& model) {
  std::vector<Variable> list;
  for (std::size_t i = 0; i < model.coordinates.size(); ++i) list.push_back({model.coordinates[i], i});
  std::vector<std::string> in_p;
  if (model.field) {
    in_p = model.field->variables_in_p;
  } else {
    for (const std::string& name : model.coordinates) in_p.push_back("p_" + name);
  }
  for (std::size_t i = 0; i < in_p.size(); ++i) list.push_back({in_p[i], model.q.size() + i});
  return list;
}

// "s", or more of them if variables are called s1, s2, ...
std::string free_prefix(const std::vector<Variable>& variables) {
  std::string prefix = "s";
  while (std::any_of(variables.begin(), variables.end(), [&](const Variable& v) { return v.name.starts_with(prefix); }))
    prefix += "s";
  return prefix;
}

Written write(const Model& model, const ModifiedEquation& equation, bool for_people) {
  Graph& g = *model.graph;
  Written result;
  InputNames names;
  const std::vector<Variable> variables = variables_of(model);
  for (const Variable& v : variables) {
    result.variables.push_back(v.name);
    names[equation.y[v.place]] = v.name;
  }
  result.terms = equation.F.size();
  result.has_H = !equation.H.empty();
  std::vector<NodeId> formulas;
  const auto add = [&](NodeId y) { formulas.push_back(ZeroProver(g).simplified(y)); };
  for (std::size_t j = 0; j < result.terms; ++j) {
    for (const Variable& v : variables) add(equation.F[j][v.place]);
    if (result.has_H) add(equation.H[j]);
  }
  FormulaStyle style;
  style.abbreviation = free_prefix(variables);
  if (for_people) style.digits = 8;
  result.texts = formula_texts(g, formulas, names, style);
  return result;
}

std::string to_json(const Model& model, const MethodInfo& method, const Written& w) {
  Json json;
  json.begin().text("model", model.name).text("method", method.key).integer("order", method.order);
  json.begin_list("variables");
  for (const std::string& name : w.variables) json.text("", name);
  json.end_list().begin_list("let");
  for (const auto& [name, formula] : w.texts.let) json.begin().text("name", name).text("formula", formula).end();
  json.end_list().begin_list("terms");
  for (std::size_t j = 0; j < w.terms; ++j) {
    json.begin().integer("power", static_cast<long long>(j)).begin("F");
    for (std::size_t i = 0; i < w.variables.size(); ++i) json.text(w.variables[i], w.F(j, i));
    json.end();
    if (w.has_H)
      json.text("H", w.H(j));
    else
      json.null("H");
    json.end();
  }
  json.end_list().end();
  return json.str();
}

void print(const Model& model, const MethodInfo& method, const Written& w) {
  std::printf("%s: the modified equation of %s, y' = F_1 + h F_2 + h^2 F_3 + ...\n", model.name.c_str(),
              method.key.c_str());
  if (w.has_H) std::printf("and its Hamiltonian, H_1 + h H_2 + h^2 H_3 + ...\n");
  int width = 0;
  for (const std::string& name : w.variables) width = std::max(width, static_cast<int>(name.size()) + 1);
  for (std::size_t j = 0; j < w.terms; ++j) {
    std::printf("\n");
    std::string head = "F_" + std::to_string(j + 1);
    const auto line = [&](const std::string& what, const std::string& formula) {
      std::printf("  %-5s %-*s  %s\n", head.c_str(), width, what.c_str(), formula.c_str());
      head.clear();
    };
    bool vanishes = true;
    for (std::size_t i = 0; i < w.variables.size(); ++i) vanishes = vanishes && w.F(j, i) == "0";
    if (vanishes)
      line("", "0");
    else
      for (std::size_t i = 0; i < w.variables.size(); ++i) line(w.variables[i] + "'", w.F(j, i));
    if (!w.has_H) continue;
    head = "H_" + std::to_string(j + 1);
    line("", w.H(j));
  }
  if (w.texts.let.empty()) return;
  std::printf("\nwhere\n");
  for (const auto& [name, formula] : w.texts.let) std::printf("  %s = %s\n", name.c_str(), formula.c_str());
}

int modified_command(const ModifiedOptions& o) {
  const Model model = load_model(o.spec.model, changes(o.set));
  const MethodInfo method = find_method(o.spec, model).info;
  const Written written = write(model, modified_equation(model, method.key, o.terms), !o.json);
  if (o.json)
    std::printf("%s\n", to_json(model, method, written).c_str());
  else
    print(model, method, written);
  return exit_done;
}

}  // namespace

void add_modified(CLI::App& app, Command& chosen) {
  auto o = std::make_shared<ModifiedOptions>();
  CLI::App* cmd = app.add_subcommand(
      "modified", "Print the equation that a method solves exactly, and its Hamiltonian, term by term as formulas");
  cmd->add_option("MODEL", o->spec.model, "A model file (TOML) without constraints")->required();
  cmd->add_option("--method", o->spec.method, "The method; see 'holonom methods'");
  cmd->add_option("--terms", o->terms, "How many terms (default: 3)")->check(at_least(1));
  cmd->add_flag("--json", o->json, "Print JSON, with exact formulas in the language of model files");
  add_set_option(*cmd, o->set);
  cmd->callback([o, &chosen] { chosen = [o] { return modified_command(*o); }; });
}

}  // namespace holonom
