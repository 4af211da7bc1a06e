#include "chart_reader.hpp"

#include "holonom/expr/derivative.hpp"

namespace holonom {

void read_chart(FormulaReader& r, const toml::table* chart) {
  if (!chart) return;
  Model& model = r.model;
  r.check_keys(*chart, {"names", "where", "q", "near"}, "[chart]");
  r.mark("chart", *chart);
  if (model.m() == 0) r.source.fail(*chart, "[chart] is for models with constraints, and this one has none");
  if (!model.vectors.empty())
    r.source.fail(*chart, "[chart] is for models whose coordinates all have names of their own, and '" +
                              model.vectors.front().name + "' is a vector");
  const toml::node* names = chart->get("names");
  if (!names || !names->is_array() || names->as_array()->empty())
    r.source.fail(names ? *names : *chart, "[chart] needs names = [\"theta\", ...], one for each degree of freedom");
  r.mark("chart.names", *names);
  for (const toml::node& node : *names->as_array()) {
    if (!node.is_string()) r.source.fail(node, "a name of the chart must be a string");
    const std::string name = *node.value<std::string>();
    r.declare(name, node.source().begin, model.chart_coordinate(name));
  }
  std::vector<std::string> own;
  if (const toml::table* where = r.table(*chart, "where"))
    for (const Entry& e : in_file_order(*where)) {
      r.declare(e.key, e.place->source().begin, r.formula_value(*e.node, "where '" + e.key + "'"));
      own.push_back(e.key);
    }
  const toml::table* q = r.table(*chart, "q");
  if (!q)
    r.source.fail(*chart, "[chart] needs q = { ... } with a formula of " + model.chart.names.front() +
                              (model.chart.names.size() > 1 ? ", ..." : "") + " for every coordinate");
  r.check_keys(*q, model.coordinates, "chart.q");
  r.mark("chart.q", *q);
  for (const std::string& name : model.coordinates) {
    const toml::node* node = q->get(name);
    if (!node) r.source.fail(*q, "chart.q has no formula for the coordinate '" + name + "'");
    r.mark("chart.q." + name, *node);
    const std::string what = "the chart's formula of '" + name + "'";
    const NodeId x = r.formula(*node, what);
    const std::string remedy = "it must be a formula of the chart's own names";
    r.refuse(r.fail_at(*node), x, what, model.q, "", remedy);
    r.refuse(r.fail_at(*node), x, what, model.p, "p_", remedy);
    r.refuse(r.fail_at(*node), x, what, model.v, "v_", remedy);
    model.chart.q.push_back(x);
  }
  for (const std::string& name : own) r.scope.names.erase(name);
  for (std::size_t k = 0; k < model.chart.names.size(); ++k)
    if (!depends_on(*model.graph, model.chart.q, std::span(&model.chart.delta[k], 1)))
      r.source.fail(*names->as_array()->get(k), "no formula of chart.q depends on '" + model.chart.names[k] + "'");
  const toml::table* near = r.table(*chart, "near");
  if (!near) return;
  r.check_keys(*near, model.chart.names, "chart.near");
  for (std::size_t k = 0; k < model.chart.names.size(); ++k)
    if (const toml::node* node = near->get(model.chart.names[k]))
      model.chart.near[k] = r.constant(*node, "chart.near." + model.chart.names[k]);
}

}  // namespace holonom
