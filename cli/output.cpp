#include "output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "commands.hpp"
#include "holonom/model/model.hpp"

namespace holonom {

void guard_standard_streams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
      (void)!::open("/dev/null", O_RDONLY);  // writing to it fails, and is noticed
}

int finish_output(int code) {
  std::cout.flush();
  const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
  if (written) return code;
  // It may have failed long ago: why, another try tells.
  std::clearerr(stdout);
  errno = 0;
  if (std::fputc('\n', stdout) != EOF) std::fflush(stdout);
  const int error = errno;
  std::fprintf(stderr, "holonom: standard output: writing failed%s%s%s\n", error ? " (" : "",
               error ? std::strerror(error) : "", error ? ")" : "");
  return code == exit_done ? exit_numerical_failure : code;
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  if (std::filesystem::equivalent(a, b, error)) return true;
  const auto full = [&error](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  };
  return !full(a).empty() && full(a) == full(b);
}

void protect_inputs(const std::string& option, const std::string& output, const std::vector<std::string>& inputs) {
  if (output.empty()) return;
  for (const std::string& input : inputs)
    if (same_file(output, input))
      throw InputError(option + " " + output + ": this is the file " + input +
                       ", which is read, and is not overwritten even with --force; give another name");
}

std::vector<std::string> files_of_method(const std::string& key) {
  for (const std::string_view prefix : {"pair:", "scheme:"}) {
    const auto at = key.find(prefix);
    if (at == std::string::npos) continue;
    constexpr std::string_view extension = ".toml";  // behind it there may be a base
    const std::string file = key.substr(at + prefix.size());
    const auto end = file.rfind(extension);
    return {end == std::string::npos ? file : file.substr(0, end + extension.size())};
  }
  return {};
}

CLI::Validator file_name() {
  return CLI::Validator(
      [](const std::string& text) {
        return text.empty() ? std::string("the name of a file is missing") : std::string();
      },
      "");
}

}  // namespace holonom
