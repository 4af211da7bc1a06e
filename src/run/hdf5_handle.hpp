// The C interface of HDF5 with owners and exceptions. Private to src/run.
#pragma once

#include <hdf5.h>

#include <string>
#include <utility>
#include <vector>

#include "holonom/model/model.hpp"

namespace holonom::hdf5 {

// A call of the library failed. The message says what was tried; TrajectoryFile adds the file.
class Failed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline hid_t check(hid_t result, const char* what) {
  if (result < 0) throw Failed(what);
  return result;
}

class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close close, const char* what) : id_(check(id, what)), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() { reset(); }
  void reset() {
    if (id_ >= 0) close_(id_);
    id_ = -1;
  }
  operator hid_t() const { return id_; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

// While it lives, the library does not print its error stack: our exceptions speak.
class Quiet {
 public:
  Quiet() {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Quiet() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

inline Handle plist(hid_t kind) { return {H5Pcreate(kind), H5Pclose, "make a property list"}; }
inline Handle space(const std::vector<hsize_t>& now, const std::vector<hsize_t>& most) {
  return {H5Screate_simple(static_cast<int>(now.size()), now.data(), most.data()), H5Sclose, "make a data space"};
}
inline Handle space(const std::vector<hsize_t>& size) { return space(size, size); }

// Text of a fixed length in bytes, or of any length, in UTF-8.
inline Handle text_type(std::size_t length) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "make a text type");
  H5Tset_size(type, length);
  H5Tset_cset(type, H5T_CSET_UTF8);
  if (length != H5T_VARIABLE) H5Tset_strpad(type, H5T_STR_NULLPAD);
  return type;
}

inline Handle open_dataset(hid_t file, const std::string& path) {
  return {H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose, "find a dataset"};
}

inline Handle make_group(hid_t file, const std::string& path) {
  const Handle create = plist(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(create, 1);
  return {H5Gcreate2(file, path.c_str(), create, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, "make a group"};
}

// ---- attributes
inline void write_attribute(hid_t object, const std::string& name, hid_t type, hid_t data_space, const void* value) {
  const Handle a(H5Acreate2(object, name.c_str(), type, data_space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                 "make an attribute");
  check(H5Awrite(a, type, value), "write an attribute");
}
inline void write_attribute(hid_t object, const std::string& name, const std::string& value) {
  // Of variable length, which a header of 64 kB does not limit.
  const char* text = value.c_str();
  const Handle scalar(H5Screate(H5S_SCALAR), H5Sclose, "make a data space");
  write_attribute(object, name, text_type(H5T_VARIABLE), scalar, &text);
}
inline void write_attribute(hid_t object, const std::string& name, double value) {
  const Handle scalar(H5Screate(H5S_SCALAR), H5Sclose, "make a data space");
  write_attribute(object, name, H5T_NATIVE_DOUBLE, scalar, &value);
}
inline void write_attribute(hid_t object, const std::string& name, int value) {
  const Handle scalar(H5Screate(H5S_SCALAR), H5Sclose, "make a data space");
  write_attribute(object, name, H5T_NATIVE_INT, scalar, &value);
}
// Empty if there is none.
inline std::string read_attribute(hid_t object, const std::string& name) {
  if (H5Aexists(object, name.c_str()) <= 0) return {};
  const Handle a(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose, "open an attribute");
  char* text = nullptr;
  check(H5Aread(a, text_type(H5T_VARIABLE), &text), "read an attribute");
  std::string result = text ? text : "";
  H5free_memory(text);
  return result;
}

}  // namespace holonom::hdf5
