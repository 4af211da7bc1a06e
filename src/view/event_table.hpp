// Events of a run, as --events-out writes them. Private to src/view.
#pragma once

#include <string>
#include <vector>

namespace holonom {

struct EventTable {
  std::vector<std::string> names;            // of the events, each once
  std::vector<double> which;                 // for each row, its event
  std::vector<std::string> columns;          // t, coordinates, momenta, ...
  std::vector<std::vector<double>> numbers;  // by columns
};

// Throws InputError if the file is none of events.
EventTable read_events(const std::string& path);

}  // namespace holonom
