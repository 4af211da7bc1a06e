// holonom check: reads a model, reports what it is, and runs nothing.
#include <cstdio>

#include "commands.hpp"
#include "holonom/analysis/result_text.hpp"
#include "holonom/model/toml.hpp"
#include "options.hpp"

namespace holonom {

namespace {

struct CheckOptions {
  std::string model;
  std::vector<std::string> set;
  bool json = false;
};

int check(const CheckOptions& o) {
  const ModelSystem<double> sys(compile(load_model(o.model, changes(o.set))));
  if (!o.json) std::printf("%s", outline_text(outline_of(sys)).c_str());  // before what may take its time, or fail
  const ModelReport report = report_of(sys);
  std::printf("%s", o.json ? (json_of(report) + "\n").c_str() : findings_text(report).c_str());
  if (!report.obstacle.empty()) throw InputError(report.obstacle);
  return exit_done;
}

}  // namespace

void add_check(CLI::App& app, Command& chosen) {
  auto o = std::make_shared<CheckOptions>();
  CLI::App* cmd = app.add_subcommand("check", "Read a model and report sizes, consistency, rank and symmetries");
  cmd->add_option("MODEL", o->model, "A model file (TOML)")->required();
  cmd->add_flag("--json", o->json, "Print the result as JSON");
  add_set_option(*cmd, o->set);
  cmd->callback([o, &chosen] { chosen = [o] { return check(*o); }; });
}

}  // namespace holonom
