// What goes wrong beside numbers: input, output, and files that are in the way. Messages say what and where; how to go
// on in terms of options is added by the program.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace holonom {

// A message that quotes what a user wrote, as one can read it: what is too long is cut, control characters are spelt.
std::string readable(const std::string& message);

// "'a', 'b' and 'c'"; of many names the first few, and how many more there are
std::string quoted_list(const std::vector<std::string>& names, const std::vector<int>& which);

// Bad input, with its place if it came from a file.
class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& what) : std::runtime_error(readable(what)) {}
};

// An output that is there already, and may not be overwritten.
class FileExists : public InputError {
 public:
  explicit FileExists(const std::string& path) : InputError(path + ": the file exists") {}
};

// A file that can no longer be written. The run ends as a failure, with its last state.
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace holonom
