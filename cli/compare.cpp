// holonom compare: methods and steps side by side on one problem.
#include "commands.hpp"
#include "holonom/analysis/result_text.hpp"
#include "holonom/view/page.hpp"
#include "holonom/view/report.hpp"
#include "options.hpp"
#include "output.hpp"
#include "result_files.hpp"

namespace holonom {

namespace {

struct CompareOptions {
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

int compare_command(const CompareOptions& o) {
  CompareSpec spec = o.spec;
  spec.prefix = "--";
  spec.set = overrides(o.set);
  spec.methods = split_list(o.methods, "--methods");
  if (!o.formulations.empty()) spec.formulations = split_list(o.formulations, "--formulations");
  if (o.step) spec.steps = split_list(*o.step, "--step");
  spec.precision = precision_of(o.precision);
  spec.engine = engine_of(o.engine);
  spec.newton = stage_matrix(o.newton);
  ModelComparison comparison(spec);
  for (const std::string& warning : comparison.warnings()) warn(warning);
  const ResultFiles files("compare", o.out, o.force, comparison.inputs(), has_view());
  const Comparison result = comparison.compare();
  for (const std::string& remark : comparison.remarks(result)) warn(remark);
  const std::string json = json_of(comparison, result);
  if (o.json)
    std::printf("%s\n", json.c_str());
  else
    std::printf("%s", text_of(comparison, result).c_str());
  files.write(csv_of(comparison, result), json + "\n");
  if (files.has_page()) files.write_page(comparison_page(comparison, result, load_model(spec.model).text));
  for (const ComparisonRow& row : result.rows)
    if (row.status == ComparisonRow::Status::done) return exit_done;
  std::fprintf(stderr, "holonom: no run succeeded: there is nothing to compare\n");
  return exit_numerical_failure;
}

}  // namespace

void add_compare(CLI::App& app, Command& chosen) {
  auto o = std::make_shared<CompareOptions>();
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
  cmd->add_option(
         "--out", o->out,
         "Write all rows to this .csv file, or to compare.csv, compare.json and a page compare.html in this folder")
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
