// CSV: one row for each recorded state, all digits. Columns: t, coordinates, p_<coordinate>,
// lambda_<constraint>, energy, position_residual, hidden_residual, invariants.
#pragma once

#include <fstream>

#include "holonom/model/model.hpp"
#include "holonom/run/driver.hpp"

namespace holonom {

template <class S>
class CsvRecorder final : public Recorder<S> {
 public:
  // Throws InputError if the file cannot be written, or exists and may not be overwritten.
  CsvRecorder(const std::string& path, const Labels& labels, bool overwrite);
  void record(const State<S>& x, const Observation<S>& seen) override;
  void flush() override;

 private:
  std::string path_;
  std::ofstream file_;
};

}  // namespace holonom
