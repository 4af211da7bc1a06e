// A recommended method, as it is printed.
#pragma once

#include "holonom/analysis/model_recommendation.hpp"
#include "json.hpp"

namespace holonom {

// The keys of an object: the k-th method, and what is known about it
inline void write(Json& json, const ModelRecommendation& r, std::size_t k) {
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
      .boolean("measured", m.is_measured)
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

// What was run, in one line
inline std::string evidence(const ModelRecommendation& r, const RecommendedMethod& m) {
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
  if (m.growth.factor != 1 || r.made.window != r.until) line += "; beyond: " + m.growth.law;
  return line;
}

}  // namespace holonom
