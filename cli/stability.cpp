// holonom stability: what residuals of a formulation do off the manifold, along a motion.
#include <cmath>

#include "commands.hpp"
#include "holonom/analysis/model_stability.hpp"
#include "json.hpp"
#include "options.hpp"
#include "output.hpp"

namespace holonom {

namespace {

struct Options {
  RunSpec spec;
  std::vector<std::string> set;
  bool json = false;
};

std::string to_json(const ModelStability& made) {
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

void print_table(const ModelStability& made) {
  std::printf("%s, formulation %s: residuals (g, G H_p) off the manifold\n\n", made.model.c_str(),
              made.formulation.c_str());
  std::printf("  %12s  %23s  %10s  %18s\n", "", "frozen eigenvalues", "", "growth so far");
  std::printf("  %12s  %11s  %10s  %10s  %8s  %8s\n", "t", "largest Re", "with Im", "largest Im", "expected",
              "measured");
  for (const StabilityRow& row : made.report.rows)
    std::printf("  %12.6g  %11.4g  %10.4g  %10.4g  %8.2e  %8s\n", row.t, row.fastest.real() + 0.0,
                std::abs(row.fastest.imag()), row.frequency, row.expected,
                std::isfinite(row.measured) ? [&] {
                  char text[32];
                  std::snprintf(text, sizeof text, "%.2e", row.measured);
                  return std::string(text);
                }().c_str() : "failed");
}

int stability_command(const Options& o) {
  const ModelStability made = model_stability(completed(o.spec, o.set));
  for (const std::string& warning : made.warnings) warn(warning);
  if (o.json)
    std::printf("%s\n", to_json(made).c_str());
  else
    print_table(made);
  if (made.report.failure.empty()) return exit_done;
  std::fprintf(stderr, "holonom: %s\n", made.report.failure.c_str());
  return exit_numerical_failure;
}

}  // namespace

void add_stability(CLI::App& app, Command& chosen) {
  auto o = std::make_shared<Options>();
  CLI::App* cmd =
      app.add_subcommand("stability", "Show what residuals of a formulation do off the manifold, along a motion");
  cmd->add_option("MODEL", o->spec.model, "A model file (TOML)")->required();
  cmd->add_option("--formulation", o->spec.formulation, "The formulation; see 'holonom run --help'")->required();
  cmd->add_option("--alpha", o->spec.alpha, "The number of the formulation");
  cmd->add_option("--step", o->spec.step, "The step size, a number or a formula of the model's parameters");
  auto* until = cmd->add_option("--until", o->spec.until, "The end of the motion, a number or a formula");
  cmd->add_option("--steps", o->spec.steps, "The number of steps")->excludes(until)->check(at_least(0));
  cmd->add_option("--every", o->spec.every, "Print every K-th step")->check(at_least(1));
  cmd->add_flag("--json", o->json, "Print the result as JSON");
  add_set_option(*cmd, o->set);
  cmd->callback([o, &chosen] { chosen = [o] { return stability_command(*o); }; });
}

}  // namespace holonom
