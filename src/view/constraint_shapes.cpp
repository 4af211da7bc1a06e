#include "constraint_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>

#include "holonom/expr/derivative.hpp"
#include "surface_mesh.hpp"

namespace holonom {

namespace {

using Shown = ViewFormulas::Shown;

class Search {
 public:
  Search(const ModelAndView& source, const std::vector<NamedPoint>& points, const std::map<int, int>& point_of,
         const Stage::States& known)
      : model_(source.model), view_(source.view), points_(points), point_of_(point_of), known_(known) {
    for (const NamedPoint& point : points)
      for (const int c : point.column)
        if (c >= 0 && std::isfinite(known.q[c])) scale_ = std::max(scale_, std::abs(known.q[c]));
    if (scale_ == 0) scale_ = 1;
  }

  ConstraintShapes find() {
    for (const Named& c : model_.constraints) look_at(c);
    for (const MappedTerm& term : model_.terms)
      if (term.role == MappedTerm::Role::constraint) look_at(term);
    for (const Single& single : singles_) settle(single);
    return std::move(shapes_);
  }

 private:
  // A constraint on one point
  struct Single {
    std::string name;
    int point;
    std::optional<std::vector<double>> centre;
    std::shared_ptr<const LevelSet> surface;  // none where each row of a table has its own
  };

  std::optional<Shown> wanted(const std::string& name) const {
    const auto found = view_.constraints.find(name);
    return found == view_.constraints.end() ? std::nullopt : std::optional(found->second);
  }
  const NamedPoint& point(int i) const { return points_[static_cast<std::size_t>(i)]; }

  void link(int a, int b) {
    shapes_.links.emplace_back(a, b);
    linked_.insert(a);
    linked_.insert(b);
  }
  // By the coordinates that it depends on: all of one or two points, and no other
  void look_at(const Named& constraint) {
    if (wanted(constraint.name) == Shown::nothing) return;
    std::vector<int> found;
    for (const NodeId i : model_.graph->reachable(std::span(&constraint.node, 1))) {
      if ((*model_.graph)[i].op != Op::input) continue;
      const auto at = std::lower_bound(model_.q.begin(), model_.q.end(), i);
      if (at == model_.q.end() || *at != i) return;
      const auto of = point_of_.find(static_cast<int>(at - model_.q.begin()));
      if (of == point_of_.end()) return;
      if (std::find(found.begin(), found.end(), of->second) == found.end()) found.push_back(of->second);
    }
    if (found.empty() || found.size() > 2) return;
    std::vector<NodeId> x;
    for (const int p : found)
      for (const int c : point(p).column)
        if (c >= 0) x.push_back(model_.q[static_cast<std::size_t>(c)]);
    LevelSet g(*model_.graph, constraint.node, std::move(x));
    if (found.size() == 1)
      singles_.push_back(
          {constraint.name, found.front(), g.centre(scale_), std::make_shared<const LevelSet>(std::move(g))});
    else if (g.is_distance_between_points(scale_))
      link(found[0], found[1]);
  }

  // One formula for all rows of a table: it is looked at in each row if it reads numbers of its own there, such as the
  // length of a rod, and else in the first.
  void look_at(const MappedTerm& term) {
    if (term.rows == 0 || wanted(term.name) == Shown::nothing || term.gathers.empty() || term.gathers.size() > 2)
      return;
    std::vector<NodeId> x, others;
    for (const MappedTerm::Gather& gather : term.gathers) {
      if (gather.from != MappedTerm::Gather::From::position) return;
      x.insert(x.end(), gather.x.begin(), gather.x.end());
    }
    for (const MappedTerm::RowValue& value : term.values) others.push_back(value.input);
    const bool rows_differ = term.rows > 1 && depends_on(*model_.graph, std::span(&term.kernel, 1), others);
    const auto point_in = [&](std::size_t gather, int row) {
      const auto found = point_of_.find(term.gathers[gather].first[static_cast<std::size_t>(row)]);
      return found == point_of_.end() ? -1 : found->second;
    };
    const auto g = std::make_shared<LevelSet>(*model_.graph, term.kernel, std::move(x), others, row_values(term, 0));
    const bool on_one_point = term.gathers.size() == 1;
    std::optional<std::vector<double>> centre;
    bool keeps_distance = false;
    for (int row = 0; row < term.rows; ++row) {
      if (row == 0 || rows_differ) {
        g->set_others(row_values(term, row));
        if (on_one_point)
          centre = g->centre(scale_);
        else
          keeps_distance = g->is_distance_between_points(scale_);
      }
      const int a = point_in(0, row), b = on_one_point ? a : point_in(1, row);
      if (a < 0 || b < 0) continue;
      if (on_one_point)
        singles_.push_back({term.name, a, centre, rows_differ ? nullptr : g});
      else if (keeps_distance)
        link(a, b);
    }
  }

  static std::vector<double> row_values(const MappedTerm& term, int row) {
    const auto at = static_cast<std::size_t>(row);
    std::vector<double> values;
    values.reserve(term.values.size());
    for (const MappedTerm::RowValue& value : term.values)
      values.push_back(value.integer.empty() ? std::strtod(value.text[at].c_str(), nullptr)
                                             : static_cast<double>(value.integer[at]));
    return values;
  }

  double state(std::size_t row, int column) const {
    return known_.q[row * known_.q_size + static_cast<std::size_t>(column)];
  }

  void settle(const Single& single) {
    const NamedPoint& where = point(single.point);
    const std::optional<Shown> asked = wanted(single.name);
    const bool hangs = where.dimension == 2 || linked_.contains(single.point);
    const bool as_link = asked ? asked == Shown::link : hangs;
    if (as_link && single.centre) {
      ConstraintShapes::Hook hook{single.point, {}};
      std::copy(single.centre->begin(), single.centre->end(), hook.at.begin());
      shapes_.hooks.push_back(hook);
    } else if (where.dimension == 3 && !as_link && single.surface && shown_.insert(single.surface).second) {
      add_surface(single);
    }
  }

  void add_surface(const Single& single) {
    const NamedPoint& where = point(single.point);
    Box box;
    bool whole = false;
    Mesh mesh;
    constexpr double margin = 1.08;
    if (single.centre) {
      double square = 0;
      for (std::size_t a = 0; a < 3; ++a) {
        box.centre[a] = (*single.centre)[a];
        square += std::pow(state(0, where.column[a]) - box.centre[a], 2);
      }
      box.half = margin * std::sqrt(square);
      mesh = surface_mesh(*single.surface, box, whole);
    } else {
      double half = 0, centre_size = 0;
      for (std::size_t a = 0; a < 3; ++a) {
        double least = std::numeric_limits<double>::infinity(), largest = -least;
        for (std::size_t row = 0; row < known_.rows; ++row)
          if (const double x = state(row, where.column[a]); std::isfinite(x))
            least = std::min(least, x), largest = std::max(largest, x);
        if (!(least <= largest)) return;
        box.centre[a] = (least + largest) / 2;
        half = std::max(half, (largest - least) / 2);
        centre_size = std::max(centre_size, std::abs(box.centre[a]));
      }
      const double least_half = std::max({half, centre_size, 1e-300});
      constexpr int growths = 3;  // until a closed surface fits; of others the part near the motion is shown
      for (int growth = 0; growth < growths && !whole; ++growth) {
        box.half = margin * least_half * std::pow(1.6, growth);
        mesh = surface_mesh(*single.surface, box, whole);
      }
      if (!whole) {
        box.half = 1.3 * least_half;
        mesh = surface_mesh(*single.surface, box, whole);
      }
    }
    const bool known = std::any_of(shapes_.surfaces.begin(), shapes_.surfaces.end(),
                                   [&](const auto& other) { return other.mesh.vertices == mesh.vertices; });
    if (!known && !mesh.triangles.empty()) shapes_.surfaces.push_back({single.name, std::move(mesh)});
  }

  const Model& model_;
  const ViewFormulas& view_;
  const std::vector<NamedPoint>& points_;
  const std::map<int, int>& point_of_;
  const Stage::States& known_;
  double scale_ = 0;
  std::vector<Single> singles_;
  std::set<int> linked_;
  std::set<std::shared_ptr<const LevelSet>> shown_;  // as surfaces, of which all rows of a table share one
  ConstraintShapes shapes_;
};

}  // namespace

ConstraintShapes constraint_shapes(const ModelAndView& source, const std::vector<NamedPoint>& points,
                                   const std::map<int, int>& point_of, const Stage::States& known) {
  return Search(source, points, point_of, known).find();
}

}  // namespace holonom
