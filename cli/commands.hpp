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

// ---- the list: `holonom NAME` is add_NAME in NAME.cpp
#define HOLONOM_COMMANDS(COMMAND) \
  COMMAND(run)                    \
  COMMAND(check)                  \
  COMMAND(compare)                \
  COMMAND(certify)                \
  COMMAND(recommend)              \
  COMMAND(stability)              \
  COMMAND(modified)               \
  COMMAND(reproduce)              \
  COMMAND(view)                   \
  COMMAND(methods)

#define HOLONOM_DECLARE(name) void add_##name(CLI::App& app, Command& chosen);
HOLONOM_COMMANDS(HOLONOM_DECLARE)
#undef HOLONOM_DECLARE

}  // namespace holonom
