#include "stage_bodies.hpp"

#include <algorithm>
#include <cmath>

#include "holonom/model/model_system.hpp"
#include "holonom/solve/rigid_bodies.hpp"
#include "level_set.hpp"

namespace holonom {

namespace {

// A name of a matrix from those of its entries: Q of Q11, Q12, ...
std::string common_name(const Model& model, const std::vector<int>& column) {
  std::string name = model.coordinates[static_cast<std::size_t>(column.front())];
  for (const int i : column) {
    const std::string& other = model.coordinates[static_cast<std::size_t>(i)];
    const auto end = std::mismatch(name.begin(), name.end(), other.begin(), other.end()).first;
    name.erase(end, name.end());
  }
  return name.empty() ? "body" : name;
}

std::vector<GuessedBody> matrices(const Model& model) {
  constexpr std::size_t entries = 9;
  if (model.q.size() < entries || !model.vectors.empty() || model.field) return {};
  const ModelSystem<double> system(compile(model));
  const RigidBodies<double> found = find_rigid_bodies(static_cast<const AnySystem<double>&>(system));
  std::vector<GuessedBody> bodies;
  if (!found.reason.empty()) return bodies;
  for (const RigidBody<double>& body : found.list) {
    GuessedBody guessed;
    guessed.column.assign(body.at.begin(), body.at.end());
    guessed.name = common_name(model, guessed.column);
    if (body.turned) guessed.axes = body.axes;
    // A box with the edges a has the second moments m a²/12.
    for (std::size_t k = 0; k < 3; ++k) guessed.size[k] = 2 * std::sqrt(body.d[k] / body.d[0]);
    bodies.push_back(std::move(guessed));
  }
  return bodies;
}

std::vector<GuessedBody> quaternions(const Model& model) {
  std::vector<GuessedBody> bodies;
  const auto index = [&](const std::string& name) {
    const auto found = std::find(model.coordinates.begin(), model.coordinates.end(), name);
    return found == model.coordinates.end() ? -1 : static_cast<int>(found - model.coordinates.begin());
  };
  for (const std::string& first : model.coordinates) {
    if (first.back() != '0') continue;
    const std::string name = first.substr(0, first.size() - 1);
    std::vector<int> column;
    std::vector<NodeId> inputs;
    for (const char digit : {'0', '1', '2', '3'})
      if (const int i = index(name + digit); i >= 0) {
        column.push_back(i);
        inputs.push_back(model.q[static_cast<std::size_t>(i)]);
      }
    if (column.size() != 4) continue;
    for (const Named& constraint : model.constraints) {
      const auto reached = model.graph->reachable(std::span(&constraint.node, 1));
      const bool alone = std::all_of(reached.begin(), reached.end(), [&](NodeId i) {
        return (*model.graph)[i].op != Op::input || std::find(inputs.begin(), inputs.end(), i) != inputs.end();
      });
      if (!alone) continue;
      const auto centre = LevelSet(*model.graph, constraint.node, inputs).centre(1);
      if (!centre || std::any_of(centre->begin(), centre->end(), [](double c) { return std::abs(c) > 1e-9; })) continue;
      bodies.push_back({name.empty() ? "body" : name, column, GuessedBody().axes, {2, 1.4, 0.8}});
      break;
    }
  }
  return bodies;
}

}  // namespace

std::vector<GuessedBody> guess_bodies(const Model& model) {
  std::vector<GuessedBody> bodies = matrices(model);
  return bodies.empty() ? quaternions(model) : bodies;
}

}  // namespace holonom
