#include "hdf5_disk.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "file_lock.hpp"

namespace holonom::hdf5 {

namespace {

// Room on the disk; an error of errno.h, or 0, also where there is no such call.
int allocate([[maybe_unused]] int fd, [[maybe_unused]] off_t begin, [[maybe_unused]] off_t bytes) {
#ifdef __APPLE__
  return 0;
#else
  return posix_fallocate(fd, begin, bytes);
#endif
}
bool no_room(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG || error == EIO; }

Handle file_access(H5F_libver_t oldest) {
  Handle access = plist(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(access, oldest, H5F_LIBVER_LATEST);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
#if H5_VERSION_GE(1, 10, 7) && !(H5_VERSION_GE(1, 12, 0) && !H5_VERSION_GE(1, 12, 1))
  H5Pset_file_locking(access, false, true);  // a running simulation may be read
#endif
  // Metadata must reach the disk when a block is committed, and never between.
  H5AC_cache_config_t cache{};
  cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  check(H5Pget_mdc_config(access, &cache), "configure the library");
  cache.evictions_enabled = false;
  cache.incr_mode = H5C_incr__off;
  cache.flash_incr_mode = H5C_flash_incr__off;
  cache.decr_mode = H5C_decr__off;
  check(H5Pset_mdc_config(access, &cache), "configure the library");
  return access;
}

}  // namespace

void DiskFile::open(const std::string& path, OpenMode mode) {
  prepare(path, mode);
  if (mode != OpenMode::append) {
    // The oldest superblock: newer ones carry a mark "open for writing", which a killed run would leave
    // behind, and which readers refuse.
    const hid_t made = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, file_access(H5F_LIBVER_EARLIEST));
    if (made < 0 || H5Fclose(made) < 0) throw InputError(path + ": the file cannot be written");
  }
  // Within it the newer index of chunks, which grows without moving what is there.
  const hid_t opened = H5Fopen(path.c_str(), H5F_ACC_RDWR, file_access(H5F_LIBVER_V110));
  if (opened < 0) throw InputError(path + ": the file cannot be continued: it is no HDF5 file");
  file_ = Handle(opened, H5Fclose, "open the file");
  void* descriptor = nullptr;
  check(H5Fget_vfd_handle(file_, H5P_DEFAULT, &descriptor), "find the file descriptor");
  fd_ = *static_cast<int*>(descriptor);
  H5F_info2_t info;
  check(H5Fget_info2(file_, &info), "read the superblock");
  plain_superblock_ = info.super.version == 0;
}

// Everything that can be known before the library touches the file: it does not survive a full disk here.
void DiskFile::prepare(const std::string& path, OpenMode mode) {
  const int flags = mode == OpenMode::append ? 0 : mode == OpenMode::create ? O_CREAT | O_EXCL : O_CREAT;
  constexpr mode_t permissions = 0666;
  lock_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC | flags, permissions);
  if (lock_ < 0) {
    const int error = errno;
    if (error == EEXIST) throw FileExists(path);
    if (mode == OpenMode::append && error == ENOENT) throw InputError(path + ": there is no such file to continue");
    throw InputError(path + ": the file cannot be written (" + std::strerror(error) +
                     "; does the folder exist, and may you write there?)");
  }
  struct stat kind {};
  if (fstat(lock_, &kind) == 0 && !S_ISREG(kind.st_mode))
    throw InputError(path + ": an HDF5 file cannot be a device or a pipe; give the name of a file");
  lock_for_this_run(path, lock_);
  if (mode == OpenMode::append) return;
  constexpr off_t header = off_t{64} << 10;
  const int error = allocate(lock_, 0, header);
  if (!no_room(error)) return;
  if (mode == OpenMode::create) unlink(path.c_str());
  throw InputError(path + ": the file cannot be written (" + std::strerror(error) + ")");
}

void DiskFile::reserve(std::size_t bytes) const {
  constexpr std::size_t metadata = std::size_t{128} << 10;  // for the index of chunks
  hsize_t end = 0;
  check(H5Fget_filesize(file_, &end), "measure the file");
  const int error = allocate(fd_, static_cast<off_t>(end), static_cast<off_t>(bytes + metadata));
  if (no_room(error)) throw NoRoom(std::strerror(error));
}

// The library writes numbers first, then what the file says of itself. Where it was cut short, the file
// is readable, except for one thing that grow() does in advance.
void DiskFile::commit() const {
  grow();
  check(H5Fflush(file_, H5F_SCOPE_LOCAL), "write the file");
}

void DiskFile::sync() const {
  if (fsync(fd_) != 0) throw Failed("write the file to the disk");
}

// The library writes the new end of the file last of all, and until then refuses to read what lies behind
// the old one. So we write it first: 8 bytes, little-endian, at a place that the format fixes.
void DiskFile::grow() const {
  constexpr off_t end_of_file_address = 40;
  hsize_t end = 0;
  check(H5Fget_filesize(file_, &end), "measure the file");
  struct stat now {};
  if (!plain_superblock_ || fstat(fd_, &now) != 0) return;
  if (static_cast<hsize_t>(now.st_size) < end && ftruncate(fd_, static_cast<off_t>(end)) != 0)
    throw Failed("extend the file");
  unsigned char bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<unsigned char>(end >> (8 * i));
  if (pwrite(fd_, bytes, sizeof bytes, end_of_file_address) != sizeof bytes) throw Failed("write the superblock");
}

// The library would write what it still holds when the file is closed, and so spoil it: it shall write
// elsewhere. After a failed flush it needs two more to recover (and crashes at exit otherwise).
void DiskFile::abandon() {
  abandoned_ = true;
  std::FILE* elsewhere = std::tmpfile();
  if (!elsewhere) elsewhere = std::fopen("/dev/null", "r+");
  if (!elsewhere) return;
  if (fd_ >= 0) dup2(fileno(elsewhere), fd_);
  std::fclose(elsewhere);
  for (int tries = 0; tries < 3 && file_ >= 0 && H5Fflush(file_, H5F_SCOPE_LOCAL) < 0; ++tries) continue;
}

// Gives back the room that was reserved and not needed.
DiskFile::~DiskFile() {
  hsize_t end = 0;
  if (!abandoned_ && file_ >= 0 && H5Fget_filesize(file_, &end) >= 0) (void)!ftruncate(fd_, static_cast<off_t>(end));
  file_.reset();
  if (lock_ >= 0) ::close(lock_);
}

}  // namespace holonom::hdf5
