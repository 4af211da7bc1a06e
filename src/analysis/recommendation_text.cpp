#include <algorithm>

#include "holonom/analysis/result_text.hpp"
#include "holonom/run/preparation.hpp"
#include "print.hpp"

namespace holonom {

namespace {

// What was run, in one line
std::string evidence(const ModelRecommendation& r, const RecommendedMethod& m) {
  const auto text = [](const char* format, auto x) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, format, x);
    return std::string(buffer);
  };
  std::string line = m.method.info.key + ": runs to t = " + text("%.6g", r.made.window) + " with";
  constexpr std::size_t most = 4;
  const std::size_t first = m.trials.size() > most ? m.trials.size() - most : 0;
  for (std::size_t k = first; k < m.trials.size(); ++k)
    line += (k > first ? ", " : " ") + std::to_string(m.trials[k].steps) + " (" + text("%.1e", m.trials[k].error) + ")";
  line += " steps (errors)";
  if (m.order > 0) line += ", order " + text("%.1f", m.order);
  if (!m.is_measured) line += "; the step is extrapolated by this order";
  if (m.growth.factor != 1 || r.made.window != r.until) {
    line += "; beyond: " + m.growth.law;
    if (m.is_checked) line += "; then once to the end";
  }
  return line;
}

}  // namespace

std::string text_of(const ModelRecommendation& r) {
  std::string out;
  const Recommendation& made = r.made;
  print(out, "%s: %s to %s until t = %s (double)\n\n", r.model.c_str(), r.quantity.c_str(), shorten(r.accuracy).c_str(),
        shorten(r.until).c_str());
  if (made.methods.empty()) return out;
  std::size_t width = 6;
  for (const RecommendedMethod& m : made.methods) width = std::max(width, m.method.info.key.size());
  const int wide = static_cast<int>(width);
  print(out, "  %-*s  %13s  %10s  %10s  %9s  %11s\n", wide, "method", "step", "steps", "operations", "error",
        "CPU time");
  for (std::size_t k = 0; k < made.methods.size(); ++k) {
    const RecommendedMethod& m = made.methods[k];
    print(out, "  %-*s  %13s  %10ld  %10.2e  %9.1e  %9.1e s\n", wide, m.method.info.key.c_str(),
          shorten(r.until / static_cast<double>(m.steps)).c_str(), m.steps, m.work, m.error, r.seconds[k]);
  }
  print(out, "\n");
  for (const RecommendedMethod& m : made.methods) print(out, "  %s\n", evidence(r, m).c_str());
  print(out, "  %zu methods, %ld runs; the exact motion by %ld steps of order 16 (%s), to %.0e\n", made.candidates,
        made.trials, made.reference_steps, made.reference_scalar.c_str(), made.reference_error);
  return out;
}

void write(Json& json, const ModelRecommendation& r, std::size_t k) {
  constexpr const char* outcomes[] = {"done", "failed", "too wrong", "too expensive"};
  const RecommendedMethod& m = r.made.methods[k];
  json.text("method", m.method.info.key)
      .number("step", r.until / static_cast<double>(m.steps))
      .text("step_formula", r.step_formula(m))
      .integer("steps", m.steps)
      .number("work", m.work)
      .number("cpu_seconds", r.seconds[k])
      .number("error", m.error)
      .number("order", m.order)
      .boolean("measured", m.is_checked)
      .text("growth", m.growth.law)
      .number("growth_factor", m.growth.factor)
      .begin_list("runs");
  for (const Trial& t : m.trials)
    json.begin()
        .integer("steps", t.steps)
        .text("outcome", outcomes[static_cast<int>(t.outcome)])
        .number("error", t.error)
        .number("work", t.work)
        .end();
  json.end_list();
}

std::string json_of(const ModelRecommendation& r) {
  Json json;
  json.begin().text("model", r.model).text("quantity", r.quantity).number("accuracy", r.accuracy).number("t", r.until);
  json.boolean("reached", !r.made.methods.empty());
  if (r.made.methods.empty()) json.text("message", r.why_none());
  json.begin_list("methods");
  for (std::size_t k = 0; k < r.made.methods.size(); ++k) {
    json.begin();
    write(json, r, k);
    json.end();
  }
  json.end_list();
  const Recommendation& made = r.made;
  json.begin("search")
      .integer("candidates", static_cast<long long>(made.candidates))
      .integer("runs", made.trials)
      .number("work", made.spent)
      .number("window", made.window)
      .number("unit", made.unit)
      .number("least_error", made.least_error)
      .text("least_error_of", made.least_error_of)
      .begin("reference")
      .text("precision", made.reference_scalar)
      .integer("steps", made.reference_steps)
      .number("error", made.reference_error)
      .end()
      .end()
      .end();
  return json.str();
}

}  // namespace holonom
