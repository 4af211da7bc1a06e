// holonom view: a page that shows a recorded run in a browser.
#include <cstdio>
#include <filesystem>

#include "commands.hpp"
#include "holonom/run/files.hpp"
#include "holonom/view/page.hpp"
#include "open_page.hpp"
#include "options.hpp"
#include "output.hpp"
#include "result_files.hpp"

namespace holonom {

namespace {

struct Options {
  PageSpec spec;
  std::string out;
  bool force = false, open = false;
};

int view_command(const Options& o) {
  require_view();
  const std::string out =
      o.out.empty() ? std::filesystem::path(o.spec.file).replace_extension(".html").string() : o.out;
  std::vector<std::string> inputs{o.spec.file};
  for (const std::string& input : {o.spec.model, o.spec.events})
    if (!input.empty()) inputs.push_back(input);
  const PageFile file("-o", out, o.force, inputs);
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
  auto o = std::make_shared<Options>();
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
