// A text file of rows. While it is open no other run writes to it; where the disk is full it ends with the last row
// that had room, also if there is room again later: nothing is written behind a row that is missing.
#pragma once

#include <string>
#include <string_view>

#include "holonom/run/recorder.hpp"

namespace holonom {

// A cell of a CSV file: the text as it stands, or in quotes if it has to be.
inline std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + "\"";
}

class RowFile {
 public:
  // Throws InputError if the file cannot be written, another run is writing it, it exists and may not be overwritten,
  // or does not exist and is to be continued.
  RowFile(std::string path, OpenMode mode);
  ~RowFile();  // writes what is left; only flush() reports that it failed
  RowFile(const RowFile&) = delete;
  RowFile& operator=(const RowFile&) = delete;

  // Whole rows, with their ends of line. Throw OutputError if they cannot be written, and from then on every time.
  void add(std::string_view rows);
  void flush();

  const std::string& path() const { return path_; }
  // Whether a file that is continued begins with this row, which may have ends of line within quotes.
  bool begins_with(std::string_view row) const;
  // All rows so far are on the disk, also if the machine stops; their bytes. Throws as flush does.
  long long sync();
  // Takes back what was written behind so many bytes. Throws InputError if there are fewer.
  void cut_to(long long bytes);

 private:
  [[noreturn]] void fail(int error);

  std::string path_, buffer_, failure_;
  int fd_ = -1;
  long long whole_ = 0;  // bytes of whole rows that are written
};

}  // namespace holonom
