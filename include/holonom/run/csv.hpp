// CSV: one row for each recorded state, all digits. Columns: t, coordinates, p_<coordinate> (of a field: its
// variables), lambda_<constraint>, energy, position_residual, hidden_residual, invariants, observables. A file of
// events has the columns event and direction before them.
#pragma once

#include "holonom/model/model.hpp"
#include "holonom/run/events.hpp"
#include "holonom/run/row_file.hpp"

namespace holonom {

namespace detail {

template <class S>
class CsvFile {
 public:
  // Throws as RowFile does.
  CsvFile(const std::string& path, const std::string& first_columns, const Labels& labels, OpenMode mode);
  void row(const std::string& first_cells, const State<S>& x, const Observation<S>& seen);
  void flush() { file_.flush(); }
  void save(MemoryWriter& out) { out("bytes", file_.sync()); }
  void load(MemoryReader& in) {
    long long bytes = 0;
    in("bytes", bytes);
    file_.cut_to(bytes);
  }

 private:
  RowFile file_;
  std::string row_;
  int shown_q_, shown_p_;
};

}  // namespace detail

template <class S>
class CsvRecorder final : public Recorder<S> {
 public:
  // Throws as RowFile does.
  CsvRecorder(const std::string& path, const Labels& labels, OpenMode mode) : file_(path, "", labels, mode) {}
  void record(const State<S>& x, const Observation<S>& seen) override { file_.row("", x, seen); }
  void flush() override { file_.flush(); }
  void save(MemoryWriter& out) override { file_.save(out); }
  void load(MemoryReader& in) override { file_.load(in); }

 private:
  detail::CsvFile<S> file_;
};

template <class S>
class EventCsv final : public EventRecorder<S> {
 public:
  // Throws as RowFile does.
  EventCsv(const std::string& path, const Labels& labels, const std::vector<EventFormula>& events, OpenMode mode);
  void event(const Event<S>& e) override;
  void flush() override { file_.flush(); }
  void save(MemoryWriter& out) override { file_.save(out); }
  void load(MemoryReader& in) override { file_.load(in); }

 private:
  detail::CsvFile<S> file_;
  std::vector<std::string> cells_;  // the names, quoted where they have to be
};

}  // namespace holonom
