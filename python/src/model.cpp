// Models: read from text, and built from expressions. python/holonom/model.py makes the class Model of them.
#include <pybind11/stl.h>

#include "bindings.hpp"
#include "builder.hpp"
#include "holonom/memory.hpp"
#include "holonom/model/model_copy.hpp"
#include "holonom/model/model_memory.hpp"
#include "holonom/model/toml.hpp"
#include "holonom/model/toml_text.hpp"
#include "sealed.hpp"
#include "unlocked.hpp"

namespace py = pybind11;

namespace holonom {

namespace {

// Names, kinds and sizes, for people.
std::string described(const Model& model) {
  std::string text = "<Model '" + model.name + "': ";
  const auto add = [&](const std::string& what) { text += (text.ends_with(": ") ? "" : ", ") + what; };
  const auto plural = [](int count, const std::string& word) {
    return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
  };
  add(plural(model.n(), model.field ? "pair of variable" : "coordinate"));
  add(plural(model.m(), "constraint"));
  return text + ">";
}

void bind_builder(py::module_& m) {
  using Role = MappedTerm::Role;
  using From = MappedTerm::Gather::From;
  py::class_<Builder>(m, "Builder", "What holonom.Model is made with.")
      .def(py::init<std::shared_ptr<Model>>())
      .def_property_readonly("revision", &Builder::revision)
      .def_property_readonly("started", &Builder::started)
      .def("formula", [](Builder& b, py::handle x, const std::string& what) { return b.expr(b.formula(x, what)); })
      .def("pi", [](Builder& b) { return b.expr(b.home()->graph->pi()); })
      .def("parameter",
           [](Builder& b, const std::string& name, py::handle value) {
             b.parameter(name, value);
             return b.named(name);
           })
      .def("vector_parameter", &Builder::vector_parameter)
      .def("coordinate", &Builder::coordinate)
      .def("vector", &Builder::vector)
      .def("gather", &Builder::gather)
      .def("array_size", &Builder::array_size)
      .def("momentum", [](Builder& b, const PythonExpr& x) { return b.partner(x, From::momentum); })
      .def("velocity", [](Builder& b, const PythonExpr& x) { return b.partner(x, From::velocity); })
      .def("named", &Builder::named)
      .def("multiplier", &Builder::multiplier)
      .def("energy_part", &Builder::energy_part)
      .def("rate", &Builder::rate)
      .def("row_variable", &Builder::row_variable)
      .def("set_potential", &Builder::set_potential)
      .def("set_split_potential", &Builder::set_split_potential)
      .def("set_kinetic", &Builder::set_kinetic)
      .def("set_hamiltonian", &Builder::set_hamiltonian)
      .def("set_mass", &Builder::set_mass)
      .def("set_mass_table", &Builder::set_mass_table)
      .def("constraint", &Builder::constraint)
      .def("phase_constraint", &Builder::phase_constraint)
      .def("invariant", &Builder::invariant)
      .def("observable", &Builder::observable)
      .def("event", &Builder::event)
      .def("term",
           [](Builder& b, const std::string& role, const std::string& name, bool fast, long rows,
              const std::vector<PythonExpr>& variables, const std::vector<py::array>& columns, py::handle kernel) {
             b.term(role == "energy"       ? Role::energy
                    : role == "constraint" ? Role::constraint
                    : role == "invariant"  ? Role::invariant
                                           : Role::observable,
                    name, fast, rows, variables, columns, kernel);
           })
      .def("variable", &Builder::variable)
      .def("variable_names", &Builder::variable_names)
      .def("field", &Builder::field)
      .def("chart_coordinate", &Builder::chart_coordinate)
      .def("chart", &Builder::chart)
      .def("chart_names", &Builder::chart_names)
      .def("reversal", &Builder::reversal)
      .def("start", &Builder::start, py::arg("q"), py::arg("motion"), py::arg("velocities"), py::arg("project"),
           py::arg("keep"), py::arg("items"))
      .def("item_number", &Builder::item_number)
      .def("method", &Builder::method)
      .def("step", &Builder::step)
      .def("until", &Builder::until)
      .def("every", &Builder::every)
      .def("unit", &Builder::unit)
      .def("part", &Builder::part);
}

std::vector<std::string> constraint_names(const Model& model) {
  std::vector<std::string> names;
  for (const Named& c : model.constraints) names.push_back(c.name);
  for (const MappedTerm& term : model.terms) {
    if (term.role != MappedTerm::Role::constraint) continue;
    for (int row = 0; row < term.rows; ++row)
      names.push_back(term.single ? term.name : term.name + "[" + std::to_string(row) + "]");
  }
  return names;
}

std::vector<std::string> names_of(const Model& model, const std::vector<Named>& named, MappedTerm::Role role) {
  std::vector<std::string> names;
  for (const Named& x : named) names.push_back(x.name);
  for (const MappedTerm& term : model.terms)
    if (term.role == role) names.push_back(term.name);
  return names;
}

}  // namespace

void bind_model(py::module_& m) {
  using Role = MappedTerm::Role;
  py::class_<Model, std::shared_ptr<Model>>(m, "Model", "A mechanical system as expressions; see holonom.Model.")
      .def(py::init<std::string>(), py::arg("name") = "model")
      .def_readonly("name", &Model::name)
      .def_readonly("files", &Model::files, "The files that it was read from.")
      .def_property_readonly("n", &Model::n, "The number of coordinates.")
      .def_property_readonly("m", &Model::m, "The number of constraints.")
      .def_readonly("coordinate_names", &Model::coordinates, "Coordinates with names of their own, in the order of q.")
      .def_property_readonly(
          "vector_shapes",
          [](const Model& model) {
            py::dict shapes;
            for (const VectorCoordinate& v : model.vectors) shapes[py::str(v.name)] = py::make_tuple(v.count, v.dim);
            return shapes;
          },
          "(count, dim) of each vector coordinate; in q they come after the coordinates with names of their own.")
      .def_property_readonly("constraint_names", &constraint_names, "In the order of g and of the multipliers.")
      .def_property_readonly(
          "invariant_names", [](const Model& s) { return names_of(s, s.invariants, Role::invariant); },
          "In the order of outputs.")
      .def_property_readonly(
          "observable_names", [](const Model& s) { return names_of(s, s.observables, Role::observable); },
          "In the order of outputs.")
      .def_property_readonly(
          "event_names",
          [](const Model& s) {
            std::vector<std::string> names;
            for (const EventFormula& e : s.events) names.push_back(e.name);
            return names;
          },
          "In the order in which they were given.")
      .def_readonly("units", &Model::units, "Units by name.")
      .def_property_readonly("is_field", [](const Model& s) { return s.field.has_value(); })
      .def(
          "_read_text",
          [](Model& self, std::string text, const std::string& file, const Overrides& set) {
            self = parse_model(std::move(text), file, set);
          },
          py::call_guard<Unlocked>())
      .def(
          "_read_file",
          [](Model& self, const std::string& path, const Overrides& set) { self = load_model(path, set); },
          py::call_guard<Unlocked>())
      .def("_copy_of", [](Model& self, const Model& other) { self = own_copy(other); })
      .def("_to_toml", [](const Model& self) { return toml_text(self); })
      .def("_bytes", [](const Model& self) { return py::bytes(sealed(to_bytes(self))); })
      .def("_of_bytes",
           [](Model& self, const py::bytes& bytes) {
             try {
               self = model_from_bytes(unsealed(std::string_view(bytes), "a model"));
             } catch (const MemoryError& e) {
               throw InputError(std::string("these bytes are not a model of this version of holonom: ") + e.what());
             }
           })
      .def("__repr__", &described);
  bind_builder(m);
}

}  // namespace holonom
