// RATTLE: velocity Verlet with both constraints kept (Andersen 1983).
//   p½ = p − h/2 ∇V(q) − G(q)ᵀΛ,     q₁ = q + h M⁻¹p½,    g(q₁) = 0
//   p₁ = p½ − h/2 ∇V(q₁) − G(q₁)ᵀμ,                       G(q₁) M⁻¹p₁ = 0
// Order 2, symmetric, symplectic on {g = 0, G M⁻¹p = 0} (Leimkuhler and Skeel 1994). One force
// evaluation a step. rattle_general.hpp has the form for any H(q, p).
#pragma once

#include "holonom/methods/method.hpp"
#include "holonom/solve/constraints.hpp"

namespace holonom {

template <Separable Sys>
class Rattle {
  using S = ScalarOf<Sys>;
  static constexpr int N = Sys::N, M = Sys::M;

 public:
  explicit Rattle(const Sys& sys)
      : project(sys), force_(size_q(sys)), p_hat_(size_q(sys)), p_(size_q(sys)), q_(size_q(sys)), G_(make_jacobian(sys)),
        impulse_(size_g(sys)) {}

  Status begin(const Sys& sys, const State<S, N, M>& x, const S&) {
    sys.V_q(x.q, force_);
    ++project.counters.force;
    fill(impulse_, S(0));
    return project.begin(sys, x.q);
  }

  // On failure x is left as it was.
  Status step(const Sys& sys, State<S, N, M>& x, const S& h) {
    auto&& p_hat = scratch(p_hat_);
    auto&& p = scratch(p_);
    auto&& q = scratch(q_);
    auto&& G = scratch(G_);
    auto&& impulse = scratch(impulse_);
    const S half = h / 2;
    for (int i = 0; i < p.size(); ++i) p_hat[i] = x.p[i] - half * force_[i];
    if (const Status s = project.drift(sys, x.q, p_hat, h, impulse, p, q, G); !s.ok()) return s;
    sys.V_q(q, force_);
    ++project.counters.force;
    for (int i = 0; i < p.size(); ++i) p[i] -= half * force_[i];
    if (const Status s = project.onto_cotangent(sys, G, p); !s.ok()) return s;
    x.q = q;
    x.p = p;
    if constexpr (Vec<S, M>::is_static) impulse_ = impulse;
    ++project.counters.steps;
    return {};
  }

  // What a resumed run needs beside the state.
  template <class F>
  void visit_memory(F&& f) {
    f("impulse", impulse_);
    project.visit_memory(f);
  }

  ConstraintSolver<Sys> project;
  Counters& counters() { return project.counters; }
  NewtonOptions& options() { return project.options; }

 private:
  Vec<S, N> force_, p_hat_, p_, q_;
  Jacobian<S, N, M> G_;
  Vec<S, M> impulse_;  // Λ of the last step: the first guess of the next one
};

}  // namespace holonom
