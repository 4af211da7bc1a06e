// Which HDF5 files are continued, and which are refused: those of other runs, foreign ones, ones in use.
#include <fstream>
#include <tuple>

#include "hdf5_support.hpp"
#include "holonom/wide.hpp"

namespace holonom {
namespace {

using namespace test;

TEST(Hdf5, AppendReplacesRowsFromTheFirstTimeOn) {
  const TemporaryFile file(".h5");
  const Labels labels = pendulum_labels();
  for (const auto& [first, from, to] : {std::tuple{100L, 100L, 20000L}, {20000L, 9000L, 9500L}, {7000L, 0L, 10L}}) {
    {
      Hdf5Recorder<double> recorder(file.path(), labels, about(), OpenMode::overwrite);
      write(recorder, labels, 0, first);
    }
    {
      Hdf5Recorder<double> recorder(file.path(), labels, about(), OpenMode::append);
      EXPECT_EQ(recorder.rows(), first);
      EXPECT_EQ(recorder.t0(), 0);
      write(recorder, labels, from, to);
    }
    expect_rows(file.path(), to);
  }
}

TEST(Hdf5, AnotherRunIsNotContinued) {
  const TemporaryFile file(".h5");
  const Labels labels = pendulum_labels();
  {
    Hdf5Recorder<double> recorder(file.path(), labels, about());
    write(recorder, labels, 0, 10);
  }
  const auto refused = [&](const Labels& l, const Provenance& p) {
    return refusal([&] { Hdf5Recorder<double> recorder(file.path(), l, p, OpenMode::append); });
  };
  EXPECT_SAYS(refused(labels, about("0.125")), "made with the step '0.25', this run has '0.125'");
  Provenance p = about();
  p.method = "yoshida-4";
  EXPECT_SAYS(refused(labels, p), "the method 'rattle', this run has 'yoshida-4'");
  p = about();
  p.model_text += "\n";
  EXPECT_SAYS(refused(labels, p), "the text of the model has changed");
  p = about();
  p.parameters["m"] = "2";
  EXPECT_SAYS(refused(labels, p), "other parameters");
  p = about();
  p.sample = "0.5";
  EXPECT_SAYS(refused(labels, p), "sampling interval");
  Labels others = labels;
  others.coordinates[1] = "z";
  EXPECT_SAYS(refused(others, about()), "coordinates");
  EXPECT_SAYS(refusal([&] { Hdf5Recorder<quad> recorder(file.path(), labels, about(), OpenMode::append); }),
              "the precision 'double', this run has 'quad'");
  expect_rows(file.path(), 10);  // untouched
}

TEST(Hdf5, ForeignAndMissingFilesAreNotContinued) {
  const TemporaryFile file(".h5");
  const auto append = [&] { Hdf5Recorder<double> recorder(file.path(), pendulum_labels(), about(), OpenMode::append); };
  EXPECT_SAYS(refusal(append), "no such file");
  std::ofstream(file.path()) << "t,x,y\n";
  EXPECT_SAYS(refusal(append), "no HDF5 file");
  H5Fclose(H5Fcreate(file.path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  EXPECT_SAYS(refusal(append), "not a trajectory of holonom");
}

TEST(Hdf5, AnExistingFileIsKeptUnlessAskedFor) {
  const TemporaryFile file(".h5");
  const Labels labels = pendulum_labels();
  {
    Hdf5Recorder<double> recorder(file.path(), labels, about());
    write(recorder, labels, 0, 10);
  }
  EXPECT_SAYS(refusal([&] { Hdf5Recorder<double> recorder(file.path(), labels, about()); }), "the file exists");
  expect_rows(file.path(), 10);
  EXPECT_SAYS(refusal([&] { Hdf5Recorder<double> recorder(file.path() + "/no/folder.h5", labels, about()); }),
              "cannot be written");
}

TEST(Hdf5, OneRunAtATimeWrites) {
  const TemporaryFile file(".h5");
  const Labels labels = pendulum_labels();
  Hdf5Recorder<double> recorder(file.path(), labels, about());
  write(recorder, labels, 0, 10);
  recorder.flush();
  for (const OpenMode mode : {OpenMode::overwrite, OpenMode::append})
    EXPECT_SAYS(refusal([&] { Hdf5Recorder<double> second(file.path(), labels, about(), mode); }),
                "another run is writing");
  write(recorder, labels, 10, 20);
  recorder.flush();
  EXPECT_EQ(recorder.rows(), 20);
}

}  // namespace
}  // namespace holonom
