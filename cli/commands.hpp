// The commands of the program. Each adds itself to the parser and leaves its work in `chosen`.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace holonom {

enum ExitCode {
  exit_done = 0,
  exit_numerical_failure = 1,
  exit_bad_input = 2,
  exit_claim_failed = 3,
  exit_interrupted = 130
};

using Command = std::function<int()>;
void add_run(CLI::App& app, Command& chosen);
void add_check(CLI::App& app, Command& chosen);
void add_compare(CLI::App& app, Command& chosen);
void add_certify(CLI::App& app, Command& chosen);
void add_methods(CLI::App& app, Command& chosen);

}  // namespace holonom
