#include "holonom/run/row_file.hpp"

#include <unistd.h>

#include <cstring>

#include "file_lock.hpp"
#include "holonom/run/driver.hpp"

namespace holonom {

RowFile::RowFile(std::string path, bool overwrite) : path_(std::move(path)) {
  constexpr mode_t permissions = 0666;
  fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (overwrite ? 0 : O_EXCL), permissions);
  if (fd_ < 0 && errno == EEXIST)
    throw InputError(path_ + ": the file exists; use --force to overwrite it, or another name");
  if (fd_ < 0)
    throw InputError(path_ + ": the file cannot be written (" + std::strerror(errno) +
                     "; does the folder exist, and may you write there?)");
  try {
    lock_for_this_run(path_, fd_);
  } catch (...) {
    ::close(fd_);
    throw;
  }
  (void)!ftruncate(fd_, 0);  // devices have no length
}

RowFile::~RowFile() {
  try {
    flush();
  } catch (const OutputError&) {
    // The destructor cannot tell; whoever wants to know calls flush first.
  }
  ::close(fd_);
}

void RowFile::add(std::string_view rows) {
  constexpr std::size_t full = std::size_t{1} << 14;
  buffer_ += rows;
  if (buffer_.size() >= full) flush();
}

void RowFile::flush() {
  std::size_t written = 0;
  while (written < buffer_.size()) {
    const ssize_t bytes = ::write(fd_, buffer_.data() + written, buffer_.size() - written);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes > 0) {
      written += static_cast<std::size_t>(bytes);
      continue;
    }
    const int error = bytes < 0 ? errno : ENOSPC;
    if (const auto end = std::string_view(buffer_).substr(0, written).rfind('\n'); end != std::string_view::npos)
      whole_ += static_cast<long long>(end) + 1;
    buffer_.clear();
    (void)!ftruncate(fd_, whole_);
    throw OutputError(path_ + ": writing failed (" + std::strerror(error) + "); the rows written so far are kept.");
  }
  whole_ += static_cast<long long>(written);
  buffer_.clear();
}

}  // namespace holonom
