// The meaning of every operation, in one place for all interpreters.
#pragma once

#include <cmath>

#include "holonom/expr/graph.hpp"

namespace holonom {

// Calls unary(f), binary(f) or ternary(f) with the function that belongs to op. (Inlined by force: as a call of its own
// it costs more than the operations of a small program.)
template <class S, class Unary, class Binary, class Ternary>
[[gnu::always_inline]] inline void with_operation(Op op, Unary&& unary, Binary&& binary, Ternary&& ternary) {
  using std::sqrt, std::exp, std::log, std::sin, std::cos, std::tan, std::asin, std::acos, std::atan, std::atan2,
      std::sinh, std::cosh, std::tanh, std::abs, std::floor, std::pow;
  switch (op) {
    case Op::add: return binary([](const S& x, const S& y) { return S(x + y); });
    case Op::sub: return binary([](const S& x, const S& y) { return S(x - y); });
    case Op::mul: return binary([](const S& x, const S& y) { return S(x * y); });
    case Op::div: return binary([](const S& x, const S& y) { return S(x / y); });
    case Op::neg: return unary([](const S& x) { return S(-x); });
    case Op::pow: return binary([](const S& x, const S& y) { return S(pow(x, y)); });
    case Op::sqrt: return unary([](const S& x) { return S(sqrt(x)); });
    case Op::exp: return unary([](const S& x) { return S(exp(x)); });
    case Op::log: return unary([](const S& x) { return S(log(x)); });
    case Op::sin: return unary([](const S& x) { return S(sin(x)); });
    case Op::cos: return unary([](const S& x) { return S(cos(x)); });
    case Op::tan: return unary([](const S& x) { return S(tan(x)); });
    case Op::asin: return unary([](const S& x) { return S(asin(x)); });
    case Op::acos: return unary([](const S& x) { return S(acos(x)); });
    case Op::atan: return unary([](const S& x) { return S(atan(x)); });
    case Op::atan2: return binary([](const S& y, const S& x) { return S(atan2(y, x)); });
    case Op::sinh: return unary([](const S& x) { return S(sinh(x)); });
    case Op::cosh: return unary([](const S& x) { return S(cosh(x)); });
    case Op::tanh: return unary([](const S& x) { return S(tanh(x)); });
    case Op::abs: return unary([](const S& x) { return S(abs(x)); });
    case Op::sign: return unary([](const S& x) { return S(x > S(0) ? 1 : x < S(0) ? -1 : 0); });
    case Op::floor: return unary([](const S& x) { return S(floor(x)); });
    case Op::min: return binary([](const S& x, const S& y) { return x < y ? x : y; });
    case Op::max: return binary([](const S& x, const S& y) { return y < x ? x : y; });
    case Op::less: return binary([](const S& x, const S& y) { return S(x < y ? 1 : 0); });
    case Op::less_equal: return binary([](const S& x, const S& y) { return S(x <= y ? 1 : 0); });
    case Op::equal: return binary([](const S& x, const S& y) { return S(x == y ? 1 : 0); });
    case Op::select: return ternary([](const S& c, const S& x, const S& y) { return c == S(0) ? y : x; });
    case Op::constant:
    case Op::pi:
    case Op::input:
    case Op::powi: return;  // lowered away
  }
}

}  // namespace holonom
