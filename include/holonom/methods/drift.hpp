// The motion of a separable system without its potential, H = ½ pᵀM⁻¹p, onto g = 0:
//   p ← p − G(q)ᵀΛ,   q ← q + (a + b) h M⁻¹p,   g(q) = 0
#pragma once

#include "holonom/methods/action.hpp"
#include "holonom/solve/constraints.hpp"
#include "holonom/solve/predictor.hpp"

namespace holonom {

template <Separable Sys>
class Drift {
  using S = ScalarOf<Sys>;
  static constexpr int N = Sys::N, M = Sys::M;

 public:
  Drift(const Sys& sys, int moves)
      : solver_(sys),
        predictor_(moves, size_g(sys)),
        p_(size_q(sys)),
        q_(size_q(sys)),
        G_(make_jacobian(sys)),
        impulse_(size_g(sys)) {}

  Status begin(const Sys& sys, const State<S, N, M>& x) {
    const Status s = solver_.begin(sys, x.q);
    predictor_.begin(solver_.redundant(), solver_.row_units());
    return s;
  }

  [[gnu::always_inline]] Status move(const Sys& sys, const S& ah, const S& bh, int slot, Vec<S, N>& q, Vec<S, N>& p,
                                     Rounding<S, N>* lost, ActionSum<S>* action = nullptr) {
    auto&& p1 = scratch(p_);
    auto&& q1 = scratch(q_);
    auto&& G1 = scratch(G_);
    auto&& impulse = scratch(impulse_);
    if constexpr (M == Dynamic) {
      // Redundant constraints contradict each other against momenta across the manifold: these are taken out first,
      // which the impulse would do otherwise.
      if (solver_.redundant())
        if (const Status s = solver_.onto_cotangent(sys, q, p, lost); !s.ok()) return s;
    }
    predictor_.guess(slot, impulse);
    if (const Status s = solver_.drift(sys, q, p, S(ah + bh), impulse, predictor_.expectation(slot), p1, q1, G1, lost);
        !s.ok())
      return s;
    predictor_.remember(slot, impulse);
    solver_.depart_from(sys, G1);
    using std::swap;
    swap(q, q1);
    swap(p, p1);
    if (action) {  // at the momentum after the impulse
      sys.mass().solve(p, q1);
      action->add(S(ah + bh) * dot(p, q1) / 2);
    }
    return {};
  }
  std::string track_action(const Sys&) const { return {}; }

  // The motion over a time below the resolution of a move, to first order: at the momentum of the first move, with its
  // impulse as it is foreseen. (Without, the impulse of this move would have to make up for it, and energy would
  // drift.)
  void make_up(const Sys& sys, const S& time, const Vec<S, N>&, const Vec<S, N>& p, Rounding<S, N>& lost) {
    auto&& p1 = scratch(p_);
    auto&& v = scratch(q_);
    auto&& impulse = scratch(impulse_);
    predictor_.guess(0, impulse);
    p1 = p;
    subtract_force(solver_.G(), impulse, p1);
    sys.mass().solve(p1, v);
    axpy(time, v, lost.q);
  }

  Status project(const Sys& sys, const Vec<S, N>& q, Vec<S, N>& p, Rounding<S, N>* lost) {
    return solver_.onto_cotangent(sys, q, p, lost);
  }

  bool redundant() const { return solver_.redundant(); }
  ConstraintSolver<Sys>& solver() { return solver_; }
  Predictor<S, M>& predictor() { return predictor_; }
  Counters& counters() { return solver_.counters; }
  NewtonOptions& options() { return solver_.options; }

  template <class F>
  void visit_memory(F&& f) {
    predictor_.visit_memory(f);
    solver_.visit_memory(f);
  }
  // q is the position after the last move.
  Status resume(const Sys& sys, const Vec<S, N>& q) {
    solver_.resume(sys, q);
    return {};
  }

 private:
  ConstraintSolver<Sys> solver_;
  Predictor<S, M> predictor_;
  Vec<S, N> p_, q_;
  Jacobian<S, N, M> G_;
  Vec<S, M> impulse_;
};

}  // namespace holonom
