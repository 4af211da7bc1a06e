// The CSV recorders, for the translation units that instantiate them.
#pragma once

#include <filesystem>

#include "holonom/run/csv.hpp"

namespace holonom {

namespace detail {

template <class S>
CsvFile<S>::CsvFile(const std::string& path, const std::string& first_columns, const Labels& labels, bool overwrite) : path_(path) {
  if (!overwrite && std::filesystem::exists(path))
    throw InputError(path + ": the file exists; use --force to overwrite it, or another name");
  file_.open(path);
  if (!file_) throw InputError(path + ": the file cannot be written (does the folder exist, and may you write there?)");
  file_ << first_columns << "t";
  for (const std::string& c : labels.coordinates) file_ << ',' << c;
  for (const std::string& c : labels.coordinates) file_ << ",p_" << c;
  for (const std::string& c : labels.constraints) file_ << ",lambda_" << c;
  file_ << ",energy,position_residual,hidden_residual";
  for (const std::string& i : labels.invariants) file_ << ',' << i;
  for (const std::string& o : labels.observables) file_ << ',' << csv_cell(o);
  file_ << '\n';
}

template <class S>
void CsvFile<S>::row(const std::string& first_cells, const State<S>& x, const Observation<S>& seen) {
  file_ << first_cells << to_text(x.t);
  for (const auto* block : {&x.q, &x.p, &x.lambda})
    for (const S& a : *block) file_ << ',' << to_text(a);
  file_ << ',' << to_text(seen.energy) << ',' << to_text(seen.position.absolute) << ',' << to_text(seen.hidden.absolute);
  for (const auto* block : {&seen.invariants, &seen.observables})
    for (const S& a : *block) file_ << ',' << to_text(a);
  file_ << '\n';
  check();
}

template <class S>
void CsvFile<S>::flush() {
  file_.flush();
  check();
}

template <class S>
void CsvFile<S>::check() const {
  if (!file_) throw OutputError(path_ + ": writing failed (is the disk full?); the rows written so far are kept.");
}

}  // namespace detail

template <class S>
EventCsv<S>::EventCsv(const std::string& path, const Labels& labels, const std::vector<EventFormula>& events, bool overwrite)
    : file_(path, "event,direction,", labels, overwrite) {
  // A name may be a formula, such as atan2(y, x).
  for (const EventFormula& e : events) cells_.push_back(csv_cell(e.name));
}

template <class S>
void EventCsv<S>::event(const Event<S>& e) {
  file_.row(cells_[static_cast<std::size_t>(e.which)] + (e.up ? ",up," : ",down,"), e.state, e.seen);
}

}  // namespace holonom
