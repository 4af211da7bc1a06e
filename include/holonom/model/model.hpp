// A Model is a mechanical system as expressions, with its start and its defaults: what a text file, a
// Python program or C++ expressions all become. It knows nothing of scalars or methods.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "holonom/errors.hpp"
#include "holonom/expr/expression.hpp"

namespace holonom {

struct Named {
  std::string name;
  NodeId node;
};

// Of a crossing of zero, as time increases.
enum class Direction : std::uint8_t { both, up, down };

// A formula in q and p whose zeros are events of a run.
struct EventFormula {
  std::string name;
  NodeId node = Graph::zero;  // zero if it uses items of a vector: then it is a MappedTerm
  Direction direction = Direction::both;
  bool stop = false;  // a run ends with the step in which it happens
};

// A coordinate with many items, r[0], r[1], ..., each with dim components.
struct VectorCoordinate {
  std::string name;
  int count = 0, dim = 0, offset = 0;  // component c of item i is coordinate offset + i dim + c
  NodeId item = 0;                     // the input that stands for i in the formulas below
  NodeId mass = Graph::one;
  // Formulas for each component, or columns of numbers as they stand in a file.
  std::vector<NodeId> q0, start;
  std::vector<std::vector<std::string>> q0_table, start_table;

  int size() const { return count * dim; }
};

// One formula for every row of an index table: a sum in the energy, in an invariant or in an observable, or a
// stack of constraints; or an event that uses items. 10^6 links are one kernel and one table, never 10^6 nodes.
struct MappedTerm {
  enum class Role : std::uint8_t { energy, constraint, invariant, event, observable };
  // What the kernel reads from one of the arrays that describe a state: of an item its coordinates, momenta or
  // velocities; multipliers; or the kinetic and the potential energy.
  struct Gather {
    enum class From : std::uint8_t { position, momentum, velocity, multiplier, energies };
    From from = From::position;
    std::vector<NodeId> x;            // inputs of the kernel, one for each component
    std::vector<std::int32_t> first;  // for each row, where component 0 is in that array
  };
  // What the kernel reads from the row itself: an index variable, or a column of a file.
  struct RowValue {
    NodeId input = 0;
    std::vector<std::int32_t> integer;
    std::vector<std::string> text;  // instead, as written
  };

  Role role = Role::energy;
  std::string name;
  int rows = 0;
  NodeId kernel = 0;
  bool fast = false;    // belongs to the fast part of the potential
  bool single = false;  // a formula that was written without a table
  int event = -1;       // which one, if it is one
  std::vector<Gather> gathers;
  std::vector<RowValue> values;
};

// A mass matrix by its entries on and below the diagonal, row by row: numbers as they stand in a file.
struct MassTable {
  std::string file;
  std::vector<std::int32_t> row, column;  // coordinates in the order of q
  std::vector<std::string> text;
  std::vector<long> line;
  std::vector<std::int32_t> at;  // where in its line an entry begins
};

// A first-order system instead of an energy: q' and p' as formulas of both. The parts may differ in size: then the
// rates of the shorter one end with zeros, whose variables have no names, are zero and stay so.
struct FieldFormulas {
  std::vector<NodeId> q_rate, p_rate;
  std::vector<std::string> variables_in_p;  // those in q are the coordinates of the model
  std::optional<NodeId> energy;             // a function that is watched as the energy
};

// A parametrisation q = φ(δ) of the positions with g = 0
struct ChartFormulas {
  std::vector<std::string> names;  // of δ
  std::vector<NodeId> delta;       // inputs of the graph for each of them
  std::vector<NodeId> q;           // φ, one for each coordinate
  std::vector<NodeId> near;        // where a search for the δ of a position begins
};

struct Model {
  explicit Model(std::string model_name = "model");

  std::string name;
  std::string text;                // the source, recorded with every output
  std::vector<std::string> files;  // that it was read from: the model itself, then its tables
  std::shared_ptr<Graph> graph;

  // Coordinates with a name of their own; inputs of the graph for each of them.
  std::vector<std::string> coordinates;
  std::vector<NodeId> q, p, v;
  std::vector<VectorCoordinate> vectors;  // after them
  std::vector<MappedTerm> terms;

  // Exactly one form of energy: hamiltonian; kinetic and potential; mass and potential. Or a field.
  std::optional<NodeId> hamiltonian, kinetic;
  std::optional<NodeId> potential;
  std::optional<NodeId> slow_potential, fast_potential;  // its parts, for split methods
  std::vector<NodeId> mass;                              // n masses, or n × n by rows
  std::optional<MassTable> mass_table;                   // instead, for all coordinates
  std::optional<FieldFormulas> field;

  std::vector<Named> constraints, invariants;
  std::vector<Named> phase_constraints;  // of q and p: they become a part of H (phase_constraints.hpp)
  std::vector<Named> observables;        // formulas of q, p, v, lambda and the two energies
  std::vector<NodeId> lambda;            // inputs for the multipliers of `constraints`, where formulas may use them
  std::vector<NodeId> energies;          // inputs for the kinetic and the potential energy, likewise
  std::vector<EventFormula> events;
  ChartFormulas chart;               // without names: there is none
  std::vector<bool> flip_q, flip_p;  // the involution ρ of [reversal]
  bool reversal_given = false;

  std::vector<NodeId> q0, start;  // start: momenta, or velocities
  bool start_is_velocity = false, project = false;
  std::vector<int> keep_q, keep_v;  // coordinates whose initial position, or velocity, a projection must not change

  std::string method = "rattle";
  std::optional<NodeId> step, until;
  long every = 1;
  std::map<std::string, std::string> units;
  std::map<std::string, NodeId> parameters;
  std::map<std::string, std::string, std::less<>> places;  // "initial.q.x": file:line:column, if it came from a file

  // Where a part of the model, such as "initial.q.x", or what it belongs to, was written: how messages begin.
  std::string place(std::string_view part) const;

  // A formula of parameters alone, such as the "T/25" of --step. Throws InputError.
  NodeId constant(const std::string& formula, const std::string& what) const;

  // The same from C++ expressions.
  Expr coordinate(const std::string& coordinate_name);
  Expr momentum(const Expr& coordinate) const;
  Expr velocity(const Expr& coordinate) const;
  Expr number(std::string_view decimal) const { return {graph.get(), graph->number(decimal)}; }
  Model& set_mass(std::initializer_list<double> masses);
  Model& set_potential(const Expr& V);
  Model& set_kinetic(const Expr& T);
  Model& set_hamiltonian(const Expr& H);
  // Variables of a field, and their rates: q' = g(q, p), p' = f(q, p), or with one part y' = f(y).
  struct Rate {
    std::string name;
    Expr variable, rate;
  };
  Expr variable() const { return {graph.get(), graph->input()}; }
  Model& set_field(const std::vector<Rate>& of_q, const std::vector<Rate>& of_p = {});
  Model& set_field_energy(const Expr& energy);
  Model& add_constraint(const std::string& constraint_name, const Expr& zero);
  Model& add_invariant(const std::string& invariant_name, const Expr& value);
  Model& add_observable(const std::string& observable_name, const Expr& value);
  Model& add_event(const std::string& event_name, const Expr& zero, Direction direction = Direction::both);
  // A parametrisation: its coordinates one by one, then each coordinate of the model as a formula of them.
  Expr chart_coordinate(const std::string& coordinate_name, double near = 0);
  Model& set_chart(std::initializer_list<Expr> position);
  Model& start_at(std::initializer_list<double> position, std::initializer_list<double> momentum = {});
  Model& start_moving(std::initializer_list<double> position, std::initializer_list<double> velocity);

  int n() const;
  int m() const;
};

// Throws InputError unless the model is complete and each formula uses only what it may use.
void validate(const Model& model);

// Whether a constraint has a square root in it.
bool has_roots(const Model& model);

}  // namespace holonom
