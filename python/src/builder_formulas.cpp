// The energy of a model under construction, and its formulas with names: constraints, invariants, observables, events.
#include <algorithm>
#include <cmath>
#include <limits>

#include "builder.hpp"
#include "holonom/expr/derivative.hpp"
#include "holonom/model/columns.hpp"

namespace py = pybind11;

namespace holonom {

namespace {
constexpr const char* of_coordinates = "it must be a formula of the coordinates alone";
constexpr const char* with_momenta = "write it with momenta p_<name>";
}  // namespace

// ---- energy

void Builder::drop_potential() {
  auto& terms = model_->terms;
  terms.erase(std::remove_if(terms.begin(), terms.end(),
                             [](const MappedTerm& t) { return t.role == Role::energy && t.single; }),
              terms.end());
  model_->potential.reset();
  model_->slow_potential.reset();
  model_->fast_potential.reset();
}

// A part that uses single items of a vector becomes a term of its own.
Builder::PotentialPart Builder::potential_part(py::handle formula_of_V, const std::string& what, bool fast) {
  const NodeId V = formula(formula_of_V, what);
  auto& terms = model_->terms;
  if (items_.take_single(failing(), V, Role::energy, "", fast)) {
    PotentialPart part{Graph::zero, std::move(terms.back())};
    terms.pop_back();  // until the other part is known to be good
    return part;
  }
  allow(V, what, {From::position}, of_coordinates);
  return {V, {}};
}

NodeId Builder::take(PotentialPart part) {
  if (part.term) model_->terms.push_back(std::move(*part.term));
  return part.own;
}

// As it was given: with the terms that its items have become.
NodeId Builder::whole_potential() {
  Graph& graph = *model_->graph;
  NodeId V = *model_->potential;
  for (const MappedTerm& term : model_->terms) {
    if (term.role != Role::energy || !term.single) continue;
    std::unordered_map<NodeId, NodeId> by;
    for (const MappedTerm::Gather& gather : term.gathers) {
      const int at = gather.first.front();
      if (const auto named = static_cast<std::size_t>(at); named < model_->q.size()) {
        by[gather.x.front()] = model_->q[named];
        continue;
      }
      const auto& v = *std::find_if(model_->vectors.begin(), model_->vectors.end(),
                                    [&](const VectorCoordinate& x) { return at < x.offset + x.size(); });
      const NodeId index = graph.number(static_cast<long long>((at - v.offset) / v.dim));
      const std::vector<NodeId> item = items_.item(v.name, index).x;
      name_items(v.name, index);
      for (std::size_t c = 0; c < item.size(); ++c) by[gather.x[c]] = item[c];
    }
    V = graph.add(V, graph.substitute(std::span(&term.kernel, 1), by)[0]);
  }
  return V;
}

void Builder::set_potential(py::handle V) {
  if (model_->hamiltonian) fail("the hamiltonian contains the potential already: give one of them");
  if (!variables_.empty()) fail("a field has no potential: give its rates");
  PotentialPart whole = potential_part(V, "the potential", false);
  drop_potential();
  model_->potential = take(std::move(whole));
  changed();
}

void Builder::set_split_potential(py::handle slow, py::handle fast) {
  if (model_->hamiltonian) fail("the hamiltonian contains the potential already: give one of them");
  if (!variables_.empty()) fail("a field has no potential: give its rates");
  PotentialPart part_fast = potential_part(fast, "the fast potential", true),
                part_slow = potential_part(slow, "the slow potential", false);
  drop_potential();
  model_->fast_potential = take(std::move(part_fast));
  model_->slow_potential = take(std::move(part_slow));
  model_->potential = model_->graph->add(*model_->slow_potential, *model_->fast_potential);
  changed();
}

void Builder::set_kinetic(py::handle T) {
  if (model_->hamiltonian || !model_->mass.empty() || model_->mass_table)
    fail("the energy is given in one form: hamiltonian; kinetic and potential; or mass and potential");
  if (!model_->vectors.empty()) fail("vector coordinates need the energy as mass and potential");
  const NodeId x = formula(T, "the kinetic energy");
  allow(x, "the kinetic energy", {From::position, From::velocity}, "write it with velocities v_<name>");
  model_->kinetic = x;
  changed();
}

void Builder::set_hamiltonian(py::handle H) {
  if (model_->kinetic || model_->potential || !model_->mass.empty() || model_->mass_table)
    fail("the energy is given in one form: hamiltonian; kinetic and potential; or mass and potential");
  if (!model_->vectors.empty()) fail("vector coordinates need the energy as mass and potential");
  const NodeId x = formula(H, "the hamiltonian");
  allow(x, "the hamiltonian", {From::position, From::momentum}, with_momenta);
  model_->hamiltonian = x;
  changed();
}

void Builder::set_mass(const std::vector<py::object>& named, const std::vector<py::object>& vectors) {
  if (model_->hamiltonian || model_->kinetic)
    fail("the energy is given in one form: hamiltonian; kinetic and potential; or mass and potential");
  const std::size_t n = model_->q.size();
  std::vector<NodeId> masses, of_items;
  for (std::size_t i = 0; i < named.size(); ++i)
    masses.push_back(constant(named[i], named.size() == n ? "the mass of '" + model_->coordinates[i] + "'"
                                                          : std::string("an entry of the mass matrix")));
  for (std::size_t k = 0; k < vectors.size(); ++k)
    of_items.push_back(of_item(vectors[k], model_->vectors[k], "the mass of '" + model_->vectors[k].name + "'"));
  model_->mass = std::move(masses);
  for (std::size_t k = 0; k < of_items.size(); ++k) model_->vectors[k].mass = of_items[k];
  model_->mass_table.reset();
  changed();
}

void Builder::set_mass_table(const py::array_t<std::int64_t>& row, const py::array_t<std::int64_t>& column,
                             const py::array_t<double>& values) {
  if (model_->hamiltonian || model_->kinetic)
    fail("the energy is given in one form: hamiltonian; kinetic and potential; or mass and potential");
  MassTable table;
  table.file = model_->name + ": mass";
  const auto r = row.unchecked<1>(), c = column.unchecked<1>();
  const auto entries = values.unchecked<1>();
  const std::int64_t n = model_->n();
  for (py::ssize_t k = 0; k < entries.shape(0); ++k) {
    if (r(k) < 0 || r(k) >= n || c(k) < 0 || c(k) > r(k)) fail("the mass matrix has an entry outside of it");
    table.row.push_back(static_cast<std::int32_t>(r(k)));
    table.column.push_back(static_cast<std::int32_t>(c(k)));
    const double x = entries(k);
    if (!std::isfinite(x))
      fail("the mass matrix has an entry that is not finite, in row " + std::to_string(r(k)) + " and column " +
           std::to_string(c(k)));
    table.text.push_back(shortest_decimal(x));
    table.line.push_back(static_cast<long>(r(k)));
    table.at.push_back(static_cast<std::int32_t>(c(k)));
  }
  model_->mass.clear();
  model_->mass_table = std::move(table);
  changed();
}

// ---- formulas with a name

void Builder::check_constraint_name(const std::string& name, const std::string& what) const {
  if (!is_valid_name(name)) fail("'" + name + "' is not a name: use letters, digits and underscores");
  if (name == "stack") fail("the name 'stack' is reserved for constraints over index tables");
  const auto has_name = [&](const auto& x) { return x.name == name; };
  const auto& terms = model_->terms;
  if (std::any_of(model_->constraints.begin(), model_->constraints.end(), has_name) ||
      std::any_of(terms.begin(), terms.end(),
                  [&](const MappedTerm& t) { return t.role == Role::constraint && t.name == name; }))
    fail(what + " is declared twice");
  if (!variables_.empty()) fail("a field has no constraints: write the rates of a system that keeps them");
}

void Builder::check_beside_outputs(const std::string& name, const std::string& kind) const {
  if (is_in_every_output(name))
    fail(kind + " must not be called '" + name + "': outputs have a column of that name already");
}

// Outputs have a column for each invariant and observable: no two columns may have one name.
void Builder::check_column(const std::string& name, const std::string& kind) const {
  if (!is_valid_name(name)) fail("'" + name + "' is not a name: use letters, digits and underscores");
  std::set<std::string> columns = output_columns(*model_);
  for (const Variable& v : variables_) columns.insert(v.name);
  for (const Named& c : model_->phase_constraints) columns.insert(c.name);
  if (columns.contains(name))
    fail(kind + " must not be called '" + name + "': outputs have a column of that name already");
}

void Builder::constraint(const std::string& name, py::handle zero) {
  const std::string what = "constraint '" + name + "'";
  check_constraint_name(name, what);
  const NodeId x = formula(zero, what);
  refuse_comparison(x, what);
  if (items_.take_single(failing(), x, Role::constraint, name, false)) {
    add_multiplier_array(model_->terms.back());
    return changed();
  }
  allow(x, what, {From::position}, of_coordinates);
  if (!depends_on(*model_->graph, std::span(&x, 1), model_->q)) fail(what + " does not depend on any coordinate");
  items_.insert_multiplier(static_cast<int>(model_->constraints.size()));
  model_->constraints.push_back({name, x});
  const NodeId lambda = model_->graph->input();
  model_->lambda.push_back(lambda);
  kinds_[lambda] = From::multiplier;
  home_->names[lambda] = "lambda_" + name;
  scope_.names.emplace("lambda_" + name, Expr{scope_.graph, lambda});
  changed();
}

void Builder::phase_constraint(const std::string& name, py::handle zero) {
  const std::string what = "phase constraint '" + name + "'";
  check_column(name, "a phase constraint");
  if (!variables_.empty()) fail("a field has no constraints: write the rates of a system that keeps them");
  const NodeId x = formula(zero, what);
  refuse_comparison(x, what);
  allow(x, what, {From::position, From::momentum}, with_momenta);
  model_->phase_constraints.push_back({name, x});
  changed();
}

void Builder::invariant(const std::string& name, py::handle value) {
  const std::string what = "invariant '" + name + "'";
  check_column(name, "an invariant");
  const NodeId x = formula(value, what);
  if (!items_.take_single(failing(), x, Role::invariant, name, false)) {
    allow(x, what, {From::position, From::momentum}, with_momenta);
    model_->invariants.push_back({name, x});
  }
  changed();
}

void Builder::observable(const std::string& name, py::handle value) {
  check_column(name, "an observable");
  const NodeId x = formula(value, "observable '" + name + "'");
  if (!items_.take_single(failing(), x, Role::observable, name, false)) {
    allow(x, "observable '" + name + "'",
          {From::position, From::momentum, From::velocity, From::multiplier, From::energies}, "");
    model_->observables.push_back({name, x});
  }
  changed();
}

void Builder::event(const std::string& name, py::handle zero, const std::string& direction, bool stop) {
  const std::string what = "event '" + name + "'";
  if (!is_valid_name(name)) fail("'" + name + "' is not a name: use letters, digits and underscores");
  auto& events = model_->events;
  if (std::any_of(events.begin(), events.end(), [&](const EventFormula& e) { return e.name == name; }))
    fail(what + " is given twice");
  if (direction != "up" && direction != "down" && direction != "both")
    fail("the direction of " + what + " must be \"up\", \"down\" or \"both\", not \"" + direction + "\"");
  const NodeId x = formula(zero, what);
  refuse_comparison(x, what);
  EventFormula event{name, x,
                     direction == "up"     ? Direction::up
                     : direction == "down" ? Direction::down
                                           : Direction::both,
                     stop};
  if (items_.take_single(failing(), x, Role::event, name, false)) {
    model_->terms.back().event = static_cast<int>(events.size());
    event.node = Graph::zero;
  } else {
    allow(x, what, {From::position, From::momentum}, with_momenta);
    const auto nodes = model_->graph->reachable(std::span(&x, 1));
    if (std::none_of(nodes.begin(), nodes.end(), [&](NodeId i) { return kinds_.contains(i); }))
      fail(what + " depends on no coordinate and no momentum: it never changes");
  }
  events.push_back(std::move(event));
  changed();
}

// ---- sums and stacks

namespace {

MappedTerm::RowValue column_of(NodeId input, const py::array& column, const std::string& name, const Fail& fail) {
  MappedTerm::RowValue value{input, {}, {}};
  if (column.dtype().kind() == 'f') {
    const auto numbers = py::array_t<double, py::array::c_style | py::array::forcecast>(column);
    const auto x = numbers.unchecked<1>();
    value.text.reserve(static_cast<std::size_t>(x.shape(0)));
    for (py::ssize_t row = 0; row < x.shape(0); ++row) {
      if (!std::isfinite(x(row)))
        fail("row " + std::to_string(row) + " of the column '" + name + "' is not finite: " + std::to_string(x(row)));
      value.text.push_back(shortest_decimal(x(row)));
    }
    return value;
  }
  const auto numbers = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>(column);
  const auto x = numbers.unchecked<1>();
  value.integer.reserve(static_cast<std::size_t>(x.shape(0)));
  using Limits = std::numeric_limits<std::int32_t>;
  for (py::ssize_t row = 0; row < x.shape(0); ++row) {
    if (x(row) < Limits::min() || x(row) > Limits::max())
      fail("row " + std::to_string(row) + " of the column '" + name + "' is " + std::to_string(x(row)) +
           ", beyond the range of an index");
    value.integer.push_back(static_cast<std::int32_t>(x(row)));
  }
  return value;
}

}  // namespace

void Builder::term(Role role, const std::string& name, bool fast, long rows, const std::vector<PythonExpr>& variables,
                   const std::vector<py::array>& columns, py::handle kernel) {
  const std::string what = role == Role::energy       ? "a sum of the energy"
                           : role == Role::constraint ? "constraint '" + name + "'"
                           : role == Role::invariant  ? "invariant '" + name + "'"
                                                      : "observable '" + name + "'";
  if (role == Role::energy && model_->hamiltonian) fail("the hamiltonian contains the potential already");
  if (role == Role::energy && !variables_.empty()) fail("a field has no potential: give its rates");
  if (role == Role::constraint) check_constraint_name(name, what);
  if (role == Role::invariant) check_column(name, "an invariant");
  if (role == Role::observable) check_column(name, "an observable");
  if (rows > std::numeric_limits<std::int32_t>::max()) fail("more rows than can be counted");
  Items::Table table;
  table.rows = static_cast<int>(rows);
  for (std::size_t k = 0; k < variables.size(); ++k) {
    const std::string& column = home_->names[variables[k].node];
    table.names.push_back(column);
    table.values.push_back(column_of(variables[k].node, columns[k], column, failing()));
  }
  const NodeId x = formula(kernel, what);
  if (role == Role::constraint) refuse_comparison(x, what);
  MappedTerm made = items_.term(failing(), x, role, name, std::move(table));
  made.fast = fast;
  if (role == Role::energy && !model_->potential) model_->potential = Graph::zero;
  if (rows > 0) {
    model_->terms.push_back(std::move(made));
    if (role == Role::constraint) add_multiplier_array(model_->terms.back());
  }
  changed();
}

}  // namespace holonom
