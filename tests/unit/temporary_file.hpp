// A file of one test, removed with it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

namespace holonom::test {

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& ending) {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string(test->test_suite_name()) + "-" + test->name() + ending;
    std::replace(name.begin(), name.end(), '/', '-');
    path_ = (std::filesystem::path(::testing::TempDir()) / name).string();
    std::filesystem::remove(path_);
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace holonom::test
