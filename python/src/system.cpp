// A compiled model in double, to be evaluated at states: energies, forces, constraints.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <limits>

#include "bindings.hpp"
#include "holonom/model/model_copy.hpp"
#include "holonom/model/start.hpp"
#include "holonom/solve/manifold.hpp"
#include "unlocked.hpp"

namespace py = pybind11;

namespace holonom {

namespace {

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

class PythonSystem {
 public:
  PythonSystem(const Model& model, bool started) : started_(started) {
    Model own = own_copy(model);
    if (!started) {  // energies and forces need none
      own.q0.assign(own.q.size(), Graph::zero);
      own.start = own.q0;
    }
    const Unlocked others_may_run;
    system_ = std::make_unique<ModelSystem<double>>(compile(std::move(own)));
  }

  int n() const { return system_->n(); }
  int m() const { return system_->m(); }
  const Labels& labels() const { return system_->labels(); }

  // f(q, p, out) for one state, or for each row of an array of states.
  template <class F>
  Array at_states(const Array& q, const Array& p, int size, F&& f) const {
    check(q, "q");
    check(p, "p");
    if (q.ndim() != p.ndim() || q.size() != p.size())
      throw InputError("q and p must have the same shape, not " + shape(q) + " and " + shape(p));
    return at_rows(q, size, [&](py::ssize_t row, const Vec<double>& position, Vec<double>& out) {
      Vec<double> momentum(n());
      std::copy_n(p.data() + row * n(), n(), momentum.data());
      f(position, momentum, out);
    });
  }
  template <class F>
  Array at_positions(const Array& q, int size, F&& f) const {
    check(q, "q");
    return at_rows(q, size, [&](py::ssize_t, const Vec<double>& position, Vec<double>& out) { f(position, out); });
  }

  py::object energy(const Array& q, const Array& p) const {
    if (!system_->has_energy()) throw InputError(labels().model + ": this field has no energy: give one to field()");
    const Array values =
        at_states(q, p, 1, [&](const auto& x, const auto& y, auto& out) { out[0] = system_->H(x, y); });
    return q.ndim() == 1 ? py::object(py::float_(*values.data())) : values.attr("reshape")(-1);
  }
  Array velocities(const Array& q, const Array& p) const {
    return at_states(q, p, n(), [&](const auto& x, const auto& y, auto& out) { system_->H_p(x, y, out); });
  }
  Array forces(const Array& q, const Array& p) const {
    return at_states(q, p, n(), [&](const auto& x, const auto& y, auto& out) {
      system_->H_q(x, y, out);
      for (double& a : out) a = -a;
    });
  }
  // (slow, fast)
  py::tuple split_forces(const Array& q) const {
    if (const std::string why = system_->lacks(Quantity::V_parts); !why.empty())
      throw InputError(labels().model + ": " + why);
    const auto part = [&](bool fast) {
      return at_positions(q, n(), [&](const auto& x, auto& out) {
        fast ? system_->V_fast_q(x, out) : system_->V_slow_q(x, out);
        for (double& a : out) a = -a;
      });
    };
    return py::make_tuple(part(false), part(true));
  }
  Array events(const Array& q, const Array& p) const {
    const auto count = static_cast<int>(system_->compiled().model().events.size());
    Vec<double> scale(count);
    return at_states(q, p, count, [&](const auto& x, const auto& y, auto& out) { system_->events(x, y, out, scale); });
  }
  py::tuple reversed(const Array& q, const Array& p) const {
    const Involution rho = system_->reversal();
    const auto part = [&](bool momenta) {
      return at_states(q, p, n(), [&](const auto& x, const auto& y, auto& out) {
        State<double> state(n(), m());
        state.q = x;
        state.p = y;
        rho(state);
        out = momenta ? state.p : state.q;
      });
    };
    return py::make_tuple(part(false), part(true));
  }
  Array invariants(const Array& q, const Array& p) const {
    return at_states(q, p, static_cast<int>(labels().invariants.size()),
                     [&](const auto& x, const auto& y, auto& out) { system_->invariants(x, y, out); });
  }
  Array momenta(const Array& q, const Array& v) const {
    return at_states(q, v, n(), [&](const auto& x, const auto& velocity, auto& out) {
      if (!system_->momentum(x, velocity, out))
        throw InputError(labels().model + ": no momenta belong to these velocities");
    });
  }
  // λ of the index-1 system; NaN where it cannot be known.
  Array multipliers(const Array& q, const Array& p) const {
    Manifold<double> manifold(*system_);
    return at_states(q, p, m(), [&](const auto& x, const auto& y, auto& out) {
      const State<double> state = with_multipliers(manifold, x, y);
      std::copy_n(state.lambda.data(), m(), out.data());
    });
  }
  Array observables(const Array& q, const Array& p) const {
    Manifold<double> manifold(*system_);
    const auto count = static_cast<int>(labels().observables.size());
    return at_states(q, p, count, [&](const auto& x, const auto& y, auto& out) {
      system_->observables(with_multipliers(manifold, x, y), out);
    });
  }
  Array constraints(const Array& q) const {
    return at_positions(q, m(), [&](const auto& x, auto& out) { system_->g(x, out); });
  }
  py::object jacobian(const Array& q, bool sparse) const {
    check(q, "q");
    if (q.ndim() != 1) throw InputError("the Jacobian is taken at one position, an array of shape (n,)");
    constexpr double largest = 1e8;
    if (!sparse && static_cast<double>(n()) * m() > largest)
      throw InputError("a full matrix of " + std::to_string(m()) + " x " + std::to_string(n()) +
                       " is too large: ask for jacobian(q, sparse=True)");
    Vec<double> x(n());
    std::copy_n(q.data(), n(), x.data());
    Jacobian<double> G(system_->pattern());
    system_->G(x, G);
    if (!sparse) {
      Array full({m(), n()});
      std::fill_n(full.mutable_data(), full.size(), 0.0);
      auto entry = full.mutable_unchecked<2>();
      for (int k = 0; k < m(); ++k) G.row(k, [&](int j, double value) { entry(k, j) = value; });
      return full;
    }
    const auto& pattern = system_->pattern();
    Array value(pattern.nonzeros());
    std::copy_n(G.values().data(), pattern.nonzeros(), value.mutable_data());
    py::array_t<int> column(pattern.nonzeros()), start(m() + 1);
    std::copy(pattern.column.begin(), pattern.column.end(), column.mutable_data());
    std::copy(pattern.row_start.begin(), pattern.row_start.end(), start.mutable_data());
    return py::make_tuple(value, column, start);
  }
  py::tuple initial() const {
    if (!started_) throw InputError(labels().model + ": the model has no start yet: give one by start(q, p)");
    const ModelSystem<double> own(*system_);  // other threads may use this one meanwhile
    Start<double> start;
    {
      const Unlocked others_may_run;
      start = initial_state(own);
    }
    Array q(n()), p(n());
    std::copy_n(start.state.q.data(), n(), q.mutable_data());
    std::copy_n(start.state.p.data(), n(), p.mutable_data());
    return py::make_tuple(q, p);
  }

 private:
  State<double> with_multipliers(Manifold<double>& manifold, const Vec<double>& q, const Vec<double>& p) const {
    State<double> state(n(), m());
    state.q = q;
    state.p = p;
    if (m() > 0 && !manifold.multipliers(state).ok()) fill(state.lambda, std::numeric_limits<double>::quiet_NaN());
    return state;
  }
  static std::string shape(const Array& x) { return py::str(x.attr("shape")).cast<std::string>(); }
  void check(const Array& x, const std::string& name) const {
    if ((x.ndim() != 1 && x.ndim() != 2) || x.shape(x.ndim() - 1) != n())
      throw InputError(labels().model + ": " + name + " must have the shape (" + std::to_string(n()) + ",) or (rows, " +
                       std::to_string(n()) + "), not " + shape(x));
  }
  template <class F>
  Array at_rows(const Array& q, int size, F&& f) const {
    const py::ssize_t rows = q.ndim() == 1 ? 1 : q.shape(0);
    Array result(q.ndim() == 1 ? std::vector<py::ssize_t>{size} : std::vector<py::ssize_t>{rows, size});
    Vec<double> x(n()), out(size);
    for (py::ssize_t row = 0; row < rows; ++row) {
      std::copy_n(q.data() + row * n(), n(), x.data());
      f(row, x, out);
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      std::copy_n(out.data(), size, result.mutable_data() + row * size);
    }
    return result;
  }

  std::unique_ptr<ModelSystem<double>> system_;
  bool started_;
};

}  // namespace

void bind_system(py::module_& m) {
  py::class_<PythonSystem> system(
      m, "System",
      "A compiled model in double precision. States are arrays of shape (n,), or (rows, n) for many "
      "of them at once.");
  system.attr("__module__") = "holonom";
  system.def(py::init<const Model&, bool>(), py::arg("model"), py::arg("started"))
      .def_property_readonly("n", &PythonSystem::n, "The number of coordinates.")
      .def_property_readonly("m", &PythonSystem::m, "The number of constraints.")
      .def_property_readonly(
          "coordinates", [](const PythonSystem& s) { return s.labels().coordinates; }, "Names, in the order of q.")
      .def_property_readonly(
          "constraint_names", [](const PythonSystem& s) { return s.labels().constraints; }, "Names, in the order of g.")
      .def("energy", &PythonSystem::energy, py::arg("q"), py::arg("p"), "H(q, p)")
      .def("velocities", &PythonSystem::velocities, py::arg("q"), py::arg("p"), "dH/dp; of a field q'")
      .def("forces", &PythonSystem::forces, py::arg("q"), py::arg("p"),
           "-dH/dq, without those of constraints, -G^T lambda; of a field p'")
      .def("split_forces", &PythonSystem::split_forces, py::arg("q"),
           "(-dV_slow/dq, -dV_fast/dq), of a potential in two parts")
      .def("events", &PythonSystem::events, py::arg("q"), py::arg("p"), "The functions whose zeros are events.")
      .def("reversed", &PythonSystem::reversed, py::arg("q"), py::arg("p"),
           "(q, p) after the involution that reverses the motion.")
      .def("invariants", &PythonSystem::invariants, py::arg("q"), py::arg("p"), "The invariants, one after the other.")
      .def("multipliers", &PythonSystem::multipliers, py::arg("q"), py::arg("p"),
           "lambda(q, p), so that g(q) stays zero with p' = -dH/dq - G^T lambda; nan where it cannot be known")
      .def("observables", &PythonSystem::observables, py::arg("q"), py::arg("p"),
           "The observables, one after the other.")
      .def("momenta", &PythonSystem::momenta, py::arg("q"), py::arg("v"), "p with dH/dp(q, p) = v")
      .def("constraints", &PythonSystem::constraints, py::arg("q"), "g(q)")
      .def("jacobian", &PythonSystem::jacobian, py::arg("q"), py::arg("sparse") = false,
           "G(q) = dg/dq, an array of shape (m, n); sparse: (values, columns, row starts), as scipy.sparse.csr_array "
           "takes them.")
      .def("initial", &PythonSystem::initial, "(q, p) of the start, checked, and projected if the model says so.");
}

}  // namespace holonom
