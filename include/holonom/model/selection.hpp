// Names of coordinates in lists, such as those of flip and keep: "x"; of a vector "r", "r.y", "r[3]", "r[3].y"; each of
// them with a prefix for momenta or velocities.
#pragma once

#include <string_view>
#include <unordered_map>

#include "holonom/model/fail.hpp"
#include "holonom/model/model.hpp"

namespace holonom {

struct Selection {
  bool of_motion = false;  // it had the prefix
  std::vector<int> coordinates;
};

class CoordinateList {
 public:
  // `list` is how the list is called in messages, `prefix` is p_ or v_, `motion` what that stands for.
  CoordinateList(const Model& model, std::string list, std::string prefix, std::string motion);
  Selection select(const std::string& name, const Fail& fail) const;

 private:
  const Model& model_;
  std::string list_, prefix_, motion_;
  std::unordered_map<std::string_view, int> scalars_;
};

}  // namespace holonom
