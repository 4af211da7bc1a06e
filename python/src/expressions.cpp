// Expressions: operators, the methods that numpy's functions call, and choices.
#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <functional>

#include "bindings.hpp"
#include "expression.hpp"
#include "holonom/errors.hpp"
#include "holonom/expr/derivative.hpp"
#include "holonom/expr/interpreter.hpp"

namespace py = pybind11;

namespace holonom {

std::string formula_of(const PythonExpr& x) {
  // The size as a tree: a graph written out can be exponentially long.
  constexpr double longest = 2000;
  std::unordered_map<NodeId, double> size;
  const Graph& graph = *x.home->graph;
  for (const NodeId i : graph.reachable(std::span(&x.node, 1))) {
    const Node& n = graph[i];
    const int k = arity(n.op);
    size[i] = 1 + (k > 0 ? size[n.a] : 0) + (k > 1 ? size[n.b] : 0) + (k > 2 ? size[n.c] : 0);
  }
  if (size[x.node] <= longest) return formula_text(graph, x.node, x.home->names);
  return "<an expression of " + std::to_string(size.size()) + " operations>";
}

namespace {

py::object not_implemented() { return py::reinterpret_borrow<py::object>(Py_NotImplemented); }

using Binary = std::function<NodeId(Graph&, NodeId, NodeId)>;

// a op b with an expression on at least one side. NotImplemented lets the other side try: numpy's arrays then go
// through their elements.
py::object apply(const Binary& f, const PythonExpr& self, py::handle other, bool reflected) {
  const auto b = node_of(*self.home, other);
  if (!b) return not_implemented();
  Graph& g = *self.home->graph;
  return py::cast(PythonExpr{self.home, reflected ? f(g, *b, self.node) : f(g, self.node, *b)});
}

NodeId comparison(Graph& g, Op op, NodeId a, NodeId b) {
  if (a != b) return g.apply(op, a, b);
  return op == Op::less ? Graph::zero : Graph::one;  // of x with itself
}
NodeId floor_divide(Graph& g, NodeId a, NodeId b) { return g.apply(Op::floor, g.div(a, b)); }
NodeId hypot(Graph& g, NodeId a, NodeId b) { return g.apply(Op::sqrt, g.add(g.powi(a, 2), g.powi(b, 2))); }

double value_of(const PythonExpr& x) {
  const Graph& graph = *x.home->graph;
  for (const NodeId i : graph.reachable(std::span(&x.node, 1)))
    if (graph[i].op == Op::input)
      throw py::type_error("an expression that depends on variables is no number: " + formula_of(x));
  Interpreter<double> evaluate(std::make_shared<Program>(*x.home->graph, std::vector<std::vector<NodeId>>{},
                                                         std::vector<std::vector<NodeId>>{{x.node}}));
  double value = 0;
  evaluate({}, {&value});
  return value;
}

bool truth(const PythonExpr& x) {
  if (x.home->graph->is_number(x.node)) return x.node != Graph::zero;
  throw py::type_error(
      "an expression is neither true nor false: it stands for all states of a model. Write where(condition, a, b) "
      "instead of `a if condition else b`, minimum and maximum instead of min and max, & | ~ instead of and, or, not");
}

// The formulary of the first expression among some values.
const PythonExpr* first_expression(std::initializer_list<py::handle> values) {
  for (const py::handle x : values)
    if (py::isinstance<PythonExpr>(x)) return &x.cast<const PythonExpr&>();
  return nullptr;
}

NodeId required(const Formulary& home, py::handle x) {
  if (const auto node = node_of(home, x)) return *node;
  throw py::type_error("an expression or a number was expected, not " +
                       py::str(py::type::handle_of(x).attr("__name__")).cast<std::string>());
}

py::object choose(py::handle condition, py::handle yes, py::handle no) {
  const PythonExpr* any = first_expression({condition, yes, no});
  if (!any) throw py::type_error("where needs an expression among its arguments");
  const auto& home = any->home;
  return py::cast(
      PythonExpr{home, home->graph->select(required(*home, condition), required(*home, yes), required(*home, no))});
}

py::object of_two(Op op, py::handle a, py::handle b) {
  const PythonExpr* any = first_expression({a, b});
  if (!any) throw py::type_error("an expression was expected among the arguments");
  const auto& home = any->home;
  return py::cast(PythonExpr{home, home->graph->apply(op, required(*home, a), required(*home, b))});
}

void bind_operators(py::class_<PythonExpr>& c) {
  const auto both = [&](const char* name, const char* reflected, const Binary& f) {
    c.def(name, [f](const PythonExpr& a, py::handle b) { return apply(f, a, b, false); });
    c.def(reflected, [f](const PythonExpr& a, py::handle b) { return apply(f, a, b, true); });
  };
  both("__add__", "__radd__", [](Graph& g, NodeId a, NodeId b) { return g.add(a, b); });
  both("__sub__", "__rsub__", [](Graph& g, NodeId a, NodeId b) { return g.sub(a, b); });
  both("__mul__", "__rmul__", [](Graph& g, NodeId a, NodeId b) { return g.mul(a, b); });
  both("__truediv__", "__rtruediv__", [](Graph& g, NodeId a, NodeId b) { return g.div(a, b); });
  both("__floordiv__", "__rfloordiv__", floor_divide);
  both("__mod__", "__rmod__", [](Graph& g, NodeId a, NodeId b) { return g.sub(a, g.mul(b, floor_divide(g, a, b))); });
  both("__pow__", "__rpow__", [](Graph& g, NodeId a, NodeId b) { return g.pow(a, b); });
  // Of conditions, which are 1 or 0
  both("__and__", "__rand__", [](Graph& g, NodeId a, NodeId b) { return g.mul(a, b); });
  both("__or__", "__ror__", [](Graph& g, NodeId a, NodeId b) { return g.apply(Op::max, a, b); });
  const auto compare = [&](const char* name, const Binary& f) {
    c.def(name, [f](const PythonExpr& a, py::handle b) { return apply(f, a, b, false); });
  };
  compare("__lt__", [](Graph& g, NodeId a, NodeId b) { return comparison(g, Op::less, a, b); });
  compare("__le__", [](Graph& g, NodeId a, NodeId b) { return comparison(g, Op::less_equal, a, b); });
  compare("__gt__", [](Graph& g, NodeId a, NodeId b) { return comparison(g, Op::less, b, a); });
  compare("__ge__", [](Graph& g, NodeId a, NodeId b) { return comparison(g, Op::less_equal, b, a); });
  compare("__eq__", [](Graph& g, NodeId a, NodeId b) { return comparison(g, Op::equal, a, b); });
  compare("__ne__", [](Graph& g, NodeId a, NodeId b) { return g.sub(Graph::one, comparison(g, Op::equal, a, b)); });
  c.def("__hash__", [](const PythonExpr& x) {
    return std::hash<const void*>()(x.home->graph.get()) ^ std::hash<NodeId>()(x.node);
  });
  c.def("__neg__", [](const PythonExpr& x) { return PythonExpr{x.home, x.home->graph->neg(x.node)}; });
  c.def("__pos__", [](const PythonExpr& x) { return x; });
  c.def("__abs__", [](const PythonExpr& x) { return PythonExpr{x.home, x.home->graph->apply(Op::abs, x.node)}; });
  c.def("__invert__", [](const PythonExpr& x) { return PythonExpr{x.home, x.home->graph->sub(Graph::one, x.node)}; });
  // math.floor and math.ceil, which numpy's functions call for objects
  c.def("__floor__", [](const PythonExpr& x) { return PythonExpr{x.home, x.home->graph->apply(Op::floor, x.node)}; });
  c.def("__ceil__", [](const PythonExpr& x) {
    Graph& g = *x.home->graph;
    return PythonExpr{x.home, g.neg(g.apply(Op::floor, g.neg(x.node)))};
  });
  c.def("__bool__", &truth);
  c.def("__float__", &value_of);
}

// Methods with the names of numpy's functions: np.sin(x) calls x.sin(), in arrays of objects as well.
void bind_functions(py::class_<PythonExpr>& c) {
  const std::pair<const char*, Op> operations[] = {
      {"sin", Op::sin},     {"cos", Op::cos},   {"tan", Op::tan},   {"arcsin", Op::asin}, {"arccos", Op::acos},
      {"arctan", Op::atan}, {"sinh", Op::sinh}, {"cosh", Op::cosh}, {"tanh", Op::tanh},   {"exp", Op::exp},
      {"log", Op::log},     {"sqrt", Op::sqrt}, {"fabs", Op::abs}};
  for (const auto& [name, op] : operations)
    c.def(
        name,
        [op = op](const PythonExpr& x) {
          return PythonExpr{x.home, x.home->graph->apply(op, x.node)};
        },
        (std::string(name) + "(x); also as np." + name + "(x)").c_str());
  const auto unary = [&](const char* name, const std::function<NodeId(Graph&, NodeId)>& f, const char* formula) {
    c.def(
        name,
        [f](const PythonExpr& x) {
          return PythonExpr{x.home, f(*x.home->graph, x.node)};
        },
        formula);
  };
  unary(
      "square", [](Graph& g, NodeId x) { return g.powi(x, 2); }, "x^2");
  unary(
      "reciprocal", [](Graph& g, NodeId x) { return g.div(Graph::one, x); }, "1/x");
  unary(
      "radians", [](Graph& g, NodeId x) { return g.mul(x, g.div(g.pi(), g.number(180LL))); }, "pi/180 x");
  unary(
      "degrees", [](Graph& g, NodeId x) { return g.mul(x, g.div(g.number(180LL), g.pi())); }, "180/pi x");
  unary(
      "log10", [](Graph& g, NodeId x) { return g.div(g.apply(Op::log, x), g.apply(Op::log, g.number(10LL))); },
      "log(x)/log(10)");
  unary(
      "conjugate", [](Graph&, NodeId x) { return x; }, "x, which is real");
  const auto binary = [&](const char* name, const Binary& f, const char* formula) {
    c.def(
        name,
        [f](const PythonExpr& a, py::handle b) {
          return PythonExpr{a.home, f(*a.home->graph, a.node, required(*a.home, b))};
        },
        formula);
  };
  binary(
      "arctan2", [](Graph& g, NodeId y, NodeId x) { return g.apply(Op::atan2, y, x); },
      "y.arctan2(x): the angle of the point (x, y); also as np.arctan2(y, x)");
  binary("hypot", hypot, "sqrt(x^2 + y^2); also as np.hypot(x, y)");
}

}  // namespace

void bind_expressions(py::module_& m) {
  py::class_<PythonExpr> expr(
      m, "Expr",
      "A formula of the variables of a model. Operators, comparisons (1 or 0) and numpy's functions make further "
      "ones.\n"
      "\n"
      "Numbers stay exact: ints, fractions.Fraction, decimal.Decimal, and text such as \"0.1\" or \"1/3\". A float is "
      "the\n"
      "shortest decimal that is read as this float: 9.81 is 981/100, as it is in a model file.");
  expr.attr("__module__") = "holonom";
  bind_operators(expr);
  bind_functions(expr);
  expr.def("__repr__", &formula_of);
  expr.def(
      "diff",
      [](const PythonExpr& f, const PythonExpr& x) {
        if (f.home->graph != x.home->graph) throw InputError("expressions of two different models were mixed");
        if ((*x.home->graph)[x.node].op != Op::input)
          throw InputError("a derivative is taken by a variable, not by a formula such as " + formula_of(x));
        return PythonExpr{f.home, gradient(*f.home->graph, f.node, std::span(&x.node, 1))[0]};
      },
      py::arg("x"), "df/dx, the partial derivative by a variable");
  m.def("where", &choose, py::arg("condition"), py::arg("yes"), py::arg("no"),
        "`yes` where the condition is not zero, otherwise `no`.");
  m.def(
      "minimum", [](py::handle a, py::handle b) { return of_two(Op::min, a, b); }, py::arg("a"), py::arg("b"),
      "The smaller one of two expressions.");
  m.def(
      "maximum", [](py::handle a, py::handle b) { return of_two(Op::max, a, b); }, py::arg("a"), py::arg("b"),
      "The larger one of two expressions.");
}

}  // namespace holonom
