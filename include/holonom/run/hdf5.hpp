// HDF5: a self-describing file of a run, for people, for h5py and (H5MD) for MDAnalysis. docs/hdf5.md
// describes the layout; hdf5_file.hpp is what lies beneath, free of scalars.
//   /step /t /q /p /lambda /energy /position_residual /hidden_residual /invariants /observed   one row a recorded state
//   /exact/...   the same as decimal text, where a double does not hold all digits (quad, 100)
//   /names /units /parameters and attributes of the root: what the numbers mean, and who made them
//   /h5md /particles /observables   for vector coordinates: H5MD 1.1, as views of the above; nothing is stored twice
#pragma once

#include <map>
#include <memory>

#include "holonom/model/model.hpp"
#include "holonom/run/recorder.hpp"

namespace holonom {

// What a file says of the run that made it, beside its numbers. Numbers here are text with all digits.
struct Provenance {
  std::string model_text;
  std::map<std::string, std::string> parameters, units;
  std::string method, formulation = "direct", engine = "interp";
  std::string step;
  std::string chosen;              // how method and step were chosen, if not by hand
  std::string sample;              // the interval of --sample; empty: the rows are states of the step map
  std::string author = "unknown";  // H5MD wants one
  long expected_rows = 0;          // a hint, so that short runs make small files
};

// The part of it that the model knows.
template <class S>
Provenance provenance(const Model& model, const std::string& method, const S& h);

namespace detail {
class TrajectoryFile;
}

// A run that is killed leaves all rows up to its last second. In a file that is continued without having been loaded,
// rows from the first recorded time on are replaced. Reading a file that is still being
// written is allowed; it may fail at the moment of a flush.
template <class S>
class Hdf5Recorder final : public Recorder<S> {
 public:
  // Throws InputError if the file cannot be written, exists and may not be overwritten, or belongs to
  // another run.
  Hdf5Recorder(const std::string& path, const Labels& labels, const Provenance& about,
               OpenMode mode = OpenMode::create);
  ~Hdf5Recorder() override;  // writes what is left; only flush() reports that it failed
  void record(const State<S>& x, const Observation<S>& seen) override;
  void flush() override;
  void save(MemoryWriter& out) override;
  void load(MemoryReader& in) override;

  long rows() const;
  // The time from which steps are counted: that of the first row ever recorded.
  const S& t0() const { return t0_; }

 private:
  void put(int table, const S* values, int count);
  void begin(const State<S>& x);

  std::unique_ptr<detail::TrajectoryFile> file_;
  S h_, t0_{0};
  int shown_q_, shown_p_;
  bool begun_ = false, sampled_ = false;
};

// False in a build without HDF5: the constructor then explains that.
bool hdf5_available();

}  // namespace holonom
