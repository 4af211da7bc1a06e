#include "named_points.hpp"

#include <algorithm>
#include <cctype>

namespace holonom {

namespace {

struct Component {
  std::string point, vector;
  int axis = -1;
};

int axis_of(char c) {
  const auto at = std::string("xyz").find(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  return at == std::string::npos ? -1 : static_cast<int>(at);
}

Component component_of(const std::string& name) {
  const std::size_t size = name.size();
  if (const auto bracket = name.find('['); bracket != std::string::npos) {
    if (size < 2 || name[size - 2] != '.') return {};
    return {name.substr(0, size - 2), name.substr(0, bracket), axis_of(name.back())};
  }
  if (size > 2 && name[size - 2] == '_' && axis_of(name.back()) >= 0)
    return {name.substr(0, size - 2), "", axis_of(name.back())};
  const int axis = axis_of(name.front());
  const std::string rest = name.substr(1);
  if (axis < 0 || (!rest.empty() && std::isalpha(static_cast<unsigned char>(rest.front())) != 0 && rest.size() > 1))
    return {};
  // Upper and lower case letters are different points.
  const bool upper = std::isupper(static_cast<unsigned char>(name.front())) != 0;
  return {(upper ? "P" : "p") + rest, "", axis};
}

}  // namespace

std::vector<NamedPoint> named_points(const std::vector<std::string>& coordinates) {
  std::vector<NamedPoint> points;
  std::map<std::string, std::size_t> known;
  std::vector<std::array<int, 3>> columns;
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    const Component c = component_of(coordinates[i]);
    if (c.axis < 0) continue;
    const auto [found, is_new] = known.emplace(c.point, points.size());
    if (is_new) {
      points.push_back({c.point, {-1, -1, -1}, 0, c.vector});
      columns.push_back({-1, -1, -1});
    }
    columns[found->second][static_cast<std::size_t>(c.axis)] = static_cast<int>(i);
  }
  std::vector<NamedPoint> whole;
  for (std::size_t k = 0; k < points.size(); ++k) {
    NamedPoint& point = points[k];
    std::string all;
    for (const int column : columns[k]) {
      if (column < 0) continue;
      point.column[static_cast<std::size_t>(point.dimension++)] = column;
      all += (all.empty() ? "" : ", ") + coordinates[static_cast<std::size_t>(column)];
    }
    if (point.vector.empty()) point.name = "(" + all + ")";
    if (point.dimension >= 2) whole.push_back(point);
  }
  return whole;
}

}  // namespace holonom
