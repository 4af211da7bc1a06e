#include "holonom/model/selection.hpp"

#include <algorithm>
#include <charconv>

#include "holonom/expr/parser.hpp"

namespace holonom {

namespace {

// r, r.y, r[3] or r[3].y
std::vector<int> select_items(const VectorCoordinate& v, std::string_view rest, const Fail& fail) {
  int first = 0, last = v.count - 1, component = -1;
  if (rest.starts_with('[')) {
    const auto close = rest.find(']');
    const std::string_view digits = rest.substr(1, close == std::string_view::npos ? 0 : close - 1);
    int item = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), item);
    if (error != std::errc() || end != digits.data() + digits.size() || item < 0 || item >= v.count)
      fail("the item in brackets must be a number, and '" + v.name + "' has the items 0 to " +
           std::to_string(v.count - 1) + " (all of them: '" + v.name + "' or '" + v.name + ".x')");
    first = last = item;
    rest.remove_prefix(close + 1);
  }
  if (!rest.empty()) {
    const auto c = rest.size() == 2 && rest[0] == '.' ? std::string_view("xyz").find(rest[1]) : std::string_view::npos;
    if (c == std::string_view::npos || static_cast<int>(c) >= v.dim)
      fail("'" + v.name + "' has the " +
           (v.dim == 1   ? "component .x"
            : v.dim == 2 ? "components .x and .y"
                         : "components .x, .y and .z") +
           ", not '" + std::string(rest) + "'");
    component = static_cast<int>(c);
  }
  std::vector<int> chosen;
  for (int i = first; i <= last; ++i)
    for (int c = 0; c < v.dim; ++c)
      if (component < 0 || c == component) chosen.push_back(v.offset + i * v.dim + c);
  return chosen;
}

}  // namespace

CoordinateList::CoordinateList(const Model& model, std::string list, std::string prefix, std::string motion)
    : model_(model), list_(std::move(list)), prefix_(std::move(prefix)), motion_(std::move(motion)) {
  for (const std::string& c : model.coordinates) scalars_.emplace(c, static_cast<int>(scalars_.size()));
}

Selection CoordinateList::select(const std::string& name, const Fail& fail) const {
  const std::string_view stem = std::string_view(name).substr(0, name.find_first_of("[."));
  for (const bool of_motion : {false, true}) {
    if (of_motion && !stem.starts_with(prefix_)) break;
    const std::string_view wanted = of_motion ? stem.substr(prefix_.size()) : stem;
    const auto scalar = scalars_.find(wanted);
    if (scalar != scalars_.end() && stem.size() == name.size()) return {of_motion, {scalar->second}};
    const auto vector = std::find_if(model_.vectors.begin(), model_.vectors.end(),
                                     [&](const VectorCoordinate& v) { return v.name == wanted; });
    if (vector != model_.vectors.end())
      return {of_motion, select_items(*vector, std::string_view(name).substr(stem.size()),
                                      [&](const std::string& what) { fail(list_ + ": '" + name + "': " + what); })};
  }
  std::vector<std::string> known;
  for (const std::string& c : model_.coordinates) known.insert(known.end(), {c, prefix_ + c});
  for (const VectorCoordinate& v : model_.vectors) known.insert(known.end(), {v.name, prefix_ + v.name});
  fail(list_ + " takes coordinates and " + motion_ + ", not '" + name + "'." + suggestion(name, known, "They are"));
  return {};
}

}  // namespace holonom
