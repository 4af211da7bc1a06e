// One run at a time writes to a file. Readers are not hindered. Private to src/run.
#pragma once

#include <fcntl.h>

#include <cerrno>
#include <string>

#include "holonom/model/model.hpp"

namespace holonom {

// Takes the lock for as long as the file stays open through this descriptor, which must be open for writing. Throws
// InputError if another run has it, also within one process. File systems without locks let everybody pass.
inline void lock_for_this_run(const std::string& path, int fd) {
#ifdef F_OFD_SETLK
  struct flock lock {};
  lock.l_type = F_WRLCK;
  if (fcntl(fd, F_OFD_SETLK, &lock) != 0 && (errno == EAGAIN || errno == EACCES))
    throw InputError(path + ": another run is writing to this file");
#endif
}

}  // namespace holonom
