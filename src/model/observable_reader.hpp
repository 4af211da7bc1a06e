// [observables] of a model file, and `observe` of ModelChanges.
#pragma once

#include <set>

#include "table_reader.hpp"

namespace holonom {

class ObservableReader {
 public:
  // After all constraints have been read: their multipliers become names, and so do `kinetic` and `potential`.
  ObservableReader(FormulaReader& reader, TableReader& tables);

  void read(const toml::table* observables);
  // "formula", which is then its name as well, or "name=formula"; `prefix` as in ModelChanges
  void read_option(const std::string& option, const std::string& prefix);

 private:
  void add(const Fail& fail, const std::string& name, NodeId x);
  void take_name(const Fail& fail, const std::string& name);

  FormulaReader& r_;
  TableReader& tables_;
  std::set<std::string> columns_;  // of outputs
};

}  // namespace holonom
