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
  // [[energy.sum]], [[constraints.stack]], [[invariants.sum]], [[observables.sum]]
  void read_terms(const toml::node& list, MappedTerm::Role role);
  // q.r = ["formula", ...] or { file = "start.csv" }
  void read_items(const toml::node& node, const std::string& where, VectorCoordinate& v, bool position);

  // Makes the multipliers of the constraints read so far, lambda_<name>, known to formulas; names of the model come
  // first.
  void declare_multipliers();

  // A formula without a table may use single items, r[0].x: then it becomes a term of one row, and true
  // is returned.
  bool take_single(const Fail& fail, NodeId formula, MappedTerm::Role role, const std::string& name, bool fast);

 private:
  // What formulas may index: r, p_r and v_r of a vector, one after the other; lambda_link of a stack. dim = 0: its
  // items are numbers.
  struct Array {
    std::string name;
    MappedTerm::Gather::From from;
    int count = 0, dim = 0, offset = 0;
  };
  // An item as formulas name it: r[index].
  struct Item {
    std::size_t array;
    NodeId index;
    std::vector<NodeId> x;
  };
  struct Table {
    int rows = 1;
    std::vector<MappedTerm::RowValue> values;
    std::vector<std::string> names;
  };

  void add_array(Array array);
  FormulaValue gather(std::string_view name, NodeId index);
  const Item& find_item(std::size_t array, NodeId index);
  // Those that a formula uses, in the order in which they were first named.
  std::set<std::size_t> items_in(NodeId formula) const;
  // Adds the items that a formula uses to q, and their velocities to v.
  void add_item_rates(NodeId formula, std::vector<NodeId>& q, std::vector<NodeId>& v);
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
  std::vector<Array> arrays_;
  std::map<std::string, std::size_t, std::less<>> array_by_name_;
  std::vector<Item> items_;
  std::map<std::pair<std::size_t, NodeId>, std::size_t> items_by_name_;  // of an array and an index
  std::unordered_map<NodeId, std::size_t> item_of_input_;
};

}  // namespace holonom
