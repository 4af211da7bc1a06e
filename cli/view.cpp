// holonom view: a page that shows a recorded run in a browser.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "commands.hpp"
#include "holonom/run/files.hpp"
#include "holonom/run/run_file.hpp"
#include "holonom/view/page.hpp"
#include "open_page.hpp"
#include "options.hpp"
#include "output.hpp"
#include "result_files.hpp"

namespace holonom {

namespace {

struct ViewOptions {
  PageSpec spec;
  std::string out;
  bool force = false, open = false;
};

// As much memory as an undamaged file can need, beside what there is
void limit_memory(std::uintmax_t file_size) {
  constexpr rlim_t spare = rlim_t{256} << 20;
  rlim_t pages = 0;
  if (!(std::ifstream("/proc/self/statm") >> pages)) return;
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  const rlim_t least = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + spare + 4 * file_size;
  limit.rlim_cur = std::min(limit.rlim_cur, least);
  setrlimit(RLIMIT_AS, &limit);
}

// The HDF5 library trusts what it reads: where bytes of a file are damaged, it may end the program, or ask for any
// amount of memory. So names, texts and a few rows are read in a process of its own first. Throws InputError if that
// fails.
void try_to_read(const std::string& path) {
  std::error_code none;
  const std::uintmax_t size = std::filesystem::file_size(path, none);
  int ends[2];
  if (none || ::pipe(ends) != 0) return;
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    std::string why;
    try {
      limit_memory(size);
      constexpr rlimit no_core{};
      setrlimit(RLIMIT_CORE, &no_core);
      read_run_file(path, {.rows = 2});
      _exit(0);
    } catch (const InputError& e) {
      why = e.what();
    } catch (const std::exception&) {
      // such as the end of memory: damaged, as below
    }
    (void)!::write(ends[1], why.data(), why.size());
    _exit(1);
  }
  ::close(ends[1]);
  std::string why;
  char part[512];
  for (ssize_t bytes = 0;
       child > 0 && ((bytes = ::read(ends[0], part, sizeof part)) > 0 || (bytes < 0 && errno == EINTR));)
    if (bytes > 0) why.append(part, static_cast<std::size_t>(bytes));
  ::close(ends[0]);
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || status == 0) return;
  throw InputError(why.empty()
                       ? path + ": the file is damaged: the HDF5 library cannot read it; make one by run --out FILE.h5"
                       : why);
}

int view_command(const ViewOptions& o) {
  require_view();
  const std::string out =
      o.out.empty() ? std::filesystem::path(o.spec.file).replace_extension(".html").string() : o.out;
  std::vector<std::string> inputs{o.spec.file};
  for (const std::string& input : {o.spec.model, o.spec.events})
    if (!input.empty()) inputs.push_back(input);
  const PageFile file("-o", out, o.force, inputs);
  try_to_read(o.spec.file);
  PageSpec spec = o.spec;
  spec.prefix = "--";
  const RunPage page = run_page(spec);
  for (const std::string& warning : page.warnings) warn(warning);
  file.write(page.html);
  std::printf("%s (%.1f MB)\n", out.c_str(), static_cast<double>(page.html.size()) / 1e6);
  if (o.open) open_page(out);
  return exit_done;
}

}  // namespace

void add_view(CLI::App& app, Command& chosen) {
  auto o = std::make_shared<ViewOptions>();
  CLI::App* cmd = app.add_subcommand("view", "Make a page that shows a recorded run in a browser");
  cmd->add_option("RUN", o->spec.file, "A file that run --out FILE.h5 made")->required();
  cmd->add_option("-o,--out", o->out, "The page (default: the name of the run, with .html)")->check(file_name());
  cmd->add_option("--model", o->spec.model,
                  "A model file with another [view] table than the one that was run, or whose tables are needed")
      ->check(file_name());
  cmd->add_option("--events", o->spec.events, "A file that run --events-out FILE.csv made, for sections")
      ->check(file_name());
  cmd->add_option("--rows", o->spec.limits.rows, "At most so many rows, evenly chosen (default: 20000)")
      ->check(at_least(2));
  cmd->add_flag("--certify", o->spec.certify,
                "Certify the method with this step on this model, and show the verdicts with the run");
  cmd->add_flag("--force", o->force, "Overwrite an existing page");
  cmd->add_flag("--open", o->open, "Open it in the browser");
  cmd->callback([o, &chosen] { chosen = [o] { return view_command(*o); }; });
}

}  // namespace holonom
