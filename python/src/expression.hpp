// Expressions as Python holds them. They may outlive their model: each keeps its graph alive.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <string>

#include "holonom/expr/expression.hpp"
#include "holonom/expr/formula_text.hpp"

namespace holonom {

// The graph of a model, and what its variables are called.
struct Formulary {
  std::shared_ptr<Graph> graph;
  InputNames names;
};

struct PythonExpr {
  std::shared_ptr<Formulary> home;
  NodeId node;
};

// A number of Python as a constant. Exact: int, fractions.Fraction, decimal.Decimal, mpmath.mpf, and text such as "0.1"
// or "1/3". A float stands for the shortest decimal that is read as this float, so that 9.81 is the same here and in a
// model file. Nothing if x is no number; throws InputError if it is one that cannot be used (not finite, out of range).
std::optional<NodeId> number_node(Graph& graph, pybind11::handle x);

// The same text for a column of floats.
std::string shortest_decimal(double x);

// An expression or a number, as a node of this graph. Nothing if x is neither; throws InputError if it belongs to
// another model.
std::optional<NodeId> node_of(const Formulary& home, pybind11::handle x);

// As text for people; what would fill pages is only described.
std::string formula_of(const PythonExpr& x);

}  // namespace holonom
