#include "holonom/model/model.hpp"

#include <algorithm>
#include <set>

#include "holonom/expr/derivative.hpp"
#include "holonom/expr/parser.hpp"
#include "holonom/model/columns.hpp"

namespace holonom {

Model::Model(std::string model_name) : name(std::move(model_name)), graph(std::make_shared<Graph>()) {}

Expr Model::coordinate(const std::string& coordinate_name) {
  coordinates.push_back(coordinate_name);
  q.push_back(graph->input());
  p.push_back(graph->input());
  v.push_back(graph->input());
  return {graph.get(), q.back()};
}

namespace {
Expr partner(const Model& model, const std::vector<NodeId>& of, const Expr& coordinate) {
  for (std::size_t i = 0; i < model.q.size(); ++i)
    if (model.q[i] == coordinate.node) return {model.graph.get(), of[i]};
  throw InputError(model.name + ": momentum and velocity are those of a coordinate, not of a formula");
}
std::vector<NodeId> numbers(Graph& g, std::initializer_list<double> values, std::size_t n) {
  std::vector<NodeId> nodes;
  for (const double x : values) nodes.push_back(g.number(x));
  if (nodes.empty()) nodes.resize(n, Graph::zero);
  return nodes;
}
}  // namespace

Expr Model::momentum(const Expr& coordinate) const { return partner(*this, p, coordinate); }
Expr Model::velocity(const Expr& coordinate) const { return partner(*this, v, coordinate); }

std::string Model::place(std::string_view part) const {
  for (;;) {
    if (const auto it = places.find(part); it != places.end()) return it->second + ": ";
    const auto dot = part.rfind('.');
    if (dot == std::string_view::npos) return name + ": ";
    part = part.substr(0, dot);
  }
}

int Model::n() const {
  auto count = static_cast<int>(q.size());
  for (const VectorCoordinate& v_coordinate : vectors) count += v_coordinate.size();
  return count;
}
int Model::m() const {
  auto count = static_cast<int>(constraints.size());
  for (const MappedTerm& term : terms) count += term.role == MappedTerm::Role::constraint ? term.rows : 0;
  return count;
}

NodeId Model::constant(const std::string& formula, const std::string& what) const {
  Scope scope{graph.get(), {}, {}, {}};
  for (const auto& [parameter, node] : parameters) scope.names.emplace(parameter, Expr{graph.get(), node});
  try {
    const FormulaValue value = parse_formula(formula, scope);
    if (const Expr* x = std::get_if<Expr>(&value)) return x->node;
    throw InputError(what + " " + formula + ": a number was expected, not a vector");
  } catch (const FormulaError& e) {
    throw InputError(what + " " + formula + ": column " + std::to_string(e.offset + 1) + ": " + e.what());
  }
}

Model& Model::set_mass(std::initializer_list<double> masses) {
  mass = numbers(*graph, masses, 0);
  return *this;
}
Model& Model::set_potential(const Expr& V) {
  potential = V.node;
  return *this;
}
Model& Model::set_kinetic(const Expr& T) {
  kinetic = T.node;
  return *this;
}
Model& Model::set_hamiltonian(const Expr& H) {
  hamiltonian = H.node;
  return *this;
}
Model& Model::set_field(const std::vector<Rate>& of_q, const std::vector<Rate>& of_p) {
  FieldFormulas rates;
  const std::size_t n = std::max(of_q.size(), of_p.size());
  coordinates.clear();
  const auto take = [&](const std::vector<Rate>& part, std::vector<NodeId>& inputs, std::vector<NodeId>& slopes,
                        std::vector<std::string>& names) {
    inputs.clear();
    for (const Rate& x : part) {
      inputs.push_back(x.variable.node);
      slopes.push_back(x.rate.node);
      names.push_back(x.name);
    }
    while (inputs.size() < n) inputs.push_back(graph->input());
    slopes.resize(n, Graph::zero);
  };
  take(of_q, q, rates.q_rate, coordinates);
  take(of_p, p, rates.p_rate, rates.variables_in_p);
  v.clear();
  while (v.size() < n) v.push_back(graph->input());
  field = std::move(rates);
  method = "gauss-2";  // unless another is asked for: the usual one needs an energy
  return *this;
}
Model& Model::set_field_energy(const Expr& energy) {
  if (!field) throw InputError(name + ": the energy of a field comes after set_field");
  field->energy = energy.node;
  return *this;
}
Model& Model::add_constraint(const std::string& constraint_name, const Expr& zero) {
  constraints.push_back({constraint_name, zero.node});
  return *this;
}
Model& Model::add_invariant(const std::string& invariant_name, const Expr& value) {
  invariants.push_back({invariant_name, value.node});
  return *this;
}
Model& Model::add_observable(const std::string& observable_name, const Expr& value) {
  observables.push_back({observable_name, value.node});
  return *this;
}
Model& Model::add_event(const std::string& event_name, const Expr& zero, Direction direction) {
  events.push_back({event_name, zero.node, direction});
  return *this;
}
Expr Model::chart_coordinate(const std::string& coordinate_name, double near) {
  chart.names.push_back(coordinate_name);
  chart.delta.push_back(graph->input());
  chart.near.push_back(graph->number(near));
  return {graph.get(), chart.delta.back()};
}
Model& Model::set_chart(std::initializer_list<Expr> position) {
  chart.q.clear();
  for (const Expr& x : position) chart.q.push_back(x.node);
  return *this;
}
Model& Model::start_at(std::initializer_list<double> position, std::initializer_list<double> momentum) {
  q0 = numbers(*graph, position, q.size());
  start = numbers(*graph, momentum, q.size());
  start_is_velocity = false;
  return *this;
}
Model& Model::start_moving(std::initializer_list<double> position, std::initializer_list<double> velocity) {
  start_at(position, velocity);
  start_is_velocity = true;
  return *this;
}

namespace {

class Validation {
 public:
  explicit Validation(const Model& model) : model_(model) {}

  void run() {
    if (model_.n() == 0) fail("a model needs at least one coordinate");
    std::set<std::string> seen;
    for (const std::string& c : model_.coordinates)
      if (!seen.insert(c).second) fail("the coordinate '" + c + "' is declared twice");
    if (model_.field)
      field(seen);
    else
      energy();
    std::set<std::string> constraint_names;
    for (const Named& c : model_.constraints) {
      const std::string what = "constraint '" + c.name + "'";
      if (!constraint_names.insert(c.name).second) fail(what + " is declared twice");
      forbid(c.node, model_.p, "p_", what, "constraints are formulas of the coordinates alone");
      forbid(c.node, model_.v, "v_", what, "constraints are formulas of the coordinates alone");
      if (!depends_on(*model_.graph, std::span(&c.node, 1), model_.q))
        fail(what + " does not depend on any coordinate");
    }
    for (const Named& i : model_.invariants)
      forbid(i.node, model_.v, "v_", "invariant '" + i.name + "'", "write it with momenta p_<name>");
    for (const EventFormula& e : model_.events)
      forbid(e.node, model_.v, "v_", "event '" + e.name + "'", "write it with momenta p_<name>");
    chart();
    check_columns(model_);
    if (model_.q0.size() != model_.q.size() || model_.start.size() != model_.q.size())
      fail("the initial values need one number for each of the " + std::to_string(model_.q.size()) + " coordinates");
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw InputError(model_.name + ": " + what); }

  void forbid(NodeId node, const std::vector<NodeId>& inputs, const std::string& prefix, const std::string& what,
              const std::string& remedy) const {
    if (const auto i = first_used(*model_.graph, std::span(&node, 1), inputs))
      fail(what + " uses " + prefix + model_.coordinates[*i] + ": " + remedy);
  }

  void field(std::set<std::string>& seen) const {
    for (const std::string& c : model_.field->variables_in_p)
      if (!seen.insert(c).second) fail("the variable '" + c + "' is declared twice");
    if (model_.hamiltonian || model_.kinetic || model_.potential || !model_.mass.empty() || model_.mass_table)
      fail("a field stands instead of an energy: give one of them");
    if (model_.m() > 0) fail("a field has no constraints: write the rates of a system that keeps them");
    if (!model_.vectors.empty()) fail("the variables of a field have a name each: vector coordinates need an energy");
    for (const auto* inputs : {&model_.q, &model_.p})
      for (const NodeId x : *inputs)
        if ((*model_.graph)[x].op != Op::input) fail("the rates of a field belong to variables, not to formulas");
  }

  void chart() const {
    const ChartFormulas& chart = model_.chart;
    if (chart.names.empty()) return;
    if (chart.q.size() != model_.q.size() || !model_.vectors.empty())
      fail("the chart needs a formula for each of the " + std::to_string(model_.n()) + " coordinates");
    for (const auto& [inputs, prefix] :
         {std::pair{&model_.q, ""}, std::pair{&model_.p, "p_"}, std::pair{&model_.v, "v_"}})
      for (std::size_t i = 0; i < chart.q.size(); ++i)
        forbid(chart.q[i], *inputs, prefix, "the chart's formula of '" + model_.coordinates[i] + "'",
               "it is a formula of the chart's own coordinates");
  }

  void energy() const {
    const std::size_t n = model_.q.size();
    if (!model_.vectors.empty()) {
      if (model_.hamiltonian || model_.kinetic) fail("vector coordinates need the energy as mass and potential");
      if (!model_.potential) fail("the potential is missing (write potential = \"0\" for free motion)");
      if (!model_.mass_table && model_.mass.size() != n)
        fail("mass needs a number for each of the " + std::to_string(n) +
             " coordinates with names of their own, beside those of vectors");
      return;
    }
    const int forms =
        model_.hamiltonian.has_value() + model_.kinetic.has_value() + (!model_.mass.empty() || model_.mass_table);
    if (forms != 1)
      fail(
          "the energy must be given in exactly one form: hamiltonian, or kinetic with potential, or mass with "
          "potential");
    if (model_.hamiltonian) {
      if (model_.potential) fail("the hamiltonian contains the potential already: give one of them");
      forbid(*model_.hamiltonian, model_.v, "v_", "the hamiltonian", "write it with momenta p_<name>");
      return;
    }
    if (!model_.potential) fail("the potential is missing (write potential = \"0\" for free motion)");
    forbid(*model_.potential, model_.p, "p_", "the potential", "it is a formula of the coordinates alone");
    forbid(*model_.potential, model_.v, "v_", "the potential", "it is a formula of the coordinates alone");
    if (model_.kinetic) {
      forbid(*model_.kinetic, model_.p, "p_", "the kinetic energy", "write it with velocities v_<name>");
      return;
    }
    if (model_.mass_table) return;
    if (model_.mass.size() != n && model_.mass.size() != n * n)
      fail("mass needs one number for each of the " + std::to_string(n) + " coordinates, or a full matrix");
    for (const auto* inputs : {&model_.q, &model_.v, &model_.p})
      if (depends_on(*model_.graph, model_.mass, *inputs))
        fail("mass must be constant; a mass matrix M(q) is given through kinetic = \"formula in v_<name>\"");
  }

  const Model& model_;
};

}  // namespace

void validate(const Model& model) { Validation(model).run(); }

bool has_roots(const Model& model) {
  std::vector<NodeId> formulas;
  for (const Named& g : model.constraints) formulas.push_back(g.node);
  for (const MappedTerm& term : model.terms)
    if (term.role == MappedTerm::Role::constraint) formulas.push_back(term.kernel);
  const Graph& graph = *model.graph;
  const auto is_input = [&](NodeId i) { return graph[i].op == Op::input; };
  const std::vector<NodeId> nodes = graph.reachable(formulas);
  return std::any_of(nodes.begin(), nodes.end(), [&](NodeId i) {
    if (graph[i].op != Op::sqrt) return false;
    const std::vector<NodeId> argument = graph.reachable({&graph[i].a, 1});
    return std::any_of(argument.begin(), argument.end(), is_input);
  });
}

}  // namespace holonom
