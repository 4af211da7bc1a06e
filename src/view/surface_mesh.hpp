// A surface g(x, y, z) = 0 as triangles. Private to src/view.
#pragma once

#include "holonom/view/stage.hpp"
#include "level_set.hpp"

namespace holonom {

struct Box {
  std::array<double, 3> centre{};
  double half = 1;
};

// By surface nets: one vertex in each cell of a grid that the surface crosses, moved onto it, and a square across each
// edge. Of a surface that leaves the box only the part in it. `whole` says whether it does not.
Mesh surface_mesh(const LevelSet& g, const Box& box, bool& whole);

}  // namespace holonom
