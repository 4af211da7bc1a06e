// The part of a model file about many items: vector coordinates r = { count, dim }, index tables, sums
// and stacks over them, and initial values for all items.
#pragma once

#include <map>
#include <set>
#include <unordered_map>

#include "csv_table.hpp"
#include "formula_reader.hpp"

namespace holonom {

class TableReader {
 public:
  explicit TableReader(FormulaReader& reader) : r_(reader), model_(reader.model) {}

  // [coordinates] r = { count = "N", dim = 2 }
  void read_vector(const Entry& entry);
  // mass = { r = "m", x = 1 }
  void read_masses(const toml::table& masses);
  // mass = { file = "mass.csv" }
  void read_mass_file(const toml::node& node);
  // [[energy.sum]], [[constraints.stack]], [[invariants.sum]]
  void read_terms(const toml::node& list, MappedTerm::Role role);
  // q.r = ["formula", ...] or { file = "start.csv" }
  void read_items(const toml::node& node, const std::string& where, VectorCoordinate& v, bool position);

  // A formula without a table may use single items, r[0].x: then it becomes a term of one row, and true
  // is returned.
  bool take_single(const Fail& fail, NodeId formula, MappedTerm::Role role, const std::string& name, bool fast);

 private:
  // An item of a vector as formulas name it: r[index].
  struct Item {
    std::size_t vector;
    bool momentum;
    NodeId index;
    std::vector<NodeId> x;
  };
  struct Table {
    int rows = 1;
    std::vector<MappedTerm::RowValue> values;
    std::vector<std::string> names;
  };

  ExprVector gather(std::string_view name, NodeId index);
  // Those that a formula uses, in the order in which they were first named.
  std::set<std::size_t> items_in(NodeId formula) const;
  Table read_table(const toml::node& over, const std::string& what);
  CsvTable read(const toml::node& file);
  Table file_table(const toml::node& file);
  // A formula of parameters and i.
  NodeId of_item(const toml::node& node, const VectorCoordinate& v, const std::string& what) const;
  int integer(const toml::node& node, NodeId x, const std::string& what) const;
  MappedTerm finish(const Fail& fail, NodeId kernel, MappedTerm::Role role, const std::string& name, Table table);
  void check_rows(const Fail& fail, const MappedTerm& term, const std::string& what) const;

  FormulaReader& r_;
  Model& model_;
  std::vector<Item> items_;
  std::map<std::tuple<std::size_t, bool, NodeId>, std::size_t> items_by_name_;
  std::unordered_map<NodeId, std::size_t> item_of_input_;
};

}  // namespace holonom
