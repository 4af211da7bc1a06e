// holonom recommend: the cheapest methods and steps for an accuracy.
#include "commands.hpp"
#include "holonom/analysis/model_recommendation.hpp"
#include "holonom/run/preparation.hpp"
#include "options.hpp"
#include "output.hpp"
#include "recommended.hpp"

namespace holonom {

namespace {

struct Options {
  RunSpec spec;
  std::string engine = "auto";
  std::vector<std::string> set;
  bool json = false;
};

std::string to_json(const ModelRecommendation& r) {
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

void print_table(const ModelRecommendation& r) {
  const Recommendation& made = r.made;
  std::printf("%s: %s to %s until t = %s (double)\n\n", r.model.c_str(), r.quantity.c_str(),
              shorten(r.accuracy).c_str(), shorten(r.until).c_str());
  if (made.methods.empty()) return;
  std::size_t width = 6;
  for (const RecommendedMethod& m : made.methods) width = std::max(width, m.method.info.key.size());
  const int wide = static_cast<int>(width);
  std::printf("  %-*s  %13s  %10s  %10s  %9s  %11s\n", wide, "method", "step", "steps", "operations", "error",
              "CPU time");
  for (std::size_t k = 0; k < made.methods.size(); ++k) {
    const RecommendedMethod& m = made.methods[k];
    std::printf("  %-*s  %13s  %10ld  %10.2e  %9.1e  %9.1e s\n", wide, m.method.info.key.c_str(),
                shorten(r.until / static_cast<double>(m.steps)).c_str(), m.steps, m.work, m.error, r.seconds[k]);
  }
  std::printf("\n");
  for (const RecommendedMethod& m : made.methods) std::printf("  %s\n", evidence(r, m).c_str());
  std::printf("  %zu methods, %ld runs; the exact motion by %ld steps of order 16 (%s), to %.0e\n", made.candidates,
              made.trials, made.reference_steps, made.reference_scalar.c_str(), made.reference_error);
}

int recommend_command(const Options& o) {
  const ModelRecommendation r = recommend_for_model(completed(o.spec, o.set, "double", o.engine));
  for (const std::string& warning : r.warnings) warn(warning);
  if (o.json)
    std::printf("%s\n", to_json(r).c_str());
  else
    print_table(r);
  if (!r.made.methods.empty()) return exit_done;
  std::fprintf(stderr, "holonom: %s\n", r.why_none().c_str());
  return exit_numerical_failure;
}

}  // namespace

void add_recommend(CLI::App& app, Command& chosen) {
  auto o = std::make_shared<Options>();
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
