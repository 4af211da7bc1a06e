// holonom compare: methods and steps side by side on one problem.
#include "commands.hpp"
#include "counters.hpp"
#include "holonom/analysis/model_comparison.hpp"
#include "holonom/run/preparation.hpp"
#include "holonom/run/row_file.hpp"
#include "options.hpp"
#include "output.hpp"
#include "result_files.hpp"

namespace holonom {

namespace {

struct Options {
  CompareSpec spec;
  std::string methods, formulations, out, precision = "double", engine = "auto", newton = "auto";
  std::optional<std::string> step;
  std::vector<std::string> set;
  bool force = false, json = false;
};

// "a, f(b, c), d": at commas outside of brackets.
std::vector<std::string> split_list(const std::string& text, const std::string& option) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else if (c != ' ' || depth > 0)
      parts.back() += c;
  }
  for (const std::string& part : parts)
    if (part.empty()) throw InputError(option + " " + text + ": an entry of the list is empty");
  return parts;
}

// ---- Output

const char* status_word(ComparisonRow::Status status) {
  constexpr const char* words[] = {"done", "failed", "unsuitable"};
  return words[static_cast<int>(status)];
}

void write(Json& json, std::string_view key, const StateErrors& e) {
  json.begin(key).number("q", e.q).number("p", e.p).number("lambda", e.lambda).end();
}

std::string to_json(const ModelComparison& of, const Comparison& c) {
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

std::string to_csv(const ModelComparison& of, const Comparison& c) {
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

std::string cell(const char* format, double x) {
  if (!is_finite(x)) return "-";
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, format, x);
  return buffer;
}

// Three tables of the same rows: accuracy, what is kept, cost.
void print_tables(const ModelComparison& of, const Comparison& c) {
  const Labels& labels = of.labels();
  std::printf("%s to t = %s (%s)\n", labels.model.c_str(), shorten(of.until()).c_str(), of.precision().c_str());
  if (!c.reference.empty()) {
    std::printf("reference: %s\n", c.reference.c_str());
    std::printf("           its own error: q %s, p %s", cell("%.1e", c.accuracy.q).c_str(),
                cell("%.1e", c.accuracy.p).c_str());
    if (!labels.constraints.empty()) std::printf(", lambda %s", cell("%.1e", c.accuracy.lambda).c_str());
    std::printf(" (estimated from above)\n");
  }
  std::size_t width = 6;
  for (const ComparisonRow& row : c.rows) width = std::max(width, row.method.size());
  const auto table = [&](const std::string& head, bool all, auto&& body) {
    if (!all && c.reference.empty()) return;  // no run succeeded
    std::printf("\n%-*s  %13s  %8s%s\n", static_cast<int>(width), "method", "step", "steps", head.c_str());
    for (const ComparisonRow& row : c.rows) {
      const bool done = row.status == ComparisonRow::Status::done;
      if (!done && !all) continue;
      std::printf("%-*s  %13s  %8ld%s\n", static_cast<int>(width), row.method.c_str(), shorten(row.h).c_str(),
                  row.steps, done ? body(row).c_str() : (std::string("  ") + status_word(row.status)).c_str());
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
    std::printf("%s%s\n", blank ? "" : "\n", text.c_str());
    blank = true;
    said = text;
  }
}

// ---- The command

int compare_command(const Options& o) {
  CompareSpec spec = o.spec;
  spec.prefix = "--";
  spec.set = overrides(o.set);
  spec.methods = split_list(o.methods, "--methods");
  if (!o.formulations.empty()) spec.formulations = split_list(o.formulations, "--formulations");
  if (o.step) spec.steps = split_list(*o.step, "--step");
  spec.precision = precision_of(o.precision);
  spec.engine = engine_of(o.engine);
  spec.newton = stage_matrix(o.newton);
  ModelComparison comparison(std::move(spec));
  for (const std::string& warning : comparison.warnings()) warn(warning);
  const ResultFiles files("compare", o.out, o.force, comparison.inputs());
  const Comparison result = comparison.compare();
  for (const std::string& remark : comparison.remarks(result)) warn(remark);
  const std::string json = to_json(comparison, result);
  if (o.json)
    std::printf("%s\n", json.c_str());
  else
    print_tables(comparison, result);
  files.write(to_csv(comparison, result), json + "\n");
  for (const ComparisonRow& row : result.rows)
    if (row.status == ComparisonRow::Status::done) return exit_done;
  std::fprintf(stderr, "holonom: no run succeeded: there is nothing to compare\n");
  return exit_numerical_failure;
}

}  // namespace

void add_compare(CLI::App& app, Command& chosen) {
  auto o = std::make_shared<Options>();
  CLI::App* cmd =
      app.add_subcommand("compare", "Compare methods and steps on a model: errors at the same end, orders, and cost");
  cmd->add_option("MODEL", o->spec.model, "A model file (TOML)")->required();
  cmd->add_option("--methods", o->methods, "The methods, separated by commas; see 'holonom methods'")->required();
  cmd->add_option("--formulations", o->formulations,
                  "Each method on each of these, separated by commas: direct, dirac, h-m+symplectic, ...");
  cmd->add_option("--step", o->step,
                  "The step sizes, separated by commas: numbers or formulas of the model's parameters");
  cmd->add_option("--until", o->spec.until, "The end of all runs, a number or a formula");
  cmd->add_option("--reference", o->spec.reference, "METHOD:STEP instead of the exact flow by extrapolation");
  cmd->add_option("--out", o->out,
                  "Write all rows to this .csv file, or to compare.csv and compare.json in this folder")
      ->check(file_name());
  cmd->add_flag("--force", o->force, "Overwrite existing output files");
  cmd->add_flag("--json", o->json, "Print the result as JSON");
  add_set_option(*cmd, o->set);
  add_precision_option(*cmd, o->precision);
  add_tolerance_option(*cmd, o->spec.tolerance);
  add_newton_option(*cmd, o->newton);
  cmd->add_option("--threads", o->spec.threads,
                  "Threads for the runs (default: as many as there are cores); results do not depend on it")
      ->check(CLI::Range(1, 64));
  add_engine_option(*cmd, o->engine);
  cmd->callback([o, &chosen] { chosen = [o] { return compare_command(*o); }; });
}

}  // namespace holonom
