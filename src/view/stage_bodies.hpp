// Rigid bodies that a model has without saying so. Private to src/view.
#pragma once

#include "holonom/model/model.hpp"

namespace holonom {

struct GuessedBody {
  std::string name;
  std::vector<int> column;  // of a matrix by rows, or of a quaternion
  std::array<double, 9> axes{1, 0, 0, 0, 1, 0, 0, 0, 1};
  std::array<double, 3> size{};
};

// Rotation matrices, by their constraints and masses (solve/rigid_bodies.hpp), which also give the proportions of a box
// with these second moments; and four coordinates e0, e1, e2, e3 with a constraint on e.e.
std::vector<GuessedBody> guess_bodies(const Model& model);

}  // namespace holonom
