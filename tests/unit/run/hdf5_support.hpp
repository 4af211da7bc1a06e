// For the tests of Hdf5Recorder: short runs to record, and the files read back with the HDF5 library itself.
#pragma once

#define H5_USE_110_API  // H5Oget_info_by_name has changed since
#include <gtest/gtest.h>
#include <hdf5.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "holonom/run/hdf5.hpp"
#include "temporary_file.hpp"

namespace holonom::test {

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

inline Labels pendulum_labels() {
  Labels labels;
  labels.model = "pendulum";
  labels.coordinates = {"x", "y"};
  labels.constraints = {"rod"};
  labels.invariants = {"L"};
  return labels;
}
// One scalar coordinate, then particles in the plane and in space
inline Labels particle_labels() {
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
inline Provenance about(const std::string& step = "0.25") {
  Provenance p;
  p.model_text = "name = \"pendulum\"\n" + std::string(100000, '#');  // longer than an attribute in a header may be
  p.parameters = {{"L", "2"}, {"m", "0.10000000000000001"}};
  p.units = {{"x", "m"}, {"p_y", "kg m/s"}, {"lambda_rod", "N"}, {"energy", "J"}, {"t", "s"}, {"r", "m"}};
  p.method = "rattle";
  p.step = step;
  return p;
}

// A short run of a short model
inline Provenance about_little() {
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
inline void expect_rows(const std::string& path, long count) {
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

}  // namespace holonom::test

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)
