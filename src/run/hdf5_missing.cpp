// The recorder and the reader in a build without HDF5: they say what to do.
#include "holonom/run/hdf5_file.hpp"
#include "holonom/run/run_file.hpp"

namespace holonom {

bool hdf5_available() { return false; }

namespace {

[[noreturn]] void refuse(const std::string& path) {
  throw InputError(path + ": this holonom was built without HDF5; install libhdf5-dev and build again");
}

}  // namespace

RunFile read_run_file(const std::string& path, const RunFileLimits&) { refuse(path); }
std::vector<std::string> read_digits(const std::string& path, const std::string&) { refuse(path); }

namespace detail {

struct TrajectoryFile::Impl {};

TrajectoryFile::TrajectoryFile(const std::string& path, const Labels&, const Provenance&, const std::string&, Cell,
                               std::size_t, OpenMode) {
  throw InputError(path +
                   ": this holonom was built without HDF5; use a .csv file, or install libhdf5-dev and build again");
}
TrajectoryFile::~TrajectoryFile() = default;
void TrajectoryFile::next_row() {}
void TrajectoryFile::flush() {}
long TrajectoryFile::rows() const { return 0; }
void TrajectoryFile::continue_from(double, bool) {}
void TrajectoryFile::sync() {}
void TrajectoryFile::keep(long) {}
void TrajectoryFile::set_t0(const std::string&, double) {}

}  // namespace detail
}  // namespace holonom
