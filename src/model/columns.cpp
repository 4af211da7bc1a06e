#include "holonom/model/columns.hpp"

#include <algorithm>
#include <map>

namespace holonom {

namespace {

constexpr std::string_view every_output[] = {"t", "energy", "position_residual", "hidden_residual"};

// f(column, what it is the column of, where the model says it)
template <class F>
void each_column(const Model& model, F&& f) {
  for (const std::string_view column : every_output) f(std::string(column), "", "");
  const auto of_coordinate = [&](const std::string& name, const char* kind) {
    const std::string what = std::string("the ") + kind + " '" + name + "'";
    f(name, what, "coordinates");
    if (!model.field) f("p_" + name, what, "coordinates");
  };
  for (const std::string& c : model.coordinates) of_coordinate(c, model.field ? "variable" : "coordinate");
  if (model.field)
    for (const std::string& c : model.field->variables_in_p) of_coordinate(c, "variable");
  for (const VectorCoordinate& v : model.vectors) of_coordinate(v.name, "vector");
  for (const Named& c : model.constraints)
    f("lambda_" + c.name, "the constraint '" + c.name + "'", "constraints." + c.name);
  for (const Named& i : model.invariants) f(i.name, "the invariant '" + i.name + "'", "invariants." + i.name);
  for (const Named& o : model.observables) f(o.name, "the observable '" + o.name + "'", "observables." + o.name);
  for (const MappedTerm& t : model.terms) {
    if (t.role == MappedTerm::Role::constraint)
      f("lambda_" + t.name, "the constraint '" + t.name + "'", "constraints." + t.name);
    if (t.role == MappedTerm::Role::invariant) f(t.name, "the invariant '" + t.name + "'", "invariants." + t.name);
    if (t.role == MappedTerm::Role::observable) f(t.name, "the observable '" + t.name + "'", "observables." + t.name);
  }
}

}  // namespace

bool is_in_every_output(std::string_view column) {
  return std::find(std::begin(every_output), std::end(every_output), column) != std::end(every_output);
}

std::set<std::string> output_columns(const Model& model) {
  std::set<std::string> columns;
  each_column(model,
              [&](const std::string& column, const std::string&, const std::string&) { columns.insert(column); });
  return columns;
}

void check_columns(const Model& model) {
  std::map<std::string, std::string> owner;
  each_column(model, [&](const std::string& column, const std::string& what, const std::string& where) {
    const auto [first, is_new] = owner.emplace(column, what);
    if (is_new) return;
    const std::string& other = first->second;
    throw InputError(model.place(where) + what + " needs another name: outputs have a column '" + column + "' already" +
                     (other.empty() ? "" : ", that of " + other));
  });
}

}  // namespace holonom
