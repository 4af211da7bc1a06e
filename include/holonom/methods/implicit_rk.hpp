// Implicit Runge-Kutta methods (A, b, c) with an invertible A on the constrained system as it stands, of index 3:
//   stages (3.11) of Jay (1996) with Â = A;   q₁ = q₀ + h Σ b_j H_p,   p₁ = p₀ − h Σ b_j (H_q + GᵀΛ)
// For comparison with the symplectic pairs. Radau IIA keeps g = 0, and no other invariant; Gauss keeps nothing, and in
// general diverges (Hairer and Jay 1993), unless it is projected, and then it is not symplectic. Without constraints
// Gauss is the symplectic method of order 2s.
#pragma once

#include "holonom/coefficients/tableau.hpp"
#include "holonom/methods/action.hpp"
#include "holonom/solve/projection.hpp"
#include "holonom/solve/stage_solver.hpp"

namespace holonom {

// Stages: of the system as it stands, or of another formulation that keeps its multipliers (index_two_stages.hpp)
template <class Sys, class Stages = StageSolver<Sys>>
class ImplicitRungeKutta {
  using S = ScalarOf<Sys>;
  static constexpr int N = Sys::N, M = Sys::M;

 public:
  // projection: its name, or nothing
  ImplicitRungeKutta(const Sys& sys, const Tableau<S>& t, std::string_view projection)
      : b_(t.b, t.rest_of_b()),
        stiffly_accurate_(is_stiffly_accurate(t)),
        projection_(sys, projection),
        stages_(sys, coefficients(sys, t)),
        q1_(size_q(sys)),
        p1_(size_q(sys)),
        d_(size_q(sys)),
        travel_(size_q(sys)),
        memory_{Vec<S, N>(size_q(sys)), Vec<S, M>(size_g(sys)), Rounding<S, N>(size_q(sys))},
        next_lost_(size_q(sys)) {}

  void compensate(bool yes) { compensated_ = yes; }
  void use_threads(int threads) { stages_.use_threads(threads); }
  int threads() const { return stages_.threads(); }

  Status begin(const Sys& sys, const State<S, N, M>& x, const S&) {
    memory_.lost.clear();
    const Status s = stages_.begin(sys, x.q, x.p);
    projection_.begin(sys, metric_at(sys, x.q, x.p), x.q, stages_.G_at_start());
    return s;
  }

  Status step(const Sys& sys, State<S, N, M>& x, const S& h) {
    Rounding<S, N>* lost = compensated_ ? &memory_.lost : nullptr;
    if (const Status s = stages_.solve(sys, x.q, x.p, h, lost); !s.ok()) return s;
    const int last = stages_.stages() - 1;
    if (stiffly_accurate_) {
      d_ = stages_.displacement(last);
    } else {
      stages_.momenta(x.p, h, lost);
      if (tracks_action_) find_action(sys, h);
      stages_.find_velocities(sys);
      b_.combine(0, stages_.velocities(), d_, travel_);
      for (S& d : d_) d *= h;
    }
    add(x.q, d_, lost ? &lost->q : nullptr, next_lost_.q, q1_);
    travel_ = d_;
    if constexpr (Stages::keeps_hidden) {  // rounding errors of large kicks would leave the hidden constraint
      p1_ = stages_.P(last);
      next_lost_.clear();
    } else {
      b_.combine(0, stages_.kicks(), d_, p1_);
      for (S& d : d_) d *= -h;
      add(x.p, d_, lost ? &lost->p : nullptr, next_lost_.p, p1_);
    }
    if (projection_) {
      memory_.unprojected = p1_;
      if (const Status s = stages_.depart_by(sys, q1_, p1_, projection_); !s.ok()) return s;
      next_lost_.clear();
    } else if (const Status s = stages_.depart_from(sys, q1_, p1_); !s.ok()) {
      return s;
    }
    stages_.remember(travel_, false);
    memory_.lambda = stages_.Lambda(last);
    x.q = q1_;
    x.p = p1_;
    if (lost) std::swap(memory_.lost, next_lost_);
    ++stages_.counters().steps;
    return {};
  }

  std::string track_action(const Sys& sys) {
    if (size_g(sys) > 0) return "with constraints it is not symplectic";
    if (stiffly_accurate_) return "it is not symplectic";
    tracks_action_ = true;
    return {};
  }
  S action() const { return action_.value(); }
  const Vec<S, M>& stage_multipliers(const Sys&) { return memory_.lambda; }
  Counters& counters() { return stages_.counters(); }
  NewtonOptions& options() { return stages_.options(); }
  template <class F>
  void visit_memory(F&& f) {
    stages_.visit_memory(f);
    f("last_multipliers", memory_.lambda);
    if (projection_) {
      projection_.visit_memory(f);
      f("unprojected_p", memory_.unprojected);
    }
    if (compensated_) memory_.lost.visit_memory(f);
  }
  Status resume(const Sys& sys, const State<S, N, M>& x, const S&) {
    return stages_.resume(sys, x.q, projection_ ? memory_.unprojected : x.p, static_cast<bool>(projection_));
  }

 private:
  struct Memory {
    Vec<S, N> unprojected;  // the momentum before the last projection, where G H_pp Gᵀ was factored
    Vec<S, M> lambda;       // Λ_s of the last good step
    Rounding<S, N> lost;
  };

  static bool is_stiffly_accurate(const Tableau<S>& t) {
    for (int j = 0; j < t.stages(); ++j)
      if (t.A(t.stages() - 1, j) != t.b[j]) return false;
    return true;
  }
  StageCoefficients<S> coefficients(const Sys& sys, const Tableau<S>& t) const {
    const FineCoefficients<S> A(t.A, t.rest_of_A());
    return {A, A, t.c, false, stays(sys) ? weights_at_start(t.c) : std::vector<S>()};
  }
  // Unprojected Gauss methods leave the constraints, and with them the motion.
  bool stays(const Sys& sys) const { return size_g(sys) == 0 || projection_ || stiffly_accurate_; }
  // h Σ b_i (P_i·H_p − H)(Q_i, P_i), of Gauss methods without constraints
  void find_action(const Sys& sys, const S& h) {
    action_.clear();
    for (int i = 0; i < stages_.stages(); ++i)
      action_.add(h * b_(0, i) * lagrangian(sys, stages_.Q(i), stages_.P(i), d_));
  }
  // y = x + d, with what was lost before and what is lost now
  static void add(const Vec<S, N>& x, const Vec<S, N>& d, const Vec<S, N>* lost, Vec<S, N>& next, Vec<S, N>& y) {
    for (int k = 0; k < x.size(); ++k) {
      const S increment = lost ? S(d[k] + (*lost)[k]) : d[k];
      y[k] = x[k] + increment;
      if (lost) next[k] = lost_in_sum(x[k], increment, y[k]);
    }
  }

  FineCoefficients<S> b_;
  bool stiffly_accurate_, compensated_ = false, tracks_action_ = false;
  ActionSum<S> action_;
  Projection<Sys> projection_;
  Stages stages_;
  Vec<S, N> q1_, p1_, d_, travel_;
  Memory memory_;
  Rounding<S, N> next_lost_;
};

}  // namespace holonom
