// RunDescription: what the numbers of a run are, and how they were made, for people and programs that read them.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "holonom/any_system.hpp"

namespace holonom {

struct Provenance;

struct RunDescription {
  std::string model, model_text, method, formulation, step, engine, precision, chosen, sample, creator_version;
  std::vector<std::pair<std::string, std::string>> parameters;  // with all digits
  // Names and units of columns; momenta of a field have names of their own, others are p_<coordinate>
  std::vector<std::string> coordinates, momenta, constraints, invariants, observables;
  std::vector<std::string> coordinate_units, momentum_units, multiplier_units, invariant_units, observable_units;
  std::string time_unit, energy_unit;
  bool is_field = false;
};

RunDescription describe_run(const Labels& labels, const Provenance& about, const std::string& precision);

// The unit of a column: its own, or that of the vector or stack it belongs to (r for r[3].x); empty: none
std::string unit_of(const std::map<std::string, std::string>& units, const std::string& column);
std::vector<std::string> units_of(const std::map<std::string, std::string>& units, const std::string& prefix,
                                  const std::vector<std::string>& columns);

}  // namespace holonom
