// RunFile: what an HDF5 file of a run holds (docs/hdf5.md), read back in double, all of it or evenly chosen rows.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "holonom/run/run_description.hpp"

namespace holonom {

// Numbers by rows.
struct NumberTable {
  std::size_t columns = 1;
  std::vector<double> x;

  const double* row(std::size_t i) const { return x.data() + i * columns; }
  double at(std::size_t i, std::size_t j) const { return x[i * columns + j]; }
};

struct RunFile : RunDescription {
  std::size_t file_rows = 0;      // in the file
  std::vector<std::size_t> rows;  // which of them are here
  NumberTable t, q, p, lambda, energy, position_residual, hidden_residual, invariant, observable;
};

// How much of a file is read: every k-th row, with the last one, so that both bounds are kept.
struct RunFileLimits {
  std::size_t rows = 20000;
  std::size_t numbers = 20000000;  // positions, over all rows
};

// Throws InputError if the file is no trajectory, or if this holonom has no HDF5.
RunFile read_run_file(const std::string& path, const RunFileLimits& limits = {});

// All numbers of one table, such as "q", row by row, with all digits that the file has: a run in a wider scalar than
// double has more than RunFile shows. Throws as read_run_file does.
std::vector<std::string> read_digits(const std::string& path, const std::string& table);

}  // namespace holonom
