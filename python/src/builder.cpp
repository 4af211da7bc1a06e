// Names and formulas of a model under construction.
#include "builder.hpp"

#include <algorithm>

#include "holonom/expr/derivative.hpp"

namespace py = pybind11;

namespace holonom {

Builder::Builder(std::shared_ptr<Model> model)
    : model_(std::move(model)),
      home_(std::make_shared<Formulary>(Formulary{model_->graph, {}})),
      items_(*model_),
      scope_{model_->graph.get(), {}, model_->q, model_->v} {
  scope_.gather = [this](std::string_view name, NodeId index) {
    FormulaValue value = items_.gather(name, index);
    name_items(std::string(name), index);
    return value;
  };
  scope_.item_rates = [this](NodeId formula, std::vector<NodeId>& q, std::vector<NodeId>& v) {
    items_.add_rates(formula, q, v);
  };
  learn_names();
}

// Of a model that was read from a file, or of a copy.
void Builder::learn_names() {
  started_ = !model_->q0.empty() || !model_->text.empty() ||
             std::any_of(model_->vectors.begin(), model_->vectors.end(), [](const VectorCoordinate& v) {
               const auto given = [](NodeId x) { return x != Graph::zero; };
               return !v.q0_table.empty() || std::any_of(v.q0.begin(), v.q0.end(), given);
             });
  const auto learn = [&](const std::string& name, NodeId x, From from) {
    scope_.names.emplace(name, Expr{scope_.graph, x});
    home_->names[x] = name;
    kinds_[x] = from;
  };
  for (const auto& [name, x] : model_->parameters) scope_.names.emplace(name, Expr{scope_.graph, x});
  for (std::size_t i = 0; i < model_->coordinates.size(); ++i) {
    learn(model_->coordinates[i], model_->q[i], From::position);
    if (model_->field) continue;
    learn("p_" + model_->coordinates[i], model_->p[i], From::momentum);
    learn("v_" + model_->coordinates[i], model_->v[i], From::velocity);
  }
  if (model_->field) {
    const auto& in_p = model_->field->variables_in_p;
    for (std::size_t i = 0; i < in_p.size(); ++i) learn(in_p[i], model_->p[i], From::momentum);
    for (std::size_t i = 0; i < model_->coordinates.size(); ++i)
      variables_.push_back({model_->coordinates[i], model_->q[i], false});
    for (std::size_t i = 0; i < in_p.size(); ++i) variables_.push_back({in_p[i], model_->p[i], true});
  }
  for (const VectorCoordinate& v : model_->vectors) {
    items_.add_vector(v);
    for (const char* prefix : {"", "p_", "v_"}) scope_.vectors.push_back(prefix + v.name);
  }
  for (std::size_t k = 0; k < model_->chart.names.size(); ++k) {
    const NodeId x = model_->chart.delta[k];
    scope_.names.emplace(model_->chart.names[k], Expr{scope_.graph, x});
    home_->names[x] = model_->chart.names[k];
  }
  while (model_->lambda.size() < model_->constraints.size()) model_->lambda.push_back(model_->graph->input());
  for (std::size_t k = 0; k < model_->lambda.size(); ++k)
    learn("lambda_" + model_->constraints[k].name, model_->lambda[k], From::multiplier);
  for (const MappedTerm& term : model_->terms)
    if (term.role == Role::constraint) add_multiplier_array(term);
  while (model_->energies.size() < 2) model_->energies.push_back(model_->graph->input());
  learn("kinetic", model_->energies[0], From::energies);
  learn("potential", model_->energies[1], From::energies);
}

void Builder::name_items(const std::string& array, NodeId index) {
  const Items::Item& item = items_.item(array, index);
  const std::string base = array + "[" + formula_of({home_, index}) + "]";
  const bool numbers = items_.array(array)->dim == 0;
  for (std::size_t c = 0; c < item.x.size(); ++c) home_->names[item.x[c]] = numbers ? base : base + "." + "xyz"[c];
}

void Builder::add_multiplier_array(const MappedTerm& term) {
  int first = static_cast<int>(model_->constraints.size());
  for (const MappedTerm& other : model_->terms) {
    if (&other == &term) break;
    if (other.role == Role::constraint) first += other.rows;
  }
  const std::string name = "lambda_" + term.name;
  items_.add_array({name, From::multiplier, term.rows, 0, first});
  if (term.single) {
    scope_.names.emplace(name, std::get<Expr>(scope_.gather(name, Graph::zero)));
    home_->names[items_.item(name, Graph::zero).x.front()] = name;
  } else {
    scope_.vectors.push_back(name);
  }
}

// ---- formulas

NodeId Builder::formula(py::handle x, const std::string& what) {
  if (PyUnicode_Check(x.ptr())) {
    const auto text = x.cast<std::string>();
    try {
      const FormulaValue value = parse_formula(text, scope_);
      if (const Expr* number = std::get_if<Expr>(&value)) return number->node;
      fail(what + " must be a number, not a vector");
    } catch (const FormulaError& e) {
      fail("in " + what + " \"" + text + "\", column " + std::to_string(e.offset + 1) + ": " + e.what());
    }
  }
  std::optional<NodeId> node;
  try {
    node = node_of(*home_, x);
  } catch (const InputError& e) {
    fail(what + ": " + e.what());
  }
  if (node) return *node;
  const auto type = py::str(py::type::handle_of(x).attr("__name__")).cast<std::string>();
  throw py::type_error(model_->name + ": " + what + " must be an expression, a number or a formula as text, not " +
                       (type == "ndarray" || type == "list" || type == "tuple" ? "an array (" + type + ")" : type));
}

NodeId Builder::constant(py::handle x, const std::string& what) {
  const NodeId node = formula(x, what);
  allow(node, what, {}, "it must not depend on coordinates, momenta or velocities");
  return node;
}

void Builder::allow(NodeId x, const std::string& what, std::initializer_list<From> kinds,
                    const std::string& remedy) const {
  const Graph& graph = *model_->graph;
  for (const NodeId i : graph.reachable(std::span(&x, 1))) {
    if (graph[i].op != Op::input) continue;
    const auto known = kinds_.find(i);
    if (known != kinds_.end() && std::find(kinds.begin(), kinds.end(), known->second) != kinds.end()) continue;
    const auto name = home_->names.find(i);
    const std::string used = name == home_->names.end() ? "a variable" : name->second;
    if (known == kinds_.end() && !items_.is_item(i))
      fail(what + " uses " + used + ", which is no coordinate: it belongs to a table or to the chart");
    fail(what + " uses " + used + ": " + remedy);
  }
}

void Builder::refuse_comparison(NodeId x, const std::string& what) const {
  const Graph& graph = *model_->graph;
  const NodeId y = graph[x].op == Op::sub && graph[x].a == Graph::one ? graph[x].b : x;  // a != b
  const Op op = graph[y].op;
  if (op == Op::less || op == Op::less_equal || op == Op::equal)
    fail(what + " is a comparison, which is 1 or 0: write the difference of its sides, which is zero along the motion");
}

// ---- names

void Builder::check_name(const std::string& name) const {
  if (!is_valid_name(name)) fail("'" + name + "' is not a name: use letters, digits and underscores");
  if (name == "t" || name == "pi") fail("the name '" + name + "' is reserved");
  if (is_function_name(name)) fail("'" + name + "' is the name of a function");
  const auto known = scope_.names.find(name);
  // `kinetic`, `potential` and multipliers give way to names of the model.
  const bool taken = known != scope_.names.end() && [&] {
    const Expr* x = std::get_if<Expr>(&known->second);
    const auto kind = x ? kinds_.find(x->node) : kinds_.end();
    return kind == kinds_.end() || (kind->second != From::energies && kind->second != From::multiplier);
  }();
  if (taken || items_.array(name)) fail("the name '" + name + "' is used twice");
}

void Builder::declare(const std::string& name, NodeId x) {
  check_name(name);
  scope_.names.insert_or_assign(name, Expr{scope_.graph, x});
}

void Builder::parameter(const std::string& name, py::handle value) {
  check_name(name);
  const NodeId x = constant(value, "parameter '" + name + "'");
  declare(name, x);
  model_->parameters[name] = x;
  changed();
}

void Builder::vector_parameter(const std::string& name, const std::vector<py::object>& components) {
  check_name(name);
  ExprVector u;
  for (const py::object& x : components) u.push_back({scope_.graph, constant(x, "parameter '" + name + "'")});
  if (u.empty()) fail("parameter '" + name + "' is a vector without components");
  scope_.names.insert_or_assign(name, std::move(u));
  changed();
}

// What has one value for each coordinate is said after the last of them.
void Builder::refuse_late(const std::string& name) const {
  const Model& m = *model_;
  const char* said = !m.mass.empty() || m.mass_table ? "the mass"
                     : started_                      ? "the start"
                     : m.reversal_given              ? "the reversal"
                     : !m.chart.q.empty()            ? "the chart"
                     : m.field                       ? "the field"
                                                     : nullptr;
  if (said) fail("the coordinate '" + name + "' comes too late: declare all coordinates before " + said);
}

PythonExpr Builder::coordinate(const std::string& name) {
  refuse_late(name);
  if (!model_->vectors.empty())
    fail("declare the coordinate '" + name + "' before the vector '" + model_->vectors.front().name +
         "': coordinates with names of their own come first");
  if (!variables_.empty()) fail("a field has variables, not coordinates: declare '" + name + "' as a variable");
  for (const char* prefix : {"", "p_", "v_"}) check_name(prefix + name);
  check_beside_outputs(name, "a coordinate");
  const Expr x = model_->coordinate(name);
  const std::pair<const char*, std::pair<NodeId, From>> all[] = {{"", {x.node, From::position}},
                                                                 {"p_", {model_->p.back(), From::momentum}},
                                                                 {"v_", {model_->v.back(), From::velocity}}};
  for (const auto& [prefix, input] : all) {
    declare(prefix + name, input.first);
    home_->names[input.first] = prefix + name;
    kinds_[input.first] = input.second;
  }
  scope_.q = model_->q;
  scope_.v = model_->v;
  changed();
  return expr(x.node);
}

void Builder::vector(const std::string& name, long count, long dim) {
  refuse_late(name);
  if (!variables_.empty()) fail("a field has variables with a name each: vector coordinates need an energy");
  for (const char* prefix : {"", "p_", "v_"}) check_name(prefix + name);
  check_beside_outputs(name, "a vector");
  if (count < 1) fail("the vector '" + name + "' needs a count of at least 1, not " + std::to_string(count));
  if (dim < 1 || dim > 3) fail("the vector '" + name + "' needs dim = 1, 2 or 3, not " + std::to_string(dim));
  constexpr double most = 2e9;  // indices have 32 bits
  if (static_cast<double>(count) * static_cast<double>(dim) + model_->n() > most)
    fail("more coordinates than can be counted");
  VectorCoordinate v;
  v.name = name;
  v.count = static_cast<int>(count);
  v.dim = static_cast<int>(dim);
  v.offset = model_->n();
  v.item = model_->graph->input();
  v.mass = Graph::zero;  // until it is given
  v.q0.assign(static_cast<std::size_t>(dim), Graph::zero);
  v.start = v.q0;
  items_.add_vector(v);
  for (const char* prefix : {"", "p_", "v_"}) scope_.vectors.push_back(prefix + name);
  model_->vectors.push_back(std::move(v));
  changed();
}

VectorCoordinate& Builder::find_vector(const std::string& name) const {
  for (VectorCoordinate& v : model_->vectors)
    if (v.name == name) return v;
  fail("there is no vector '" + name + "'");
}

PythonExpr Builder::item_number(const std::string& vector) {
  const NodeId i = find_vector(vector).item;
  home_->names[i] = "i";
  return expr(i);
}

NodeId Builder::of_item(py::handle x, const VectorCoordinate& v, const std::string& what) {
  const NodeId node = formula(x, what);
  for (const NodeId i : model_->graph->reachable(std::span(&node, 1)))
    if ((*model_->graph)[i].op == Op::input && i != v.item)
      fail(what + " must be a formula of parameters and of the number of the item");
  return node;
}

py::object Builder::array_size(const std::string& array) const {
  const Items::Array* found = items_.array(array);
  if (!found) return py::none();
  return py::make_tuple(found->count, found->dim);
}

std::vector<PythonExpr> Builder::gather(const std::string& array, py::handle index) {
  if (!items_.array(array)) fail("there is no vector '" + array + "'");
  const NodeId i = formula(index, "an index of '" + array + "'");
  std::vector<PythonExpr> components;
  const std::vector<NodeId> x = items_.item(array, i).x;
  name_items(array, i);
  for (const NodeId node : x) components.push_back(expr(node));
  return components;
}

PythonExpr Builder::partner(const PythonExpr& coordinate, From from) {
  const NodeId x = formula(py::cast(coordinate), "a coordinate");
  for (std::size_t i = 0; i < model_->q.size() && !model_->field; ++i)
    if (model_->q[i] == x) return expr(from == From::momentum ? model_->p[i] : model_->v[i]);
  if (const auto node = items_.partner(x, from)) {
    home_->names[*node] = (from == From::momentum ? "p_" : "v_") + home_->names[x];
    return expr(*node);
  }
  fail("momentum and velocity are those of a coordinate, not of the formula " + formula_of(coordinate));
}

PythonExpr Builder::named(const std::string& name) const {
  const auto it = scope_.names.find(name);
  if (it != scope_.names.end())
    if (const Expr* x = std::get_if<Expr>(&it->second)) return expr(x->node);
  std::vector<std::string> known = scope_.vectors;
  for (const auto& [other, value] : scope_.names) known.push_back(other);
  fail("unknown name '" + name + "'." + suggestion(name, known, "Names"));
}

PythonExpr Builder::multiplier(const std::string& constraint) {
  for (std::size_t k = 0; k < model_->constraints.size(); ++k)
    if (model_->constraints[k].name == constraint) return expr(model_->lambda[k]);
  for (const MappedTerm& term : model_->terms)
    if (term.role == Role::constraint && term.single && term.name == constraint)
      return expr(items_.item("lambda_" + constraint, Graph::zero).x.front());
  std::vector<std::string> known;
  for (const Named& c : model_->constraints) known.push_back(c.name);
  for (const MappedTerm& term : model_->terms)
    if (term.role == Role::constraint) known.push_back(term.name);
  fail("there is no constraint '" + constraint + "'." + suggestion(constraint, known, "Constraints"));
}

PythonExpr Builder::energy_part(bool kinetic) { return expr(model_->energies[kinetic ? 0 : 1]); }

PythonExpr Builder::rate(py::handle f) {
  const NodeId x = formula(f, "rate");
  std::vector<NodeId> q = scope_.q, v = scope_.v;
  items_.add_rates(x, q, v);
  if (v.empty()) fail("a rate needs velocities, and the model has no coordinates");
  for (std::size_t k = scope_.q.size(); k < q.size(); ++k) home_->names[v[k]] = "v_" + home_->names[q[k]];
  return expr(along(*model_->graph, std::span(&x, 1), q, v)[0]);
}

PythonExpr Builder::row_variable(const std::string& name) {
  const NodeId x = model_->graph->input();
  home_->names[x] = name;
  return expr(x);
}

}  // namespace holonom
