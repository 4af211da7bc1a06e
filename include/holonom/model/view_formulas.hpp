// [view] of a model file: what a picture of the motion shows where that cannot be guessed. It is no part of the
// mechanics, and a Model does not hold it.
#pragma once

#include <optional>

#include "holonom/model/toml.hpp"

namespace holonom {

struct ViewFormulas {
  struct Point {
    std::string name;
    std::vector<NodeId> at;  // 2 or 3 formulas of coordinates and momenta
  };
  struct Body {
    std::string name;
    std::vector<NodeId> orientation;  // nine, a matrix by rows whose columns are the body's axes; or four, a quaternion
    std::vector<NodeId> at;           // three, or none: the origin
    std::vector<NodeId> size;         // three edges, or none
  };
  enum class Shown : std::uint8_t { link, surface, nothing };

  std::vector<Point> points;  // if there are any, coordinates with names are no points by themselves
  std::vector<std::pair<std::size_t, std::size_t>> links;  // between these points
  std::vector<Body> bodies;
  std::map<std::string, Shown> constraints;    // how some constraints are shown
  std::map<std::string, std::string> colours;  // "#rrggbb" of points, vector coordinates and bodies
  std::optional<NodeId> size;                  // the radius of points
  std::optional<bool> trails;
  std::vector<std::string> plot;  // columns that are plotted first
};

struct ModelAndView {
  Model model;
  ViewFormulas view;
};

// As parse_model, which checks [view] as well and drops it.
ModelAndView parse_model_and_view(std::string text, const std::string& file_name, const ModelChanges& changes = {});

}  // namespace holonom
