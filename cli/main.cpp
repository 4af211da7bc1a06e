#include <algorithm>
#include <cstdio>
#include <exception>

#include "commands.hpp"
#include "holonom/expr/parser.hpp"
#include "holonom/methods/any_method.hpp"
#include "holonom/model/model.hpp"
#include "holonom/version.hpp"

namespace holonom {
namespace {

// Of the first command or option that does not exist, with the nearest one; or nothing.
std::string unknown_word(const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> commands;
  for (const CLI::App* cmd : app.get_subcommands([](const CLI::App*) { return true; }))
    commands.push_back(cmd->get_name());
  const CLI::App* chosen = &app;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::string name = word.substr(0, word.find('='));
    if (name.starts_with("--")) {
      if (name.size() == 2) break;
      std::vector<std::string> options;
      for (const CLI::Option* option : chosen->get_options())
        for (const std::string& known : option->get_lnames()) options.push_back("--" + known);
      if (std::find(options.begin(), options.end(), name) == options.end())
        return "unknown option '" + name + "'." + did_you_mean(name, options);
    } else if (chosen == &app && !word.starts_with("-")) {
      if (std::find(commands.begin(), commands.end(), word) == commands.end())
        return "unknown command '" + word + "'." + suggestion(word, commands, "The commands are");
      chosen = app.get_subcommand(word);
    }
  }
  return {};
}

}  // namespace
}  // namespace holonom

int main(int argc, char** argv) {
  using namespace holonom;
  CLI::App app{"holonom: long-time simulation of mechanical systems with holonomic constraints"};
  app.set_version_flag("--version", std::string("holonom ") + version);
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::help);
  Command chosen;
  add_run(app, chosen);
  add_check(app, chosen);
  add_compare(app, chosen);
  add_certify(app, chosen);
  add_methods(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // --help, --version
    const std::string unknown = unknown_word(app, argc, argv);
    std::fprintf(stderr, "holonom: %s\nholonom: see 'holonom --help' and 'holonom <command> --help'\n",
                 unknown.empty() ? e.what() : unknown.c_str());
    return exit_bad_input;
  }
  try {
    return chosen();
  } catch (const InputError& e) {
    std::fprintf(stderr, "holonom: %s\n", e.what());
  } catch (const Unsuitable& e) {
    std::fprintf(stderr, "holonom: %s\n", e.what());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "holonom: not enough memory for this model\n");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "holonom: internal error: %s\n", e.what());
  }
  return exit_bad_input;
}
