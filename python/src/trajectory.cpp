// Trajectories as Python sees them, and their files.
#include "trajectory.hpp"

#include <pybind11/stl.h>

#include <filesystem>

#include "bindings.hpp"
#include "holonom/run/outputs.hpp"
#include "holonom/run/precision.hpp"
#include "holonom/run/run_file.hpp"
#include "unlocked.hpp"

namespace py = pybind11;

namespace holonom {

py::dict names_of(const Labels& labels) {
  py::dict d;
  std::vector<std::string> momenta;
  for (std::size_t i = 0; i < labels.momenta(); ++i) momenta.push_back(labels.momentum(i));
  d["coordinates"] = labels.coordinates;
  d["momenta"] = momenta;
  d["constraints"] = labels.constraints;
  d["invariants"] = labels.invariants;
  d["observables"] = labels.observables;
  py::list vectors, stacks;
  for (const VectorBlock& v : labels.vectors) vectors.append(py::make_tuple(v.name, v.count, v.dim, v.offset));
  for (const StackBlock& s : labels.stacks) stacks.append(py::make_tuple(s.name, s.first, s.rows));
  d["vectors"] = vectors;
  d["stacks"] = stacks;
  return d;
}

namespace {

constexpr const char* table_names[] = {
    "t", "q", "p", "lambda", "energy", "position_residual", "hidden_residual", "invariants", "observed"};

Quantities quantity(const std::string& name) {
  for (std::size_t k = 0; k < std::size(table_names); ++k)
    if (name == table_names[k]) return static_cast<Quantities>(k);
  throw py::key_error("there is no table '" + name + "'");
}

bool is_column(Quantities what) {
  return what == Quantities::t || what == Quantities::energy || what == Quantities::position_residual ||
         what == Quantities::hidden_residual;
}

py::array array_of(const std::shared_ptr<StateTables>& states, const std::string& name) {
  if (name == "step") return shown(states->step.data(), {static_cast<py::ssize_t>(states->rows())}, states);
  if (name == "interpolated")
    return shown(states->interpolated.data(), {static_cast<py::ssize_t>(states->rows())}, states);
  const Quantities what = quantity(name);
  const std::shared_ptr<Table>& table = states->tables[static_cast<std::size_t>(what)];
  std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(states->rows())};
  if (!is_column(what)) shape.push_back(static_cast<py::ssize_t>(table->columns));
  return shown(table->doubles(), std::move(shape), table);
}

// All digits of one column
std::vector<std::string> texts_of(const StateTables& states, const std::string& name, std::size_t column) {
  const Table& table = states[quantity(name)];
  if (column >= table.columns) throw py::index_error("there is no such column");
  std::vector<std::string> texts;
  texts.reserve(states.rows());
  for (std::size_t i = 0; i < states.rows(); ++i) texts.push_back(table.text(i * table.columns + column));
  return texts;
}

// The unit of a column: its own, or that of the vector or stack it belongs to (r for r[3].x).
std::vector<std::string> units_of(const Trajectory& x, const std::string& prefix,
                                  const std::vector<std::string>& names) {
  std::vector<std::string> units;
  for (const std::string& name : names) {
    const auto own = x.about.units.find(prefix + name);
    const auto whole = x.about.units.find(prefix + name.substr(0, name.find('[')));
    units.push_back(own != x.about.units.end() ? own->second : whole != x.about.units.end() ? whole->second : "");
  }
  return units;
}

py::dict description(const Trajectory& x) {
  const Labels& labels = x.labels;
  py::dict d = names_of(labels);
  d["model"] = labels.model;
  d["is_field"] = labels.variables_in_p.has_value();
  d["has_energy"] = x.has_energy;
  d["method"] = x.about.method;
  d["formulation"] = x.about.formulation;
  d["engine"] = x.about.engine;
  d["precision"] = x.precision_word;
  d["step"] = x.about.step;
  d["sample"] = x.about.sample;
  d["parameters"] = x.about.parameters;
  py::dict units;
  units["coordinates"] = units_of(x, "", labels.coordinates);
  units["momenta"] = units_of(x, labels.variables_in_p ? "" : "p_",
                              labels.variables_in_p ? *labels.variables_in_p : labels.coordinates);
  units["constraints"] = units_of(x, "lambda_", labels.constraints);
  units["invariants"] = units_of(x, "", labels.invariants);
  units["observables"] = units_of(x, "", labels.observables);
  units["t"] = units_of(x, "", {"t"}).front();
  units["energy"] = units_of(x, "", {"energy"}).front();
  d["units"] = units;
  d["event_names"] = x.event_names;
  return d;
}

template <class S>
void write_rows(const Trajectory& x, Recorder<S>& file, int n, int m) {
  const StateTables& states = *x.states;
  const auto fill_row = [&](Quantities what, std::size_t row, S* to) {
    const auto& table = static_cast<const TableOf<S>&>(states[what]);
    std::copy_n(table.x.data() + row * table.columns, table.columns, to);
  };
  State<S> state(n, m);
  Observation<S> seen;
  seen.invariants = Vec<S>(static_cast<int>(x.labels.invariants.size()));
  seen.observables = Vec<S>(static_cast<int>(x.labels.observables.size()));
  for (std::size_t row = 0; row < states.rows(); ++row) {
    fill_row(Quantities::t, row, &state.t);
    fill_row(Quantities::q, row, state.q.data());
    fill_row(Quantities::p, row, state.p.data());
    fill_row(Quantities::lambda, row, state.lambda.data());
    fill_row(Quantities::energy, row, &seen.energy);
    fill_row(Quantities::position_residual, row, &seen.position.absolute);
    fill_row(Quantities::hidden_residual, row, &seen.hidden.absolute);
    fill_row(Quantities::invariants, row, seen.invariants.data());
    fill_row(Quantities::observed, row, seen.observables.data());
    file.record(state, seen);
  }
  file.flush();
}

}  // namespace

void Trajectory::save(const std::string& path, bool force) const {
  in_precision(precision, [&]<class S> {
    const OutputFormat<S>* format = output_format<S>(path);
    if (!format) throw InputError(path + ": the file name must end in .csv or .h5");
    Provenance with = about;
    with.expected_rows = static_cast<long>(states->rows());
    const auto file = format->open({path, labels, with, force ? OpenMode::overwrite : OpenMode::create});
    const int n = static_cast<int>(std::max(labels.coordinates.size(), labels.momenta()));
    write_rows<S>(*this, *file, n, static_cast<int>(labels.constraints.size()));
  });
}

namespace {

// to_text and back; nan and inf are words. Nothing if the text is no number.
template <class S>
std::optional<S> number_in(const std::string& text) {
  const std::string word = text.substr(text.starts_with('-') ? 1 : 0);
  // (Libraries differ in what they make of "1e".)
  const bool digits = word.find_first_not_of("0123456789.eE+-") == std::string::npos &&
                      word.find_last_of("0123456789") + 1 == word.size() && !word.empty();
  if (!digits && word != "nan" && word != "inf") return {};
  if constexpr (std::is_same_v<S, long double>) {
    char* end = nullptr;
    const long double x = std::strtold(text.c_str(), &end);
    return *end == '\0' ? std::optional(x) : std::nullopt;
  } else {
    if (!digits) return S(std::strtod(text.c_str(), nullptr));
    try {
      return S(text);
    } catch (const std::runtime_error&) {
      return {};
    }
  }
}

Precision precision_of(const std::string& word) {
  if (word == "long") return Precision::long_;
  if (word == "quad") return Precision::quad_;
  return word == "100" ? Precision::digits_100 : Precision::double_;
}

// "r[3].x" belongs to r; blocks of one name are one vector.
std::vector<VectorBlock> vectors_among(const std::vector<std::string>& names) {
  std::vector<VectorBlock> blocks;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto open = names[i].find('[');
    if (open == std::string::npos) continue;
    const std::string name = names[i].substr(0, open);
    if (blocks.empty() || blocks.back().name != name) blocks.push_back({name, 0, 0, static_cast<int>(i)});
    VectorBlock& block = blocks.back();
    const int item = std::atoi(names[i].c_str() + open + 1);
    block.dim += item == 0;
    block.count = std::max(block.count, item + 1);
  }
  return blocks;
}
std::vector<StackBlock> stacks_among(const std::vector<std::string>& names) {
  std::vector<StackBlock> blocks;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto open = names[i].find('[');
    if (open == std::string::npos) continue;
    const std::string name = names[i].substr(0, open);
    if (blocks.empty() || blocks.back().name != name) blocks.push_back({name, static_cast<int>(i), 0});
    ++blocks.back().rows;
  }
  return blocks;
}

// In the scalar of the run: the numbers themselves, or all their digits.
template <class S>
std::shared_ptr<Table> table_of(const std::string& path, const char* name, NumberTable&& from) {
  auto table = std::make_shared<TableOf<S>>(from.columns);
  if constexpr (std::is_same_v<S, double>) {
    table->x = std::move(from.x);
  } else {
    std::vector<std::string> texts = read_digits(path, name);
    texts.resize(std::min(texts.size(), from.x.size()));
    table->x.reserve(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const std::optional<S> x = number_in<S>(texts[i]);
      if (!x)
        throw InputError(path + ": the file is damaged: '" + texts[i] + "' in row " + std::to_string(i / from.columns) +
                         " of " + name + " is no number; make it anew by run --out FILE.h5");
      table->x.push_back(*x);
    }
  }
  return table;
}

// Of a run that was killed tables may have different lengths: the rows that all of them have.
template <class S>
void cut_to_common_rows(StateTables& states) {
  std::size_t rows = states.rows();
  for (const auto& table : states.tables)
    if (table->columns > 0) rows = std::min(rows, table->size() / table->columns);
  for (const auto& table : states.tables) static_cast<TableOf<S>&>(*table).x.resize(rows * table->columns);
  states.step.resize(rows);
  states.interpolated.resize(rows);
}

}  // namespace

std::shared_ptr<Trajectory> Trajectory::load(const std::string& path) {
  constexpr auto all = std::numeric_limits<std::size_t>::max();
  RunFile file = read_run_file(path, {all, all});
  auto x = std::make_shared<Trajectory>();
  x->labels.model = file.model;
  x->labels.coordinates = file.coordinates;
  x->labels.constraints = file.constraints;
  x->labels.invariants = file.invariants;
  x->labels.observables = file.observables;
  if (file.is_field) x->labels.variables_in_p = file.momenta;
  x->labels.vectors = vectors_among(file.coordinates);
  x->labels.stacks = stacks_among(file.constraints);
  x->precision_word = file.precision;
  x->about.model_text = file.model_text;
  x->about.method = file.method;
  x->about.formulation = file.formulation;
  x->about.engine = file.engine;
  x->about.step = file.step;
  x->about.chosen = file.chosen;
  x->about.sample = file.sample;
  for (const auto& [name, value] : file.parameters) x->about.parameters[name] = value;
  const auto note = [&](const std::string& prefix, const std::vector<std::string>& names,
                        const std::vector<std::string>& units) {
    for (std::size_t i = 0; i < std::min(names.size(), units.size()); ++i)
      if (!units[i].empty()) x->about.units[prefix + names[i]] = units[i];
  };
  note("", file.coordinates, file.coordinate_units);
  note("", file.momenta, file.momentum_units);
  note("lambda_", file.constraints, file.multiplier_units);
  note("", file.invariants, file.invariant_units);
  note("", file.observables, file.observable_units);
  note("", {"t", "energy"}, {file.time_unit, file.energy_unit});
  x->states = std::make_shared<StateTables>();
  const double h = std::strtod(file.step.c_str(), nullptr);
  for (const double t : file.t.x) {
    const double quotient = h == 0 ? 0 : t / h, nearest = std::floor(quotient + 0.5);
    const bool on_grid = std::abs(quotient - nearest) <= 16 * epsilon<double>() * (1 + std::abs(quotient));
    x->states->step.push_back(static_cast<std::int64_t>(on_grid ? nearest : std::floor(quotient)));
    x->states->interpolated.push_back(on_grid || file.sample.empty() ? 0 : 1);
  }
  NumberTable* const tables[] = {&file.t,
                                 &file.q,
                                 &file.p,
                                 &file.lambda,
                                 &file.energy,
                                 &file.position_residual,
                                 &file.hidden_residual,
                                 &file.invariant,
                                 &file.observable};
  x->precision = precision_of(file.precision);
  x->events = std::make_shared<StateTables>();
  in_precision(x->precision, [&]<class S> {
    for (std::size_t k = 0; k < std::size(tables); ++k) {
      x->states->tables[k] = table_of<S>(path, table_names[k], std::move(*tables[k]));
      x->events->tables[k] = std::make_shared<TableOf<S>>(x->states->tables[k]->columns);
    }
    cut_to_common_rows<S>(*x->states);
  });
  return x;
}

void bind_trajectory(py::module_& m) {
  py::class_<Trajectory, std::shared_ptr<Trajectory>>(m, "TrajectoryData")
      .def_property_readonly("rows", [](const Trajectory& x) { return x.states->rows(); })
      .def("description", &description)
      .def("table", [](const Trajectory& x, const std::string& name) { return array_of(x.states, name); })
      .def("texts", [](const Trajectory& x, const std::string& name,
                       std::size_t column) { return texts_of(*x.states, name, column); })
      .def_property_readonly("event_count", [](const Trajectory& x) { return x.events->rows(); })
      .def_readonly("stopped", &Trajectory::stopped)
      .def("event_table",
           [](const std::shared_ptr<Trajectory>& x, const std::string& name) -> py::array {
             const auto rows = static_cast<py::ssize_t>(x->events->rows());
             if (name == "which") return shown(x->which.data(), {rows}, x);
             if (name == "up") return shown(x->up.data(), {rows}, x);
             return array_of(x->events, name);
           })
      .def("event_texts", [](const Trajectory& x, const std::string& name,
                             std::size_t column) { return texts_of(*x.events, name, column); })
      .def(py::pickle([](const Trajectory& x) { return py::bytes(x.memory()); },
                      [](const py::bytes& bytes) { return Trajectory::from_memory(std::string(bytes)); }))
      .def(
          "save",
          [](const Trajectory& x, const std::string& path, bool force) {
            const Unlocked others_may_run;
            x.save(path, force);
          },
          py::arg("path"), py::arg("force") = false)
      .def_static(
          "load",
          [](const std::string& path) {
            const Unlocked others_may_run;
            return Trajectory::load(path);
          },
          py::arg("path"));
}

}  // namespace holonom
