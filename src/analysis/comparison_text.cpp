#include <algorithm>

#include "holonom/analysis/counts.hpp"
#include "holonom/analysis/result_text.hpp"
#include "holonom/run/preparation.hpp"
#include "holonom/run/row_file.hpp"
#include "print.hpp"

namespace holonom {

namespace {

const char* status_word(ComparisonRow::Status status) {
  constexpr const char* words[] = {"done", "failed", "unsuitable"};
  return words[static_cast<int>(status)];
}

void write(Json& json, std::string_view key, const StateErrors& e) {
  json.begin(key).number("q", e.q).number("p", e.p).number("lambda", e.lambda).end();
}

std::string cell(const char* format, double x) {
  if (!is_finite(x)) return "-";
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, format, x);
  return buffer;
}

}  // namespace

// Three tables of the same rows: accuracy, what is kept, cost.
std::string text_of(const ModelComparison& of, const Comparison& c) {
  std::string out;
  const Labels& labels = of.labels();
  print(out, "%s to t = %s (%s)\n", labels.model.c_str(), shorten(of.until()).c_str(), of.precision().c_str());
  if (!c.reference.empty()) {
    print(out, "reference: %s\n", c.reference.c_str());
    print(out, "           its own error: q %s, p %s", cell("%.1e", c.accuracy.q).c_str(),
          cell("%.1e", c.accuracy.p).c_str());
    if (!labels.constraints.empty()) print(out, ", lambda %s", cell("%.1e", c.accuracy.lambda).c_str());
    print(out, " (estimated from above)\n");
  }
  std::size_t width = 6;
  for (const ComparisonRow& row : c.rows) width = std::max(width, row.method.size());
  const auto table = [&](const std::string& head, bool all, auto&& body) {
    if (!all && c.reference.empty()) return;  // no run succeeded
    print(out, "\n%-*s  %13s  %8s%s\n", static_cast<int>(width), "method", "step", "steps", head.c_str());
    for (const ComparisonRow& row : c.rows) {
      const bool done = row.status == ComparisonRow::Status::done;
      if (!done && !all) continue;
      print(out, "%-*s  %13s  %8ld%s\n", static_cast<int>(width), row.method.c_str(), shorten(row.h).c_str(), row.steps,
            done ? body(row).c_str() : (std::string("  ") + status_word(row.status)).c_str());
    }
  };
  const auto column = [](const std::string& text, int wide = 9) {
    return std::string(2, ' ') +
           std::string(static_cast<std::size_t>(std::max(0, wide - static_cast<int>(text.size()))), ' ') + text;
  };
  const bool constrained = !labels.constraints.empty();
  const auto error_and_order = [&](double e, double order) {
    return column(cell("%.2e", e)) + column(cell("%.2f", order), 6);
  };
  table(column("error of q") + column("order", 5) + column("error of p", 10) + column("order", 5) +
            (constrained ? column("of lambda") + column("order", 6) : ""),
        true, [&](const ComparisonRow& row) {
          return column(cell("%.2e", row.error.q), 10) + column(cell("%.2f", row.order.q), 5) +
                 column(cell("%.2e", row.error.p), 10) + column(cell("%.2f", row.order.p), 5) +
                 (constrained ? error_and_order(row.error.lambda, row.order.lambda) : "");
        });
  std::string head = column("energy") + (constrained ? column("|g|") + column("|G H_p|") : "");
  for (const std::string& name : labels.invariants) head += column(name);
  table(head, false, [&](const ComparisonRow& row) {
    std::string text = column(cell("%.2e", row.energy));
    if (constrained) text += column(cell("%.1e", row.position)) + column(cell("%.1e", row.hidden));
    for (std::size_t k = 0; k < row.invariants.size(); ++k)
      text += column(cell("%.1e", row.invariants[k]), std::max(9, static_cast<int>(labels.invariants[k].size())));
    return text;
  });
  table(column("forces") + column("hessians") + column("g") + column("G") + column("factored") + column("Newton", 12) +
            column("CPU s"),
        false, [&](const ComparisonRow& row) {
          const Counters& n = row.counters;
          std::string text;
          for (const std::uint64_t x : {n.force, n.hessian, n.constraint, n.jacobian, n.factorisation})
            text += column(std::to_string(x));
          text += column(
              n.newton_solves ? cell("%.2f", newton_mean(n)) + " (" + std::to_string(n.newton_max) + ")" : "-", 12);
          return text + column(cell("%.2e", row.cpu_seconds));
        });
  bool blank = false;
  std::string said;
  for (const ComparisonRow& row : c.rows) {
    if (row.message.empty()) continue;
    const bool unsuitable = row.status == ComparisonRow::Status::unsuitable;  // whatever the step
    const std::string text = unsuitable ? row.message : row.method + " with h = " + shorten(row.h) + ": " + row.message;
    if (text == said) continue;
    print(out, "%s%s\n", blank ? "" : "\n", text.c_str());
    blank = true;
    said = text;
  }
  return out;
}

std::string json_of(const ModelComparison& of, const Comparison& c) {
  const Labels& labels = of.labels();
  const bool in_double = of.precision() == "double";
  Json json;
  json.begin()
      .text("model", labels.model)
      .text("precision", of.precision())
      .text("engine", of.engine())
      .digits("t", of.until_digits(), in_double);
  json.begin("reference").text("what", c.reference);
  write(json, "accuracy", c.accuracy);
  json.end().begin_list("rows");
  for (const ComparisonRow& row : c.rows) {
    json.begin()
        .text("method", row.method)
        .digits("step", of.step_digits()[row.step], in_double)
        .integer("steps", row.steps)
        .text("status", status_word(row.status));
    if (!row.message.empty()) json.text("message", row.message);
    if (row.status == ComparisonRow::Status::done) {
      write(json, "error", row.error);
      write(json, "order", row.order);
      json.number("energy_max_error", row.energy).number("position_max", row.position).number("hidden_max", row.hidden);
      json.begin("invariants");
      for (std::size_t k = 0; k < row.invariants.size(); ++k) json.number(labels.invariants[k], row.invariants[k]);
      json.end();
      write(json, row.counters);
      json.number("cpu_seconds", row.cpu_seconds);
    }
    json.end();
  }
  json.end_list().end();
  return json.str();
}

std::string csv_of(const ModelComparison& of, const Comparison& c) {
  const Labels& labels = of.labels();
  std::string out =
      "method,step,steps,status,error_q,error_p,error_lambda,order_q,order_p,order_lambda,energy_max_error,position_"
      "max,hidden_max";
  for (const std::string& name : labels.invariants) out += ",max_error_" + name;
  for (const Count& count : counts) out += std::string(",") + count.name;
  out += ",newton_mean,newton_max,cpu_seconds,message\n";
  for (const ComparisonRow& row : c.rows) {
    const bool done = row.status == ComparisonRow::Status::done;
    const auto number = [&](double x) { out += done && is_finite(x) ? "," + to_text(x) : ","; };
    const auto integer = [&](auto x) { out += done ? "," + std::to_string(x) : ","; };
    out += csv_cell(row.method) + "," + of.step_digits()[row.step] + "," + std::to_string(row.steps) + "," +
           status_word(row.status);
    for (const double x : {row.error.q, row.error.p, row.error.lambda, row.order.q, row.order.p, row.order.lambda,
                           row.energy, row.position, row.hidden})
      number(x);
    for (std::size_t k = 0; k < labels.invariants.size(); ++k) number(done ? row.invariants[k] : 0.0);
    for (const Count& count : counts) integer(row.counters.*count.value);
    number(newton_mean(row.counters));
    integer(row.counters.newton_max);
    number(row.cpu_seconds);
    out += "," + csv_cell(row.message) + "\n";
  }
  return out;
}

}  // namespace holonom
