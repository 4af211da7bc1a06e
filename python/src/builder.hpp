// Builder: a model under construction from Python. It keeps the names that formulas may use, and the model valid at
// every moment: what is wrong is refused when it is said.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "expression.hpp"
#include "holonom/model/items.hpp"

namespace holonom {

class Builder {
 public:
  using Role = MappedTerm::Role;
  using From = MappedTerm::Gather::From;

  explicit Builder(std::shared_ptr<Model> model);

  const std::shared_ptr<Formulary>& home() const { return home_; }
  // How often the model was changed.
  long revision() const { return revision_; }
  PythonExpr expr(NodeId node) const { return {home_, node}; }
  // An expression of this model, a number, or text in the language of model files. `what` is how messages call it.
  NodeId formula(pybind11::handle x, const std::string& what);
  // One without variables.
  NodeId constant(pybind11::handle x, const std::string& what);
  [[noreturn]] void fail(const std::string& what) const { throw InputError(model_->name + ": " + what); }

  // ---- names
  void parameter(const std::string& name, pybind11::handle value);
  void vector_parameter(const std::string& name, const std::vector<pybind11::object>& components);
  PythonExpr coordinate(const std::string& name);
  void vector(const std::string& name, long count, long dim);
  std::vector<PythonExpr> gather(const std::string& array, pybind11::handle index);
  pybind11::object array_size(const std::string& array) const;
  PythonExpr partner(const PythonExpr& coordinate, From from);
  PythonExpr named(const std::string& name) const;
  PythonExpr multiplier(const std::string& constraint);
  PythonExpr energy_part(bool kinetic);
  PythonExpr rate(pybind11::handle formula);
  PythonExpr row_variable(const std::string& name);

  // ---- energy
  void set_potential(pybind11::handle V);
  void set_split_potential(pybind11::handle slow, pybind11::handle fast);
  void set_kinetic(pybind11::handle T);
  void set_hamiltonian(pybind11::handle H);
  void set_mass(const std::vector<pybind11::object>& named, const std::vector<pybind11::object>& vectors);
  void set_mass_table(const pybind11::array_t<std::int64_t>& row, const pybind11::array_t<std::int64_t>& column,
                      const pybind11::array_t<double>& values);

  // ---- formulas with a name
  void constraint(const std::string& name, pybind11::handle zero);
  void phase_constraint(const std::string& name, pybind11::handle zero);
  void invariant(const std::string& name, pybind11::handle value);
  void observable(const std::string& name, pybind11::handle value);
  void event(const std::string& name, pybind11::handle zero, const std::string& direction, bool stop);
  // A kernel over a table, whose columns are arrays of integers or floats.
  void term(Role role, const std::string& name, bool fast, long rows, const std::vector<PythonExpr>& variables,
            const std::vector<pybind11::array>& columns, pybind11::handle kernel);

  // ---- fields
  PythonExpr variable(const std::string& name, bool in_p);
  void field(const std::vector<pybind11::object>& rates, pybind11::handle energy);
  std::vector<std::string> variable_names() const;

  // ---- the rest
  PythonExpr chart_coordinate(const std::string& name);
  void chart(const std::vector<pybind11::object>& position, const std::vector<pybind11::object>& near);
  const std::vector<std::string>& chart_names() const { return model_->chart.names; }
  void reversal(const std::vector<std::string>& flip);
  // (vector, whether these are positions, values): an array of (count, dim) numbers, doubles or with all their digits;
  // or a list of formulas of i, the number of the item, one for each component.
  using ItemValues = std::tuple<std::string, bool, pybind11::object>;
  void start(const std::vector<pybind11::object>& q, const std::vector<pybind11::object>& motion, bool velocities,
             bool project, const std::vector<std::string>& keep, const std::vector<ItemValues>& items);
  PythonExpr item_number(const std::string& vector);
  void method(const std::string& key);
  void step(pybind11::handle h);
  void until(pybind11::handle t);
  void every(long steps);
  void unit(const std::string& name, const std::string& text);
  // "potential", "kinetic", "hamiltonian", "step", "until" as expressions, "method" and "every"; None if not given.
  pybind11::object part(const std::string& name);
  bool started() const { return started_; }

 private:
  struct Variable {
    std::string name;
    NodeId x;
    bool in_p;
  };
  void learn_names();
  void name_items(const std::string& array, NodeId index);
  void check_name(const std::string& name) const;
  void declare(const std::string& name, NodeId x);
  void refuse_late(const std::string& name) const;
  void refuse_comparison(NodeId x, const std::string& what) const;
  // Of a formula without items: an error if it uses something of one of these kinds, or something foreign.
  void allow(NodeId x, const std::string& what, std::initializer_list<From> kinds, const std::string& remedy) const;
  VectorCoordinate& find_vector(const std::string& name) const;
  // A formula of parameters and the number of the item.
  NodeId of_item(pybind11::handle x, const VectorCoordinate& v, const std::string& what);
  using Columns = std::vector<std::vector<std::string>>;
  struct ItemStart {
    VectorCoordinate* of;
    bool position;
    Columns table;                 // for each component
    std::vector<NodeId> formulas;  // instead
  };
  ItemStart item_start(const ItemValues& given);
  Columns columns_of(const VectorCoordinate& v, const pybind11::array& values) const;
  Columns exact_columns_of(const VectorCoordinate& v, const pybind11::array& values);
  void take(ItemStart start);
  void check_constraint_name(const std::string& name, const std::string& what) const;
  void check_beside_outputs(const std::string& name, const std::string& kind) const;
  void check_column(const std::string& name, const std::string& kind) const;
  void add_multiplier_array(const MappedTerm& term);
  void drop_potential();
  struct PotentialPart {
    NodeId own;
    std::optional<MappedTerm> term;
  };
  PotentialPart potential_part(pybind11::handle V, const std::string& what, bool fast);
  NodeId take(PotentialPart part);
  NodeId whole_potential();
  Fail failing() const {
    return [this](const std::string& what) { fail(what); };
  }
  // A text that the model was read from does not say what it is any more.
  void changed() {
    ++revision_;
    model_->text.clear();
  }

  std::shared_ptr<Model> model_;
  std::shared_ptr<Formulary> home_;
  Items items_;
  Scope scope_;
  std::unordered_map<NodeId, From> kinds_;  // of inputs with names of their own
  std::vector<Variable> variables_;
  bool method_given_ = false, started_ = false;
  long revision_ = 0;
};

}  // namespace holonom
