// Stage: what a picture of a system shows, and where it is in a state. Points are vector coordinates of two or three
// components, coordinates that are named like components (x1, y1, z1), and what [view] says; links are constraints
// that keep a distance; surfaces constraints on one point; bodies rotation matrices and unit quaternions.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "holonom/model/view_formulas.hpp"

namespace holonom {

struct Mesh {
  std::vector<float> vertices;           // three numbers each
  std::vector<std::uint32_t> triangles;  // three vertices each
};

class Stage {
 public:
  // Points of one kind, one after the other
  struct Group {
    std::string name;
    std::size_t first = 0, count = 0;
    std::string colour;  // empty: any
    bool fixed = false;  // points that do not move, such as hooks
  };
  struct Body {
    std::string name;
    std::array<double, 3> size{};  // edges of a box
    std::string colour;
  };
  struct Surface {
    std::string name;
    Mesh mesh;
  };
  // States by rows, from which lengths of things are taken: q and p of at least one.
  struct States {
    std::size_t rows = 0;
    const double *q = nullptr, *p = nullptr;
    std::size_t q_size = 0, p_size = 0;
  };

  // Of a model; without one of names of coordinates alone.
  Stage(const ModelAndView& source, const std::vector<std::string>& coordinates, const States& known);
  explicit Stage(const std::vector<std::string>& coordinates);
  ~Stage();
  Stage(Stage&&) noexcept;

  int dimension = 0;  // of the space that is shown; 0: there is nothing to show
  std::vector<Group> groups;
  std::vector<std::string> point_names;
  std::vector<std::array<std::uint32_t, 2>> links;  // of points
  std::vector<Surface> surfaces;
  std::vector<Body> bodies;
  std::optional<double> size;  // the radius of points
  std::optional<bool> trails;
  std::vector<std::string> plot;

  // Three numbers a point
  void place_points(const double* q, const double* p, float* out) const;
  // Seven numbers a body: where it is, and its orientation as a unit quaternion, the real part last
  void place_bodies(const double* q, const double* p, float* out) const;

 private:
  friend class StageBuilder;
  struct Places;
  std::unique_ptr<Places> places_;
};

}  // namespace holonom
