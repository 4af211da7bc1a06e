// Trajectory: the recorded states of a run in memory, in the scalar of the run, as tables of one row a state. numpy
// sees the doubles where they are; of wider scalars it sees them rounded, and texts have all digits.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "holonom/run/events.hpp"
#include "holonom/run/hdf5.hpp"
#include "holonom/run/run_spec.hpp"

namespace holonom {

// Names of columns, and which of them are items of vectors and stacks
pybind11::dict names_of(const Labels& labels);

// Numbers by rows. Arrays that are made of it keep it alive.
class Table {
 public:
  explicit Table(std::size_t width) : columns(width) {}
  virtual ~Table() = default;
  virtual std::size_t size() const = 0;
  virtual const double* doubles() = 0;
  virtual std::string text(std::size_t i) const = 0;

  std::size_t columns;
};

template <class S>
class TableOf final : public Table {
 public:
  using Table::Table;
  std::size_t size() const override { return x.size(); }
  const double* doubles() override {
    if constexpr (std::is_same_v<S, double>) {
      return x.data();
    } else {
      if (rounded_.size() != x.size()) {
        rounded_.clear();
        rounded_.reserve(x.size());
        for (const S& each : x) rounded_.push_back(to_double(each));
      }
      return rounded_.data();
    }
  }
  std::string text(std::size_t i) const override { return to_text(x[i]); }

  std::vector<S> x;

 private:
  std::vector<double> rounded_;
};

// The tables of a file of states (docs/hdf5.md)
enum class Quantities { t, q, p, lambda, energy, position_residual, hidden_residual, invariants, observed, count };

struct StateTables {
  std::array<std::shared_ptr<Table>, static_cast<std::size_t>(Quantities::count)> tables;
  std::vector<std::int64_t> step;
  std::vector<std::uint8_t> interpolated;  // 1: between two steps

  std::size_t rows() const { return step.size(); }
  Table& operator[](Quantities what) const { return *tables[static_cast<std::size_t>(what)]; }
};

class Trajectory {
 public:
  Labels labels;
  Provenance about;
  Precision precision = Precision::double_;
  std::string precision_word;
  bool has_energy = true;
  std::shared_ptr<StateTables> states, events;
  std::vector<std::int32_t> which;  // of the events: among their names
  std::vector<std::uint8_t> up;     // of the events: 1 if the function grows
  std::vector<std::string> event_names;
  std::ptrdiff_t stopped = -1;  // the event that ended the run, or -1

  // By the ending of the name, as a run writes it. Throws InputError and OutputError.
  void save(const std::string& path, bool force) const;
  static std::shared_ptr<Trajectory> load(const std::string& path);
  // All of it as bytes, and back. Throws InputError if they are not those of a trajectory.
  std::string memory() const;
  static std::shared_ptr<Trajectory> from_memory(const std::string& bytes);
};

// Collects the rows of a run.
template <class S>
class RowRecorder final : public Recorder<S> {
 public:
  RowRecorder(const Labels& labels, const S& h) : h_(h), states(std::make_shared<StateTables>()) {
    const auto size = [](const auto& list) { return list.size(); };
    const std::size_t widths[] = {1, size(labels.coordinates), labels.momenta(),        size(labels.constraints), 1, 1,
                                  1, size(labels.invariants),  size(labels.observables)};
    for (std::size_t k = 0; k < states->tables.size(); ++k) states->tables[k] = std::make_shared<TableOf<S>>(widths[k]);
  }
  void reserve(std::size_t rows) {
    for (const auto& each : states->tables) static_cast<TableOf<S>&>(*each).x.reserve(rows * each->columns);
    states->step.reserve(rows);
    states->interpolated.reserve(rows);
  }

  void record(const State<S>& x, const Observation<S>& seen) override {
    using std::abs;
    using std::floor;
    // t = k h was rounded, so that a quotient near a whole number is one.
    const S quotient = x.t / h_, nearest = floor(S(quotient + S(0.5)));
    const bool on_grid = abs(S(quotient - nearest)) <= S(16) * epsilon<S>() * (S(1) + abs(quotient));
    states->step.push_back(static_cast<std::int64_t>(on_grid ? nearest : floor(quotient)));
    states->interpolated.push_back(on_grid ? 0 : 1);
    put(Quantities::t, &x.t);
    put(Quantities::q, x.q.data());
    put(Quantities::p, x.p.data());
    put(Quantities::lambda, x.lambda.data());
    put(Quantities::energy, &seen.energy);
    put(Quantities::position_residual, &seen.position.absolute);
    put(Quantities::hidden_residual, &seen.hidden.absolute);
    put(Quantities::invariants, seen.invariants.data(), static_cast<std::size_t>(seen.invariants.size()));
    put(Quantities::observed, seen.observables.data());
  }

 private:
  // What is not known at all, such as the wedge product between steps, is NaN.
  void put(Quantities what, const S* values, std::size_t known = std::numeric_limits<std::size_t>::max()) {
    auto& table = static_cast<TableOf<S>&>((*states)[what]);
    const std::size_t given = std::min(known, table.columns);
    table.x.insert(table.x.end(), values, values + given);
    table.x.insert(table.x.end(), table.columns - given, S(std::numeric_limits<Real<S>>::quiet_NaN()));
  }

  S h_;

 public:
  std::shared_ptr<StateTables> states;
};

// Collects the events of a run, and what the caller wants to be told of them.
template <class S>
class EventRows final : public EventRecorder<S> {
 public:
  EventRows(const Labels& labels, const S& h) : rows(labels, h) {}
  void event(const Event<S>& e) override {
    which.push_back(e.which);
    up.push_back(e.up ? 1 : 0);
    rows.record(e.state, e.seen);
  }

  RowRecorder<S> rows;
  std::vector<std::int32_t> which;
  std::vector<std::uint8_t> up;
};

// An array that keeps what it shows alive, and cannot be written to.
template <class T, class Owner>
pybind11::array_t<T> shown(const T* data, std::vector<pybind11::ssize_t> shape, std::shared_ptr<Owner> owner) {
  auto* kept = new std::shared_ptr<Owner>(std::move(owner));
  const pybind11::capsule capsule(kept, [](void* p) { delete static_cast<std::shared_ptr<Owner>*>(p); });
  pybind11::array_t<T> array(std::move(shape), data, capsule);
  array.attr("setflags")(pybind11::arg("write") = false);
  return array;
}

}  // namespace holonom
