// The rest of a model under construction: fields, charts, reversal, the start, and the defaults of a run.
#include <algorithm>
#include <cmath>

#include "builder.hpp"
#include "holonom/expr/derivative.hpp"
#include "holonom/model/constants.hpp"
#include "holonom/model/selection.hpp"
#include "holonom/wide.hpp"

namespace py = pybind11;

namespace holonom {

// ---- fields

PythonExpr Builder::variable(const std::string& name, bool in_p) {
  if (model_->field) fail("the variable '" + name + "' comes too late: declare all variables before the field");
  if (!model_->coordinates.empty() || !model_->vectors.empty())
    fail("a field names its variables itself: a model has coordinates or variables, not both");
  check_name(name);
  check_beside_outputs(name, "a variable");
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
  if (near.size() != chart.names.size()) fail("near needs a value for each coordinate of the chart");
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
                    bool project, const std::vector<std::string>& keep, const std::vector<ItemValues>& items) {
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
  std::vector<ItemStart> of_items;
  for (const ItemValues& given : items) of_items.push_back(item_start(given));
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
  for (ItemStart& each : of_items) take(std::move(each));
  started_ = true;
  changed();
}

Builder::ItemStart Builder::item_start(const ItemValues& given) {
  const auto& [vector, position, values] = given;
  VectorCoordinate& v = find_vector(vector);
  ItemStart start{&v, position, {}, {}};
  if (!py::isinstance<py::array>(values)) {
    for (const py::handle x : values) start.formulas.push_back(of_item(x, v, "the start of '" + vector + "'"));
    if (start.formulas.size() != static_cast<std::size_t>(v.dim))
      fail("the start of '" + vector + "' needs " + std::to_string(v.dim) + " formulas, one for each component, not " +
           std::to_string(start.formulas.size()));
    return start;
  }
  start.formulas.assign(static_cast<std::size_t>(v.dim), Graph::zero);
  const auto array = py::reinterpret_borrow<py::array>(values);
  if (array.size() == 0) return start;  // zeros
  if (array.ndim() != 2 || array.shape(0) != v.count || array.shape(1) != v.dim)
    fail("'" + vector + "' needs an array of shape (" + std::to_string(v.count) + ", " + std::to_string(v.dim) + ")");
  start.table = array.dtype().kind() == 'O' ? exact_columns_of(v, array) : columns_of(v, array);
  return start;
}

namespace {

bool is_decimal(py::handle x) {
  if (!PyUnicode_Check(x.ptr()) && !PyFloat_Check(x.ptr()) && !PyLong_Check(x.ptr())) return false;
  try {
    exact_text(py::str(x).cast<std::string>());
    return true;
  } catch (const std::exception&) {  // what is beyond all exponents too: constant() has words for it
    return false;
  }
}

}  // namespace

Builder::Columns Builder::columns_of(const VectorCoordinate& v, const py::array& values) const {
  const auto numbers = py::array_t<double, py::array::c_style | py::array::forcecast>(values);
  const auto x = numbers.unchecked<2>();
  Columns columns(static_cast<std::size_t>(v.dim));
  for (int c = 0; c < v.dim; ++c) {
    auto& column = columns[static_cast<std::size_t>(c)];
    column.reserve(static_cast<std::size_t>(v.count));
    for (int i = 0; i < v.count; ++i) {
      if (!std::isfinite(x(i, c))) fail("the start of '" + v.name + "[" + std::to_string(i) + "]' is not finite");
      column.push_back(shortest_decimal(x(i, c)));
    }
  }
  return columns;
}

// Tables hold decimals: what is not written as one, such as 1/3, is evaluated in the widest precision.
Builder::Columns Builder::exact_columns_of(const VectorCoordinate& v, const py::array& values) {
  const auto what = [&](int i) { return "the start of '" + v.name + "[" + std::to_string(i) + "]'"; };
  Columns columns(static_cast<std::size_t>(v.dim), std::vector<std::string>(static_cast<std::size_t>(v.count)));
  std::vector<NodeId> nodes;
  std::vector<std::pair<int, std::string*>> places;
  for (int i = 0; i < v.count; ++i)
    for (int c = 0; c < v.dim; ++c) {
      const py::object x = values.attr("item")(i, c);
      std::string& text = columns[static_cast<std::size_t>(c)][static_cast<std::size_t>(i)];
      if (is_decimal(x)) {
        text = py::str(x).cast<std::string>();
      } else {
        nodes.push_back(constant(x, what(i)));
        places.emplace_back(i, &text);
      }
    }
  const std::vector<mp100> numbers = evaluate_constants<mp100>(*model_, nodes);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (!is_finite(numbers[k])) fail(what(places[k].first) + " is not finite");
    *places[k].second = to_text(numbers[k]);
  }
  return columns;
}

void Builder::take(ItemStart start) {
  VectorCoordinate& v = *start.of;
  (start.position ? v.q0_table : v.start_table) = std::move(start.table);
  (start.position ? v.q0 : v.start) = std::move(start.formulas);
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

py::object Builder::part(const std::string& name) {
  if (name == "method") return py::str(model_->method);
  if (name == "every") return py::int_(model_->every);
  if (name == "potential" && model_->potential) return py::cast(expr(whole_potential()));
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
