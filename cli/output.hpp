// The files and streams that a command writes to.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace holonom {

// A standard stream that is closed would give its number to the next file that is opened, and what is printed would
// end up there. To be called before anything is opened.
void guard_standard_streams();

// What a command returns in the end: its own code, or, if standard output could not be written, a message and failure.
int finish_output(int code);

void warn(const std::string& what);

// For options that name a file: an empty name is a mistake, not the absence of the option.
CLI::Validator file_name();

}  // namespace holonom
