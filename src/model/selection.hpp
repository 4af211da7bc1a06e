// Names of coordinates in lists, such as those of flip and keep: "x"; of a vector "r", "r.y", "r[3]", "r[3].y"; each of
// them with a prefix for momenta or velocities.
#pragma once

#include "formula_reader.hpp"

namespace holonom {

struct Selection {
  bool of_motion = false;  // it had the prefix
  std::vector<int> coordinates;
};

// `list` is how the list is called in messages, `prefix` is p_ or v_, `motion` what that stands for.
Selection select_coordinates(const FormulaReader& reader, const toml::node& name, const std::string& list,
                             const std::string& prefix, const std::string& motion);

}  // namespace holonom
