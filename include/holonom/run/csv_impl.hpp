// CsvRecorder, for the translation units that instantiate it.
#pragma once

#include <filesystem>

#include "holonom/run/csv.hpp"

namespace holonom {

template <class S>
CsvRecorder<S>::CsvRecorder(const std::string& path, const Labels& labels, bool overwrite) : path_(path) {
  if (!overwrite && std::filesystem::exists(path))
    throw InputError(path + ": the file exists; use --force to overwrite it, or another name");
  file_.open(path);
  if (!file_) throw InputError(path + ": the file cannot be written (does the folder exist, and may you write there?)");
  file_ << "t";
  for (const std::string& c : labels.coordinates) file_ << ',' << c;
  for (const std::string& c : labels.coordinates) file_ << ",p_" << c;
  for (const std::string& c : labels.constraints) file_ << ",lambda_" << c;
  file_ << ",energy,position_residual,hidden_residual";
  for (const std::string& i : labels.invariants) file_ << ',' << i;
  file_ << '\n';
}

template <class S>
void CsvRecorder<S>::record(const State<S>& x, const Observation<S>& seen) {
  file_ << to_text(x.t);
  for (const auto* block : {&x.q, &x.p, &x.lambda})
    for (const S& a : *block) file_ << ',' << to_text(a);
  file_ << ',' << to_text(seen.energy) << ',' << to_text(seen.position.absolute) << ',' << to_text(seen.hidden.absolute);
  for (const S& a : seen.invariants) file_ << ',' << to_text(a);
  file_ << '\n';
  if (!file_) throw OutputError(path_ + ": writing failed (is the disk full?); the rows written so far are kept.");
}

template <class S>
void CsvRecorder<S>::flush() {
  if (!file_.flush()) throw OutputError(path_ + ": writing failed (is the disk full?); the rows written so far are kept.");
}

}  // namespace holonom
