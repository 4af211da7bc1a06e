// What a trajectory file says of itself, and its H5MD views. Private to src/run.
#pragma once

#include "hdf5_handle.hpp"
#include "holonom/run/hdf5_file.hpp"

namespace holonom::hdf5 {

// The root's attributes, names, units and parameters.
void describe(hid_t file, const Labels& labels, const Provenance& about, const std::string& precision);

// Throws InputError unless the file was made by the same run.
void require_same_run(hid_t file, const std::string& path, const Labels& labels, const Provenance& about,
                      const std::string& precision);

// Whether the root is that of a trajectory; and a dataset of names in it.
bool is_trajectory(hid_t root);
// Throws InputError if the file is of another version of the format.
void require_this_version(hid_t file, const std::string& path);
std::vector<std::string> read_texts(hid_t file, const std::string& path);

// H5MD groups for vector coordinates. The tables must exist.
void add_h5md(hid_t file, const Labels& labels, const Provenance& about);

}  // namespace holonom::hdf5
