// The part of a model file about many items: vector coordinates r = { count, dim }, index tables, sums
// and stacks over them, and initial values for all items.
#pragma once

#include "csv_table.hpp"
#include "formula_reader.hpp"
#include "holonom/model/items.hpp"

namespace holonom {

class TableReader {
 public:
  explicit TableReader(FormulaReader& reader) : r_(reader), model_(reader.model) {}

  // [coordinates] r = { count = "N", dim = 2 }
  void read_vector(const Entry& entry);
  // mass = { r = "m", x = 1 }
  void read_masses(const toml::table& masses);
  // mass = { file = "mass.csv" } or { i = [0, 1], j = [0, 1], m = [1, 2] }
  void read_mass_matrix(const CsvTable& csv);
  // A table of numbers that a string of the model names.
  CsvTable read(const toml::node& file);
  // What is done with a formula that uses no items: where it is written, and its name
  using Alone = std::function<void(const toml::node& node, NodeId formula, const std::string& name, bool fast)>;
  // [[energy.sum]], [[constraints.stack]], [[invariants.sum]], [[observables.sum]]
  void read_terms(const toml::node& list, MappedTerm::Role role, const Alone& alone);
  // q.r = ["formula", ...], { file = "start.csv" } or { x = [0, 1], y = [0, 0] }
  void read_items(const toml::node& node, const std::string& where, VectorCoordinate& v, bool position);

  // Makes the multipliers of the constraints read so far, lambda_<name>, known to formulas; names of the model come
  // first.
  void declare_multipliers();

  // As Items::take_single
  bool take_single(const Fail& fail, NodeId formula, MappedTerm::Role role, const std::string& name, bool fast) {
    return items_.take_single(fail, formula, role, name, fast);
  }

 private:
  using Table = Items::Table;

  Table read_table(const toml::node& over, const std::string& what);
  Table table_of(const toml::node& node, CsvTable csv);
  // A formula of parameters and i, the number of the item.
  NodeId of_item(const toml::node& node, const VectorCoordinate& v, const std::string& what);
  int integer(const toml::node& node, NodeId x, const std::string& what) const;

  FormulaReader& r_;
  Model& model_;
  Items items_{model_};
};

}  // namespace holonom
