#include "holonom/view/report.hpp"

#include "holonom/json.hpp"
#include "holonom/version.hpp"
#include "page_data.hpp"
#include "page_template.hpp"
#include "report_tables.hpp"

namespace holonom {

namespace {

void write(Json& json, const Report::Table& table) {
  json.begin().text("title", table.title).begin_list("columns");
  for (const std::string& name : table.columns) json.text("", name);
  json.end_list().begin_list("rows");
  for (const auto& row : table.rows) {
    json.begin_list();
    for (const std::string& cell : row) json.text("", cell);
    json.end_list();
  }
  json.end_list().end();
}

void write(Json& json, const Report::Diagram& diagram) {
  json.begin().text("title", diagram.title).text("x", diagram.x).text("y", diagram.y);
  json.boolean("log_x", diagram.log_x).boolean("log_y", diagram.log_y).begin_list("curves");
  for (const Report::Curve& curve : diagram.curves) {
    json.begin().text("name", curve.name).begin_list("x");
    for (const double x : curve.x) json.number("", x);
    json.end_list().begin_list("y");
    for (const double y : curve.y) json.number("", y);
    json.end_list().end();
  }
  json.end_list().end();
}

}  // namespace

void write_tables(Json& json, const std::vector<Report::Table>& tables) {
  json.begin_list("tables");
  for (const Report::Table& table : tables) write(json, table);
  json.end_list();
}

std::string report_page(const Report& report) {
  Json json;
  json.begin().text("kind", "report").text("title", report.title).text("subtitle", report.subtitle);
  json.text("version", version).begin_list("about");
  for (const auto& [what, value] : report.about) json.begin_list().text("", what).text("", value).end_list();
  json.end_list().begin("parameters").end().text("model_text", report.model_text).begin_list("notes");
  for (const std::string& note : report.notes) json.text("", note);
  json.end_list();
  write_tables(json, report.tables);
  json.begin_list("diagrams");
  for (const Report::Diagram& diagram : report.diagrams) write(json, diagram);
  json.end_list();
  const PageData none;
  none.describe(json);
  json.end();
  return fill_page(report.title, json.str(), none.base64());
}

}  // namespace holonom
