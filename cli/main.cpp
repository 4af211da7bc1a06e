#include <algorithm>
#include <cstdio>
#include <exception>

#include "commands.hpp"
#include "holonom/errors.hpp"
#include "holonom/expr/parser.hpp"
#include "holonom/methods/any_method.hpp"
#include "holonom/version.hpp"
#include "interrupt.hpp"
#include "output.hpp"

namespace holonom {

namespace {

int complain(const std::string& what, int code) {
  std::fflush(stdout);
  std::fprintf(stderr, "holonom: %s\n", readable(what).c_str());
  return code;
}

int execute(const Command& command) {
  try {
    return command();
  } catch (const FileExists& e) {
    return complain(e.what() + std::string("; use --force to overwrite it, or another name"), exit_bad_input);
  } catch (const InputError& e) {
    return complain(e.what(), exit_bad_input);
  } catch (const Unsuitable& e) {
    return complain(e.what(), exit_bad_input);
  } catch (const OutputError& e) {
    return complain(e.what(), exit_numerical_failure);
  } catch (const std::bad_alloc&) {
    return complain("not enough memory for this model", exit_bad_input);
  } catch (const std::exception& e) {
    return complain(std::string("internal error: ") + e.what(), exit_bad_input);
  }
}

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
  guard_standard_streams();
  catch_signals();
  CLI::App app{"holonom: long-time simulation of mechanical systems with holonomic constraints"};
  app.set_version_flag("--version", std::string("holonom ") + version);
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::help);
  Command chosen;
#define HOLONOM_ADD(name) add_##name(app, chosen);
  HOLONOM_COMMANDS(HOLONOM_ADD)
#undef HOLONOM_ADD
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return finish_output(app.exit(e));  // --help, --version
    const std::string unknown = unknown_word(app, argc, argv);
    const std::string help = "\nholonom: see 'holonom --help' and 'holonom <command> --help'";
    return complain((unknown.empty() ? e.what() : unknown) + help, exit_bad_input);
  }
  return finish_output(execute(chosen));
}
