#include "toml_model_formulas.hpp"

#include <algorithm>

#include "holonom/expr/derivative.hpp"
#include "nodes.hpp"
#include "toml_view.hpp"
#include "toml_words.hpp"

namespace holonom {

namespace {
using From = MappedTerm::Gather::From;
}  // namespace

FormulasOfModel::FormulasOfModel(const Model& model, const ViewFormulas& view, const TomlNames& names,
                                 const TermText& terms)
    : model_(model), names_(names), terms_(terms) {
  name_inputs();
  write(view);
}

void FormulasOfModel::name_inputs() {
  const auto add = [](std::vector<OrderedInput>& into, From from, const std::string& prefix, const Nodes& inputs,
                      const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < std::min(inputs.size(), names.size()); ++i)
      into.push_back({static_cast<int>(from), static_cast<long>(i), inputs[i], prefix + names[i]});
  };
  const bool field = model_.field.has_value();
  add(inputs_, From::position, "", model_.q, names_.coordinates);
  add(inputs_, From::momentum, field ? "" : "p_", model_.p, field ? names_.variables_in_p : names_.coordinates);
  if (!field) add(inputs_, From::velocity, "v_", model_.v, names_.coordinates);
  inputs_of_state_ = inputs_;
  add(inputs_, From::multiplier, "lambda_", model_.lambda, names_.constraints);
  add(inputs_, From::energies, "", model_.energies, {"kinetic", "potential"});
  for (std::size_t k = inputs_of_state_.size(); k < inputs_.size(); ++k) of_observables_.push_back(inputs_[k].input);
}

bool FormulasOfModel::is_for_observables(NodeId formula) const {
  return depends_on(*model_.graph, std::span(&formula, 1), of_observables_);
}
bool FormulasOfModel::is_for_observables(const MappedTerm& term) {
  return std::any_of(term.gathers.begin(), term.gathers.end(),
                     [](const auto& g) { return g.from == From::multiplier || g.from == From::energies; });
}

void FormulasOfModel::write(const ViewFormulas& view) {
  Nodes roots = formulas_of(view);
  const auto add = [&](const Nodes& nodes) { roots.insert(roots.end(), nodes.begin(), nodes.end()); };
  for (const auto& x : {model_.hamiltonian, model_.kinetic, model_.step, model_.until})
    if (x) roots.push_back(*x);
  if (model_.slow_potential && model_.fast_potential)
    add({*model_.slow_potential, *model_.fast_potential});
  else
    roots.push_back(model_.potential.value_or(Graph::zero));
  add(model_.mass);
  if (model_.field) {
    add(model_.field->q_rate);
    add(model_.field->p_rate);
    if (model_.field->energy) roots.push_back(*model_.field->energy);
  }
  for (const auto* named : {&model_.constraints, &model_.phase_constraints, &model_.invariants, &model_.observables})
    for (const Named& x : *named)
      if (!is_for_observables(x.node)) roots.push_back(x.node);
  for (const EventFormula& e : model_.events) roots.push_back(e.node);
  add(model_.q0);
  add(model_.start);
  add(model_.chart.near);
  std::vector<OrderedInput> inputs = inputs_of_state_;
  for (const MappedTerm& term : model_.terms) {
    if (!term.single || is_for_observables(term)) continue;
    roots.push_back(term.kernel);
    const std::vector<OrderedInput> own = terms_.inputs_of_single(term);
    inputs.insert(inputs.end(), own.begin(), own.end());
  }
  FormulaTexts texts = ordered_texts(*model_.graph, roots, in_order(std::move(inputs)), names_.free_prefix("s"));
  let_ = std::move(texts.let);
  for (std::size_t k = 0; k < roots.size(); ++k) text_[roots[k]] = std::move(texts.formulas[k]);
}

FormulaOfModel FormulasOfModel::with_own_names(NodeId x, std::vector<OrderedInput> inputs) const {
  const FormulaTexts texts =
      ordered_texts(*model_.graph, std::span(&x, 1), in_order(std::move(inputs)), names_.free_prefix("w"));
  return {TermText::where(texts.let), toml_value(texts.formulas.front())};
}

std::string FormulasOfModel::value(NodeId x) const { return toml_value(text_.at(x)); }

FormulaOfModel FormulasOfModel::formula(NodeId x) const {
  return is_for_observables(x) ? with_own_names(x, inputs_) : FormulaOfModel{{}, value(x)};
}
FormulaOfModel FormulasOfModel::formula(const MappedTerm& single) const {
  return is_for_observables(single) ? with_own_names(single.kernel, terms_.inputs_of_single(single))
                                    : FormulaOfModel{{}, value(single.kernel)};
}

}  // namespace holonom
