#include "result_files.hpp"

#include <fstream>

#include "holonom/errors.hpp"
#include "holonom/run/files.hpp"
#include "holonom/run/row_file.hpp"

namespace holonom {

namespace {

void try_to_write(const std::filesystem::path& file) {
  if (file.empty()) return;
  const bool is_new = !std::filesystem::exists(file);
  if (!std::ofstream(file, std::ios::app))
    throw InputError(file.string() + ": the file cannot be written (does the folder exist, and may you write there?)");
  if (is_new) std::filesystem::remove(file);
}

}  // namespace

ResultFiles::ResultFiles(const std::string& name, const std::string& out, bool force,
                         const std::vector<std::string>& inputs) {
  if (out.empty()) return;
  const bool single = out.ends_with(".csv");
  const std::filesystem::path path(out);
  if (!single && path.has_extension())
    throw InputError("--out " + out + ": give a file that ends in .csv, or a folder");
  if (!single) {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error) throw InputError(out + ": the folder cannot be made (" + error.message() + ")");
  }
  csv_ = single ? path : path / (name + ".csv");
  if (!single) json_ = path / (name + ".json");
  for (const auto& file : {csv_, json_})
    if (!force && !file.empty() && std::filesystem::exists(file)) throw FileExists(file);
  if (!single && same_file(csv_, json_))
    throw InputError("--out " + out + ": " + name + ".csv and " + name + ".json in it are one file");
  for (const auto& file : {csv_, json_}) {
    protect_inputs("--out", file, inputs);
    try_to_write(file);
  }
}

void ResultFiles::write(const std::string& csv, const std::string& json) const {
  for (const auto& [path, text] : {std::pair(csv_, csv), std::pair(json_, json)}) {
    if (path.empty()) continue;
    RowFile file(path, OpenMode::overwrite);
    file.add(text);
    file.flush();
  }
}

}  // namespace holonom
