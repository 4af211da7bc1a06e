#include <cstdio>
#include <exception>

#include "commands.hpp"
#include "holonom/methods/any_method.hpp"
#include "holonom/model/model.hpp"
#include "holonom/version.hpp"

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
    std::fprintf(stderr, "holonom: %s\nholonom: see 'holonom --help' and 'holonom <command> --help'\n", e.what());
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
