#include "toml_names.hpp"

#include <algorithm>
#include <functional>

#include "holonom/expr/parser.hpp"

namespace holonom {

namespace {

using Names = std::set<std::string, std::less<>>;
using Role = MappedTerm::Role;

std::string as_identifier(std::string_view name) {
  std::string result;
  for (const char c : name) {
    const bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (good)
      result += c;
    else if (!result.empty() && result.back() != '_')
      result += '_';
  }
  while (result.ends_with('_')) result.pop_back();
  if (result.empty()) return "name";
  return is_valid_name(result) ? result : "_" + result;
}

// Gives each name a plain one: the same if `may_be` allows it.
class Choice {
 public:
  explicit Choice(TomlNames& names, const Names& wanted) : names_(names), wanted_(wanted) {}

  std::string operator()(const std::string& name, const std::function<bool(const std::string&)>& may_be) {
    if (is_valid_name(name) && may_be(name)) return name;
    const std::string stem = as_identifier(name);
    for (int k = 1;; ++k) {
      std::string other = k == 1 ? stem : stem + "_" + std::to_string(k);
      if (wanted_.contains(other) || given_.contains(other) || !may_be(other)) continue;
      given_.insert(other);
      names_.plain.emplace_back(other, name);
      return other;
    }
  }

 private:
  TomlNames& names_;
  const Names& wanted_;  // names of the model, which a plain one must not take from each other
  Names given_;
};

Names names_of(const Model& model) {
  Names all(model.coordinates.begin(), model.coordinates.end());
  for (const auto* list : {&model.constraints, &model.phase_constraints, &model.invariants, &model.observables})
    for (const Named& x : *list) all.insert(x.name);
  for (const VectorCoordinate& v : model.vectors) all.insert(v.name);
  for (const MappedTerm& term : model.terms) all.insert(term.name);
  for (const EventFormula& e : model.events) all.insert(e.name);
  for (const auto& [name, node] : model.parameters) all.insert(name);
  all.insert(model.chart.names.begin(), model.chart.names.end());
  if (model.field) all.insert(model.field->variables_in_p.begin(), model.field->variables_in_p.end());
  return all;
}

}  // namespace

TomlNames::TomlNames(const Model& model) {
  const Names wanted = names_of(model);
  Choice choose(*this, wanted);
  const bool field = model.field.has_value();
  const auto is_free = [&](const std::string& name) {
    return name != "t" && name != "pi" && !is_function_name(name) && !in_formulas.contains(name);
  };
  // Formulas of observables know the two energies by these names.
  if (!model.energies.empty()) in_formulas = {"kinetic", "potential"};
  Names columns{"t", "energy", "position_residual", "hidden_residual"};
  const auto coordinate = [&](const std::string& name) {
    std::string plain_name = choose(name, [&](const std::string& x) {
      return is_free(x) && !columns.contains(x) && x != "names" && (field || (is_free("p_" + x) && is_free("v_" + x)));
    });
    in_formulas.insert(plain_name);
    columns.insert(plain_name);
    if (field) return plain_name;
    in_formulas.insert({"p_" + plain_name, "v_" + plain_name});
    columns.insert("p_" + plain_name);
    return plain_name;
  };
  for (const std::string& name : model.coordinates) coordinates.push_back(coordinate(name));
  if (field)
    for (const std::string& name : model.field->variables_in_p) variables_in_p.push_back(coordinate(name));
  for (const VectorCoordinate& v : model.vectors) vectors.push_back(coordinate(v.name));
  const auto in_formula = [&](const std::string& name) {
    std::string plain_name = choose(name, is_free);
    in_formulas.insert(plain_name);
    return plain_name;
  };
  for (const auto& [name, node] : model.parameters) parameters.emplace(name, in_formula(name));
  for (const std::string& name : model.chart.names) chart.push_back(in_formula(name));

  const auto constraint = [&](const std::string& name) {
    std::string plain_name = choose(name, [&](const std::string& x) { return x != "stack" && is_free("lambda_" + x); });
    in_formulas.insert("lambda_" + plain_name);
    columns.insert("lambda_" + plain_name);
    return plain_name;
  };
  const auto column = [&](const std::string& name) {
    std::string plain_name = choose(name, [&](const std::string& x) { return x != "sum" && !columns.contains(x); });
    columns.insert(plain_name);
    return plain_name;
  };
  const auto unique_in = [&](Names& taken, const std::string& name) {
    std::string plain_name = choose(name, [&](const std::string& x) { return !taken.contains(x); });
    taken.insert(plain_name);
    return plain_name;
  };
  Names phases, moments;
  terms.resize(model.terms.size());
  const auto of_terms = [&](Role role, const auto& take) {
    for (std::size_t k = 0; k < terms.size(); ++k)
      if (model.terms[k].role == role) terms[k] = take(model.terms[k].name);
  };
  for (const Named& c : model.constraints) constraints.push_back(constraint(c.name));
  of_terms(Role::constraint, constraint);
  for (const Named& c : model.phase_constraints) phase_constraints.push_back(unique_in(phases, c.name));
  for (const Named& i : model.invariants) invariants.push_back(column(i.name));
  of_terms(Role::invariant, column);
  for (const Named& o : model.observables) observables.push_back(column(o.name));
  of_terms(Role::observable, column);
  for (const EventFormula& e : model.events) events.push_back(unique_in(moments, e.name));
  of_terms(Role::energy, [](const std::string& name) { return name; });
}

std::string TomlNames::fresh(const std::string& wish) const {
  for (int k = 1;; ++k) {
    std::string name = k == 1 ? wish : wish + std::to_string(k);
    if (!in_formulas.contains(name) && name != "t" && name != "pi" && !is_function_name(name)) return name;
  }
}

std::string TomlNames::free_prefix(const std::string& wish) const {
  const auto is_taken = [&](const std::string& prefix) {
    return std::any_of(in_formulas.begin(), in_formulas.end(), [&](const std::string& name) {
      return name.size() > prefix.size() && name.starts_with(prefix) &&
             name.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
    });
  };
  std::string prefix = wish;
  while (is_taken(prefix)) prefix += "_";
  return prefix;
}

}  // namespace holonom
