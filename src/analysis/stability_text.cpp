#include <cmath>

#include "holonom/analysis/result_text.hpp"
#include "print.hpp"

namespace holonom {

std::string text_of(const ModelStability& made) {
  std::string out;
  print(out, "%s, formulation %s: residuals (g, G H_p) off the manifold\n\n", made.model.c_str(),
        made.formulation.c_str());
  print(out, "  %12s  %23s  %10s  %18s\n", "", "frozen eigenvalues", "", "growth so far");
  print(out, "  %12s  %11s  %10s  %10s  %8s  %8s\n", "t", "largest Re", "with Im", "largest Im", "expected",
        "measured");
  for (const StabilityRow& row : made.report.rows)
    print(out, "  %12.6g  %11.4g  %10.4g  %10.4g  %8.2e  %8s\n", row.t, row.fastest.real() + 0.0,
                std::abs(row.fastest.imag()), row.frequency, row.expected,
                std::isfinite(row.measured) ? [&] {
                  char text[32];
                  std::snprintf(text, sizeof text, "%.2e", row.measured);
                  return std::string(text);
                }().c_str() : "failed");
  return out;
}

std::string json_of(const ModelStability& made) {
  Json json;
  json.begin().text("model", made.model).text("formulation", made.formulation).number("step", made.step);
  if (!made.report.failure.empty()) json.text("message", made.report.failure);
  json.begin_list("rows");
  for (const StabilityRow& row : made.report.rows) {
    json.begin().number("t", row.t);
    json.begin("fastest").number("real", row.fastest.real()).number("imaginary", row.fastest.imag()).end();
    json.number("frequency", row.frequency).number("growth_expected", row.expected);
    json.number("growth_measured", row.measured).end();
  }
  json.end_list().end();
  return json.str();
}

}  // namespace holonom
