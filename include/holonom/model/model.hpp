// A Model is a mechanical system as expressions, with its start and its defaults: what a text file, a
// Python program or C++ expressions all become. It knows nothing of scalars or methods.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "holonom/expr/expression.hpp"

namespace holonom {

// Bad input, with its place if it came from a file.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Named {
  std::string name;
  NodeId node;
};

struct Model {
  explicit Model(std::string model_name = "model");

  std::string name;
  std::string text;  // the source, recorded with every output
  std::shared_ptr<Graph> graph;

  std::vector<std::string> coordinates;
  std::vector<NodeId> q, p, v;  // inputs of the graph, one for each coordinate

  // Exactly one form of energy: hamiltonian; kinetic and potential; mass and potential.
  std::optional<NodeId> hamiltonian, kinetic;
  std::optional<NodeId> potential;
  std::optional<NodeId> fast_potential;  // the fast part of the potential, for split methods
  std::vector<NodeId> mass;  // n masses, or n × n by rows

  std::vector<Named> constraints, invariants;
  std::vector<bool> flip_q, flip_p;  // the involution ρ of [reversal]
  bool reversal_given = false;

  std::vector<NodeId> q0, start;  // start: momenta, or velocities
  bool start_is_velocity = false, project = false;

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
  Model& add_constraint(const std::string& constraint_name, const Expr& zero);
  Model& add_invariant(const std::string& invariant_name, const Expr& value);
  Model& start_at(std::initializer_list<double> position, std::initializer_list<double> momentum = {});
  Model& start_moving(std::initializer_list<double> position, std::initializer_list<double> velocity);

  int n() const { return static_cast<int>(q.size()); }
  int m() const { return static_cast<int>(constraints.size()); }
};

// Throws InputError unless the model is complete and each formula uses only what it may use.
void validate(const Model& model);

}  // namespace holonom
