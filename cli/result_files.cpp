#include "result_files.hpp"

#include <fstream>

#include "holonom/errors.hpp"
#include "holonom/run/files.hpp"
#include "holonom/run/row_file.hpp"

namespace holonom {

namespace {

void try_to_write(const std::filesystem::path& file) {
  const bool is_new = !std::filesystem::exists(file);
  if (!std::ofstream(file, std::ios::app))
    throw InputError(file.string() + ": the file cannot be written (does the folder exist, and may you write there?)");
  if (is_new) std::filesystem::remove(file);
}

void replace(const std::filesystem::path& path, const std::string& text) {
  if (path.empty()) return;
  RowFile file(path, OpenMode::overwrite);
  file.add(text);
  file.flush();
}

}  // namespace

ResultFiles::ResultFiles(const std::string& name, const std::string& out, bool force,
                         const std::vector<std::string>& inputs, bool with_page) {
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
  if (!single && with_page) html_ = path / (name + ".html");
  for (const auto& file : {csv_, json_, html_})
    if (!force && !file.empty() && std::filesystem::exists(file)) throw FileExists(file);
  if (!single && same_file(csv_, json_))
    throw InputError("--out " + out + ": " + name + ".csv and " + name + ".json in it are one file");
  for (const auto& file : {csv_, json_, html_}) {
    if (file.empty()) continue;
    protect_inputs("--out", file, inputs);
    try_to_write(file);
  }
}

void ResultFiles::write(const std::string& csv, const std::string& json) const {
  replace(csv_, csv);
  replace(json_, json);
}

void ResultFiles::write_page(const std::string& html) const { replace(html_, html); }

PageFile::PageFile(const std::string& option, const std::string& path, bool force,
                   const std::vector<std::string>& inputs)
    : path_(path) {
  if (!force && std::filesystem::exists(path_)) throw FileExists(path);
  protect_inputs(option, path, inputs);
  try_to_write(path_);
}

void PageFile::write(const std::string& html) const { replace(path_, html); }

}  // namespace holonom
