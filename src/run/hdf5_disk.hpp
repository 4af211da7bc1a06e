// The one file that a run writes, as a thing on a disk: opened for this run alone, committed so that a
// process killed at any moment leaves it readable, and whole when the disk is full. Private to src/run.
#pragma once

#include "hdf5_handle.hpp"
#include "holonom/run/hdf5.hpp"

namespace holonom::hdf5 {

// The disk is full, and nothing was changed yet.
class NoRoom : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class DiskFile {
 public:
  // Throws InputError if the file cannot be had.
  void open(const std::string& path, OpenMode mode);
  ~DiskFile();
  operator hid_t() const { return file_; }

  // Room for this many bytes more, asked for before anything changes: a full disk is then noticed while
  // the file is whole. Throws NoRoom.
  void reserve(std::size_t bytes) const;
  // From now on readers see what was written. Throws Failed.
  void commit() const;
  // What was committed is on the disk, also if the machine stops. Throws Failed.
  void sync() const;
  // After a failure: the file stays as it was at the last commit, whatever the library still holds.
  void abandon();

 private:
  void prepare(const std::string& path, OpenMode mode);
  void grow() const;

  Handle file_;
  int fd_ = -1;
  int lock_ = -1;  // a descriptor of ours, which keeps other runs off from before the file is made until it is closed
  bool plain_superblock_ = false, abandoned_ = false;
};

}  // namespace holonom::hdf5
