// read_run_file with the HDF5 library.
#include "holonom/run/run_file.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>

#include "hdf5_layout.hpp"

namespace holonom {

using namespace hdf5;

namespace {

class Reader {
 public:
  Reader(hid_t file, const std::string& path, const RunFileLimits& limits)
      : file_(file), path_(path), limits_(limits) {}

  RunFile read() {
    read_attributes();
    read_names();
    choose_rows();
    result_.t = column("t");
    result_.q = table("q", result_.coordinates.size(), "coordinates");
    result_.p = table("p", result_.momenta.size(), "momenta");
    result_.lambda = table("lambda", result_.constraints.size(), "constraints");
    result_.energy = column("energy");
    result_.position_residual = column("position_residual");
    result_.hidden_residual = column("hidden_residual");
    result_.invariant = table("invariants", result_.invariants.size(), "invariants");
    result_.observable = table("observed", result_.observables.size(), "observables");
    return std::move(result_);
  }

 private:
  void read_attributes() {
    require_this_version(file_, path_);
    const Handle root(H5Gopen2(file_, "/", H5P_DEFAULT), H5Gclose, "open the root");
    const std::pair<const char*, std::string*> texts[] = {{"model", &result_.model},
                                                          {"model_text", &result_.model_text},
                                                          {"method", &result_.method},
                                                          {"formulation", &result_.formulation},
                                                          {"step_text", &result_.step},
                                                          {"engine", &result_.engine},
                                                          {"precision", &result_.precision},
                                                          {"chosen", &result_.chosen},
                                                          {"sample_interval_text", &result_.sample},
                                                          {"creator_version", &result_.creator_version}};
    for (const auto& [name, text] : texts) *text = read_attribute(root, name);
    const std::string listed = read_attribute(root, "parameters_text");
    for (std::size_t begin = 0; begin < listed.size();) {
      const std::size_t end = std::min(listed.find('\n', begin), listed.size());
      const std::string line = listed.substr(begin, end - begin);
      if (const auto equals = line.find(" = "); equals != std::string::npos)
        result_.parameters.emplace_back(line.substr(0, equals), line.substr(equals + 3));
      begin = end + 1;
    }
  }

  void read_names() {
    result_.coordinates = read_texts(file_, "/names/coordinates");
    result_.constraints = read_texts(file_, "/names/constraints");
    result_.invariants = read_texts(file_, "/names/invariants");
    result_.observables = read_texts(file_, "/names/observables");
    result_.is_field = H5Lexists(file_, "/names/momenta", H5P_DEFAULT) > 0;
    if (result_.is_field)
      result_.momenta = read_texts(file_, "/names/momenta");
    else
      for (const std::string& name : result_.coordinates) result_.momenta.push_back("p_" + name);
    result_.coordinate_units = read_texts(file_, "/units/coordinates");
    result_.momentum_units = read_texts(file_, "/units/momenta");
    result_.multiplier_units = read_texts(file_, "/units/multipliers");
    result_.invariant_units = read_texts(file_, "/units/invariants");
    result_.observable_units = read_texts(file_, "/units/observables");
    result_.time_unit = read_attribute(open_dataset(file_, "/t"), "units");
    result_.energy_unit = read_attribute(open_dataset(file_, "/energy"), "units");
  }

  std::vector<hsize_t> extent(hid_t dataset) const {
    const Handle space_of(H5Dget_space(dataset), H5Sclose, "read an extent");
    std::vector<hsize_t> size(static_cast<std::size_t>(std::max(1, H5Sget_simple_extent_ndims(space_of))), 0);
    H5Sget_simple_extent_dims(space_of, size.data(), nullptr);
    return size;
  }

  // A run that was killed may have tables of different lengths.
  void choose_rows() {
    std::size_t rows = std::numeric_limits<std::size_t>::max();
    for (const char* name :
         {"/t", "/q", "/p", "/lambda", "/energy", "/position_residual", "/hidden_residual", "/invariants", "/observed"})
      rows = std::min(rows, static_cast<std::size_t>(extent(open_dataset(file_, name)).front()));
    result_.file_rows = rows;
    if (rows == 0) return;
    const std::size_t n = std::max<std::size_t>(1, result_.coordinates.size());
    const std::size_t most = std::max<std::size_t>(2, std::min(limits_.rows, limits_.numbers / n));
    every_ = rows <= most ? 1 : (rows + most - 2) / (most - 1);
    for (std::size_t i = 0; i < rows; i += every_) result_.rows.push_back(i);
    if (result_.rows.back() != rows - 1) result_.rows.push_back(rows - 1);
  }

  NumberTable column(const std::string& name) const {
    NumberTable result = read_table(name);
    if (result.columns != 1) refuse_columns(name, result.columns, "and not 1");
    return result;
  }
  // With a column for each name
  NumberTable table(const std::string& name, std::size_t names, const std::string& of_what) const {
    NumberTable result = read_table(name);
    if (result.columns != names)
      refuse_columns(name, result.columns, "and " + std::to_string(names) + " names of " + of_what);
    return result;
  }
  [[noreturn]] void refuse_columns(const std::string& name, std::size_t columns, const std::string& expected) const {
    throw InputError(path_ + ": the file is damaged: it has " + std::to_string(columns) +
                     (columns == 1 ? " column of " : " columns of ") + name + ", " + expected +
                     "; make it anew by run --out FILE.h5");
  }

  NumberTable read_table(const std::string& name) const {
    const Handle dataset = open_dataset(file_, "/" + name);
    const std::vector<hsize_t> size = extent(dataset);
    if (size.size() > 2) throw Failed("read " + name + ", which is no table");
    NumberTable result;
    result.columns = size.size() == 2 ? size[1] : 1;
    result.x.resize(result_.rows.size() * result.columns);
    if (result.x.empty()) return result;
    const Handle from(H5Dget_space(dataset), H5Sclose, "read an extent");
    const std::size_t last = result_.file_rows - 1;
    const hsize_t start[] = {0, 0}, stride[] = {every_, 1}, count[] = {last / every_ + 1, result.columns};
    check(H5Sselect_hyperslab(from, H5S_SELECT_SET, start, stride, count, nullptr), "select rows");
    if (last % every_ != 0) {
      const hsize_t end[] = {last, 0}, one[] = {1, result.columns};
      check(H5Sselect_hyperslab(from, H5S_SELECT_OR, end, nullptr, one, nullptr), "select the last row");
    }
    const Handle to = space({result.x.size()});
    check(H5Dread(dataset, H5T_NATIVE_DOUBLE, to, from, H5P_DEFAULT, result.x.data()), "read rows");
    return result;
  }

  hid_t file_;
  const std::string& path_;
  const RunFileLimits& limits_;
  std::size_t every_ = 1;
  RunFile result_;
};

}  // namespace

namespace {

// read(file) of a trajectory
template <class F>
auto of_trajectory(const std::string& path, F&& read) {
  const Quiet quiet;
  std::error_code ignored;  // of a name that is too long
  if (!std::filesystem::exists(path, ignored)) throw InputError(path + ": there is no such file");
  try {
    const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "open the file");
    const Handle root(H5Gopen2(file, "/", H5P_DEFAULT), H5Gclose, "open the root");
    if (!is_trajectory(root))
      throw InputError(path + ": the file is no trajectory of holonom; make one by run --out FILE.h5");
    return read(file);
  } catch (const Failed& e) {
    throw InputError(path + ": the file is no trajectory of holonom, or damaged (could not " + e.what() +
                     "); make one by run --out FILE.h5");
  }
}

}  // namespace

RunFile read_run_file(const std::string& path, const RunFileLimits& limits) {
  return of_trajectory(path, [&](hid_t file) { return Reader(file, path, limits).read(); });
}

std::vector<std::string> read_digits(const std::string& path, const std::string& table) {
  return of_trajectory(path, [&](hid_t file) {
    const bool has_texts = H5Lexists(file, "/exact", H5P_DEFAULT) > 0;
    if (has_texts) return read_texts(file, "/exact/" + table);
    const Handle dataset = open_dataset(file, "/" + table);
    const Handle extent(H5Dget_space(dataset), H5Sclose, "read an extent");
    std::vector<long double> numbers(static_cast<std::size_t>(H5Sget_simple_extent_npoints(extent)));
    if (!numbers.empty())
      check(H5Dread(dataset, H5T_NATIVE_LDOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()), "read rows");
    std::vector<std::string> texts;
    texts.reserve(numbers.size());
    for (const long double x : numbers) texts.push_back(to_text(x));
    return texts;
  });
}

}  // namespace holonom
