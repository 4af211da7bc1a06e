// What a run that is killed at any of its writes leaves of its HDF5 file. From outside: tests/cli/hdf5_test.py.
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "hdf5_support.hpp"

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

using namespace test;

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

}  // namespace
}  // namespace holonom
