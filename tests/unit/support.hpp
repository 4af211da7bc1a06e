// What the unit tests share: values of expressions, models from text, and messages of errors.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "holonom/dual.hpp"
#include "holonom/expr/interpreter.hpp"
#include "holonom/expr/parser.hpp"
#include "holonom/vector.hpp"
#include "holonom/wide.hpp"

namespace holonom::test {

// The values of `y` in the scalar S, with `inputs` at `x`.
template <class S>
std::vector<S> values(Graph& graph, const std::vector<NodeId>& y, const std::vector<NodeId>& inputs,
                      const std::vector<S>& x) {
  Interpreter<S> evaluate(
      std::make_shared<Program>(graph, std::vector<Program::Block>{inputs}, std::vector<Program::Block>{y}));
  std::vector<S> out(y.size());
  evaluate({x.data()}, {out.data()});
  return out;
}

template <class S>
S value_of(Graph& graph, NodeId y, const std::vector<NodeId>& inputs = {}, const std::vector<S>& x = {}) {
  return values<S>(graph, {y}, inputs, x)[0];
}

// A graph with the variables x, y, z (and the vectors u = [x, y], w = [x, y, z]) for formulas.
struct Playground {
  Graph graph;
  NodeId x = graph.input(), y = graph.input(), z = graph.input();
  Scope scope{&graph, {}, {}, {}};

  Playground() {
    const auto expr = [&](NodeId i) { return Expr{&graph, i}; };
    scope.names = {{"x", expr(x)}, {"y", expr(y)}, {"z", expr(z)}};
    scope.names.emplace("u", ExprVector{expr(x), expr(y)});
    scope.names.emplace("w", ExprVector{expr(x), expr(y), expr(z)});
  }
  NodeId parse(std::string_view formula) { return std::get<Expr>(parse_formula(formula, scope)).node; }
  std::vector<NodeId> inputs() const { return {x, y, z}; }

  template <class S = double>
  S evaluate(NodeId i, S at_x = S(0), S at_y = S(0), S at_z = S(0)) {
    return value_of<S>(graph, i, inputs(), {at_x, at_y, at_z});
  }
  template <class S = double>
  S evaluate(std::string_view formula, S at_x = S(0), S at_y = S(0), S at_z = S(0)) {
    return evaluate<S>(parse(formula), at_x, at_y, at_z);
  }
};

// What an exception of type E says; a failure if there is none.
template <class E, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

inline ::testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "'" << part << "' is not in: " << text;
}

// |a − b| ≤ factor ε (|a| + |b|), and both finite
template <class S>
::testing::AssertionResult agree(const S& a, const S& b, double factor = 8) {
  using std::abs;
  const S size = abs(a) + abs(b);
  if (is_finite(a) && is_finite(b) && abs(S(a - b)) <= S(factor) * S(epsilon<S>()) * size)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << to_double(a) << " and " << to_double(b) << " differ by "
                                       << to_double(S((a - b) / (size * S(epsilon<S>())))) << " epsilon";
}
template <class S>
::testing::AssertionResult agree(const Dual<S>& a, const Dual<S>& b, double factor = 8) {
  if (auto result = agree<S>(a.v, b.v, factor); !result) return result << " (value)";
  if (a.d == b.d) return ::testing::AssertionSuccess();
  if (auto result = agree<S>(a.d, b.d, factor); !result) return result << " (tangent)";
  return ::testing::AssertionSuccess();
}

// Constraints that are comparable as they are (ConstraintScale::row_units)
template <class S, int M = Dynamic>
Vec<Real<S>, M> equal_units(int m) {
  Vec<Real<S>, M> unit(m);
  fill(unit, Real<S>(1));
  return unit;
}
template <class S, int M>
Vec<Real<S>, M> units_like(const Vec<S, M>& b) {
  return equal_units<S, M>(b.size());
}

}  // namespace holonom::test
