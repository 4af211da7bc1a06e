// Names for a model file: a name that formulas or the reader cannot have gets a plain one, and stands in [names].
#pragma once

#include <set>

#include "holonom/model/model.hpp"

namespace holonom {

struct TomlNames {
  explicit TomlNames(const Model& model);

  // In the order of the model
  std::vector<std::string> coordinates, variables_in_p, vectors, chart;
  std::vector<std::string> constraints, phase_constraints, invariants, observables, events, terms;
  std::map<std::string, std::string> parameters;           // by their names in the model
  std::vector<std::pair<std::string, std::string>> plain;  // what stands for which name: [names]

  // A name that formulas may have and no other has, such as `wish` or one that begins with it.
  std::string fresh(const std::string& wish) const;
  // A prefix such that no name is it with a number: for abbreviations
  std::string free_prefix(const std::string& wish) const;

  std::set<std::string, std::less<>> in_formulas;  // all names that formulas have
};

}  // namespace holonom
