#include "open_page.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "output.hpp"

#ifdef __APPLE__
extern char** environ;
#endif

namespace holonom {

void open_page(const std::string& address) {
#ifdef __APPLE__
  std::string program = "open";
#else
  std::string program = "xdg-open";
#endif
  std::string argument = address.starts_with("-") ? "./" + address : address;
  char* const arguments[] = {program.data(), argument.data(), nullptr};
  pid_t child = 0;
  int status = 1;
  if (posix_spawnp(&child, program.c_str(), nullptr, nullptr, arguments, environ) != 0 ||
      waitpid(child, &status, 0) != child || status != 0)
    warn("the page could not be opened by " + program + "; open " + address + " in a browser");
}

void open_page_meanwhile(const std::string& address) { std::thread(open_page, address).detach(); }

}  // namespace holonom
