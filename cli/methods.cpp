#include <cstdio>

#include "commands.hpp"
#include "holonom/analysis/result_text.hpp"
#include "holonom/model/toml.hpp"
#include "output.hpp"

namespace holonom {

namespace {

struct MethodsOptions {
  std::string key, model;
  bool json = false;
};

int methods_command(const MethodsOptions& o) {
  std::unique_ptr<ModelSystem<double>> sys;
  if (!o.model.empty()) sys = std::make_unique<ModelSystem<double>>(compile(load_model(o.model)));
  const MethodList list = list_methods(o.key, sys.get(), o.model);
  if (o.json)
    std::printf("%s\n", json_of(list).c_str());
  else
    std::printf("%s", text_of(list).c_str());
  return exit_done;
}

}  // namespace

void add_methods(CLI::App& app, Command& chosen) {
  auto o = std::make_shared<MethodsOptions>();
  CLI::App* cmd = app.add_subcommand("methods", "List the methods, or show one");
  cmd->add_option("KEY", o->key, "A method, such as rattle");
  cmd->add_option("--model", o->model, "Say which methods suit this model")->check(file_name());
  cmd->add_flag("--json", o->json, "Print JSON");
  cmd->callback([o, &chosen] { chosen = [o] { return methods_command(*o); }; });
}

}  // namespace holonom
