// holonom stability: what residuals of a formulation do off the manifold, along a motion.
#include "commands.hpp"
#include "holonom/analysis/result_text.hpp"
#include "options.hpp"
#include "output.hpp"

namespace holonom {

namespace {

struct StabilityOptions {
  RunSpec spec;
  std::vector<std::string> set;
  bool json = false;
};

int stability_command(const StabilityOptions& o) {
  const ModelStability made = model_stability(completed(o.spec, o.set));
  for (const std::string& warning : made.warnings) warn(warning);
  if (o.json)
    std::printf("%s\n", json_of(made).c_str());
  else
    std::printf("%s", text_of(made).c_str());
  if (made.report.failure.empty()) return exit_done;
  std::fprintf(stderr, "holonom: %s\n", made.report.failure.c_str());
  return exit_numerical_failure;
}

}  // namespace

void add_stability(CLI::App& app, Command& chosen) {
  auto o = std::make_shared<StabilityOptions>();
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
