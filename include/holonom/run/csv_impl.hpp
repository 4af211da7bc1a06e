// The CSV recorders, for the translation units that instantiate them.
#pragma once

#include "holonom/run/csv.hpp"

namespace holonom {

namespace detail {

template <class S>
CsvFile<S>::CsvFile(const std::string& path, const std::string& first_columns, const Labels& labels, OpenMode mode)
    : file_(path, mode),
      shown_q_(static_cast<int>(labels.coordinates.size())),
      shown_p_(static_cast<int>(labels.momenta())) {
  row_ = first_columns + "t";
  const auto column = [this](const std::string& name) { row_ += "," + csv_cell(name); };
  for (const std::string& c : labels.coordinates) column(c);
  for (std::size_t i = 0; i < labels.momenta(); ++i) column(labels.momentum(i));
  for (const std::string& c : labels.constraints) column("lambda_" + c);
  row_ += ",energy,position_residual,hidden_residual";
  for (const std::string& i : labels.invariants) column(i);
  for (const std::string& o : labels.observables) column(o);
  row_ += '\n';
  if (mode != OpenMode::append)
    file_.add(row_);
  else if (!file_.begins_with(row_))
    throw InputError(path + ": the file cannot be continued: its columns are others");
}

template <class S>
void CsvFile<S>::row(const std::string& first_cells, const State<S>& x, const Observation<S>& seen) {
  row_ = first_cells;
  row_ += to_text(x.t);
  const auto cell = [this](const auto& number) {
    row_ += ',';
    row_ += to_text(number);
  };
  for (int i = 0; i < shown_q_; ++i) cell(x.q[i]);
  for (int i = 0; i < shown_p_; ++i) cell(x.p[i]);
  for (const S& a : x.lambda) cell(a);
  cell(seen.energy);
  cell(seen.position.absolute);
  cell(seen.hidden.absolute);
  for (const auto* block : {&seen.invariants, &seen.observables})
    for (const S& a : *block) cell(a);
  row_ += '\n';
  file_.add(row_);
}

}  // namespace detail

template <class S>
EventCsv<S>::EventCsv(const std::string& path, const Labels& labels, const std::vector<EventFormula>& events,
                      OpenMode mode)
    : file_(path, "event,direction,", labels, mode) {
  // A name may be a formula, such as atan2(y, x).
  for (const EventFormula& e : events) cells_.push_back(csv_cell(e.name));
}

template <class S>
void EventCsv<S>::event(const Event<S>& e) {
  file_.row(cells_[static_cast<std::size_t>(e.which)] + (e.up ? ",up," : ",down,"), e.state, e.seen);
}

}  // namespace holonom
