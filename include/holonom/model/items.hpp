// Items of vector coordinates in formulas, r[index], and the mapped terms that formulas of items become. What a text
// model and a Python program share.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "holonom/expr/parser.hpp"
#include "holonom/model/fail.hpp"
#include "holonom/model/model.hpp"

namespace holonom {

class Items {
 public:
  using From = MappedTerm::Gather::From;
  // What formulas may index: r, p_r and v_r of a vector, one after the other; lambda_link of a stack. dim = 0: its
  // items are numbers.
  struct Array {
    std::string name;
    From from;
    int count = 0, dim = 0, offset = 0;
  };
  // An item as formulas name it: r[index].
  struct Item {
    std::size_t array;
    NodeId index;
    std::vector<NodeId> x;
  };
  // An index table: columns of numbers, and the inputs that stand for them.
  struct Table {
    int rows = 1;
    std::vector<MappedTerm::RowValue> values;
    std::vector<std::string> names;
  };

  explicit Items(Model& model) : model_(model) {}

  // r, p_r and v_r
  void add_vector(const VectorCoordinate& v);
  void add_array(Array array);
  // nullptr: there is no array of that name.
  const Array* array(std::string_view name) const;

  // The inputs for array[index], new ones if it was not named before. The array must be there.
  const Item& item(std::string_view array, NodeId index);
  // The same as the parser wants it: a vector of components, or a number.
  FormulaValue gather(std::string_view array, NodeId index);
  // Of a component of r[index], the same one of p_r[index] or v_r[index]. Nothing if x is no such component.
  std::optional<NodeId> partner(NodeId x, From from);
  bool is_item(NodeId x) const { return item_of_input_.contains(x); }
  // A constraint with a name of its own comes before all stacks: from number `at` on, multipliers move up by one.
  void insert_multiplier(int at);
  // Adds the items that a formula uses to q, and their velocities to v.
  void add_rates(NodeId formula, std::vector<NodeId>& q, std::vector<NodeId>& v);

  // A kernel over a table. Indices must be whole numbers in range in every row, and formulas use what their role
  // allows.
  MappedTerm term(const Fail& fail, NodeId kernel, MappedTerm::Role role, const std::string& name, Table table);
  // A formula without a table may use single items, r[0].x: then it becomes a term of one row, and true is returned.
  bool take_single(const Fail& fail, NodeId formula, MappedTerm::Role role, const std::string& name, bool fast);

 private:
  const Item& find(std::size_t array, NodeId index);
  // Those that a formula uses, in the order in which they were first named.
  std::set<std::size_t> used_in(NodeId formula) const;
  MappedTerm::Gather gather_rows(const Fail& fail, const Item& item, const Table& table, const std::string& what) const;
  void refuse_foreign(const Fail& fail, const MappedTerm& term, const Table& table, const std::string& what) const;
  void check_rows(const Fail& fail, const MappedTerm& term, const std::string& what) const;

  Model& model_;
  std::vector<Array> arrays_;
  std::map<std::string, std::size_t, std::less<>> array_by_name_;
  std::vector<Item> items_;
  std::map<std::pair<std::size_t, NodeId>, std::size_t> items_by_name_;  // of an array and an index
  std::unordered_map<NodeId, std::size_t> item_of_input_;
};

}  // namespace holonom
