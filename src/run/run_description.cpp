#include "holonom/run/run_description.hpp"

#include "holonom/run/hdf5.hpp"
#include "holonom/version.hpp"

namespace holonom {

std::string unit_of(const std::map<std::string, std::string>& units, const std::string& column) {
  if (const auto own = units.find(column); own != units.end()) return own->second;
  const auto whole = units.find(column.substr(0, column.find('[')));
  return whole != units.end() ? whole->second : "";
}

std::vector<std::string> units_of(const std::map<std::string, std::string>& units, const std::string& prefix,
                                  const std::vector<std::string>& columns) {
  std::vector<std::string> list;
  list.reserve(columns.size());
  for (const std::string& column : columns) list.push_back(unit_of(units, prefix + column));
  return list;
}

RunDescription describe_run(const Labels& labels, const Provenance& about, const std::string& precision) {
  RunDescription run;
  run.model = labels.model;
  run.model_text = about.model_text;
  run.method = about.method;
  run.formulation = about.formulation;
  run.step = about.step;
  run.engine = about.engine;
  run.precision = precision;
  run.chosen = about.chosen;
  run.sample = about.sample;
  run.creator_version = version;
  run.parameters.assign(about.parameters.begin(), about.parameters.end());
  run.coordinates = labels.coordinates;
  for (std::size_t i = 0; i < labels.momenta(); ++i) run.momenta.push_back(labels.momentum(i));
  run.constraints = labels.constraints;
  run.invariants = labels.invariants;
  run.observables = labels.observables;
  run.coordinate_units = units_of(about.units, "", run.coordinates);
  run.momentum_units = units_of(about.units, "", run.momenta);
  run.multiplier_units = units_of(about.units, "lambda_", run.constraints);
  run.invariant_units = units_of(about.units, "", run.invariants);
  run.observable_units = units_of(about.units, "", run.observables);
  run.time_unit = unit_of(about.units, "t");
  run.energy_unit = unit_of(about.units, "energy");
  run.is_field = labels.variables_in_p.has_value();
  return run;
}

}  // namespace holonom
