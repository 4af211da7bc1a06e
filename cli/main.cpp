#include <cstdio>
#include <exception>

#include "commands.hpp"
#include "holonom/methods/any_method.hpp"
#include "holonom/model/model.hpp"
#include "holonom/run/driver.hpp"
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
  add_run(app, chosen);
  add_check(app, chosen);
  add_compare(app, chosen);
  add_certify(app, chosen);
  add_methods(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return finish_output(app.exit(e));  // --help, --version
    return complain(std::string(e.what()) + "\nholonom: see 'holonom --help' and 'holonom <command> --help'", exit_bad_input);
  }
  return finish_output(execute(chosen));
}
