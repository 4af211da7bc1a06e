#include "view_reader.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "holonom/expr/derivative.hpp"
#include "holonom/model/constants.hpp"

namespace holonom {

namespace {

bool is_colour(std::string_view text) {
  return (text.size() == 7 || text.size() == 4) && text.front() == '#' &&
         text.find_first_not_of("0123456789abcdefABCDEF", 1) == std::string_view::npos;
}

std::string digits(double x) {
  std::ostringstream text;
  text << x;
  return text.str();
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

ViewFormulas ViewReader::read(const toml::table* view) {
  if (!view) return {};
  r_.check_keys(*view, {"points", "links", "bodies", "constraints", "colours", "size", "trails", "plot"}, "[view]");
  if (const toml::table* points = r_.table(*view, "points")) read_points(*points);
  if (const toml::node* links = view->get("links")) read_links(*links);
  if (const toml::table* bodies = r_.table(*view, "bodies")) read_bodies(*bodies);
  if (const toml::table* constraints = r_.table(*view, "constraints")) read_constraints(*constraints);
  if (const toml::table* colours = r_.table(*view, "colours")) read_colours(*colours);
  if (const toml::node* size = view->get("size")) view_.size = positive(*size, "view.size, the radius of points,");
  if (const toml::node* trails = view->get("trails")) {
    if (!trails->is_boolean()) r_.source.fail(*trails, "view.trails must be true or false");
    view_.trails = *trails->value<bool>();
  }
  if (const toml::node* plot = view->get("plot")) read_plot(*plot);
  return std::move(view_);
}

std::vector<NodeId> ViewReader::formulas(const toml::node& list, const std::string& what,
                                         std::initializer_list<std::size_t> sizes, const std::string& example) const {
  const toml::array* array = list.as_array();
  if (!array || std::find(sizes.begin(), sizes.end(), array->size()) == sizes.end())
    r_.source.fail(list, what + " must be a list of formulas, such as " + example);
  const Model& model = r_.model;
  std::vector<NodeId> nodes;
  for (const toml::node& node : *array) {
    const NodeId x = r_.formula(node, what);
    r_.refuse(r_.fail_at(node), x, what, model.v, "v_", "write it with momenta p_<name>");
    if (depends_on(*model.graph, std::span(&x, 1), model.lambda) ||
        depends_on(*model.graph, std::span(&x, 1), model.energies))
      r_.source.fail(node, what +
                               " uses a multiplier or an energy, which only observables do: write it with coordinates "
                               "and momenta");
    for (const NodeId i : model.graph->reachable(std::span(&x, 1)))
      if ((*model.graph)[i].op == Op::input && !std::binary_search(model.q.begin(), model.q.end(), i) &&
          !std::binary_search(model.p.begin(), model.p.end(), i))
        r_.source.fail(node, what +
                                 " uses an item of a vector or a name of the chart: it must be a formula of "
                                 "coordinates with names of their own (items of a vector are points by themselves)");
    nodes.push_back(x);
  }
  return nodes;
}

// A length that can be drawn
NodeId ViewReader::positive(const toml::node& node, const std::string& what) const {
  const NodeId x = r_.constant(node, what);
  const double length = evaluate_constants<double>(r_.model, {x}).front();
  if (!(length > 0) || !std::isfinite(length))
    r_.source.fail(node, what + " must be a positive number, and is " + digits(length));
  return x;
}

// An orientation that is the same in all states can be looked at here.
void ViewReader::check_orientation(const toml::node& node, const ViewFormulas::Body& body) const {
  const Graph& graph = *r_.model.graph;
  for (const NodeId i : graph.reachable(body.orientation))
    if (graph[i].op == Op::input) return;
  constexpr double of_written_decimals = 1e-3;
  const std::vector<double> x = evaluate_constants<double>(r_.model, body.orientation);
  const std::string where = "view.bodies." + body.name;
  if (x.size() == 4) {
    const double size = std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
    if (!(size > 0) || !std::isfinite(size))
      r_.source.fail(node, where + ".quaternion must not be zero, and finite: its direction is the orientation");
    return;
  }
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double product = 0;
      for (std::size_t k = 0; k < 3; ++k) product += x[3 * i + k] * x[3 * j + k];
      if (!(std::abs(product - (i == j ? 1 : 0)) < of_written_decimals))
        r_.source.fail(node, where + ".matrix is no rotation: the product of its rows " + std::to_string(j + 1) +
                                 " and " + std::to_string(i + 1) + " is " + digits(product) + " and not " +
                                 (i == j ? "1" : "0"));
    }
}

std::vector<std::string> ViewReader::point_names() const {
  std::vector<std::string> names;
  for (const ViewFormulas::Point& point : view_.points) names.push_back(point.name);
  return names;
}

void ViewReader::read_points(const toml::table& points) {
  for (const Entry& e : in_file_order(points)) {
    if (!is_valid_name(e.key))
      r_.source.fail(e.place->source().begin, "'" + e.key + "' is not a name: use letters, digits and underscores");
    const std::string what = "the point '" + e.key + "'";
    view_.points.push_back({e.key, formulas(*e.node, what, {2, 3}, "[\"x\", \"y\"] or [\"x\", \"y\", \"z\"]")});
    if (view_.points.back().at.size() != view_.points.front().at.size())
      r_.source.fail(*e.node, what + " has " + std::to_string(view_.points.back().at.size()) + " components, and '" +
                                  view_.points.front().name + "' has " +
                                  std::to_string(view_.points.front().at.size()) + ": all points need the same number");
  }
}

void ViewReader::read_links(const toml::node& links) {
  const std::string shape = "view.links must be a list of pairs of points, such as [[\"a\", \"b\"], [\"b\", \"c\"]]";
  if (!links.is_array()) r_.source.fail(links, shape);
  const std::vector<std::string> names = point_names();
  for (const toml::node& pair : *links.as_array()) {
    if (!pair.is_array() || pair.as_array()->size() != 2) r_.source.fail(pair, shape);
    std::size_t ends[2] = {};
    for (std::size_t k = 0; k < 2; ++k) {
      const toml::node& end = (*pair.as_array())[k];
      if (!end.is_string()) r_.source.fail(end, shape);
      const std::string name = *end.value<std::string>();
      const auto found = std::find(names.begin(), names.end(), name);
      if (found == names.end())
        r_.source.fail(end, "view.links names '" + name + "', which is no point of view.points." +
                                suggestion(name, names, "The points are"));
      ends[k] = static_cast<std::size_t>(found - names.begin());
    }
    view_.links.emplace_back(ends[0], ends[1]);
  }
}

void ViewReader::read_bodies(const toml::table& bodies) {
  for (const Entry& e : in_file_order(bodies)) {
    const std::string where = "view.bodies." + e.key;
    const toml::table* t = e.node->as_table();
    if (!t) r_.source.fail(*e.node, where + " must be a table, such as { matrix = [\"Q11\", \"Q12\", ...] }");
    r_.check_keys(*t, {"matrix", "quaternion", "at", "size"}, where);
    const toml::node *matrix = t->get("matrix"), *quaternion = t->get("quaternion");
    if ((matrix != nullptr) == (quaternion != nullptr))
      r_.source.fail(*e.node, where +
                                  " needs either matrix = [nine formulas, row by row; columns are the axes of the "
                                  "body] or quaternion = [four formulas, the real part first]");
    ViewFormulas::Body body{e.key, {}, {}, {}};
    body.orientation = matrix ? formulas(*matrix, where + ".matrix", {9}, "[\"Q11\", \"Q12\", \"Q13\", \"Q21\", ...]")
                              : formulas(*quaternion, where + ".quaternion", {4}, "[\"e0\", \"e1\", \"e2\", \"e3\"]");
    if (const toml::node* at = t->get("at")) body.at = formulas(*at, where + ".at", {3}, "[\"x\", \"y\", \"z\"]");
    if (const toml::node* size = t->get("size")) {
      if (!size->is_array() || size->as_array()->size() != 3)
        r_.source.fail(*size, where + ".size must be a list of three edges, such as [1, 0.5, 0.2]");
      for (const toml::node& edge : *size->as_array())
        body.size.push_back(positive(edge, "an edge of " + where + ".size"));
    }
    check_orientation(matrix ? *matrix : *quaternion, body);
    view_.bodies.push_back(std::move(body));
  }
}

void ViewReader::read_constraints(const toml::table& constraints) {
  std::vector<std::string> names;
  for (const Named& c : r_.model.constraints) names.push_back(c.name);
  for (const MappedTerm& term : r_.model.terms)
    if (term.role == MappedTerm::Role::constraint) names.push_back(term.name);
  for (const Entry& e : in_file_order(constraints)) {
    if (!contains(names, e.key))
      r_.source.fail(e.place->source().begin, "view.constraints names '" + e.key + "', which is no constraint." +
                                                  suggestion(e.key, names, "The constraints are"));
    const std::string word = e.node->value<std::string>().value_or("");
    using Shown = ViewFormulas::Shown;
    if (word != "link" && word != "surface" && word != "nothing")
      r_.source.fail(*e.node, "a constraint is shown as \"link\", \"surface\" or \"nothing\"");
    view_.constraints[e.key] = word == "link" ? Shown::link : word == "surface" ? Shown::surface : Shown::nothing;
  }
}

void ViewReader::read_colours(const toml::table& colours) {
  std::vector<std::string> names = point_names();
  for (const VectorCoordinate& v : r_.model.vectors) names.push_back(v.name);
  for (const ViewFormulas::Body& body : view_.bodies) names.push_back(body.name);
  for (const Entry& e : in_file_order(colours)) {
    if (!contains(names, e.key))
      r_.source.fail(e.place->source().begin, "view.colours names '" + e.key +
                                                  "', which is no point or body of [view] and no vector coordinate." +
                                                  suggestion(e.key, names, "They are"));
    const std::string colour = e.node->value<std::string>().value_or("");
    if (!is_colour(colour)) r_.source.fail(*e.node, "a colour is written as \"#rrggbb\", such as \"#d04020\"");
    view_.colours[e.key] = colour;
  }
}

void ViewReader::read_plot(const toml::node& plot) {
  if (!plot.is_array()) r_.source.fail(plot, "view.plot must be a list of names, such as [\"energy\", \"x\"]");
  const Model& model = r_.model;
  std::vector<std::string> names{"energy", "residuals"};
  for (const std::string& name : model.coordinates) names.push_back(name);
  if (model.field)
    for (const std::string& name : model.field->variables_in_p) names.push_back(name);
  else
    for (const std::string& name : model.coordinates) names.push_back("p_" + name);
  for (const Named& c : model.constraints) names.push_back("lambda_" + c.name);
  for (const auto* list : {&model.invariants, &model.observables})
    for (const Named& x : *list) names.push_back(x.name);
  for (const toml::node& node : *plot.as_array()) {
    const std::string name = node.value<std::string>().value_or("");
    if (!contains(names, name))
      r_.source.fail(node, "view.plot names '" + name + "', which is no column of a run." +
                               suggestion(name, names, "Columns are"));
    view_.plot.push_back(name);
  }
}

}  // namespace holonom
