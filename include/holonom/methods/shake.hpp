// SHAKE, the leapfrog method with g = 0 (Ryckaert, Ciccotti, Berendsen 1977), in three forms that differ in
// what they carry from step to step, and so in rounding errors (Leimkuhler and Skeel 1994):
//   two-step   q₊ = 2q − q₋ − h² M⁻¹(∇V(q) + G(q)ᵀλ)
//   leapfrog   p₊½ = p₋½ − h (∇V(q) + G(q)ᵀλ),   q₊ = q + h M⁻¹p₊½
//   velocity   the same through p = p₋½ − h/2 (∇V(q) + G(q)ᵀλ),   p₊½ = p − h/2 (∇V(q) + G(q)ᵀλ)
// with λ from g(q₊) = 0. Momenta at whole steps are p = ½(p₋½ + p₊½): they need the next position, so the
// method is one solve ahead of the state that it gives out. Positions and half-step momenta are those of
// RATTLE. The form dq ∧ dp is kept; G M⁻¹p = O(h²) does not vanish, so this is no map of the manifold.
#pragma once

#include "holonom/methods/drift.hpp"

namespace holonom {

enum class ShakeForm { velocity, leapfrog, two_step };

template <Separable Sys>
class Shake {
  using S = ScalarOf<Sys>;
  static constexpr int N = Sys::N, M = Sys::M;

 public:
  Shake(const Sys& sys, ShakeForm form)
      : form_(form),
        drift_(sys, 1),
        force_(size_q(sys)),
        p_new_(size_q(sys)),
        q_(size_q(sys)),
        memory_{Vec<S, N>(size_q(sys)), Vec<S, N>(size_q(sys)), Rounding<S, N>(size_q(sys))} {}

  void compensate(bool yes) { compensated_ = yes && form_ == ShakeForm::leapfrog; }

  Status begin(const Sys& sys, const State<S, N, M>& x, const S& h) {
    if (const Status s = drift_.begin(sys, x); !s.ok()) return s;
    memory_.lost.clear();
    memory_.q_next = x.q;
    memory_.p_half = x.p;
    kick(sys, S(h / 2), x.q, memory_.p_half);
    return drift_.move(sys, h, S(0), 0, memory_.q_next, memory_.p_half, lost());
  }

  Status step(const Sys& sys, State<S, N, M>& x, const S& h) {
    q_ = memory_.q_next;
    if (form_ == ShakeForm::two_step) {  // p₋½ from positions alone
      for (int i = 0; i < q_.size(); ++i) p_new_[i] = memory_.q_next[i] - x.q[i];
      sys.mass().multiply(p_new_, memory_.p_half);
      for (S& a : memory_.p_half) a /= h;
    }
    if (tracks_action_) find_action(sys, x.q, h);
    p_new_ = memory_.p_half;
    if (form_ == ShakeForm::velocity) {
      kick(sys, S(h / 2), q_, p_new_);
      axpy(S(-h / 2), force_, p_new_);
    } else {
      kick(sys, h, q_, p_new_);
    }
    // Redundant constraints contradict each other against momenta across the manifold: these are taken out first,
    // which the impulse would do otherwise.
    if (drift_.redundant())
      if (const Status s = drift_.project(sys, q_, p_new_, lost()); !s.ok()) return s;
    if (const Status s = drift_.move(sys, h, S(0), 0, memory_.q_next, p_new_, lost()); !s.ok()) return s;
    x.q = q_;
    for (int i = 0; i < p_new_.size(); ++i) x.p[i] = (memory_.p_half[i] + p_new_[i]) / 2;
    std::swap(memory_.p_half, p_new_);
    ++counters().steps;
    return {};
  }

  // That of RATTLE: momenta at whole steps differ from its own along Gᵀ, by functions of the state.
  std::string track_action(const Sys&) {
    tracks_action_ = true;
    return {};
  }
  S action() const { return action_; }
  Counters& counters() { return drift_.counters(); }
  NewtonOptions& options() { return drift_.options(); }
  template <class F>
  void visit_memory(F&& f) {
    f("p_half", memory_.p_half);
    f("q_next", memory_.q_next);
    if (compensated_) memory_.lost.visit_memory(f);
    drift_.visit_memory(f);
  }
  Status resume(const Sys& sys, const State<S, N, M>&, const S&) { return drift_.resume(sys, memory_.q_next); }

 private:
  // One solve ahead of the state
  struct Memory {
    Vec<S, N> p_half, q_next;
    Rounding<S, N> lost;
  };

  Rounding<S, N>* lost() { return compensated_ ? &memory_.lost : nullptr; }
  // From q to q_next
  void find_action(const Sys& sys, const Vec<S, N>& q, const S& h) {
    sys.mass().solve(memory_.p_half, p_new_);
    action_ = h * S(dot(memory_.p_half, p_new_) - sys.V(q) - sys.V(memory_.q_next)) / 2;
  }
  void kick(const Sys& sys, const S& h, const Vec<S, N>& q, Vec<S, N>& p) {
    sys.V_q(q, force_);
    ++counters().force;
    if (compensated_) return axpy(S(-h), force_, p, memory_.lost.p);
    axpy(S(-h), force_, p);
  }

  ShakeForm form_;
  bool compensated_ = false, tracks_action_ = false;
  S action_{0};
  Drift<Sys> drift_;
  Vec<S, N> force_, p_new_, q_;
  Memory memory_;
};

}  // namespace holonom
