// The rest of a model under construction: fields, charts, reversal, the start, and the defaults of a run.
#include <algorithm>
#include <cmath>

#include "builder.hpp"
#include "holonom/expr/derivative.hpp"
#include "holonom/model/selection.hpp"

namespace py = pybind11;

namespace holonom {

// ---- fields

PythonExpr Builder::variable(const std::string& name, bool in_p) {
  if (model_->field) fail("the variable '" + name + "' comes too late: declare all variables before the field");
  if (!model_->coordinates.empty() || !model_->vectors.empty())
    fail("a field names its variables itself: a model has coordinates or variables, not both");
  check_name(name);
  for (const char* column : {"energy", "position_residual", "hidden_residual"})
    if (name == column)
      fail("a variable must not be called '" + name + "': outputs have a column of that name already");
  const NodeId x = model_->graph->input();
  declare(name, x);
  home_->names[x] = name;
  kinds_[x] = in_p ? From::momentum : From::position;
  variables_.push_back({name, x, in_p});
  changed();
  return expr(x);
}

std::vector<std::string> Builder::variable_names() const {
  std::vector<std::string> names;
  for (const Variable& v : variables_) names.push_back(v.name);
  return names;
}

void Builder::field(const std::vector<py::object>& rates, py::handle energy) {
  if (rates.size() != variables_.size() || rates.empty())
    fail("a field needs the rate of each of its variables, declared by variables()");
  std::vector<Model::Rate> of_q, of_p;
  std::vector<NodeId> inputs, slopes;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const Variable& v = variables_[i];
    const std::string what = "the rate of '" + v.name + "'";
    const NodeId rate = formula(rates[i], what);
    allow(rate, what, {From::position, From::momentum}, "it is a formula of the variables");
    (v.in_p ? of_p : of_q).push_back({v.name, {scope_.graph, v.x}, {scope_.graph, rate}});
    inputs.push_back(v.x);
    slopes.push_back(rate);
  }
  if (of_q.empty()) fail("variables of the part p need others of the part q: give all without parts, or both parts");
  std::optional<NodeId> watched;
  if (!energy.is_none()) {
    watched = formula(energy, "the energy");
    allow(*watched, "the energy", {From::position, From::momentum}, "it is a formula of the variables");
  }
  const std::string method = model_->method;
  model_->set_field(of_q, of_p);
  if (method_given_) model_->method = method;
  model_->field->energy = watched;
  model_->flip_q.assign(model_->q.size(), false);
  model_->flip_p.assign(model_->q.size(), false);
  std::fill_n(model_->flip_p.begin(), of_p.size(), true);
  scope_.q = std::move(inputs);
  scope_.v = std::move(slopes);
  changed();
}

// ---- charts and reversal

PythonExpr Builder::chart_coordinate(const std::string& name) {
  check_name(name);
  const Expr x = model_->chart_coordinate(name);
  declare(name, x.node);
  home_->names[x.node] = name;
  changed();
  return expr(x.node);
}

void Builder::chart(const std::vector<py::object>& position, const std::vector<py::object>& near) {
  ChartFormulas& chart = model_->chart;
  if (model_->m() == 0) fail("a chart is for models with constraints, and this one has none");
  if (!model_->vectors.empty())
    fail("a chart is for models whose coordinates all have names of their own, and '" + model_->vectors.front().name +
         "' is a vector");
  if (chart.names.empty()) fail("declare the coordinates of the chart first, by chart_coordinates()");
  std::vector<NodeId> q, start;
  const Graph& graph = *model_->graph;
  for (std::size_t i = 0; i < position.size(); ++i) {
    const std::string what = "the chart's formula of '" + model_->coordinates[i] + "'";
    q.push_back(formula(position[i], what));
    for (const NodeId x : graph.reachable(std::span(&q.back(), 1)))
      if (graph[x].op == Op::input && std::find(chart.delta.begin(), chart.delta.end(), x) == chart.delta.end())
        fail(what + " uses " + formula_of(expr(x)) + ": it must be a formula of the chart's own names");
  }
  for (std::size_t k = 0; k < chart.names.size(); ++k)
    if (!depends_on(graph, q, std::span(&chart.delta[k], 1)))
      fail("no formula of the chart depends on '" + chart.names[k] + "'");
  for (std::size_t k = 0; k < near.size(); ++k) start.push_back(constant(near[k], "near." + chart.names[k]));
  chart.q = std::move(q);
  chart.near = std::move(start);
  changed();
}

void Builder::reversal(const std::vector<std::string>& flip) {
  std::vector<bool> q(model_->field ? model_->q.size() : static_cast<std::size_t>(model_->n()), false), p = q;
  if (!variables_.empty()) {
    if (!model_->field) fail("the reversal of a field comes after its rates");
    const std::vector<std::string> known = variable_names();
    for (const std::string& name : flip) {
      std::size_t in_q = 0, in_p = 0;
      bool found = false;
      for (const Variable& v : variables_) {
        std::size_t& at = v.in_p ? in_p : in_q;
        if (v.name == name) found = (v.in_p ? p : q)[at] = true;
        ++at;
      }
      if (!found) fail("flip takes variables of the field, not '" + name + "'." + suggestion(name, known, "They are"));
    }
  } else {
    const CoordinateList coordinates(*model_, "flip", "p_", "momenta");
    for (const std::string& name : flip) {
      const Selection chosen = coordinates.select(name, failing());
      for (const int i : chosen.coordinates) (chosen.of_motion ? p : q)[static_cast<std::size_t>(i)] = true;
    }
  }
  model_->flip_q = std::move(q);
  model_->flip_p = std::move(p);
  model_->reversal_given = true;
  changed();
}

// ---- start

void Builder::start(const std::vector<py::object>& q, const std::vector<py::object>& motion, bool velocities,
                    bool project, const std::vector<std::string>& keep) {
  std::vector<NodeId> q0, moving;
  const std::size_t n = model_->q.size();
  const auto name = [&](std::size_t i) {
    return i < model_->coordinates.size() ? model_->coordinates[i] : std::to_string(i);
  };
  for (std::size_t i = 0; i < q.size(); ++i) q0.push_back(constant(q[i], "the start of '" + name(i) + "'"));
  for (std::size_t i = 0; i < motion.size(); ++i)
    moving.push_back(constant(motion[i], "the initial motion of '" + name(i) + "'"));
  q0.resize(n, Graph::zero);
  moving.resize(n, Graph::zero);
  std::vector<int> keep_q, keep_v;
  const CoordinateList coordinates(*model_, "keep", "v_", "velocities");
  for (const std::string& kept : keep) {
    const Selection chosen = coordinates.select(kept, failing());
    if (chosen.of_motion && !velocities) fail("keep: a velocity can be kept if the motion is given as velocities v");
    std::vector<int>& into = chosen.of_motion ? keep_v : keep_q;
    into.insert(into.end(), chosen.coordinates.begin(), chosen.coordinates.end());
  }
  for (std::vector<int>* kept : {&keep_q, &keep_v}) {
    std::sort(kept->begin(), kept->end());
    kept->erase(std::unique(kept->begin(), kept->end()), kept->end());
  }
  model_->q0 = std::move(q0);
  model_->start = std::move(moving);
  model_->start_is_velocity = velocities;
  model_->project = project || !keep.empty();
  model_->keep_q = std::move(keep_q);
  model_->keep_v = std::move(keep_v);
  started_ = true;
  changed();
}

void Builder::start_items(const std::string& vector, bool position, const py::array_t<double>& values) {
  VectorCoordinate& v = find_vector(vector);
  std::vector<std::vector<std::string>> table;
  if (values.size() > 0) {  // none: zeros
    if (values.ndim() != 2 || values.shape(0) != v.count || values.shape(1) != v.dim)
      fail("'" + vector + "' needs an array of shape (" + std::to_string(v.count) + ", " + std::to_string(v.dim) + ")");
    const auto x = values.unchecked<2>();
    table.resize(static_cast<std::size_t>(v.dim));
    for (int c = 0; c < v.dim; ++c) {
      auto& column = table[static_cast<std::size_t>(c)];
      column.reserve(static_cast<std::size_t>(v.count));
      for (int i = 0; i < v.count; ++i) {
        if (!std::isfinite(x(i, c))) fail("the start of '" + vector + "[" + std::to_string(i) + "]' is not finite");
        column.push_back(shortest_decimal(x(i, c)));
      }
    }
  }
  (position ? v.q0_table : v.start_table) = std::move(table);
  (position ? v.q0 : v.start).assign(static_cast<std::size_t>(v.dim), Graph::zero);
  changed();
}

void Builder::start_formulas(const std::string& vector, bool position, const std::vector<py::object>& components) {
  VectorCoordinate& v = find_vector(vector);
  if (components.size() != static_cast<std::size_t>(v.dim))
    fail("the start of '" + vector + "' needs " + std::to_string(v.dim) + " formulas, one for each component, not " +
         std::to_string(components.size()));
  std::vector<NodeId> formulas;
  for (const py::object& x : components) formulas.push_back(of_item(x, v, "the start of '" + vector + "'"));
  (position ? v.q0_table : v.start_table).clear();
  (position ? v.q0 : v.start) = std::move(formulas);
  changed();
}

// ---- defaults of a run

void Builder::method(const std::string& key) {
  model_->method = key;
  method_given_ = true;
  changed();
}
void Builder::step(py::handle h) {
  model_->step = h.is_none() ? std::nullopt : std::optional(constant(h, "step"));
  changed();
}
void Builder::until(py::handle t) {
  model_->until = t.is_none() ? std::nullopt : std::optional(constant(t, "until"));
  changed();
}
void Builder::every(long steps) {
  if (steps < 1) fail("every must be a whole number of steps, at least 1, not " + std::to_string(steps));
  model_->every = steps;
  changed();
}

py::object Builder::part(const std::string& name) const {
  if (name == "method") return py::str(model_->method);
  if (name == "every") return py::int_(model_->every);
  const std::optional<NodeId>& x = name == "potential"     ? model_->potential
                                   : name == "kinetic"     ? model_->kinetic
                                   : name == "hamiltonian" ? model_->hamiltonian
                                   : name == "step"        ? model_->step
                                                           : model_->until;
  return x ? py::cast(expr(*x)) : py::none();
}

void Builder::unit(const std::string& name, const std::string& text) {
  std::vector<std::string> known{"t"};
  for (const auto& [other, value] : scope_.names) known.push_back(other);
  for (const auto* list : {&model_->constraints, &model_->invariants, &model_->observables})
    for (const Named& x : *list) known.push_back(x.name);
  for (const MappedTerm& t : model_->terms) known.push_back(t.name);
  known.insert(known.end(), scope_.vectors.begin(), scope_.vectors.end());
  if (std::find(known.begin(), known.end(), name) == known.end())
    fail("units name '" + name + "', which the model does not have." + suggestion(name, known, "Names"));
  model_->units[name] = text;
  changed();
}

}  // namespace holonom
