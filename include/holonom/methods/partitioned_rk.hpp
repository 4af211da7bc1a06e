// Symplectic partitioned Runge-Kutta methods on the constrained system (Jay 1996): the pairs (A, b, c), (Â, b, c)
// with a_1j = 0, a_sj = b_j, â_js = 0, of which Lobatto IIIA-IIIB is the family of order 2s − 2.
//   stages (3.11);   q₁ = Q_s;   p₁ = p₀ − h Σ b_j (H_q + GᵀΛ)(Q_j, P_j)  with Λ_s such that G(q₁) H_p(q₁, p₁) = 0
#pragma once

#include "holonom/coefficients/tableau.hpp"
#include "holonom/methods/action.hpp"
#include "holonom/solve/stage_solver.hpp"

namespace holonom {

template <class Sys>
class PartitionedRungeKutta {
  using S = ScalarOf<Sys>;
  using R = Real<S>;
  static constexpr int N = Sys::N, M = Sys::M;

 public:
  PartitionedRungeKutta(const Sys& sys, const Tableau<S>& t, const Tableau<S>& dual)
      : b_(t.b, t.rest_of_b()),
        stages_(sys, {{t.A, t.rest_of_A()}, {dual.A, dual.rest_of_A()}, t.c, true}),
        q1_(size_q(sys)),
        p1_(size_q(sys)),
        last_kick_(size_q(sys)),
        d_(size_q(sys)),
        r_(size_g(sys)),
        lambda_(size_g(sys)),
        memory_{Vec<S, N>(size_q(sys)), Rounding<S, N>(size_q(sys))},
        next_lost_(size_q(sys)) {}

  void compensate(bool yes) { compensated_ = yes; }
  void use_threads(int threads) { stages_.use_threads(threads); }
  int threads() const { return stages_.threads(); }

  Status begin(const Sys& sys, const State<S, N, M>& x, const S&) {
    memory_.lost.clear();
    return stages_.begin(sys, x.q, x.p);
  }

  Status step(const Sys& sys, State<S, N, M>& x, const S& h) {
    Rounding<S, N>* lost = compensated_ ? &memory_.lost : nullptr;
    if (const Status s = stages_.solve(sys, x.q, x.p, h, lost); !s.ok()) return s;
    const int s = stages_.stages();
    if (tracks_action_) find_action(sys, x.p, h, lost);
    q1_ = stages_.Q(s - 1);
    b_.combine(0, stages_.kicks(), d_, p1_);
    for (int k = 0; k < d_.size(); ++k) {
      const S increment = lost ? S(lost->p[k] - h * d_[k]) : S(-h * d_[k]);
      p1_[k] = x.p[k] + increment;
      if (lost) {
        next_lost_.p[k] = lost_in_sum(x.p[k], increment, p1_[k]);
        next_lost_.q[k] = lost_in_sum(x.q[k], S(stages_.displacement(s - 1)[k] + lost->q[k]), q1_[k]);
      }
    }
    if (const Status status = stages_.depart_from(sys, q1_, p1_); !status.ok()) return status;
    memory_.unprojected = p1_;
    if (stages_.gram().m() > 0)
      if (const Status status = onto_cotangent(sys, stages_.gram(), stages_.G_at_start(), q1_, p1_, d_, r_,
                                               stages_.scale(), stages_.options(), lost ? &next_lost_.p : nullptr);
          !status.ok())
        return status;
    stages_.remember(stages_.displacement(s - 1), true);
    find_last_kick(p1_, h);
    x.q = q1_;
    x.p = p1_;
    if (lost) std::swap(memory_.lost, next_lost_);
    ++stages_.counters().steps;
    return {};
  }

  // Λ_s of (3.3d): of order s − 1 only
  const Vec<S, M>& stage_multipliers(const Sys&) {
    if (stages_.gram().m() == 0) return lambda_;
    stages_.gram().multiply(stages_.G_at_start(), last_kick_, lambda_);
    stages_.gram().solve(lambda_);
    return lambda_;
  }
  std::string track_action(const Sys&) {
    tracks_action_ = true;
    return {};
  }
  S action() const { return action_.value(); }
  Counters& counters() { return stages_.counters(); }
  NewtonOptions& options() { return stages_.options(); }
  template <class F>
  void visit_memory(F&& f) {
    stages_.visit_memory(f);
    f("unprojected_p", memory_.unprojected);
    if (compensated_) memory_.lost.visit_memory(f);
  }
  Status resume(const Sys& sys, const State<S, N, M>& x, const S& h) {
    find_last_kick(x.p, h);
    return stages_.resume(sys, x.q, memory_.unprojected);
  }

 private:
  struct Memory {
    Vec<S, N> unprojected;  // the momentum before the last projection, where G H_pp Gᵀ was factored
    Rounding<S, N> lost;
  };

  // h Σ b_i (P_i·H_p − H)(Q_i, P_i): Λ does not enter, since g(Q_i) = 0.
  void find_action(const Sys& sys, const Vec<S, N>& p0, const S& h, const Rounding<S, N>* lost) {
    stages_.momenta(p0, h, lost);
    action_.clear();
    for (int i = 0; i < stages_.stages(); ++i)
      action_.add(h * b_(0, i) * lagrangian(sys, stages_.Q(i), stages_.P(i), d_));
  }

  // GᵀΛ_s is what the projection took from p.
  void find_last_kick(const Vec<S, N>& p1, const S& h) {
    const S weight = h * b_(0, stages_.stages() - 1);
    for (int k = 0; k < p1.size(); ++k) last_kick_[k] = (memory_.unprojected[k] - p1[k]) / weight;
  }

  FineCoefficients<S> b_;
  StageSolver<Sys> stages_;
  Vec<S, N> q1_, p1_, last_kick_, d_;  // last_kick_: GᵀΛ_s
  Vec<S, M> r_, lambda_;
  Memory memory_;
  Rounding<S, N> next_lost_;
  bool compensated_ = false, tracks_action_ = false;
  ActionSum<S> action_;
};

}  // namespace holonom
