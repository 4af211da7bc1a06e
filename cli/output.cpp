#include "output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "commands.hpp"
#include "holonom/errors.hpp"

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

void warn(const std::string& what) { std::fprintf(stderr, "holonom: warning: %s\n", readable(what).c_str()); }

CLI::Validator file_name() {
  return CLI::Validator(
      [](const std::string& text) {
        return text.empty() ? std::string("the name of a file is missing") : std::string();
      },
      "");
}

}  // namespace holonom
