// Hdf5Recorder, for the translation units that instantiate it.
#pragma once

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "holonom/model/constants.hpp"
#include "holonom/run/hdf5_file.hpp"

namespace holonom {

namespace detail {

template <class S>
struct Stored {
  static constexpr Cell cell = std::is_same_v<S, double>        ? Cell::real
                               : std::is_same_v<S, long double> ? Cell::extended
                                                                : Cell::text;
  // Digits, sign, point, and an exponent with its sign
  static constexpr std::size_t text_length = std::numeric_limits<S>::max_digits10 + 14;

  static S number(const std::string& text) {
    if constexpr (cell == Cell::text)
      return S(text);
    else if constexpr (cell == Cell::extended)
      return std::strtold(text.c_str(), nullptr);
    else
      return std::strtod(text.c_str(), nullptr);
  }
};

}  // namespace detail

template <class S>
Provenance provenance(const Model& model, const std::string& method, const S& h) {
  Provenance about;
  about.model_text = model.text;
  about.units = model.units;
  about.method = method;
  about.step = to_text(h);
  std::vector<NodeId> nodes;
  for (const auto& [name, node] : model.parameters) nodes.push_back(node);
  const std::vector<S> values = evaluate_constants<S>(model, nodes);
  std::size_t i = 0;
  for (const auto& [name, node] : model.parameters) about.parameters[name] = to_text(values[i++]);
  return about;
}

template <class S>
Hdf5Recorder<S>::Hdf5Recorder(const std::string& path, const Labels& labels, const Provenance& about, OpenMode mode)
    : file_(std::make_unique<detail::TrajectoryFile>(path, labels, about, precision_name<S>(), detail::Stored<S>::cell,
                                                     detail::Stored<S>::text_length, mode)),
      h_(detail::Stored<S>::number(about.step)),
      shown_q_(static_cast<int>(labels.coordinates.size())),
      shown_p_(static_cast<int>(labels.momenta())),
      sampled_(!about.sample.empty()) {
  if (!file_->t0().empty()) t0_ = detail::Stored<S>::number(file_->t0());
}

template <class S>
Hdf5Recorder<S>::~Hdf5Recorder() = default;

template <class S>
void Hdf5Recorder<S>::put(int which, const S* values, int count) {
  using namespace detail;
  constexpr Cell cell = Stored<S>::cell;
  const auto table = static_cast<TrajectoryFile::Table>(which);
  const auto n = static_cast<std::size_t>(count);
  std::byte* out = file_->row(table);
  if constexpr (cell == Cell::real) {
    if (n > 0) std::memcpy(out, values, n * sizeof(S));
  } else if constexpr (cell == Cell::extended) {
    // An x87 number has ten bytes; what lies between two of them would make files of equal runs differ.
    constexpr std::size_t used = std::numeric_limits<S>::digits == 64 ? 10 : sizeof(S);
    for (std::size_t i = 0; i < n; ++i, out += sizeof(S)) {
      std::memset(out, 0, sizeof(S));
      std::memcpy(out, &values[i], used);
    }
  } else {
    constexpr std::size_t length = Stored<S>::text_length;
    std::byte* exact = file_->exact_row(table);
    for (std::size_t i = 0; i < n; ++i, out += sizeof(double), exact += length) {
      const double rounded = to_double(values[i]);
      std::memcpy(out, &rounded, sizeof rounded);
      const std::string text = to_text(values[i]);
      std::memset(exact, 0, length);
      std::memcpy(exact, text.data(), std::min(text.size(), length));
    }
  }
}

template <class S>
void Hdf5Recorder<S>::begin(const State<S>& x) {
  if (file_->t0().empty()) {
    t0_ = x.t;
    file_->set_t0(to_text(t0_), to_double(t0_));
  } else {
    file_->continue_from(to_double(x.t), h_ < S(0));
  }
  begun_ = true;
}

template <class S>
void Hdf5Recorder<S>::record(const State<S>& x, const Observation<S>& seen) {
  using std::abs;
  using std::floor;
  using File = detail::TrajectoryFile;
  if (!begun_) begin(x);
  // t = t0 + k h was rounded, so a quotient near a whole number is one.
  const S quotient = (x.t - t0_) / h_, nearest = floor(S(quotient + S(0.5)));
  const bool on_grid = abs(S(quotient - nearest)) <= S(16) * epsilon<S>() * (S(1) + abs(quotient) + abs(S(t0_ / h_)));
  const auto step = static_cast<std::int64_t>(on_grid ? nearest : floor(quotient));
  std::memcpy(file_->row(File::step), &step, sizeof step);
  if (sampled_) *file_->row(File::interpolated) = std::byte(on_grid ? 0 : 1);
  put(File::t, &x.t, 1);
  put(File::q, x.q.data(), shown_q_);
  put(File::p, x.p.data(), shown_p_);
  put(File::lambda, x.lambda.data(), x.lambda.size());
  put(File::energy, &seen.energy, 1);
  put(File::position_residual, &seen.position.absolute, 1);
  put(File::hidden_residual, &seen.hidden.absolute, 1);
  put(File::invariants, seen.invariants.data(), seen.invariants.size());
  put(File::observed, seen.observables.data(), seen.observables.size());
  file_->next_row();
}

template <class S>
void Hdf5Recorder<S>::flush() {
  file_->flush();
}

template <class S>
void Hdf5Recorder<S>::save(MemoryWriter& out) {
  file_->sync();
  out("rows", rows());
}

template <class S>
void Hdf5Recorder<S>::load(MemoryReader& in) {
  long rows = 0;
  in("rows", rows);
  file_->keep(rows);
  begun_ = rows > 0;
}

template <class S>
long Hdf5Recorder<S>::rows() const {
  return file_->rows();
}

}  // namespace holonom
