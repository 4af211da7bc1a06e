// The quantities of quantities.hpp for an own type, by the first of these that works: the member of that name; for
// a separable system, what V and the mass say; and else, exactly by dual numbers, the derivative of the quantity whose
// name is a letter shorter, if the type has `rebind`. Third derivatives of a type that has no second ones are then
// taken in dual numbers of dual numbers.
#pragma once

#include "holonom/dual.hpp"
#include "holonom/system.hpp"

namespace holonom {

// The derivatives of H = ½ pᵀM⁻¹p + V(q) that M alone determines: M⁻¹, and zeros.
constexpr bool follows_from_mass(Quantity f) { return is_of_H(f) && f != Quantity::H_qq && f != Quantity::H_qqq; }

template <class Sys>
using InDuals = std::decay_t<decltype(std::declval<const Sys&>().template rebind<Dual<ScalarOf<Sys>>>())>;

template <Quantity f, System Sys>
constexpr bool is_known() {
  if constexpr (Has<Sys, f> || (Separable<Sys> && follows_from_mass(f)) || (HasHessian<Sys> && f == Quantity::H_qq))
    return true;
  else if constexpr (!RebindsTo<Sys, Dual<ScalarOf<Sys>>>)
    return false;
  else if constexpr (lower(f).has_value())
    return is_known<*lower(f), InDuals<Sys>>();
  else
    return Separable<Sys> || f != Quantity::V_qq;
}

// The gradient that a second derivative is the derivative of.
template <Quantity f, System Sys>
void evaluate_gradient(const Sys& sys, const ArgumentsOf<Sys>& x, ResultOf<Sys, f>& out) {
  if constexpr (f == Quantity::V_qq) {
    gradient(sys, x.part, *x.q, out);
  } else if constexpr (f == Quantity::H_pp || f == Quantity::H_pq) {
    energy_p(sys, *x.q, *x.p, out);
  } else if constexpr (is_of_H(f)) {
    energy_q(sys, *x.q, *x.p, out);
  } else {
    auto J = make_jacobian(sys);
    sys.G(*x.q, J);
    if constexpr (is_per_constraint(f)) {
      multiply(J, *x.u, out);
    } else {
      fill(out, ScalarOf<Sys>(0));
      for (int k = 0; k < size_g(sys); ++k)
        J.row(k, [&](int j, const ScalarOf<Sys>& a) { out[j] += a * (*x.lambda)[k]; });
    }
  }
}

template <Quantity f, System Sys>
void evaluate_own(const Sys& sys, const ArgumentsOf<Sys>& x, ResultOf<Sys, f>& out) {
  using S = ScalarOf<Sys>;
  if constexpr (Has<Sys, f>) {
    Member<f>::evaluate(sys, x, out);
  } else if constexpr (Separable<Sys> && f == Quantity::H_pp) {
    sys.mass().solve(*x.u, out);
  } else if constexpr (Separable<Sys> && follows_from_mass(f)) {
    fill(out, S(0));
  } else if constexpr (HasHessian<Sys> && f == Quantity::H_qq) {
    sys.V_qq(Part::all, *x.q, *x.u, out);
  } else {
    const auto dual = sys.template rebind<Dual<S>>();
    using DualSys = InDuals<Sys>;
    const auto* direction = last_direction(x);
    // x + ε times the direction, or x itself
    const auto lifted = [&](const auto* from, auto& to, bool moves) {
      if (!from) return;
      for (int i = 0; i < from->size(); ++i) to[i] = moves ? Dual<S>((*from)[i], (*direction)[i]) : Dual<S>((*from)[i]);
    };
    const int n = size_q(sys), m = size_g(sys);
    QVec<DualSys> q(n), p(n), u(n), v(n);
    MVec<DualSys> lambda(m);
    lifted(x.q, q, last_letter(f) == 'q');
    lifted(x.p, p, last_letter(f) == 'p');
    lifted(x.lambda, lambda, false);
    lifted(x.u, u, false);
    lifted(x.v, v, false);
    // The last direction is used up.
    ArgumentsOf<DualSys> y{.q = &q, .p = &p, .lambda = &lambda};
    if (x.v) y.u = &u;
    if (x.w) y.v = &v;
    y.part = x.part;
    ResultOf<DualSys, f> change(out.size());
    if constexpr (lower(f).has_value())
      evaluate_own<*lower(f)>(dual, y, change);
    else
      evaluate_gradient<f>(dual, y, change);
    for (int i = 0; i < out.size(); ++i) out[i] = change[i].d;
  }
}

}  // namespace holonom
