#include "holonom/view/stage.hpp"

#include <algorithm>
#include <cmath>

#include "constraint_shapes.hpp"
#include "holonom/model/constants.hpp"
#include "named_points.hpp"
#include "places.hpp"
#include "stage_bodies.hpp"

namespace holonom {

class StageBuilder {
 public:
  StageBuilder(Stage& stage, const std::vector<std::string>& coordinates) : stage_(stage), coordinates_(coordinates) {
    stage.places_ = std::make_unique<Stage::Places>();
  }

  void build(const ModelAndView& source, const Stage::States& known) {
    const ViewFormulas& view = source.view;
    const std::vector<GuessedBody> guessed =
        view.bodies.empty() ? guess_bodies(source.model) : std::vector<GuessedBody>();
    for (const GuessedBody& body : guessed) taken_.insert(taken_.end(), body.column.begin(), body.column.end());
    add_formulas(source);
    add_named_points(view.points.empty(), &view);
    add_guessed_bodies(guessed);
    if (view.size) stage_.size = number(source.model, *view.size);
    stage_.trails = view.trails;
    stage_.plot = view.plot;
    for (const auto& [a, b] : view.links)
      stage_.links.push_back({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)});
    stage_.places_->known_q = known.q_size;
    stage_.places_->known_p = known.p_size;
    if (known.rows > 0) add_constraints(source, known);
    finish();
  }
  void build_from_names() {
    add_named_points(true, nullptr);
    finish();
  }

 private:
  Stage::Places& places() { return *stage_.places_; }
  static double number(const Model& model, NodeId node) { return evaluate_constants<double>(model, {node}).front(); }

  void add_point(const std::string& name, const std::string& group, const std::string& colour, bool fixed) {
    if (stage_.groups.empty() || stage_.groups.back().name != group || stage_.groups.back().fixed != fixed)
      stage_.groups.push_back({group, stage_.point_names.size(), 0, colour, fixed});
    ++stage_.groups.back().count;
    stage_.point_names.push_back(name);
  }

  void add_formulas(const ModelAndView& source) {
    const ViewFormulas& view = source.view;
    const auto colour = [&](const std::string& name) {
      const auto found = view.colours.find(name);
      return found == view.colours.end() ? std::string() : found->second;
    };
    Program::Block all;
    for (const ViewFormulas::Point& point : view.points) {
      all.insert(all.end(), point.at.begin(), point.at.end());
      const std::vector<NodeId> reached = source.model.graph->reachable(point.at);
      const bool fixed = std::none_of(reached.begin(), reached.end(),
                                      [&](NodeId i) { return (*source.model.graph)[i].op == Op::input; });
      add_point(point.name, point.name, colour(point.name), fixed);
      places().formula_dimension = point.at.size();
      stage_.dimension = std::max(stage_.dimension, static_cast<int>(point.at.size()));
    }
    places().formula_points = view.points.size();
    for (const ViewFormulas::Body& body : view.bodies) {
      if (body.at.empty())
        all.insert(all.end(), 3, Graph::zero);
      else
        all.insert(all.end(), body.at.begin(), body.at.end());
      all.insert(all.end(), body.orientation.begin(), body.orientation.end());
      places().formula_bodies.push_back(3 + body.orientation.size());
      Stage::Body shown{body.name, {1, 0.7, 0.4}, colour(body.name)};
      for (std::size_t k = 0; k < body.size.size(); ++k) shown.size[k] = number(source.model, body.size[k]);
      stage_.bodies.push_back(shown);
      stage_.dimension = 3;
    }
    if (all.empty()) return;
    Stage::Places& where = places();
    where.q_size = source.model.q.size();
    where.p_size = source.model.p.size();
    where.q.resize(where.q_size);
    where.p.resize(where.p_size);
    where.values.resize(all.size());
    where.formulas = Interpreter<double>(
        std::make_shared<Program>(*source.model.graph, std::vector<Program::Block>{source.model.q, source.model.p},
                                  std::vector<Program::Block>{all}));
  }

  void add_named_points(bool with_names_of_their_own, const ViewFormulas* view) {
    for (const NamedPoint& point : named_points(coordinates_)) {
      const bool taken = std::any_of(point.column.begin(), point.column.end(), [&](int c) {
        return c >= 0 && std::find(taken_.begin(), taken_.end(), c) != taken_.end();
      });
      if (taken || (point.vector.empty() && !with_names_of_their_own)) continue;
      const std::string& group = point.vector.empty() ? point.name : point.vector;
      std::string colour;
      if (view)
        if (const auto found = view->colours.find(group); found != view->colours.end()) colour = found->second;
      for (const int c : point.column)
        if (c >= 0) point_of_coordinate_[c] = static_cast<int>(columns_.size());
      columns_.push_back(point);
      add_point(point.name, group, colour, false);
      places().points.push_back({point.column, {}});
      stage_.dimension = std::max(stage_.dimension, point.dimension);
    }
  }

  // At the one point that there is; else at the origin, side by side.
  void add_guessed_bodies(const std::vector<GuessedBody>& guessed) {
    const bool at_point = guessed.size() == 1 && columns_.size() == 1 && columns_.front().dimension == 3;
    constexpr double spacing = 2.5;
    for (std::size_t k = 0; k < guessed.size(); ++k) {
      Stage::Places::Turned body{guessed[k].column, guessed[k].axes, at_point ? 0 : -1, {}};
      body.at[0] = spacing * (static_cast<double>(k) - static_cast<double>(guessed.size() - 1) / 2);
      places().bodies.push_back(body);
      stage_.bodies.push_back({guessed[k].name, guessed[k].size, ""});
      stage_.dimension = 3;
    }
  }

  void add_constraints(const ModelAndView& source, const Stage::States& known) {
    const ConstraintShapes shapes = constraint_shapes(source, columns_, point_of_coordinate_, known);
    const auto first = static_cast<std::uint32_t>(places().formula_points);  // named points come after the formulas
    for (const auto& [a, b] : shapes.links)
      stage_.links.push_back({first + static_cast<std::uint32_t>(a), first + static_cast<std::uint32_t>(b)});
    for (const ConstraintShapes::Hook& hook : shapes.hooks) {
      const auto same = std::find(hooks_.begin(), hooks_.end(), hook.at);
      const auto which = static_cast<std::size_t>(same - hooks_.begin());
      if (same == hooks_.end()) hooks_.push_back(hook.at);
      pending_.emplace_back(first + static_cast<std::uint32_t>(hook.point), which);
    }
    const auto first_hook = static_cast<std::uint32_t>(stage_.point_names.size());
    for (const std::array<double, 3>& at : hooks_) {
      add_point("fixed", "fixed", "", true);
      places().points.push_back({{-1, -1, -1}, at});
    }
    for (const auto& [point, which] : pending_)
      stage_.links.push_back({point, first_hook + static_cast<std::uint32_t>(which)});
    for (const ConstraintShapes::Shape& surface : shapes.surfaces)
      stage_.surfaces.push_back({surface.name, surface.mesh});
  }

  void finish() {
    if (stage_.point_names.empty() && stage_.bodies.empty()) stage_.dimension = 0;
  }

  Stage& stage_;
  const std::vector<std::string>& coordinates_;
  std::vector<int> taken_;           // coordinates that belong to bodies
  std::vector<NamedPoint> columns_;  // points that are coordinates
  std::map<int, int> point_of_coordinate_;
  std::vector<std::array<double, 3>> hooks_;
  std::vector<std::pair<std::uint32_t, std::size_t>> pending_;
};

Stage::Stage(const ModelAndView& source, const std::vector<std::string>& coordinates, const States& known) {
  StageBuilder(*this, coordinates).build(source, known);
}
Stage::Stage(const std::vector<std::string>& coordinates) { StageBuilder(*this, coordinates).build_from_names(); }
Stage::~Stage() = default;
Stage::Stage(Stage&&) noexcept = default;

}  // namespace holonom
