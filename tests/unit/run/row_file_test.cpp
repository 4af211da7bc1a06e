// A file of rows on a disk that is full for a while, for which a limit on the size of files stands.
#include "holonom/run/row_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "temporary_file.hpp"

namespace holonom::test {
namespace {

class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : ignored_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit now = before_;
    now.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &now);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, ignored_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
  void (*ignored_)(int);
};

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(RowFile, HasNoRowBehindOneThatIsMissing) {
  const TemporaryFile at(".csv");
  {
    RowFile file(at.path(), OpenMode::create);
    file.add("one\n");
    EXPECT_EQ(file.sync(), 4);
    {
      const FullDisk full(9);
      file.add("two\nthree\n");
      EXPECT_THROW(file.sync(), OutputError);
    }
    EXPECT_THROW(file.add("four\n"), OutputError);
    EXPECT_THROW(file.flush(), OutputError);
    EXPECT_THROW(file.sync(), OutputError);
  }
  EXPECT_EQ(text_of(at.path()), "one\ntwo\n");
}

TEST(RowFile, KnowsAHeaderOfManyLines) {
  const TemporaryFile at(".csv");
  RowFile(at.path(), OpenMode::create).add("t,\"a\nb\"\n1,2\n");
  const RowFile file(at.path(), OpenMode::append);
  EXPECT_TRUE(file.begins_with("t,\"a\nb\"\n"));
  EXPECT_FALSE(file.begins_with("t,\"a\nc\"\n"));
  EXPECT_FALSE(file.begins_with("t,\"a\nb\"\n1,2\n3"));
}

}  // namespace
}  // namespace holonom::test
