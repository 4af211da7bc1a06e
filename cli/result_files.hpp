// The files in which a command leaves its results, beside what it prints.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace holonom {

// --out FILE.csv, or --out FOLDER for NAME.csv, NAME.json and, for those who make one, NAME.html in it. Whether they
// can be written is tried before the work; what they held is replaced after it.
class ResultFiles {
 public:
  // Nothing is written if `out` is empty. Throws FileExists or InputError. `inputs`: files that are read.
  ResultFiles(const std::string& name, const std::string& out, bool force, const std::vector<std::string>& inputs,
              bool with_page = false);

  void write(const std::string& csv, const std::string& json) const;
  bool has_page() const { return !html_.empty(); }
  void write_page(const std::string& html) const;

 private:
  std::filesystem::path csv_, json_, html_;
};

// One page, by the same rules. `option`: how its name was given.
class PageFile {
 public:
  PageFile(const std::string& option, const std::string& path, bool force, const std::vector<std::string>& inputs);

  void write(const std::string& html) const;

 private:
  std::filesystem::path path_;
};

}  // namespace holonom
