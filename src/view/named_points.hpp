// Which coordinates are components of points, by their names. Private to src/view.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

namespace holonom {

struct NamedPoint {
  std::string name;
  std::array<int, 3> column{-1, -1, -1};  // of the components that are shown
  int dimension = 0;
  std::string vector;  // the vector coordinate that it is an item of; empty: none
};

// x1, y1, z1 or bob_x, bob_y are points of their own; r[0].x, r[0].y are items of r. In order of their first component.
// Two of three components, x and z, are a plane with z upward.
std::vector<NamedPoint> named_points(const std::vector<std::string>& coordinates);

}  // namespace holonom
