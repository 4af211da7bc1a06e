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
      : project(sys), force_(size_q(sys)), p_hat_(size_q(sys)), p_(size_q(sys)), q_(size_q(sys)),
        impulse_(size_g(sys)) {}

  Status begin(const Sys& sys, const State<S, N, M>& x, const S&) {
    sys.V_q(x.q, force_);
    ++project.counters.force;
    fill(impulse_, S(0));
    return project.begin(sys, x.q);
  }

  // On failure x is left as it was.
  Status step(const Sys& sys, State<S, N, M>& x, const S& h) {
    const S half = h / 2;
    for (int i = 0; i < p_hat_.size(); ++i) p_hat_[i] = x.p[i] - half * force_[i];
    if (const Status s = project.drift(sys, x.q, p_hat_, h, impulse_, p_, q_); !s.ok()) return s;
    sys.V_q(q_, force_);
    ++project.counters.force;
    for (int i = 0; i < p_.size(); ++i) p_[i] -= half * force_[i];
    if (const Status s = project.onto_cotangent(sys, q_, p_); !s.ok()) return s;
    x.q = q_;
    x.p = p_;
    ++project.counters.steps;
    return {};
  }

  // What a resumed run needs beside the state.
  template <class F>
  void visit_memory(F&& f) {
    f("impulse", impulse_);
  }

  ConstraintSolver<Sys> project;
  Counters& counters() { return project.counters; }
  NewtonOptions& options() { return project.options; }

 private:
  Vec<S, N> force_, p_hat_, p_, q_;
  Vec<S, M> impulse_;  // Λ of the last step: the first guess of the next one
};

}  // namespace holonom
