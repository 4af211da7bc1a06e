// TrajectoryFile: tables that grow together in one HDF5 file, one row a recorded state. It knows names
// and layout, but no scalar: rows come as bytes. Two sources implement it: hdf5.cpp, and for builds
// without the HDF5 library hdf5_missing.cpp.
//
// Rows are collected in memory and written in blocks. What the file says of itself (its metadata) changes
// on disk only when a block is committed, at most once a second, in an order that keeps the file readable
// at every moment: hence no compression, because compressed chunks move.
#pragma once

#include <cstddef>
#include <cstdint>

#include "holonom/run/hdf5.hpp"

namespace holonom::detail {

// How a number is stored.
enum class Cell {
  real,      // double
  extended,  // long double, in the format of the machine
  text       // decimal text of fixed length, and beside it the nearest double
};

class TrajectoryFile {
 public:
  enum Table {
    step,
    interpolated,
    t,
    q,
    p,
    lambda,
    energy,
    position_residual,
    hidden_residual,
    invariants,
    observed,
    tables
  };

  TrajectoryFile(const std::string& path, const Labels& labels, const Provenance& about, const std::string& precision,
                 Cell cell, std::size_t text_length, OpenMode mode);
  ~TrajectoryFile();
  TrajectoryFile(const TrajectoryFile&) = delete;
  TrajectoryFile& operator=(const TrajectoryFile&) = delete;

  // Where the row that is being filled begins in a table; exact: the text beside the doubles. All of it
  // must be written before next_row.
  std::byte* row(Table table) { return cursor_[table]; }
  std::byte* exact_row(Table table) { return exact_cursor_[table]; }
  void next_row();
  void flush();

  // Rows in the file and in memory.
  long rows() const;
  // Drops the rows at and after a time (before it, if the run goes backwards).
  void continue_from(double time, bool backwards);
  // All rows so far are on the disk, also if the machine stops.
  void sync();
  // Drops the rows behind so many. Throws InputError if there are fewer.
  void keep(long rows);
  // The time of the first row, with all digits; empty if none was ever recorded.
  const std::string& t0() const { return t0_; }
  void set_t0(const std::string& text, double value);

 private:
  struct Impl;
  void move_cursors();

  std::unique_ptr<Impl> impl_;
  std::byte* cursor_[tables] = {};
  std::byte* exact_cursor_[tables] = {};
  std::string t0_;
};

}  // namespace holonom::detail
