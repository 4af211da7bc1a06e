// The files that a run can record its states in, by the ending of their names. A new one is a Recorder in a file of its
// own, and one more row in the list below.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "holonom/run/csv.hpp"
#include "holonom/run/hdf5.hpp"

namespace holonom {

// What a file of states is told about the run.
struct OutputRequest {
  const std::string& path;
  const Labels& labels;
  const Provenance& about;
  OpenMode mode;
};

template <class S>
struct OutputFormat {
  std::vector<std::string_view> endings;
  bool marks_samples;  // rows between steps are told from states of the step map
  std::unique_ptr<Recorder<S>> (*open)(const OutputRequest&);
};

// ---- the list
template <class S>
const std::vector<OutputFormat<S>>& output_formats() {
  static const std::vector<OutputFormat<S>> list{
      {{".csv"},
       false,
       [](const OutputRequest& o) -> std::unique_ptr<Recorder<S>> {
         return std::make_unique<CsvRecorder<S>>(o.path, o.labels, o.mode);
       }},
      {{".h5", ".hdf5", ".h5md"},
       true,
       [](const OutputRequest& o) -> std::unique_ptr<Recorder<S>> {
         return std::make_unique<Hdf5Recorder<S>>(o.path, o.labels, o.about, o.mode);
       }},
  };
  return list;
}

// The format of a file, or nullptr.
template <class S>
const OutputFormat<S>* output_format(std::string_view path) {
  for (const OutputFormat<S>& format : output_formats<S>())
    for (const std::string_view ending : format.endings)
      if (path.ends_with(ending)) return &format;
  return nullptr;
}

}  // namespace holonom
