// Mapped terms as text: the names of what their kernels read, and their index tables.
#pragma once

#include "toml_formulas.hpp"
#include "toml_names.hpp"

namespace holonom {

// Inputs of formulas in the order of names: coordinates, momenta, velocities, then multipliers and energies; an item
// comes after what has a name of its own.
struct OrderedInput {
  int from = 0;
  long place = 0;  // in the array that describes a state
  NodeId input = 0;
  std::string name;
};
std::vector<NamedInput> in_order(std::vector<OrderedInput> inputs);

class TermText {
 public:
  TermText(const Model& model, const TomlNames& names) : model_(model), names_(names) {}

  // What the kernel of a term without a table reads: x, r[3].y, lambda_rod. Throws InputError.
  std::vector<OrderedInput> inputs_of_single(const MappedTerm& term) const;

  // The lines of a term with a table: over = ..., where = ..., and `key` = its formula
  std::string with_table(const MappedTerm& term, const std::string& key, const std::string& abbreviation) const;

  // where = { a = "...", b = "..." }, or nothing
  static std::string where(const std::vector<std::pair<std::string, std::string>>& let);

 private:
  using From = MappedTerm::Gather::From;
  // What stands at one place of the arrays that describe a state: x; r[3].y; lambda_link[3]
  struct Entry {
    std::string before, after{};  // of the brackets
    // Of an array: where it begins and ends, and how many places an item has; 0: a name of its own
    long begin = 0, end = 0, dim = 0;
  };
  Entry entry(From from, long place) const;
  std::string name_of(From from, long place) const;
  [[noreturn]] void fail(const MappedTerm& term, const std::string& what) const;

  const Model& model_;
  const TomlNames& names_;
};

}  // namespace holonom
