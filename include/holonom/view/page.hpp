// A page: one HTML file that shows a run, with all its numbers in it, and that opens from a disk without a network.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "holonom/run/run_file.hpp"

namespace holonom {

// Whether this was built with the viewer (viewer/, which needs npm); else the second throws an InputError that says
// what to install.
bool has_view();
void require_view();

// What is shown beside the file itself
struct PageSpec {
  std::string file;    // a trajectory
  std::string model;   // a model file instead of the text in the trajectory: for another [view], or for its tables
  std::string events;  // a .csv file of --events-out, for sections
  RunFileLimits limits;
  bool certify = false;  // whether method and step are certified on the model, and the verdicts shown

  // How the fields above are called in messages: the program says "--model FILE".
  std::string prefix;
};

struct RunPage {
  std::string html;
  std::vector<std::string> warnings;  // what could not be shown, and why
};

// Throws InputError.
RunPage run_page(const PageSpec& spec);

}  // namespace holonom
