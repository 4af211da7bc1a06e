// holonom certify: measures what a method keeps on a model with a step, claim by claim.
#include "commands.hpp"
#include "holonom/analysis/model_certificate.hpp"
#include "holonom/run/preparation.hpp"
#include "holonom/run/row_file.hpp"
#include "json.hpp"
#include "options.hpp"
#include "output.hpp"
#include "result_files.hpp"

namespace holonom {

namespace {

struct Options {
  RunSpec spec;
  std::string precision = "double", engine = "auto", newton = "auto", out;
  std::vector<std::string> set;
  bool json = false, force = false, no_advice = false;
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

std::string to_json(const ModelCertificate& made) {
  const Certificate& result = made.certificate;
  constexpr const char* words[] = {"holds", "fails", "not claimed", "not measured"};
  Json json;
  json.begin()
      .text("model", made.model)
      .text("method", made.method.key)
      .text("precision", made.precision)
      .text("engine", made.engine);
  json.digits("step", made.step, made.precision == "double")
      .boolean("all_claims_hold", result.all_hold() && result.failure.empty());
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
  json.end_list().begin_list("advice");
  for (const Advice& a : made.advice) {
    json.begin().text("topic", a.topic).boolean("flagged", a.flagged).text("text", a.text);
    for (const auto& [name, value] : a.numbers) json.number(name, value);
    json.end();
  }
  json.end_list().end();
  return json.str();
}

std::string to_csv(const ModelCertificate& made) {
  std::string out = "property,claimed,verdict,measured,bound,remark\n";
  for (const Claim& c : made.certificate.claims) {
    const bool measured = c.verdict != Claim::Verdict::not_measured;
    const auto number = [&](double x) { out += measured && is_finite(x) ? "," + to_text(x) : ","; };
    out += csv_cell(c.property) + (c.claimed ? ",yes," : ",no,") + csv_cell(verdict_word(c));
    number(c.measured);
    number(c.bound);
    out += "," + csv_cell(c.remark) + "\n";
  }
  return out;
}

void print_table(const ModelCertificate& made) {
  const Certificate& result = made.certificate;
  std::printf("%s: %s, h = %s (%s)\n\n", made.model.c_str(), made.method.key.c_str(),
              shorten(std::stod(made.step)).c_str(), made.precision.c_str());
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

// A line each, broken between words
void print_advice(const std::vector<Advice>& advice) {
  if (advice.empty()) return;
  std::printf("\nadvice\n");
  constexpr std::size_t width = 110;
  for (const Advice& a : advice) {
    std::string left = a.text;
    std::string head = (a.flagged ? "! " : "  ") + a.topic;
    while (!left.empty()) {
      std::size_t end = left.size() <= width ? left.size() : left.rfind(' ', width);
      if (end == std::string::npos) end = left.size();
      std::printf("%-14s %s\n", head.c_str(), left.substr(0, end).c_str());
      left = end < left.size() ? left.substr(end + 1) : "";
      head.clear();
    }
  }
}

// The files that are read: of the model, and of the method if it has one.
std::vector<std::string> inputs_of(const RunSpec& spec, const std::vector<std::string>& set) {
  const Model model = load_model(spec.model, changes(set));
  std::vector<std::string> inputs = model.files;
  if (const std::string file = find_method(spec, model).info.file; !file.empty()) inputs.push_back(file);
  return inputs;
}

int certify_command(const Options& o) {
  RunSpec spec = completed(o.spec, o.set, o.precision, o.engine);
  spec.newton = stage_matrix(o.newton);
  const ResultFiles files("certify", o.out, o.force,
                          o.out.empty() ? std::vector<std::string>() : inputs_of(spec, o.set));
  const ModelCertificate made = certify_model(spec, !o.no_advice);
  const Certificate& result = made.certificate;
  for (const std::string& warning : made.warnings) warn(warning);
  if (o.json) {
    std::printf("%s\n", to_json(made).c_str());
  } else {
    print_table(made);
    print_advice(made.advice);
  }
  files.write(to_csv(made), to_json(made) + "\n");
  std::string failed;
  for (const Claim& c : result.claims)
    if (c.verdict == Claim::Verdict::fails) failed += (failed.empty() ? "" : ", ") + c.property;
  if (!failed.empty()) {
    std::fprintf(stderr, "holonom: claims of %s that fail on this model with this step: %s\n", made.method.key.c_str(),
                 failed.c_str());
    return exit_claim_failed;
  }
  if (!result.failure.empty()) {
    std::fprintf(stderr, "holonom: %s. Try a smaller step\n", result.failure.c_str());
    return exit_numerical_failure;
  }
  return exit_done;
}

}  // namespace

void add_certify(CLI::App& app, Command& chosen) {
  auto o = std::make_shared<Options>();
  CLI::App* cmd = app.add_subcommand("certify", "Measure what a method keeps on a model with a step, claim by claim");
  cmd->add_option("MODEL", o->spec.model, "A model file (TOML)")->required();
  cmd->add_option("--method", o->spec.method, "The method; see 'holonom methods'");
  cmd->add_option("--step", o->spec.step, "The step size, a number or a formula of the model's parameters");
  cmd->add_flag("--json", o->json, "Print the result as JSON");
  cmd->add_option("--out", o->out,
                  "Write all claims to this .csv file, or to certify.csv and certify.json in this folder")
      ->check(file_name());
  cmd->add_flag("--no-advice", o->no_advice, "Measure the claims alone");
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
