// holonom reproduce: every table and figure of the papers. Items are Python programs (reproduce/) that call this one.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "commands.hpp"
#include "holonom/errors.hpp"
#include "options.hpp"
#include "output.hpp"

namespace holonom {

namespace {

namespace fs = std::filesystem;

struct ReproduceOptions {
  std::vector<std::string> names;
  std::string out;
  int threads = 0;
  bool list = false, quick = false, force = false;
};

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> list;
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

bool has_numpy(const std::string& python) {
  std::vector<std::string> words{python, "-c", "import sys\ntry:\n  import numpy\nexcept ImportError:\n  sys.exit(1)"};
  pid_t child = 0;
  if (posix_spawnp(&child, python.c_str(), nullptr, nullptr, pointers(words).data(), environ) != 0) return false;
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The first in the path may be without numpy where Debian's has it.
std::string find_python() {
  if (const char* named = std::getenv("HOLONOM_PYTHON")) {
    if (has_numpy(named)) return named;
    throw InputError(std::string("HOLONOM_PYTHON=") + named + " is no Python that has numpy");
  }
  for (const char* python : {"python3", "/usr/bin/python3"})
    if (has_numpy(python)) return python;
  throw InputError(
      "no Python with numpy was found, which the items are written in. Install it (Debian: python3-numpy, and "
      "python3-matplotlib for figures), or name one in HOLONOM_PYTHON");
}

// Beside the models: in the source tree, or where the program was installed.
fs::path find_items(const fs::path& program) {
  for (const fs::path& folder : {fs::path(HOLONOM_SOURCE) / "reproduce",
                                 program.parent_path().parent_path() / HOLONOM_DATA / "holonom" / "reproduce"})
    if (fs::exists(folder / "__main__.py")) return folder;
  throw InputError(std::string("the items are not there: neither in ") + HOLONOM_SOURCE +
                   "/reproduce nor in share/ beside " + program.string() +
                   ". Install the program with 'cmake --install', or keep its source tree");
}

// A Python that is interrupted while it starts prints where it was. So it is told when it can answer: the items let
// these signals pass.
void hold_signals() {
  sigset_t held;
  sigemptyset(&held);
  for (const int s : {SIGINT, SIGTERM}) sigaddset(&held, s);
  sigprocmask(SIG_BLOCK, &held, nullptr);
}

int reproduce_command(const ReproduceOptions& o) {
  hold_signals();
  const fs::path program = fs::read_symlink("/proc/self/exe");
  std::vector<std::string> words{find_python(), "-B", find_items(program).string(), "--program", program.string()};
  if (o.list) words.push_back("--list");
  if (o.quick) words.push_back("--quick");
  if (o.force) words.push_back("--force");
  if (!o.out.empty()) words.insert(words.end(), {"--out", o.out});
  if (o.threads > 0) words.insert(words.end(), {"--threads", std::to_string(o.threads)});
  words.push_back("--");
  words.insert(words.end(), o.names.begin(), o.names.end());
  std::fflush(stdout);
  execvp(words[0].c_str(), pointers(words).data());
  throw InputError("cannot start " + words[0] + ": " + std::strerror(errno));
}

}  // namespace

void add_reproduce(CLI::App& app, Command& chosen) {
  auto o = std::make_shared<ReproduceOptions>();
  CLI::App* cmd = app.add_subcommand("reproduce", "Reproduce the tables and figures of the papers, with verdicts");
  cmd->add_option("PAPER[/ITEM]", o->names, "What to reproduce (default: everything)");
  cmd->add_flag("--list", o->list, "Show papers and items, run nothing");
  cmd->add_flag("--quick", o->quick, "Shorter runs, and only items that have them");
  cmd->add_option("--out", o->out, "Write data, figures and a page to this folder")->check(file_name());
  cmd->add_flag("--force", o->force, "Overwrite the page in that folder");
  cmd->add_option("--threads", o->threads, "Items at a time (default: as many as there are cores)")->check(at_least(1));
  cmd->callback([o, &chosen] { chosen = [o] { return reproduce_command(*o); }; });
}

}  // namespace holonom
