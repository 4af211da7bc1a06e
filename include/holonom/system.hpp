// What a method needs to know of a mechanical system, as concepts. An own C++ type that has these
// members is a system; nothing is inherited.
//
//   Scalar, N, M      the scalar; the sizes at compile time, or Dynamic with members n(), m()
//   g(q, out), G(q, out)                      the constraints and their Jacobian
//   V(q), V_q(q, out), mass()                 Separable: H = ½ pᵀM⁻¹p + V(q), M constant
//   H(q, p), H_q(q, p, out), H_p(q, p, out)   Hamiltonian: any H(q, p)
//   V_slow_q(q, out), V_fast_q(q, out)        Split: V = V_slow + V_fast; and V_fast(q), for actions
//   (methods/action.hpp)
//
// and second and third derivatives, as products; they are those of quantities.hpp, such as
//
//   H_pp(q, p, u, out), H_pq(q, p, u, out)    HasHpp
//   g_qq(q, u, v, out)                        HasCurvature: the second derivative g_qq(u, v)
//   V_qq(part, q, u, out)                     HasHessian: V_qq u of all of V, or of a part; for stiff ones
//   H_qq(q, p, u, out) or V_qq, lambda_g_qq(q, λ, u, out)   HasHqq: H_qq u and (λ·g)_qq u; for Newton's method
//
// Optional: g_and_G(q, g, G), fused; g_scale(q, out), the size of the terms of g; invariants(q, p, out), a Vec<Scalar>
// of those that Labels name; reversal(), an Involution. Dynamic systems also have pattern().
// A system with a member `template <class T> auto rebind() const` can be taken to another scalar,
// which brings duals (tangent maps) and wide precisions.
#pragma once

#include <concepts>

#include "holonom/jacobian.hpp"
#include "holonom/quantities.hpp"
#include "holonom/state.hpp"

namespace holonom {

template <class Sys>
using ScalarOf = typename Sys::Scalar;
template <class Sys>
using QVec = Vec<typename Sys::Scalar, Sys::N>;
template <class Sys>
using MVec = Vec<typename Sys::Scalar, Sys::M>;
template <class Sys>
using JacobianOf = Jacobian<typename Sys::Scalar, Sys::N, Sys::M>;
template <class Sys>
using StateOf = State<typename Sys::Scalar, Sys::N, Sys::M>;
template <class Sys>
using ArgumentsOf = Arguments<typename Sys::Scalar, Sys::N, Sys::M>;
template <class Sys, Quantity f>
using ResultOf = std::conditional_t<is_per_constraint(f), MVec<Sys>, QVec<Sys>>;

template <class Sys>
concept Constrained = requires(const Sys& sys, const QVec<Sys>& q, MVec<Sys>& g, JacobianOf<Sys>& G) {
  typename Sys::Scalar;
  { Sys::N } -> std::convertible_to<int>;
  { Sys::M } -> std::convertible_to<int>;
  sys.g(q, g);
  sys.G(q, G);
};

template <class Sys>
concept Separable = Constrained<Sys> && requires(const Sys& sys, const QVec<Sys>& q, QVec<Sys>& out) {
  { sys.V(q) } -> std::convertible_to<ScalarOf<Sys>>;
  sys.V_q(q, out);
  sys.mass().solve(q, out);
};

template <class Sys>
concept Hamiltonian = Constrained<Sys> && requires(const Sys& sys, const QVec<Sys>& q, QVec<Sys>& out) {
  { sys.H(q, q) } -> std::convertible_to<ScalarOf<Sys>>;
  sys.H_q(q, q, out);
  sys.H_p(q, q, out);
};

// The member of a quantity of quantities.hpp.
template <class Sys, Quantity f>
concept Has = Constrained<Sys> && requires(const Sys& sys, const ArgumentsOf<Sys>& x, ResultOf<Sys, f>& out) {
  Member<f>::evaluate(sys, x, out);
};

template <class Sys>
concept HasHpp = Hamiltonian<Sys> && Has<Sys, Quantity::H_pp> && Has<Sys, Quantity::H_pq>;

template <class Sys>
concept HasCurvature = Has<Sys, Quantity::g_qq>;

// V = V_slow + V_fast, for methods that treat the parts differently.
template <class Sys>
concept Split = Separable<Sys> && requires(const Sys& sys, const QVec<Sys>& q, QVec<Sys>& out) {
  sys.V_slow_q(q, out);
  sys.V_fast_q(q, out);
};

template <class Sys>
concept HasFastPotential = Split<Sys> && requires(const Sys& sys, const QVec<Sys>& q) {
  { sys.V_fast(q) } -> std::convertible_to<ScalarOf<Sys>>;
};

template <class Sys, class T>
concept RebindsTo = requires(const Sys& sys) {
  sys.template rebind<T>();
};

template <class Sys>
concept System = Separable<Sys> || Hamiltonian<Sys>;

template <Constrained Sys>
int size_q(const Sys& sys) {
  if constexpr (Sys::N == Dynamic)
    return sys.n();
  else
    return Sys::N;
}
template <Constrained Sys>
int size_g(const Sys& sys) {
  if constexpr (Sys::M == Dynamic)
    return sys.m();
  else
    return Sys::M;
}
template <Constrained Sys>
JacobianOf<Sys> make_jacobian(const Sys& sys) {
  if constexpr (Sys::N == Dynamic)
    return JacobianOf<Sys>(sys.pattern());
  else
    return JacobianOf<Sys>();
}
template <Constrained Sys>
StateOf<Sys> make_state(const Sys& sys) {
  return StateOf<Sys>(size_q(sys), size_g(sys));
}

template <Separable Sys>
void gradient(const Sys& sys, Part part, const QVec<Sys>& q, QVec<Sys>& out) {
  if constexpr (Split<Sys>) {
    if (part == Part::slow) return sys.V_slow_q(q, out);
    if (part == Part::fast) return sys.V_fast_q(q, out);
  }
  sys.V_q(q, out);
}

// V_qq u of a part, where the system offers it.
template <class Sys>
concept HasHessian = Separable<Sys> && Has<Sys, Quantity::V_qq>;

template <class Sys>
concept HasHqq = Has<Sys, Quantity::lambda_g_qq> &&(HasHessian<Sys> || (HasHpp<Sys> && Has<Sys, Quantity::H_qq>));

// Whether a quantity can be asked for: a system that is known at run time only has all members, but may lack what they
// stand for.
template <class Sys>
bool knows(const Sys& sys, Quantity f) {
  if constexpr (requires { sys.lacks(f); })
    return sys.lacks(f).empty();
  else
    return true;
}

// Fused evaluations, where the system offers them.
template <Constrained Sys>
void constraint_and_jacobian(const Sys& sys, const QVec<Sys>& q, MVec<Sys>& g, JacobianOf<Sys>& G) {
  if constexpr (requires { sys.g_and_G(q, g, G); }) {
    sys.g_and_G(q, g, G);
  } else {
    sys.g(q, g);
    sys.G(q, G);
  }
}

// The metric M⁻¹ of a system with constant mass, for GramSolver.
template <class Sys>
struct InverseMass {
  const Sys& sys;
  void operator()(const QVec<Sys>& u, QVec<Sys>& out) const { sys.mass().solve(u, out); }
  const QVec<Sys>* diagonal() const {
    if constexpr (requires { sys.mass().inverse_diagonal(); })
      return sys.mass().inverse_diagonal();
    else
      return nullptr;
  }
  auto sparse_mass() const {
    if constexpr (requires { sys.mass().sparse(); })
      return sys.mass().sparse();
    else
      return nullptr;
  }
};

// The metric H_pp(q, p) of any system.
template <class Sys>
struct MetricAt {
  const Sys& sys;
  const QVec<Sys>&q, &p;
  void operator()(const QVec<Sys>& u, QVec<Sys>& out) const { sys.H_pp(q, p, u, out); }
  const QVec<Sys>* diagonal() const {
    if constexpr (requires { sys.inverse_mass_diagonal(); })
      return sys.inverse_mass_diagonal();
    else
      return nullptr;
  }
  auto sparse_mass() const {
    if constexpr (requires { sys.sparse_mass(); })
      return sys.sparse_mass();
    else
      return nullptr;
  }
};

// The derivatives of H, as products where they are second ones, and the metric H_pp of any system, for methods that
// need not know whether it is separable.
template <System Sys>
void energy_q(const Sys& sys, const QVec<Sys>& q, const QVec<Sys>& p, QVec<Sys>& out) {
  if constexpr (Hamiltonian<Sys>)
    sys.H_q(q, p, out);
  else
    sys.V_q(q, out);
}
template <System Sys>
void energy_p(const Sys& sys, const QVec<Sys>& q, const QVec<Sys>& p, QVec<Sys>& out) {
  if constexpr (Hamiltonian<Sys>)
    sys.H_p(q, p, out);
  else
    sys.mass().solve(p, out);
}
template <System Sys>
void energy_pp(const Sys& sys, const QVec<Sys>& q, const QVec<Sys>& p, const QVec<Sys>& u, QVec<Sys>& out) {
  if constexpr (HasHpp<Sys>)
    sys.H_pp(q, p, u, out);
  else
    sys.mass().solve(u, out);
}
template <System Sys>
void energy_pq(const Sys& sys, const QVec<Sys>& q, const QVec<Sys>& p, const QVec<Sys>& u, QVec<Sys>& out) {
  if constexpr (HasHpp<Sys>)
    sys.H_pq(q, p, u, out);
  else
    fill(out, ScalarOf<Sys>(0));
}
template <System Sys>
void energy_qp(const Sys& sys, const QVec<Sys>& q, const QVec<Sys>& p, const QVec<Sys>& u, QVec<Sys>& out) {
  if constexpr (Has<Sys, Quantity::H_qp>)
    sys.H_qp(q, p, u, out);
  else
    fill(out, ScalarOf<Sys>(0));
}
template <HasHqq Sys>
void energy_qq(const Sys& sys, const QVec<Sys>& q, const QVec<Sys>& p, const QVec<Sys>& u, QVec<Sys>& out) {
  if constexpr (Has<Sys, Quantity::H_qq>)
    sys.H_qq(q, p, u, out);
  else
    sys.V_qq(Part::all, q, u, out);
}
template <System Sys>
auto metric_at(const Sys& sys, const QVec<Sys>& q, const QVec<Sys>& p) {
  if constexpr (Separable<Sys>)
    return InverseMass<Sys>{sys};
  else
    return MetricAt<Sys>{sys, q, p};
}

}  // namespace holonom
