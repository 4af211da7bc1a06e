// [events] of a model file, and `event` of ModelChanges.
#pragma once

#include "table_reader.hpp"

namespace holonom {

class EventReader {
 public:
  EventReader(FormulaReader& reader, TableReader& tables) : r_(reader), tables_(tables) {}

  void read(const toml::table* events);
  // "formula", which is then its name as well, or "name=formula"; `prefix` as in ModelChanges
  void read_option(const std::string& option, const std::string& prefix);

 private:
  void add(const Fail& fail, const std::string& name, NodeId x, Direction direction, bool stop);

  FormulaReader& r_;
  TableReader& tables_;
};

}  // namespace holonom
