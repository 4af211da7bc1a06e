// The recorder in a build without HDF5: it says what to do.
#include "holonom/run/hdf5_file.hpp"

namespace holonom {

bool hdf5_available() { return false; }

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
