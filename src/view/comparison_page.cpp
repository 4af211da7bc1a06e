#include <algorithm>
#include <cmath>

#include "holonom/run/preparation.hpp"
#include "holonom/view/report.hpp"

namespace holonom {

namespace {

std::string digits(double x) {
  if (!std::isfinite(x)) return "";
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.2e", x);
  return buffer;
}

// A curve for each method, of its rows that were done and have logarithms. One without points keeps its place: in all
// diagrams a method has the same colour.
Report::Diagram diagram(const Comparison& made, const std::string& title, const std::string& x_name,
                        const std::string& y_name, double (*x)(const ComparisonRow&),
                        double (*y)(const ComparisonRow&)) {
  Report::Diagram result{title, x_name, y_name, true, true, {}};
  for (const ComparisonRow& row : made.rows) {
    auto curve = std::find_if(result.curves.begin(), result.curves.end(),
                              [&](const Report::Curve& c) { return c.name == row.method; });
    if (curve == result.curves.end()) curve = result.curves.insert(curve, {row.method, {}, {}});
    if (row.status != ComparisonRow::Status::done || !(x(row) > 0) || !(y(row) > 0)) continue;
    curve->x.push_back(x(row));
    curve->y.push_back(y(row));
  }
  return result;
}

}  // namespace

std::string comparison_page(const ModelComparison& of, const Comparison& made, const std::string& model_text) {
  Report report;
  report.title = of.labels().model;
  report.subtitle = "comparison to t = " + shorten(of.until()) + " (" + of.precision() + ")";
  report.about = {{"reference", made.reference}, {"precision", of.precision()}, {"engine", of.engine()}};
  const auto seconds = [](const ComparisonRow& row) { return row.cpu_seconds; };
  const auto step = [](const ComparisonRow& row) { return std::abs(row.h); };
  const auto error = [](const ComparisonRow& row) { return row.error.q; };
  const auto energy = [](const ComparisonRow& row) { return row.energy; };
  report.diagrams = {diagram(made, "Work and precision", "CPU seconds", "error of q at the end", seconds, error),
                     diagram(made, "Work and energy error", "CPU seconds", "largest energy error", seconds, energy),
                     diagram(made, "Order", "step", "error of q at the end", step, error),
                     diagram(made, "Energy error by step", "step", "largest energy error", step, energy)};
  Report::Table table{
      "All runs",
      {"method", "step", "steps", "error of q", "order", "error of p", "energy", "|g|", "|G H_p|", "CPU s", ""},
      {}};
  for (const ComparisonRow& row : made.rows) {
    std::vector<std::string> cells{row.method, shorten(row.h), std::to_string(row.steps)};
    if (row.status == ComparisonRow::Status::done) {
      cells.push_back(digits(row.error.q));
      cells.push_back(std::isfinite(row.order.q) ? shorten(std::round(100 * row.order.q) / 100) : "");
      for (const double x : {row.error.p, row.energy, row.position, row.hidden, row.cpu_seconds})
        cells.push_back(digits(x));
    } else {
      cells.resize(table.columns.size() - 1);
    }
    cells.push_back(row.message.empty() ? "" : "failed: " + row.message);
    table.rows.push_back(std::move(cells));
  }
  report.tables.push_back(std::move(table));
  report.model_text = model_text;
  return report_page(report);
}

}  // namespace holonom
