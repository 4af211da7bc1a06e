#include "holonom/run/row_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "file_lock.hpp"
#include "holonom/model/model.hpp"

namespace holonom {

RowFile::RowFile(std::string path, OpenMode mode) : path_(std::move(path)) {
  constexpr mode_t permissions = 0666;
  const int flags = mode == OpenMode::append ? O_RDWR : O_WRONLY | O_CREAT | (mode == OpenMode::create ? O_EXCL : 0);
  fd_ = ::open(path_.c_str(), O_CLOEXEC | flags, permissions);
  if (fd_ < 0 && errno == EEXIST) throw FileExists(path_);
  if (fd_ < 0 && errno == ENOENT && mode == OpenMode::append)
    throw InputError(path_ + ": there is no such file to continue");
  if (fd_ < 0)
    throw InputError(path_ + ": the file cannot be written (" + std::strerror(errno) +
                     "; does the folder exist, and may you write there?)");
  try {
    lock_for_this_run(path_, fd_);
  } catch (...) {
    ::close(fd_);
    throw;
  }
  if (mode == OpenMode::append)
    whole_ = std::max<long long>(0, lseek(fd_, 0, SEEK_END));
  else
    (void)!ftruncate(fd_, 0);  // devices have no length
}

bool RowFile::begins_with(std::string_view row) const {
  std::string found(row.size(), '\0');
  std::size_t read = 0;
  while (read < found.size()) {
    const ssize_t bytes = pread(fd_, found.data() + read, found.size() - read, static_cast<off_t>(read));
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return false;
    read += static_cast<std::size_t>(bytes);
  }
  return found == row;
}

long long RowFile::sync() {
  flush();
  if (fsync(fd_) != 0 && errno != EINVAL && errno != EROFS) fail(errno);  // (pipes and devices cannot)
  return whole_;
}

void RowFile::fail(int error) {
  failure_ = path_ + ": writing failed (" + std::strerror(error) + "); the rows written so far are kept.";
  buffer_.clear();
  throw OutputError(failure_);
}

void RowFile::cut_to(long long bytes) {
  if (bytes > whole_)
    throw InputError(path_ + ": the file has lost rows since the run was stopped (" + std::to_string(bytes) +
                     " bytes were written, " + std::to_string(whole_) + " are left): it cannot be continued");
  if (ftruncate(fd_, bytes) != 0 || lseek(fd_, bytes, SEEK_SET) != bytes)
    throw InputError(path_ + ": the file cannot be continued (" + std::strerror(errno) + ")");
  whole_ = bytes;
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
  if (!failure_.empty()) throw OutputError(failure_);
  constexpr std::size_t full = std::size_t{1} << 14;
  buffer_ += rows;
  if (buffer_.size() >= full) flush();
}

void RowFile::flush() {
  if (!failure_.empty()) throw OutputError(failure_);
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
    (void)!ftruncate(fd_, whole_);
    (void)lseek(fd_, whole_, SEEK_SET);
    fail(error);
  }
  whole_ += static_cast<long long>(written);
  buffer_.clear();
}

}  // namespace holonom
