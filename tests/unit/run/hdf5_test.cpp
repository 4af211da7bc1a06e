// Hdf5Recorder, read back with the HDF5 library itself. What a killed run leaves, and what Python sees, is
// tested from outside: tests/cli/hdf5_test.py.
#include "holonom/run/hdf5.hpp"

#define H5_USE_110_API  // H5Oget_info_by_name has changed since
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "holonom/wide.hpp"
#include "temporary_file.hpp"

// All writes of this program to files come by here, those of the HDF5 library too: a test can be killed
// at the n-th of them.
namespace {
long writes = 0, fatal_write = 0;
void count_write() {
  if (++writes == fatal_write) kill(getpid(), SIGKILL);
}
}  // namespace
extern "C" {
ssize_t pwrite64(int fd, const void* bytes, size_t count, off64_t at) {
  count_write();
  return syscall(SYS_pwrite64, fd, bytes, count, at);
}
ssize_t pwrite(int fd, const void* bytes, size_t count, off_t at) { return pwrite64(fd, bytes, count, at); }
int ftruncate64(int fd, off64_t size) noexcept {
  count_write();
  return static_cast<int>(syscall(SYS_ftruncate, fd, size));
}
int ftruncate(int fd, off_t size) noexcept { return ftruncate64(fd, size); }
}

namespace holonom {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFile;

class Reader {
 public:
  explicit Reader(const std::string& path) : file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) {
    if (file_ < 0) throw std::runtime_error("cannot open " + path);
  }
  ~Reader() { H5Fclose(file_); }

  std::vector<hsize_t> shape(const std::string& name) const {
    const hid_t d = H5Dopen2(file_, name.c_str(), H5P_DEFAULT), s = H5Dget_space(d);
    std::vector<hsize_t> size(static_cast<std::size_t>(H5Sget_simple_extent_ndims(s)));
    H5Sget_simple_extent_dims(s, size.data(), nullptr);
    H5Sclose(s);
    H5Dclose(d);
    return size;
  }
  template <class T>
  std::vector<T> read(const std::string& name, hid_t type) const {
    const hid_t d = H5Dopen2(file_, name.c_str(), H5P_DEFAULT);
    // A view takes its extent from its source when it is asked for it.
    const hid_t s = H5Dget_space(d);
    std::vector<T> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(s)));
    EXPECT_GE(H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0) << name;
    H5Sclose(s);
    H5Dclose(d);
    return values;
  }
  std::vector<double> numbers(const std::string& name) const { return read<double>(name, H5T_NATIVE_DOUBLE); }
  std::vector<long> integers(const std::string& name) const { return read<long>(name, H5T_NATIVE_LONG); }
  std::vector<std::string> texts(const std::string& name) const {
    const hid_t d = H5Dopen2(file_, name.c_str(), H5P_DEFAULT), type = H5Dget_type(d);
    const std::size_t length = H5Tget_size(type);
    std::size_t count = 1;
    for (const hsize_t n : shape(name)) count *= n;
    std::string packed(length * count, '\0');
    if (count > 0) {
      EXPECT_GE(H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, packed.data()), 0) << name;
    }
    H5Tclose(type);
    H5Dclose(d);
    std::vector<std::string> result;
    for (std::size_t i = 0; i < count; ++i) result.emplace_back(packed.substr(i * length, length).c_str());
    return result;
  }
  std::string attribute(const std::string& object, const std::string& name) const {
    const hid_t a = H5Aopen_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    if (a < 0) return "(none)";
    const hid_t type = H5Aget_type(a);
    char* text = nullptr;
    H5Aread(a, type, &text);
    std::string result = text;
    H5free_memory(text);
    H5Tclose(type);
    H5Aclose(a);
    return result;
  }
  double number(const std::string& object, const std::string& name) const {
    const hid_t a = H5Aopen_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    double x = std::nan("");
    if (a >= 0) H5Aread(a, H5T_NATIVE_DOUBLE, &x);
    if (a >= 0) H5Aclose(a);
    return x;
  }
  bool exists(const std::string& path) const { return H5Lexists(file_, path.c_str(), H5P_DEFAULT) > 0; }
  bool same_object(const std::string& a, const std::string& b) const {
    H5O_info_t x, y;
    H5Oget_info_by_name(file_, a.c_str(), &x, H5P_DEFAULT);
    H5Oget_info_by_name(file_, b.c_str(), &y, H5P_DEFAULT);
    return x.addr == y.addr;
  }

 private:
  hid_t file_;
};

Labels pendulum_labels() {
  Labels labels;
  labels.model = "pendulum";
  labels.coordinates = {"x", "y"};
  labels.constraints = {"rod"};
  labels.invariants = {"L"};
  return labels;
}
// One scalar coordinate, then particles in the plane and in space
Labels particle_labels() {
  Labels labels;
  labels.model = "particles";
  labels.coordinates = {"s"};
  for (const int dim : {2, 3})
    for (int i = 0; i < 4; ++i)
      for (int c = 0; c < dim; ++c)
        labels.coordinates.push_back((dim == 2 ? "r[" : "a[") + std::to_string(i) + "]." + "xyz"[c]);
  labels.vectors = {{"r", 4, 2, 1}, {"a", 4, 3, 9}};
  labels.invariants = {"L"};
  return labels;
}
Provenance about(const std::string& step = "0.25") {
  Provenance p;
  p.model_text = "name = \"pendulum\"\n" + std::string(100000, '#');  // longer than an attribute in a header may be
  p.parameters = {{"L", "2"}, {"m", "0.10000000000000001"}};
  p.units = {{"x", "m"}, {"p_y", "kg m/s"}, {"lambda_rod", "N"}, {"energy", "J"}, {"t", "s"}, {"r", "m"}};
  p.method = "rattle";
  p.step = step;
  return p;
}

// A short run of a short model
Provenance about_little() {
  Provenance p = about();
  p.model_text = "short";
  p.expected_rows = 100;
  return p;
}

template <class S>
State<S> state(const Labels& labels, long k) {
  State<S> x(static_cast<int>(labels.coordinates.size()), static_cast<int>(labels.constraints.size()));
  x.t = S(k) * S(0.25);
  for (int i = 0; i < x.q.size(); ++i) {
    x.q[i] = S(k + 1) / S(3 + i);
    x.p[i] = -S(k + 1) / S(7 + i);
  }
  for (S& l : x.lambda) l = S(k) / S(11);
  return x;
}
template <class S>
Observation<S> observation(const Labels& labels, long k) {
  Observation<S> seen;
  seen.energy = S(k) / S(13);
  seen.position.absolute = S(1) / S(k + 17);
  seen.hidden.absolute = S(2) / S(k + 17);
  seen.invariants = Vec<S>(static_cast<int>(labels.invariants.size()));
  for (S& i : seen.invariants) i = S(k) / S(19);
  return seen;
}
template <class S>
void write(Hdf5Recorder<S>& file, const Labels& labels, long from, long to) {
  for (long k = from; k < to; ++k) file.record(state<S>(labels, k), observation<S>(labels, k));
}
void expect_rows(const std::string& path, long count) {
  const Reader file(path);
  const auto steps = file.integers("/step");
  const auto t = file.numbers("/t"), q = file.numbers("/q"), p = file.numbers("/p"), lambda = file.numbers("/lambda"),
             energy = file.numbers("/energy"), invariants = file.numbers("/invariants"),
             residual = file.numbers("/hidden_residual");
  ASSERT_EQ(steps.size(), static_cast<std::size_t>(count));
  ASSERT_EQ(q.size(), 2 * steps.size());
  ASSERT_EQ(residual.size(), steps.size());
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const auto x = state<double>(pendulum_labels(), static_cast<long>(k));
    const auto seen = observation<double>(pendulum_labels(), static_cast<long>(k));
    ASSERT_EQ(steps[k], static_cast<long>(k));
    ASSERT_EQ(t[k], x.t);
    for (std::size_t i = 0; i < 2; ++i) {
      ASSERT_EQ(q[2 * k + i], x.q[static_cast<int>(i)]);
      ASSERT_EQ(p[2 * k + i], x.p[static_cast<int>(i)]);
    }
    ASSERT_EQ(lambda[k], x.lambda[0]);
    ASSERT_EQ(energy[k], seen.energy);
    ASSERT_EQ(residual[k], seen.hidden.absolute);
    ASSERT_EQ(invariants[k], seen.invariants[0]);
  }
}

template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const InputError& e) {
    return e.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}
#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

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
  EXPECT_LT(fs::file_size(file.path()), 64U << 10);
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

// ---- continuing

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

// ---- killed

// Writes 1000 rows in 5 commits (and 3 chunks); tells after each how many rows it promises to keep.
[[noreturn]] void doomed_run(const std::string& path, long fatal, int tell) {
  fatal_write = writes + fatal;
  const Labels labels = pendulum_labels();
  {
    Hdf5Recorder<double> recorder(path, labels, about_little(), OpenMode::overwrite);
    for (long k = 0; k < 1000; k += 200) {
      write(recorder, labels, k, k + 200);
      recorder.flush();
      const long promised = k + 200;
      (void)!::write(tell, &promised, sizeof promised);
    }
  }
  _exit(0);
}

void expect_promised_rows(const std::string& path, std::size_t promised) {
  const Reader file(path);
  const auto correct = [&](const char* table, auto&& expected) {
    const auto values = file.numbers(table);
    const std::size_t rows = file.shape(table)[0], columns = values.size() / rows;
    ASSERT_GE(rows, promised) << table;
    for (std::size_t k = 0; k < rows; ++k) {
      // Rows of a commit that was cut short may be missing, but are never wrong.
      const double x = values[columns * k];
      if (k >= promised && std::isnan(x)) continue;
      ASSERT_EQ(x, expected(static_cast<long>(k))) << table << " row " << k << " of " << promised;
    }
  };
  const Labels labels = pendulum_labels();
  correct("/t", [&](long k) { return state<double>(labels, k).t; });
  correct("/q", [&](long k) { return state<double>(labels, k).q[0]; });
  correct("/p", [&](long k) { return state<double>(labels, k).p[0]; });
  correct("/lambda", [&](long k) { return state<double>(labels, k).lambda[0]; });
  correct("/energy", [&](long k) { return observation<double>(labels, k).energy; });
  correct("/invariants", [&](long k) { return observation<double>(labels, k).invariants[0]; });
}

TEST(Hdf5, AfterAKillAtAnyWriteTheFileIsReadableAndCanBeContinued) {
  const TemporaryFile file(".h5");
  const Labels labels = pendulum_labels();
  long kills = 0;
  for (bool survived = false; !survived; ++kills) {
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) doomed_run(file.path(), kills + 1, pipe_ends[1]);
    close(pipe_ends[1]);
    long promised = 0;
    while (read(pipe_ends[0], &promised, sizeof promised) > 0) continue;
    close(pipe_ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    survived = WIFEXITED(status);
    if (promised == 0) continue;
    ASSERT_NO_FATAL_FAILURE(expect_promised_rows(file.path(), static_cast<std::size_t>(promised)))
        << "killed at write " << kills + 1;
    {
      Hdf5Recorder<double> recorder(file.path(), labels, about_little(), OpenMode::append);
      write(recorder, labels, promised, 1000);
    }
    ASSERT_NO_FATAL_FAILURE(expect_rows(file.path(), 1000)) << "killed at write " << kills + 1;
  }
  EXPECT_GT(kills, 80);
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
  EXPECT_LT(
      static_cast<double>(fs::file_size(file.path())) - 1e5 - 2.0 * static_cast<double>(about().model_text.size()),
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
