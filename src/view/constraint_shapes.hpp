// What constraints look like: links between points, hooks, surfaces. Private to src/view.
#pragma once

#include "holonom/view/stage.hpp"
#include "named_points.hpp"

namespace holonom {

struct ConstraintShapes {
  // A point at a fixed distance from a place
  struct Hook {
    int point;
    std::array<double, 3> at;
  };
  struct Shape {
    std::string name;
    Mesh mesh;
  };
  std::vector<std::pair<int, int>> links;
  std::vector<Hook> hooks;
  std::vector<Shape> surfaces;
};

// `points` and `point_of` a coordinate: those that are coordinates. Where [view] says nothing, a point of space that is
// kept at a distance from a place is on a sphere, unless it is linked to other points: then it hangs there.
ConstraintShapes constraint_shapes(const ModelAndView& source, const std::vector<NamedPoint>& points,
                                   const std::map<int, int>& point_of, const Stage::States& known);

}  // namespace holonom
