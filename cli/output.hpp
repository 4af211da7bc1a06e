// The files and streams that a command writes to.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace holonom {

// A standard stream that is closed would give its number to the next file that is opened, and what is printed would
// end up there. To be called before anything is opened.
void guard_standard_streams();

// What a command returns in the end: its own code, or, if standard output could not be written, a message and failure.
int finish_output(int code);

// Throws InputError if an output, named by an option, is one of the files that are read, also under another name.
void protect_inputs(const std::string& option, const std::string& output, const std::vector<std::string>& inputs);

// The files that the key of a method names.
std::vector<std::string> files_of_method(const std::string& key);

// Whether two names stand for one file, be it there yet or not.
bool same_file(const std::string& a, const std::string& b);

// For options that name a file: an empty name is a mistake, not the absence of the option.
CLI::Validator file_name();

}  // namespace holonom
