// holonom certify: measures what a method keeps on a model with a step, claim by claim.
#include "commands.hpp"
#include "holonom/analysis/certificate.hpp"
#include "holonom/analysis/numerical_map.hpp"
#include "holonom/methods/substeps.hpp"
#include "holonom/model/start.hpp"
#include "holonom/run/preparation.hpp"
#include "json.hpp"
#include "options.hpp"
#include "output.hpp"

namespace holonom {

namespace {

struct Options {
  std::string model, precision = "double", engine = "auto";
  std::optional<std::string> method, step;
  std::vector<std::string> set;
  double tolerance = 0;
  bool json = false;
};

const char* verdict_word(const Claim& c) {
  switch (c.verdict) {
    case Claim::Verdict::holds: return "holds";
    case Claim::Verdict::fails: return "FAILS";
    case Claim::Verdict::not_claimed: return c.within() ? "not claimed, holds here" : "not claimed, not kept";
    case Claim::Verdict::not_measured: break;
  }
  return "not measured";
}

template <class S>
std::string to_json(const Labels& labels, const Options& o, const MethodInfo& info, bool native, const S& h,
                    const Certificate& result) {
  constexpr const char* words[] = {"holds", "fails", "not claimed", "not measured"};
  Json json;
  json.begin()
      .text("model", labels.model)
      .text("method", info.key)
      .text("precision", o.precision)
      .text("engine", native ? "llvm" : "interp");
  json.number("step", h).boolean("all_claims_hold", result.all_hold() && result.failure.empty());
  if (!result.failure.empty()) json.text("message", result.failure);
  json.begin_list("claims");
  for (const Claim& c : result.claims) {
    json.begin()
        .text("property", c.property)
        .boolean("claimed", c.claimed)
        .text("verdict", words[static_cast<int>(c.verdict)]);
    if (c.verdict != Claim::Verdict::not_measured)
      json.number("measured", c.measured)
          .number(c.at_least ? "at_least" : "at_most", c.bound)
          .boolean("within_bound", c.within());
    json.text("remark", c.remark).end();
  }
  json.end_list().end();
  return json.str();
}

template <class S>
void print_table(const Labels& labels, const Options& o, const MethodInfo& info, const S& h,
                 const Certificate& result) {
  std::printf("%s: %s, h = %s (%s)\n\n", labels.model.c_str(), info.key.c_str(), shorten(h).c_str(),
              o.precision.c_str());
  if (result.claims.empty()) return;  // no step succeeded
  int width = 20;
  for (const Claim& c : result.claims) width = std::max(width, static_cast<int>(c.property.size()));
  std::printf("  %-*s  %9s    %8s  %-23s  %s\n", width, "property", "measured", "bound", "verdict", "how");
  for (const Claim& c : result.claims) {
    if (c.verdict == Claim::Verdict::not_measured) {
      std::printf("  %-*s  %9s    %8s  %-23s  %s\n", width, c.property.c_str(), "-", "-", verdict_word(c),
                  c.remark.c_str());
      continue;
    }
    const char* format = c.at_least ? "  %-*s  %9.3f >= %8.2f  %-23s  %s\n" : "  %-*s  %9.1e <= %8.1e  %-23s  %s\n";
    std::printf(format, width, c.property.c_str(), c.measured, c.bound, verdict_word(c), c.remark.c_str());
  }
}

template <class S>
int certify_in(const Options& o, const std::shared_ptr<const CompiledModel>& compiled) {
  const Model& model = compiled->model();
  const MethodEntry chosen = find_method(o.method.value_or(model.method), model.place("integrate.method"));
  constexpr double steps = 2e4;  // about
  const bool native = use_native(engine_of(o.engine), precision_of(o.precision), model,
                                 steps * substeps(chosen.info).count, "--engine llvm");
  const ModelSystem<S> sys(compiled, native ? Engine::native : Engine::interpreter);
  const Start<S> start = initial_state(sys);
  if (!start.step) throw InputError("no step size: give --step, or step in [integrate] of the model");
  const S h = *start.step;
  check_step(h, model.place("integrate.step"));
  (void)chosen.make<S>(sys);  // throws if the method does not suit the model
  const MethodEntry entry = with_options(chosen, {.newton = {.tolerance = o.tolerance}, .compensated = {}});
  for (const std::string& remark : rank_remarks<S>(sys, start.state, model.place("initial.q"))) warn(remark);
  const Certificate result = certify<S>(entry, sys, start.state, h);

  if (o.json)
    std::printf("%s\n", to_json(sys.labels(), o, entry.info, native, h, result).c_str());
  else
    print_table(sys.labels(), o, entry.info, h, result);
  std::string failed;
  for (const Claim& c : result.claims)
    if (c.verdict == Claim::Verdict::fails) failed += (failed.empty() ? "" : ", ") + c.property;
  if (!failed.empty()) {
    std::fprintf(stderr, "holonom: claims of %s that fail on this model with this step: %s\n", entry.info.key.c_str(),
                 failed.c_str());
    return exit_claim_failed;
  }
  if (!result.failure.empty()) {
    std::fprintf(stderr, "holonom: %s. Try a smaller step\n", result.failure.c_str());
    return exit_numerical_failure;
  }
  return exit_done;
}

int certify_command(const Options& o) {
  Model model = load_model(o.model, changes(o.set));
  if (o.step) {
    model.step = model.constant(*o.step, "--step");
    model.places["integrate.step"] = "--step " + *o.step;
  }
  if (o.method) model.places["integrate.method"] = "--method " + *o.method;
  const auto compiled = compile(std::move(model));
  return in_precision(precision_of(o.precision), [&]<class S> { return certify_in<S>(o, compiled); });
}

}  // namespace

void add_certify(CLI::App& app, Command& chosen) {
  auto o = std::make_shared<Options>();
  CLI::App* cmd = app.add_subcommand("certify", "Measure what a method keeps on a model with a step, claim by claim");
  cmd->add_option("MODEL", o->model, "A model file (TOML)")->required();
  cmd->add_option("--method", o->method, "The method; see 'holonom methods'");
  cmd->add_option("--step", o->step, "The step size, a number or a formula of the model's parameters");
  cmd->add_flag("--json", o->json, "Print the result as JSON");
  add_set_option(*cmd, o->set);
  add_precision_option(*cmd, o->precision);
  add_tolerance_option(*cmd, o->tolerance);
  add_engine_option(*cmd, o->engine);
  cmd->callback([o, &chosen] { chosen = [o] { return certify_command(*o); }; });
}

}  // namespace holonom
