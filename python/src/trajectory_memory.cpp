// Trajectories as bytes, for pickle.
#include "holonom/memory.hpp"
#include "holonom/run/precision.hpp"
#include "sealed.hpp"
#include "trajectory.hpp"

namespace holonom {

namespace {

template <class F>
void visit(F& f, std::map<std::string, std::string>& x) {
  std::vector<std::string> keys, values;
  for (const auto& [key, value] : x) {
    keys.push_back(key);
    values.push_back(value);
  }
  f("keys", keys);
  f("values", values);
  x.clear();
  for (std::size_t i = 0; i < std::min(keys.size(), values.size()); ++i) x.emplace(keys[i], values[i]);
}

template <class F>
void visit(F& f, Labels& x) {
  f("model", x.model);
  f("coordinates", x.coordinates);
  f("constraints", x.constraints);
  f("invariants", x.invariants);
  f("observables", x.observables);
  f("variables_in_p", x.variables_in_p);
  auto vectors = static_cast<std::uint64_t>(x.vectors.size()), stacks = static_cast<std::uint64_t>(x.stacks.size());
  f("vectors", vectors);
  x.vectors.resize(vectors);
  for (VectorBlock& v : x.vectors) {
    f("name", v.name);
    f("count", v.count);
    f("dim", v.dim);
    f("offset", v.offset);
  }
  f("stacks", stacks);
  x.stacks.resize(stacks);
  for (StackBlock& s : x.stacks) {
    f("name", s.name);
    f("first", s.first);
    f("rows", s.rows);
  }
}

template <class F>
void visit(F& f, Provenance& x) {
  f("model_text", x.model_text);
  visit(f, x.parameters);
  visit(f, x.units);
  f("method", x.method);
  f("formulation", x.formulation);
  f("engine", x.engine);
  f("step", x.step);
  f("chosen", x.chosen);
  f("sample", x.sample);
}

template <class S, class F>
void visit(F& f, std::shared_ptr<StateTables>& x) {
  if (!x) x = std::make_shared<StateTables>();
  f("steps", x->step);
  f("interpolated", x->interpolated);
  for (std::shared_ptr<Table>& each : x->tables) {
    if (!each) each = std::make_shared<TableOf<S>>(1);
    auto columns = static_cast<std::uint64_t>(each->columns);
    f("columns", columns);
    each->columns = columns;
    f("numbers", static_cast<TableOf<S>&>(*each).x);
    if (static_cast<TableOf<S>&>(*each).x.size() != x->step.size() * columns)
      throw MemoryError("a table does not have as many rows as there are steps");
  }
}

template <class F>
void visit(F& f, Trajectory& x) {
  f("precision", x.precision);
  f("precision_word", x.precision_word);
  visit(f, x.labels);
  visit(f, x.about);
  f("has_energy", x.has_energy);
  in_precision(x.precision, [&]<class S> {
    visit<S>(f, x.states);
    visit<S>(f, x.events);
  });
  f("which", x.which);
  f("up", x.up);
  f("event_names", x.event_names);
  f("stopped", x.stopped);
  if (x.which.size() != x.events->rows() || x.up.size() != x.events->rows())
    throw MemoryError("an event is not complete");
}

}  // namespace

std::string Trajectory::memory() const {
  MemoryWriter out;
  visit(out, const_cast<Trajectory&>(*this));  // which is only read
  return sealed(out.bytes());
}

std::shared_ptr<Trajectory> Trajectory::from_memory(const std::string& bytes) {
  auto made = std::make_shared<Trajectory>();
  try {
    MemoryReader in(unsealed(bytes, "a trajectory"));
    visit(in, *made);
    if (!in.at_end()) throw MemoryError("something is left over");
    const auto names = static_cast<std::int32_t>(made->event_names.size());
    for (const std::int32_t k : made->which)
      if (k < 0 || k >= names) throw MemoryError("an event has no name");
    if (made->stopped >= static_cast<std::ptrdiff_t>(made->which.size())) throw MemoryError("an event is missing");
  } catch (const MemoryError& e) {
    throw InputError(std::string("these bytes are not a trajectory of this version of holonom: ") + e.what());
  }
  return made;
}

}  // namespace holonom
