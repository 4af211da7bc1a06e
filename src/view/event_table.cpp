#include "event_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "holonom/errors.hpp"

namespace holonom {

namespace {

// The cells of a row; in quotes there may be commas, and quotes twice.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      cells.back() += line[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else if (c != '\r')
      cells.back() += c;
  }
  return cells;
}

}  // namespace

EventTable read_events(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!file || !std::getline(file, line)) throw InputError(path + ": the file cannot be read, or is empty");
  const std::vector<std::string> header = cells_of(line);
  if (header.size() < 3 || header[0] != "event" || header[1] != "direction")
    throw InputError(path + ":1:1: this is no table of events; make one by run --events-out FILE.csv");
  EventTable table;
  table.columns.assign(header.begin() + 2, header.end());
  table.numbers.resize(table.columns.size());
  for (long row = 2; std::getline(file, line); ++row) {
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() != header.size())
      throw InputError(path + ":" + std::to_string(row) + ":1: this row has " + std::to_string(cells.size()) +
                       " cells, and the first row has " + std::to_string(header.size()));
    const auto known = std::find(table.names.begin(), table.names.end(), cells[0]);
    table.which.push_back(static_cast<double>(known - table.names.begin()));
    if (known == table.names.end()) table.names.push_back(cells[0]);
    for (std::size_t k = 0; k < table.columns.size(); ++k)
      table.numbers[k].push_back(cells[k + 2].empty() ? std::nan("") : std::strtod(cells[k + 2].c_str(), nullptr));
  }
  return table;
}

}  // namespace holonom
