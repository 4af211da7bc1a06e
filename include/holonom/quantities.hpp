// The second and third derivatives of a mechanical system, always as contractions with vectors, never as tensors. There
// is one list, HOLONOM_QUANTITIES. The members of AnySystem and of its views, what `adapt` asks an own type for, and
// the names of the formulas of a text model follow from it.
//
// A name says how a quantity is made. The first letter behind _ is the row of the result, and each further one a
// derivative along one of the directions u, v, w in their order: H_pq u is (H_p)_q u, and H_qqp(u, v) the derivative of
// H_qq u along v in p. The derivatives of g have one value for each constraint, all others one for each coordinate.
//
// Six third derivatives of H are enough: rows are q or p, and as derivatives commute, pairs of directions are qq, qp or
// pp. The derivative along (u, w) of the Hessian's product with (a, b) has the rows
//   q: H_qqq(u, a) + H_qqp(u, b) + H_qqp(a, w) + H_qpp(w, b),   p: H_pqq(u, a) + H_pqp(u, b) + H_pqp(a, w) + H_ppp(w,
//   b).
// They are not one quantity because nobody needs all: the gradient of a·H_pp b, say, is H_qpp(a, b), H_ppp(a, b).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "holonom/vector.hpp"

namespace holonom {

// How quantities are called: the parameters of a member, the arguments that are handed on, and the call of a member.
#define HOLONOM_PART_Q_U \
  (Part part, const Q& q, const Q& u, Q& out), (.q = &q, .u = &u, .part = part), (x.part, *x.q, *x.u, out)
#define HOLONOM_Q_P_U (const Q& q, const Q& p, const Q& u, Q& out), (.q = &q, .p = &p, .u = &u), (*x.q, *x.p, *x.u, out)
#define HOLONOM_Q_P_U_V                                                                           \
  (const Q& q, const Q& p, const Q& u, const Q& v, Q& out), (.q = &q, .p = &p, .u = &u, .v = &v), \
      (*x.q, *x.p, *x.u, *x.v, out)
#define HOLONOM_Q_U_V (const Q& q, const Q& u, const Q& v, L& out), (.q = &q, .u = &u, .v = &v), (*x.q, *x.u, *x.v, out)
#define HOLONOM_Q_U_V_W                                                                           \
  (const Q& q, const Q& u, const Q& v, const Q& w, L& out), (.q = &q, .u = &u, .v = &v, .w = &w), \
      (*x.q, *x.u, *x.v, *x.w, out)
#define HOLONOM_Q_LAMBDA_U \
  (const Q& q, const L& lambda, const Q& u, Q& out), (.q = &q, .lambda = &lambda, .u = &u), (*x.q, *x.lambda, *x.u, out)
#define HOLONOM_Q_LAMBDA_U_V                                                                                     \
  (const Q& q, const L& lambda, const Q& u, const Q& v, Q& out), (.q = &q, .lambda = &lambda, .u = &u, .v = &v), \
      (*x.q, *x.lambda, *x.u, *x.v, out)

// clang-format off
#define HOLONOM_QUANTITIES(X)                                                                \
  X(V_qq, HOLONOM_PART_Q_U)               /* V_qq u of all of V, or of a part */             \
  X(H_pp, HOLONOM_Q_P_U)                                                                     \
  X(H_pq, HOLONOM_Q_P_U)                  /* (H_p)_q u */                                    \
  X(H_qp, HOLONOM_Q_P_U)                  /* (H_q)_p u: the transpose of H_pq */             \
  X(H_qq, HOLONOM_Q_P_U)                                                                     \
  X(H_qqq, HOLONOM_Q_P_U_V)                                                                  \
  X(H_qqp, HOLONOM_Q_P_U_V)               /* u in q, v in p */                               \
  X(H_qpp, HOLONOM_Q_P_U_V)                                                                  \
  X(H_pqq, HOLONOM_Q_P_U_V)                                                                  \
  X(H_pqp, HOLONOM_Q_P_U_V)               /* u in q, v in p */                               \
  X(H_ppp, HOLONOM_Q_P_U_V)                                                                  \
  X(g_qq, HOLONOM_Q_U_V)                                                                     \
  X(g_qqq, HOLONOM_Q_U_V_W)                                                                  \
  X(lambda_g_qq, HOLONOM_Q_LAMBDA_U)      /* (λ·g)_qq u */                                   \
  X(lambda_g_qqq, HOLONOM_Q_LAMBDA_U_V)   /* (λ·g)_qqq(u, v) */
// clang-format on

#define HOLONOM_ENUMERATOR(name, ...) name,

enum class Quantity : std::uint8_t {
  // What every step calls has functions of its own, and is here to be asked for with `lacks`.
  V,        // that H = ½ pᵀM⁻¹p + V(q), M constant: V, V_q and mass
  V_parts,  // that V = V_slow + V_fast: V_slow_q and V_fast_q
  V_fast,   // the value of that part
  HOLONOM_QUANTITIES(HOLONOM_ENUMERATOR)
};

enum class Part : std::uint8_t { all, slow, fast };  // of the potential

// Where a quantity is taken. Those that it does not depend on are absent.
template <class S, int N = Dynamic, int M = Dynamic>
struct Arguments {
  const Vec<S, N>*q = nullptr, *p = nullptr;
  const Vec<S, M>* lambda = nullptr;
  const Vec<S, N>*u = nullptr, *v = nullptr, *w = nullptr;
  Part part = Part::all;
};

#define HOLONOM_LISTED(name, ...) Quantity::name,
inline constexpr std::array all_quantities{HOLONOM_QUANTITIES(HOLONOM_LISTED)};
#undef HOLONOM_LISTED

#define HOLONOM_NAME(name, ...) #name,
inline constexpr std::string_view quantity_names[] = {"V", "V_parts", "V_fast", HOLONOM_QUANTITIES(HOLONOM_NAME)};
#undef HOLONOM_NAME
constexpr std::string_view name_of(Quantity f) { return quantity_names[static_cast<std::size_t>(f)]; }

// Whether it has one value for each constraint, not for each coordinate.
constexpr bool is_per_constraint(Quantity f) { return name_of(f)[0] == 'g'; }
constexpr bool is_of_H(Quantity f) { return name_of(f)[0] == 'H'; }
constexpr bool is_of_multipliers(Quantity f) { return name_of(f)[0] == 'l'; }

// A quantity is the derivative of the one whose name is a letter shorter (if that is in the list, and no gradient),
// along q or p, in the last of its directions.
constexpr std::optional<Quantity> lower(Quantity f) {
  for (const Quantity other : all_quantities)
    if (name_of(other) == name_of(f).substr(0, name_of(f).size() - 1)) return other;
  return std::nullopt;
}
constexpr char last_letter(Quantity f) { return name_of(f).back(); }
template <class S, int N, int M>
const Vec<S, N>* last_direction(const Arguments<S, N, M>& x) {
  return x.w ? x.w : x.v ? x.v : x.u;
}

// Gives a system that can evaluate(f, arguments, out) a member for each quantity: H_pp(q, p, u, out), ...
template <class System, class S, int N = Dynamic, int M = Dynamic>
class QuantityMembers {
  using Q = Vec<S, N>;
  using L = Vec<S, M>;

 public:
#define HOLONOM_BRACED(...) \
  { __VA_ARGS__ }
#define HOLONOM_DEFINE_MEMBER(name, parameters, arguments, call)                                                  \
  void name parameters const {                                                                                    \
    static_cast<const System*>(this)->evaluate(Quantity::name, Arguments<S, N, M> HOLONOM_BRACED arguments, out); \
  }
#define HOLONOM_MEMBER(name, shape) HOLONOM_DEFINE_MEMBER(name, shape)
  HOLONOM_QUANTITIES(HOLONOM_MEMBER)
#undef HOLONOM_MEMBER
#undef HOLONOM_DEFINE_MEMBER
#undef HOLONOM_BRACED
};

// The call of an own type's member, if it has one.
template <Quantity f>
struct Member;
#define HOLONOM_DEFINE_CALL(name, parameters, arguments, call)                    \
  template <>                                                                     \
  struct Member<Quantity::name> {                                                 \
    template <class Sys, class X, class Out>                                      \
    requires requires(const Sys& sys, const X& x, Out& out) { sys.name call; }    \
    static void evaluate(const Sys& sys, const X& x, Out& out) { sys.name call; } \
  };
#define HOLONOM_CALL(name, shape) HOLONOM_DEFINE_CALL(name, shape)
HOLONOM_QUANTITIES(HOLONOM_CALL)
#undef HOLONOM_CALL
#undef HOLONOM_DEFINE_CALL

// what.operator()<f>() for a quantity of the list that is known at run time only.
template <class What>
auto with_quantity(Quantity f, What&& what) {
#define HOLONOM_CASE(name, ...) \
  case Quantity::name: return what.template operator()<Quantity::name>();
  switch (f) {
    HOLONOM_QUANTITIES(HOLONOM_CASE)
    case Quantity::V:
    case Quantity::V_parts:
    case Quantity::V_fast: break;
  }
#undef HOLONOM_CASE
  throw std::logic_error("this quantity has functions of its own");
}

}  // namespace holonom
