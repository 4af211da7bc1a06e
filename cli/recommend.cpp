// holonom recommend: the cheapest methods and steps for an accuracy.
#include "commands.hpp"
#include "holonom/analysis/result_text.hpp"
#include "options.hpp"
#include "output.hpp"

namespace holonom {

namespace {

struct RecommendOptions {
  RunSpec spec;
  std::string engine = "auto";
  std::vector<std::string> set;
  bool json = false;
};

int recommend_command(const RecommendOptions& o) {
  const ModelRecommendation r = recommend_for_model(completed(o.spec, o.set, "double", o.engine));
  for (const std::string& warning : r.warnings) warn(warning);
  if (o.json)
    std::printf("%s\n", json_of(r).c_str());
  else
    std::printf("%s", text_of(r).c_str());
  if (!r.made.methods.empty()) return exit_done;
  std::fprintf(stderr, "holonom: %s\n", r.why_none().c_str());
  return exit_numerical_failure;
}

}  // namespace

void add_recommend(CLI::App& app, Command& chosen) {
  auto o = std::make_shared<RecommendOptions>();
  CLI::App* cmd = app.add_subcommand("recommend", "Find the cheapest methods and steps for an accuracy");
  cmd->add_option("MODEL", o->spec.model, "A model file (TOML)")->required();
  add_accuracy_options(*cmd, o->spec);
  cmd->add_option("--until", o->spec.until, "The end of the run, a number or a formula");
  cmd->add_option("--observe", o->spec.observe, "formula or name=formula: an observable more, for --quantity name")
      ->allow_extra_args(false);
  cmd->add_flag("--json", o->json, "Print the result as JSON");
  add_set_option(*cmd, o->set);
  add_engine_option(*cmd, o->engine);
  cmd->callback([o, &chosen] { chosen = [o] { return recommend_command(*o); }; });
}

}  // namespace holonom
