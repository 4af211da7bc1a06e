// What is in the files of Hdf5Recorder. What Python sees is tested from outside: tests/cli/hdf5_test.py.
#include <filesystem>
#include <limits>

#include "hdf5_support.hpp"
#include "holonom/wide.hpp"

namespace holonom {
namespace {

using namespace test;

TEST(Hdf5, EveryRowComesBack) {
  const TemporaryFile file(".h5");
  for (const long rows : {0L, 1L, 100L, 30000L}) {  // none, one, part of a chunk, many
    const Labels labels = pendulum_labels();
    {
      Hdf5Recorder<double> recorder(file.path(), labels, about(), OpenMode::overwrite);
      write(recorder, labels, 0, rows);
      recorder.flush();
      EXPECT_EQ(recorder.rows(), rows);
    }
    expect_rows(file.path(), rows);
  }
}

TEST(Hdf5, TheFileDescribesItself) {
  const TemporaryFile file(".h5");
  const Labels labels = pendulum_labels();
  {
    Hdf5Recorder<double> recorder(file.path(), labels, about());
    write(recorder, labels, 0, 3);
  }
  const Reader h5(file.path());
  EXPECT_EQ(h5.attribute("/", "format"), "holonom trajectory");
  EXPECT_EQ(h5.number("/", "format_version"), 1);
  EXPECT_EQ(h5.attribute("/", "creator"), "holonom");
  EXPECT_EQ(h5.attribute("/", "model"), "pendulum");
  EXPECT_EQ(h5.attribute("/", "model_text"), about().model_text);
  EXPECT_EQ(h5.attribute("/", "method"), "rattle");
  EXPECT_EQ(h5.attribute("/", "precision"), "double");
  EXPECT_EQ(h5.attribute("/", "engine"), "interp");
  EXPECT_EQ(h5.attribute("/", "step_text"), "0.25");
  EXPECT_EQ(h5.number("/", "step"), 0.25);
  EXPECT_EQ(h5.number("/", "t0"), 0);
  EXPECT_EQ(h5.number("/parameters", "m"), 0.1);
  EXPECT_EQ(h5.texts("/names/coordinates"), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(h5.texts("/names/constraints"), std::vector<std::string>{"rod"});
  EXPECT_EQ(h5.texts("/names/invariants"), std::vector<std::string>{"L"});
  EXPECT_EQ(h5.texts("/units/coordinates"), (std::vector<std::string>{"m", ""}));
  EXPECT_EQ(h5.texts("/units/momenta"), (std::vector<std::string>{"", "kg m/s"}));
  EXPECT_EQ(h5.texts("/units/multipliers"), std::vector<std::string>{"N"});
  EXPECT_EQ(h5.attribute("/t", "units"), "s");
  EXPECT_EQ(h5.attribute("/energy", "units"), "J");
  EXPECT_EQ(h5.attribute("/q", "columns"), "/names/coordinates");
  EXPECT_FALSE(h5.exists("/h5md"));
  EXPECT_FALSE(h5.exists("/exact"));
  EXPECT_FALSE(h5.exists("/interpolated"));
}

TEST(Hdf5, TablesWithoutColumnsAreThere) {
  const TemporaryFile file(".h5");
  Labels labels = pendulum_labels();
  labels.constraints.clear();
  labels.invariants.clear();
  {
    Hdf5Recorder<double> recorder(file.path(), labels, about());
    write(recorder, labels, 0, 7);
  }
  const Reader h5(file.path());
  EXPECT_EQ(h5.shape("/lambda"), (std::vector<hsize_t>{7, 0}));
  EXPECT_EQ(h5.shape("/invariants"), (std::vector<hsize_t>{7, 0}));
}

TEST(Hdf5, ShortRunsMakeSmallFiles) {
  const TemporaryFile file(".h5");
  const Labels labels = pendulum_labels();
  {
    Hdf5Recorder<double> recorder(file.path(), labels, about_little());
    write(recorder, labels, 0, 101);
  }
  EXPECT_LT(std::filesystem::file_size(file.path()), 64U << 10);
  expect_rows(file.path(), 101);
}

TEST(Hdf5, SamplesBetweenStepsAreMarked) {
  const TemporaryFile file(".h5");
  const Labels labels = pendulum_labels();
  Provenance p = about();
  p.sample = "0.10000000000000001";
  {
    Hdf5Recorder<double> recorder(file.path(), labels, p);
    for (int j = 0; j <= 5; ++j) {
      State<double> x = state<double>(labels, 0);
      x.t = 0.1 * j;
      recorder.record(x, observation<double>(labels, 0));
    }
  }
  const Reader h5(file.path());
  EXPECT_EQ(h5.integers("/interpolated"), (std::vector<long>{0, 1, 1, 1, 1, 0}));  // the step is 0.25
  EXPECT_EQ(h5.integers("/step"), (std::vector<long>{0, 0, 0, 1, 1, 2}));
  EXPECT_EQ(h5.number("/", "sample_interval"), 0.1);
  EXPECT_SAYS(h5.attribute("/", "interpolation"), "Hermite");
}

// ---- wider scalars: every digit is in the file

template <class S>
S from_text(const std::string& text) {
  return S(text);
}

template <class S>
class WideHdf5 : public ::testing::Test {};
using TextScalars = ::testing::Types<quad, mp100>;
TYPED_TEST_SUITE(WideHdf5, TextScalars);

TYPED_TEST(WideHdf5, DecimalTextLosesNothing) {
  using S = TypeParam;
  const TemporaryFile file(".h5");
  const Labels labels = pendulum_labels();
  constexpr long rows = 40;
  {
    Hdf5Recorder<S> recorder(file.path(), labels, about());
    write(recorder, labels, 0, rows);
    State<S> extreme = state<S>(labels, rows);
    extreme.q[0] = -std::numeric_limits<S>::min();
    extreme.q[1] = -std::numeric_limits<S>::max();
    recorder.record(extreme, observation<S>(labels, rows));
  }
  const Reader h5(file.path());
  const auto q = h5.texts("/exact/q"), energy = h5.texts("/exact/energy"), t = h5.texts("/exact/t");
  const auto rounded = h5.numbers("/q");
  ASSERT_EQ(q.size(), 2U * (rows + 1));
  for (long k = 0; k < rows; ++k) {
    const auto x = state<S>(labels, k);
    for (int i = 0; i < 2; ++i) {
      const auto at = static_cast<std::size_t>(2 * k + i);
      EXPECT_EQ(from_text<S>(q[at]), x.q[i]) << q[at];
      EXPECT_EQ(rounded[at], to_double(x.q[i]));
    }
    EXPECT_EQ(from_text<S>(energy[static_cast<std::size_t>(k)]), observation<S>(labels, k).energy);
    EXPECT_EQ(from_text<S>(t[static_cast<std::size_t>(k)]), x.t);
  }
  EXPECT_EQ(from_text<S>(q[2 * rows]), S(-std::numeric_limits<S>::min()));
  EXPECT_EQ(from_text<S>(q[2 * rows + 1]), S(-std::numeric_limits<S>::max())) << q[2 * rows + 1];
  EXPECT_EQ(h5.attribute("/exact", "precision"), precision_name<S>());
}

TEST(Hdf5, LongDoubleIsStoredAsItIs) {
  const TemporaryFile file(".h5");
  const Labels labels = pendulum_labels();
  {
    Hdf5Recorder<long double> recorder(file.path(), labels, about());
    write(recorder, labels, 0, 50);
  }
  const Reader h5(file.path());
  const auto q = h5.read<long double>("/q", H5T_NATIVE_LDOUBLE);
  for (long k = 0; k < 50; ++k)
    for (int i = 0; i < 2; ++i) EXPECT_EQ(q[static_cast<std::size_t>(2 * k + i)], state<long double>(labels, k).q[i]);
  EXPECT_EQ(h5.attribute("/", "precision"), "long");
}

// ---- H5MD

TEST(Hdf5, VectorCoordinatesAreParticles) {
  const TemporaryFile file(".h5");
  const Labels labels = particle_labels();
  constexpr long rows = 3000;
  {
    Hdf5Recorder<double> recorder(file.path(), labels, about());
    write(recorder, labels, 0, rows);
  }
  const Reader h5(file.path());
  EXPECT_EQ(h5.attribute("/h5md/creator", "name"), "holonom");
  EXPECT_EQ(h5.shape("/particles/r/position/value"), (std::vector<hsize_t>{rows, 4, 3}));
  EXPECT_EQ(h5.shape("/particles/a/momentum/value"), (std::vector<hsize_t>{rows, 4, 3}));
  EXPECT_TRUE(h5.same_object("/particles/r/position/step", "/step"));
  EXPECT_TRUE(h5.same_object("/particles/r/position/time", "/t"));
  EXPECT_TRUE(h5.same_object("/observables/energy/value", "/energy"));
  // All blocks together, in the order of the model, for readers that look at one group.
  EXPECT_EQ(h5.shape("/particles/trajectory/position/value"), (std::vector<hsize_t>{rows, 8, 3}));
  EXPECT_EQ(h5.shape("/particles/trajectory/momentum/value"), (std::vector<hsize_t>{rows, 8, 3}));
  EXPECT_TRUE(h5.same_object("/particles/trajectory/position/time", "/t"));
  const auto together = h5.numbers("/particles/trajectory/momentum/value");
  const auto plane = h5.numbers("/particles/r/position/value"), space = h5.numbers("/particles/a/momentum/value");
  for (const long k : {0L, 1234L, rows - 1}) {
    const auto x = state<double>(labels, k);
    for (int i = 0; i < 4; ++i) {
      const auto at = static_cast<std::size_t>(12 * k + 3 * i);
      EXPECT_EQ(plane[at], x.q[1 + 2 * i]);
      EXPECT_EQ(plane[at + 1], x.q[1 + 2 * i + 1]);
      EXPECT_EQ(plane[at + 2], 0);  // shown, not stored
      for (int c = 0; c < 3; ++c) EXPECT_EQ(space[at + static_cast<std::size_t>(c)], x.p[9 + 3 * i + c]);
      const auto row = static_cast<std::size_t>(24 * k);
      for (int c = 0; c < 3; ++c) {
        EXPECT_EQ(together[row + static_cast<std::size_t>(3 * i + c)], c < 2 ? x.p[1 + 2 * i + c] : 0);
        EXPECT_EQ(together[row + static_cast<std::size_t>(12 + 3 * i + c)], x.p[9 + 3 * i + c]);
      }
    }
  }
  // Views take no room: all numbers of a row once, and less than 30 % beside them.
  const double numbers = 8.0 * static_cast<double>(rows) * (2 * 21 + 6);
  EXPECT_LT(static_cast<double>(std::filesystem::file_size(file.path())) - 1e5 -
                2.0 * static_cast<double>(about().model_text.size()),
            1.3 * numbers);
}

TEST(Hdf5, WideTablesHaveNarrowChunks) {
  const TemporaryFile file(".h5");
  Labels labels = pendulum_labels();
  labels.coordinates.resize(300001, "c");
  {
    Hdf5Recorder<double> recorder(file.path(), labels, about());
    write(recorder, labels, 0, 3);
  }
  const Reader h5(file.path());
  ASSERT_EQ(h5.shape("/q"), (std::vector<hsize_t>{3, 300001}));
  const auto q = h5.numbers("/q");
  for (const int i : {0, 131072, 300000})
    EXPECT_EQ(q[2 * 300001 + static_cast<std::size_t>(i)], state<double>(labels, 2).q[i]);
}

}  // namespace
}  // namespace holonom
