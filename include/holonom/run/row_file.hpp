// A text file of rows. While it is open no other run writes to it; where the disk is full it ends with the last row
// that had room.
#pragma once

#include <string>
#include <string_view>

namespace holonom {

class RowFile {
 public:
  // Throws InputError if the file cannot be written, another run is writing it, or it exists and may not be
  // overwritten.
  RowFile(std::string path, bool overwrite);
  ~RowFile();  // writes what is left; only flush() reports that it failed
  RowFile(const RowFile&) = delete;
  RowFile& operator=(const RowFile&) = delete;

  // Whole rows, with their ends of line. Throw OutputError if they cannot be written.
  void add(std::string_view rows);
  void flush();

 private:
  std::string path_, buffer_;
  int fd_ = -1;
  long long whole_ = 0;  // bytes of whole rows that are written
};

}  // namespace holonom
