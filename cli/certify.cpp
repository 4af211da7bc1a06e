// holonom certify: measures what a method keeps on a model with a step, claim by claim.
#include "commands.hpp"
#include "holonom/analysis/result_text.hpp"
#include "holonom/run/preparation.hpp"
#include "holonom/view/page.hpp"
#include "holonom/view/report.hpp"
#include "options.hpp"
#include "output.hpp"
#include "result_files.hpp"

namespace holonom {

namespace {

struct CertifyOptions {
  RunSpec spec;
  std::string precision = "double", engine = "auto", newton = "auto", out;
  std::vector<std::string> set;
  bool json = false, force = false, no_advice = false, no_order = false;
};

// The files that are read: of the model, and of the method if it has one.
std::vector<std::string> inputs_of(const RunSpec& spec, const std::vector<std::string>& set) {
  const Model model = load_model(spec.model, changes(set));
  std::vector<std::string> inputs = model.files;
  if (const std::string file = find_method(spec, model).info.file; !file.empty()) inputs.push_back(file);
  return inputs;
}

int certify_command(const CertifyOptions& o) {
  RunSpec spec = completed(o.spec, o.set, o.precision, o.engine);
  spec.newton = stage_matrix(o.newton);
  const bool as_page = o.out.ends_with(".html");
  if (as_page) require_view();
  const std::vector<std::string> inputs = o.out.empty() ? std::vector<std::string>() : inputs_of(spec, o.set);
  const ResultFiles files("certify", as_page ? "" : o.out, o.force, inputs);
  std::optional<PageFile> page;
  if (as_page) page.emplace("--out", o.out, o.force, inputs);
  const ModelCertificate made = certify_model(spec, {.advice = !o.no_advice, .order = !o.no_order});
  const Certificate& result = made.certificate;
  for (const std::string& warning : made.warnings) warn(warning);
  if (o.json) {
    std::printf("%s\n", json_of(made).c_str());
  } else {
    std::printf("%s", text_of(made).c_str());
  }
  files.write(csv_of(made), json_of(made) + "\n");
  if (page) page->write(certificate_page(made, spec));
  std::string failed;
  for (const Claim& c : result.claims)
    if (c.verdict == Claim::Verdict::fails) failed += (failed.empty() ? "" : ", ") + c.property;
  if (!failed.empty()) {
    std::fprintf(stderr, "holonom: claims of %s that fail on this model with this step: %s\n", made.method.key.c_str(),
                 failed.c_str());
    return exit_claim_failed;
  }
  if (!result.failure.empty()) {
    std::fprintf(stderr, "holonom: %s. %s\n", result.failure.c_str(), result.remedy.c_str());
    return exit_numerical_failure;
  }
  return exit_done;
}

}  // namespace

void add_certify(CLI::App& app, Command& chosen) {
  auto o = std::make_shared<CertifyOptions>();
  CLI::App* cmd = app.add_subcommand("certify", "Measure what a method keeps on a model with a step, claim by claim");
  cmd->add_option("MODEL", o->spec.model, "A model file (TOML)")->required();
  cmd->add_option("--method", o->spec.method, "The method; see 'holonom methods'");
  cmd->add_option("--step", o->spec.step, "The step size, a number or a formula of the model's parameters");
  cmd->add_flag("--json", o->json, "Print the result as JSON");
  cmd->add_option(
         "--out", o->out,
         "Write all claims to this .csv file, to this .html page, or to certify.csv and certify.json in this folder")
      ->check(file_name());
  cmd->add_flag("--no-advice", o->no_advice, "Measure the claims alone");
  cmd->add_flag("--no-order", o->no_order,
                "Leave out the order, which takes the longest and hardly depends on the step");
  cmd->add_flag("--force", o->force, "Overwrite existing output files");
  add_formulation_options(*cmd, o->spec);
  add_set_option(*cmd, o->set);
  add_precision_option(*cmd, o->precision);
  add_tolerance_option(*cmd, o->spec.tolerance);
  add_newton_option(*cmd, o->newton);
  add_engine_option(*cmd, o->engine);
  cmd->callback([o, &chosen] { chosen = [o] { return certify_command(*o); }; });
}

}  // namespace holonom
