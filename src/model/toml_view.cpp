#include "toml_view.hpp"

#include "toml_words.hpp"

namespace holonom {

std::vector<NodeId> formulas_of(const ViewFormulas& view) {
  std::vector<NodeId> nodes;
  for (const ViewFormulas::Point& point : view.points) nodes.insert(nodes.end(), point.at.begin(), point.at.end());
  for (const ViewFormulas::Body& body : view.bodies)
    for (const auto* list : {&body.orientation, &body.at, &body.size})
      nodes.insert(nodes.end(), list->begin(), list->end());
  if (view.size) nodes.push_back(*view.size);
  return nodes;
}

std::string view_text(const ViewFormulas& view, const Model& model, const TomlNames& names,
                      const std::function<std::string(NodeId)>& value) {
  const auto list = [&](const std::vector<NodeId>& nodes) {
    std::vector<std::string> values;
    for (const NodeId x : nodes) values.push_back(value(x));
    return toml_list(values);
  };
  // Names of the model, and of columns, as the file has them
  std::map<std::string, std::string, std::less<>> plain;
  const auto add = [&](const std::string& name, const std::string& plain_name) {
    for (const std::string prefix : {"", "p_", "v_", "lambda_"}) plain.emplace(prefix + name, prefix + plain_name);
  };
  for (const auto& [plain_name, name] : names.plain) add(name, plain_name);
  const auto plain_of = [&](const std::string& name) {
    const auto it = plain.find(name);
    return it == plain.end() ? name : it->second;
  };

  std::string keys, tables;
  if (view.size) keys += "size = " + value(*view.size) + "\n";
  if (view.trails) keys += std::string("trails = ") + (*view.trails ? "true" : "false") + "\n";
  if (!view.plot.empty()) {
    std::vector<std::string> columns;
    for (const std::string& column : view.plot) columns.push_back(toml_string(plain_of(column)));
    keys += "plot = " + toml_list(columns) + "\n";
  }
  if (!view.links.empty()) {
    std::vector<std::string> links;
    for (const auto& [a, b] : view.links)
      links.push_back("[" + toml_string(view.points.at(a).name) + ", " + toml_string(view.points.at(b).name) + "]");
    keys += "links = " + toml_list(links) + "\n";
  }
  if (!view.points.empty()) tables += "\n[view.points]\n";
  for (const ViewFormulas::Point& point : view.points) tables += toml_key(point.name) + " = " + list(point.at) + "\n";
  for (const ViewFormulas::Body& body : view.bodies) {
    tables += "\n[view.bodies." + toml_key(body.name) + "]\n";
    tables += (body.orientation.size() == 4 ? "quaternion = " : "matrix = ") + list(body.orientation) + "\n";
    if (!body.at.empty()) tables += "at = " + list(body.at) + "\n";
    if (!body.size.empty()) tables += "size = " + list(body.size) + "\n";
  }
  if (!view.constraints.empty()) tables += "\n[view.constraints]\n";
  for (const auto& [name, shown] : view.constraints) {
    using Shown = ViewFormulas::Shown;
    const char* word = shown == Shown::link ? "link" : shown == Shown::surface ? "surface" : "nothing";
    tables += toml_key(plain_of(name)) + " = \"" + word + "\"\n";
  }
  if (!view.colours.empty()) tables += "\n[view.colours]\n";
  for (const auto& [name, colour] : view.colours) {
    bool vector = false;
    for (const VectorCoordinate& v : model.vectors) vector = vector || v.name == name;
    tables += toml_key(vector ? plain_of(name) : name) + " = " + toml_string(colour) + "\n";
  }
  return (keys.empty() ? "" : "\n[view]\n") + keys + tables;
}

}  // namespace holonom
