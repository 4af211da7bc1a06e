// Numbers of Python as exact constants.
#include <charconv>
#include <cmath>

#include "expression.hpp"
#include "holonom/errors.hpp"

namespace py = pybind11;

namespace holonom {

std::string shortest_decimal(double x) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, x).ptr;
  return {buffer, end};
}

namespace {

NodeId from_text(Graph& graph, const std::string& text) {
  const auto slash = text.find('/');
  try {
    if (slash == std::string::npos) return graph.number(text);
    const NodeId below = graph.number(std::string_view(text).substr(slash + 1));
    if (below == Graph::zero) throw InputError("the number '" + text + "' divides by zero");
    return graph.div(graph.number(std::string_view(text).substr(0, slash)), below);
  } catch (const std::out_of_range&) {
    throw InputError("the number '" + text +
                     "' is out of range: at most 5000 digits, and exponents from -5000 to 5000");
  } catch (const std::invalid_argument&) {
    throw InputError("'" + text + "' is not a number, such as \"0.1\", \"1e-3\" or \"1/3\"");
  }
}

NodeId from_double(Graph& graph, double x) {
  if (!std::isfinite(x))
    throw InputError(std::string("a number of a formula must be finite, not ") + (std::isnan(x) ? "nan"
                                                                                  : x > 0       ? "inf"
                                                                                                : "-inf"));
  return graph.number(shortest_decimal(x));
}

std::string text_of(py::handle x) { return py::str(x).cast<std::string>(); }

// Python makes no texts of whole numbers with more than 4300 digits.
std::string digits_of(py::handle whole) {
  try {
    return text_of(whole);
  } catch (const py::error_already_set& error) {
    if (!error.matches(PyExc_ValueError)) throw;
    throw InputError("a number of a formula has too many digits: it may have 4300");
  }
}

bool has_type(py::handle x, const char* module, const char* name) {
  const py::handle type = py::type::handle_of(x);
  return py::hasattr(type, "__module__") && text_of(type.attr("__module__")) == module &&
         text_of(type.attr("__name__")) == name;
}

// A number of mpmath is (sign, man, exp, bits), ±man 2^exp; man = 0 with another exp stands for inf and nan.
NodeId from_binary(Graph& graph, py::handle x) {
  const py::tuple parts = x.attr("_mpf_");
  const py::object man = parts[1];
  const auto exp = py::int_(parts[2]).cast<long long>();
  if (exp != 0 && PyObject_IsTrue(man.ptr()) == 0)
    throw InputError("a number of a formula must be finite, not " + text_of(x));
  constexpr long long most = 14000;  // 4200 digits: of more, Python makes no text
  const auto bits = py::int_(parts[3]).cast<long long>();
  if (exp < -most || exp + bits > most || bits > most)
    throw InputError("the number " + text_of(x) + " is out of range: it is a whole number of " + std::to_string(bits) +
                     " bits times 2^" + std::to_string(exp) + ", and may have 14000 bits on either side of the point");
  const py::object power = py::int_(1).attr("__lshift__")(std::abs(exp));
  const std::string sign = PyObject_IsTrue(py::object(parts[0]).ptr()) == 1 ? "-" : "";
  return from_text(graph, sign + (exp < 0 ? text_of(man) + "/" + text_of(power) : text_of(man * power)));
}

}  // namespace

std::optional<NodeId> number_node(Graph& graph, py::handle x) {
  if (PyBool_Check(x.ptr())) return x.ptr() == Py_True ? Graph::one : Graph::zero;
  if (PyLong_Check(x.ptr())) {
    int overflow = 0;
    const long long k = PyLong_AsLongLongAndOverflow(x.ptr(), &overflow);
    return overflow == 0 ? graph.number(k) : from_text(graph, digits_of(x));
  }
  if (PyFloat_Check(x.ptr())) return from_double(graph, PyFloat_AS_DOUBLE(x.ptr()));
  if (PyUnicode_Check(x.ptr())) return from_text(graph, x.cast<std::string>());
  if (has_type(x, "decimal", "Decimal")) {
    if (!x.attr("is_finite")().cast<bool>())
      throw InputError("a number of a formula must be finite, not " + text_of(x));
    return from_text(graph, text_of(x));
  }
  if (py::hasattr(x, "_mpf_")) return from_binary(graph, x);
  if (py::hasattr(x, "numerator") && py::hasattr(x, "denominator") && !py::hasattr(x, "dtype"))
    return from_text(graph, digits_of(x.attr("numerator")) + "/" + digits_of(x.attr("denominator")));
  if (py::hasattr(x, "dtype")) {  // a scalar of numpy, or an array without axes
    if (has_type(x, "numpy.ma.core", "MaskedConstant")) throw InputError("a number of a formula is masked");
    if (const std::string kind = text_of(x.attr("dtype").attr("kind")); kind == "m" || kind == "M") return {};  // times
    if (!py::hasattr(x, "item") || py::len(x.attr("shape")) != 0) return {};
    if (text_of(x.attr("dtype").attr("char")) == "g") {  // a long double: more digits than a float
      if (const auto value = x.attr("__float__")().cast<double>(); !std::isfinite(value))
        return from_double(graph, value);
      return from_text(graph, text_of(x));
    }
    const py::object item = x.attr("item")();
    return item.is(x) || py::hasattr(item, "dtype") ? std::nullopt : number_node(graph, item);
  }
  return {};
}

std::optional<NodeId> node_of(const Formulary& home, py::handle x) {
  if (!py::isinstance<PythonExpr>(x)) return number_node(*home.graph, x);
  const auto& expr = x.cast<const PythonExpr&>();
  if (expr.home->graph != home.graph)
    throw InputError("expressions of two different models were mixed: each model has coordinates of its own");
  return expr.node;
}

}  // namespace holonom
