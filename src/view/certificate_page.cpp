#include <cmath>

#include "holonom/analysis/result_text.hpp"
#include "holonom/analysis/short_run.hpp"
#include "holonom/model/toml.hpp"
#include "holonom/run/preparation.hpp"
#include "holonom/view/report.hpp"

namespace holonom {

namespace {

std::string cell(const char* format, double x) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, format, x);
  return buffer;
}

void add_run(Report& report, const ShortRun& run) {
  if (run.t.empty()) return;
  Report::Diagram energy{"Energy error", "t", "H - H(0)", false, false, {{"energy", run.t, run.energy_error}}};
  Report::Diagram residuals{
      "Constraint residuals", "t", "", false, true, {{"|g|", run.t, run.position}, {"|G H_p|", run.t, run.hidden}}};
  Report::Diagram invariants{"Errors of invariants", "t", "", false, false, {}};
  for (std::size_t k = 0; k < run.invariant_names.size(); ++k)
    invariants.curves.push_back({run.invariant_names[k], run.t, run.invariant_error[k]});
  if (run.has_energy) report.diagrams.push_back(energy);
  if (run.constraints > 0) report.diagrams.push_back(residuals);
  if (!run.invariant_names.empty()) report.diagrams.push_back(invariants);
}

}  // namespace

Report::Table verdict_table(const Certificate& certificate) {
  Report::Table verdicts{"Verdicts", {"property", "measured", "bound", "verdict", "how"}, {}};
  for (const Claim& c : certificate.claims) {
    const bool measured = c.verdict != Claim::Verdict::not_measured;
    const char* format = c.at_least ? "%.3f" : "%.1e";
    verdicts.rows.push_back(
        {c.property, measured ? cell(format, c.measured) : "",
         measured ? (c.at_least ? "\u2265 " : "\u2264 ") + cell(c.at_least ? "%.2f" : "%.1e", c.bound) : "",
         verdict_word(c), c.remark});
  }
  return verdicts;
}

std::string certificate_page(const ModelCertificate& made, const RunSpec& spec) {
  ModelChanges changes(spec.set);
  changes.prefix = spec.prefix;
  return certificate_page(made, load_model(spec.model, changes), spec);
}

std::string certificate_page(const ModelCertificate& made, Model model, const RunSpec& spec) {
  const Certificate& result = made.certificate;
  Report report;
  report.title = made.model;
  report.subtitle = "certificate of " + made.method.key + ", h = " + shorten(std::strtod(made.step.c_str(), nullptr)) +
                    " (" + made.precision + ")";
  report.about = {{"method", made.method.title}, {"key", made.method.key}, {"step", made.step},
                  {"precision", made.precision}, {"engine", made.engine},  {"citation", made.method.citation}};
  report.tables.push_back(verdict_table(result));
  if (!made.advice.empty()) {
    Report::Table advice{"Advice", {"topic", ""}, {}};
    for (const Advice& a : made.advice) advice.rows.push_back({a.topic, a.text});
    report.tables.push_back(std::move(advice));
  }
  if (!result.failure.empty()) report.notes.push_back(result.failure);
  report.notes.insert(report.notes.end(), made.warnings.begin(), made.warnings.end());
  report.model_text = model.text;
  add_run(report, short_run(std::move(model), spec));
  return report_page(report);
}

}  // namespace holonom
