// Expressions as C++ values: a node and the graph it lives in. Write formulas as you would with
// numbers; Expr("0.1") and number-like literals join in. Vectors are short lists of expressions.
#pragma once

#include <stdexcept>
#include <string_view>
#include <vector>

#include "holonom/expr/graph.hpp"

namespace holonom {

struct Expr {
  Graph* graph = nullptr;
  NodeId node = 0;
};

namespace detail {
inline Expr lift(Graph* g, const Expr& x) {
  if (x.graph != g) throw std::invalid_argument("expressions of two different models were mixed");
  return x;
}
template <class T>
requires std::is_arithmetic_v<T> Expr lift(Graph* g, T x) {
  if constexpr (std::is_integral_v<T>)
    return {g, g->number(static_cast<long long>(x))};
  else
    return {g, g->number(static_cast<double>(x))};
}
inline Graph* graph_of(const Expr& a, const auto&) { return a.graph; }
template <class T>
requires std::is_arithmetic_v<T> Graph* graph_of(T, const Expr& b) { return b.graph; }

template <class A, class B>
concept Operands = (std::is_same_v<A, Expr> && (std::is_same_v<B, Expr> || std::is_arithmetic_v<B>)) ||
                   (std::is_arithmetic_v<A> && std::is_same_v<B, Expr>);

template <class A, class B>
Expr binary(Op op, const A& a, const B& b) {
  Graph* g = graph_of(a, b);
  return {g, g->apply(op, lift(g, a).node, lift(g, b).node)};
}
}  // namespace detail

template <class A, class B>
requires detail::Operands<A, B> Expr operator+(const A& a, const B& b) { return detail::binary(Op::add, a, b); }
template <class A, class B>
requires detail::Operands<A, B> Expr operator-(const A& a, const B& b) { return detail::binary(Op::sub, a, b); }
template <class A, class B>
requires detail::Operands<A, B> Expr operator*(const A& a, const B& b) { return detail::binary(Op::mul, a, b); }
template <class A, class B>
requires detail::Operands<A, B> Expr operator/(const A& a, const B& b) { return detail::binary(Op::div, a, b); }
template <class A, class B>
requires detail::Operands<A, B> Expr pow(const A& a, const B& b) { return detail::binary(Op::pow, a, b); }
template <class A, class B>
requires detail::Operands<A, B> Expr atan2(const A& a, const B& b) { return detail::binary(Op::atan2, a, b); }
template <class A, class B>
requires detail::Operands<A, B> Expr min(const A& a, const B& b) { return detail::binary(Op::min, a, b); }
template <class A, class B>
requires detail::Operands<A, B> Expr max(const A& a, const B& b) { return detail::binary(Op::max, a, b); }
template <class A, class B>
requires detail::Operands<A, B> Expr operator<(const A& a, const B& b) { return detail::binary(Op::less, a, b); }
template <class A, class B>
requires detail::Operands<A, B> Expr operator>(const A& a, const B& b) { return detail::binary(Op::less, b, a); }

inline Expr operator-(const Expr& a) { return {a.graph, a.graph->neg(a.node)}; }
inline Expr& operator+=(Expr& a, const auto& b) { return a = a + b; }
inline Expr& operator-=(Expr& a, const auto& b) { return a = a - b; }

inline Expr apply(Op op, const Expr& a) { return {a.graph, a.graph->apply(op, a.node)}; }
inline Expr sqrt(const Expr& a) { return apply(Op::sqrt, a); }
inline Expr exp(const Expr& a) { return apply(Op::exp, a); }
inline Expr log(const Expr& a) { return apply(Op::log, a); }
inline Expr sin(const Expr& a) { return apply(Op::sin, a); }
inline Expr cos(const Expr& a) { return apply(Op::cos, a); }
inline Expr tan(const Expr& a) { return apply(Op::tan, a); }
inline Expr asin(const Expr& a) { return apply(Op::asin, a); }
inline Expr acos(const Expr& a) { return apply(Op::acos, a); }
inline Expr atan(const Expr& a) { return apply(Op::atan, a); }
inline Expr sinh(const Expr& a) { return apply(Op::sinh, a); }
inline Expr cosh(const Expr& a) { return apply(Op::cosh, a); }
inline Expr tanh(const Expr& a) { return apply(Op::tanh, a); }
inline Expr floor(const Expr& a) { return apply(Op::floor, a); }
inline Expr abs(const Expr& a) { return apply(Op::abs, a); }

inline Expr select(const Expr& condition, const Expr& yes, const Expr& no) {
  return {condition.graph, condition.graph->select(condition.node, yes.node, no.node)};
}

// Vectors of expressions: what formulas write as [x, y, z].
using ExprVector = std::vector<Expr>;
inline Expr dot(const ExprVector& u, const ExprVector& v) {
  if (u.size() != v.size() || u.empty()) throw std::invalid_argument("dot needs two vectors of one size");
  Expr s = u[0] * v[0];
  for (std::size_t i = 1; i < u.size(); ++i) s += u[i] * v[i];
  return s;
}
inline Expr norm(const ExprVector& u) { return sqrt(dot(u, u)); }
inline ExprVector cross(const ExprVector& u, const ExprVector& v) {
  if (u.size() != 3 || v.size() != 3) throw std::invalid_argument("cross needs two vectors of three components");
  return {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
}

}  // namespace holonom
