// Reich's (34), theorem 4.1: a symplectic Runge-Kutta method on a Hamiltonian formulation without constraints, with
// impulses at both ends of a step that keep both constraints, and its order:
//   stages and Λ with g(q₁) = 0 (solve/impulsive_stages.hpp),   then p₁ = p̃ − G(q₁)ᵀμ with G H_p = 0
// The same map as the wrapper of impulsive_map.hpp, which solves the stages anew for each guess of Λ.
#pragma once

#include "holonom/coefficients/tableau.hpp"
#include "holonom/formulations/formulation.hpp"
#include "holonom/methods/action.hpp"
#include "holonom/solve/impulsive_stages.hpp"

namespace holonom {

template <class Sys>
class ImpulsiveRungeKutta {
  using S = ScalarOf<Sys>;

 public:
  // dual: Â of a pair with a_1j = 0, a_sj = b_j, â_js = 0 (partitioned_rk.hpp); none: t itself, with an invertible A
  ImpulsiveRungeKutta(const Sys& view, const AnySystem<S>& sys, const Formulation& formulation, const Tableau<S>& t,
                      const Tableau<S>* dual)
      : formulated_(formulate(formulation, sys)),
        on_(formulated_->system()),
        b_(t.b, t.rest_of_b()),
        stages_(on_, view, coefficients(t, dual), b_, formulation.info->response_reversed),
        v_(size_q(view)) {}

  Status begin(const Sys& sys, const State<S>& x, const S&) { return stages_.begin(on_, sys, x.q, x.p); }

  Status step(const Sys& sys, State<S>& x, const S& h) {
    if (const Status s = stages_.solve(on_, sys, x.q, x.p, h); !s.ok()) return s;
    if (const Status s = stages_.impulse().depart_from(sys, stages_.q1(), stages_.p1(), counters(), options()); !s.ok())
      return s;
    if (tracks_action_) find_action(h);
    stages_.remember();
    x.q = stages_.q1();
    x.p = stages_.p1();
    ++counters().steps;
    return {};
  }

  std::string track_action(const Sys&) {
    tracks_action_ = true;
    return {};
  }
  S action() const { return action_.value(); }
  // Λ of the last step, of which −G(q₀)ᵀΛ is the impulse
  const Vec<S>& impulse() { return stages_.impulse().Lambda(); }
  Counters& counters() { return stages_.counters(); }
  NewtonOptions& options() { return stages_.options(); }
  template <class F>
  void visit_memory(F&& f) {
    stages_.visit_memory(f);
    if constexpr (std::is_same_v<std::decay_t<F>, MemoryWriter>) formulated_->save(f);
    if constexpr (std::is_same_v<std::decay_t<F>, MemoryReader>) formulated_->load(f);
  }
  Status resume(const Sys& sys, const State<S>& x, const S&) { return stages_.impulse().resume(sys, x.q); }

 private:
  static StageCoefficients<S> coefficients(const Tableau<S>& t, const Tableau<S>* dual) {
    const FineCoefficients<S> A(t.A, t.rest_of_A());
    if (dual) return {A, {dual->A, dual->rest_of_A()}, t.c, true};
    return {A, A, t.c, false, weights_at_start(t.c)};
  }
  // h Σ b_i (P_i·H̃_p − H̃)(Q_i, P_i): impulses at both ends of the step do not enter, since g = 0 there.
  void find_action(const S& h) {
    action_.clear();
    for (int i = 0; i < stages_.stages(); ++i)
      action_.add(h * b_(0, i) * lagrangian(on_, stages_.Q(i), stages_.P(i), v_));
  }

  std::unique_ptr<Formulated<S>> formulated_;
  Sys on_;  // a view of it
  FineCoefficients<S> b_;
  ImpulsiveStages<Sys> stages_;
  Vec<S> v_;
  bool tracks_action_ = false;
  ActionSum<S> action_;
};

}  // namespace holonom
