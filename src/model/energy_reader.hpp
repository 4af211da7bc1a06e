// [energy] of a model file: the potential and its parts, sums, and masses.
#pragma once

#include "table_reader.hpp"

namespace holonom {

class EnergyReader {
 public:
  EnergyReader(FormulaReader& reader, TableReader& tables) : r_(reader), tables_(tables) {}

  void read(const toml::table& root);

 private:
  void read_potential(const toml::node& node);
  // A sum without a table, and without items
  void add_to_potential(const toml::node& node, NodeId x, bool fast);
  void read_mass(const toml::node& node);

  FormulaReader& r_;
  TableReader& tables_;
};

}  // namespace holonom
