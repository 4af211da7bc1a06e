// The stages of a step: Q_i = q₀ + D_i, P_i and Λ_j, and what is evaluated there.
#pragma once

#include "holonom/solve/convergence.hpp"
#include "holonom/solve/rounding.hpp"
#include "holonom/solve/stage_crew.hpp"

namespace holonom {

template <class Sys>
class StageValues {
  using S = ScalarOf<Sys>;
  static constexpr int N = Sys::N, M = Sys::M;

 public:
  // first: the first stage whose position is unknown; the others have constraints, and as many have multipliers.
  StageValues(const Sys& sys, int stages, int first)
      : s_(stages),
        first_(first),
        multipliers_(stages - first),
        lambda_(at(multipliers_), Vec<S, M>(size_g(sys))),
        r_(lambda_),
        G_(at(s_), make_jacobian(sys)),
        y_(size_g(sys)) {
    for (auto* stages_of : {&D_, &Q_, &P_, &F_, &K_, &v_}) stages_of->assign(at(s_), Vec<S, N>(size_q(sys)));
  }

  int stages() const { return s_; }
  const Vec<S, N>& displacement(int i) const { return D_[at(i)]; }  // Q_i − q₀
  const Vec<S, N>& Q(int i) const { return Q_[at(i)]; }
  const Vec<S, N>& P(int i) const { return P_[at(i)]; }
  const Jacobian<S, N, M>& G(int i) const { return G_[at(i)]; }
  const std::vector<Vec<S, N>>& velocities() const { return v_; }  // H_p(Q_i, P_i), after `find_velocities`
  const Vec<S, M>& Lambda(int j) const { return lambda_[at(j)]; }
  // H_q(Q_j, P_j) + G(Q_j)ᵀΛ_j, without the last term where Λ_j is free
  const std::vector<Vec<S, N>>& kicks() const { return K_; }

  Counters& counters() { return counters_; }
  // Stages are evaluated on so many threads from the next `begin` on, if the system can be copied for them.
  void use_threads(int threads) { threads_ = threads; }
  int threads() const { return crew_.size(); }
  void find_velocities(const Sys& sys) {
    for (int j = 0; j < s_; ++j) energy_p(sys, Q_[at(j)], P_[at(j)], v_[at(j)]);
  }

 protected:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  // H_q, g and G at the stages; H_q from stage `from` on
  void evaluate(const Sys& sys, int from, const QVec<Sys>& q0, const Rounding<S, N>* lost) {
    const bool constrained = y_.size() > 0;
    crew_.each(sys, std::min(from, first_), s_, [&](const Sys& its, int i) {
      if (i >= from) energy_q(its, Q_[at(i)], P_[at(i)], F_[at(i)]);
      if (constrained && i >= first_) residual(its, i, q0, lost);
    });
    counters_.force += static_cast<std::uint64_t>(s_ - from);
    if (!constrained) return;
    counters_.constraint += static_cast<std::uint64_t>(s_ - first_);
    counters_.jacobian += static_cast<std::uint64_t>(s_ - first_);
  }
  void residual(const Sys& sys, int i, const QVec<Sys>& q0, const Rounding<S, N>* lost) {
    Vec<S, M>& r = r_[at(i - first_)];
    Jacobian<S, N, M>& G = G_[at(i)];
    const Vec<S, N>&Q = Q_[at(i)], &D = D_[at(i)];
    constraint_and_jacobian(sys, Q, r, G);
    if (!lost) return;
    for (int k = 0; k < r.size(); ++k)  // g at the position that is meant, of which Q is the larger part
      G.row(k, [&](int j, const S& a) { r[k] += a * lost_in_sum(q0[j], S(D[j] + lost->q[j]), Q[j]); });
  }
  void kick_of(int j) {
    K_[at(j)] = F_[at(j)];
    if (j >= multipliers_) return;
    for (int k = 0; k < y_.size(); ++k) y_[k] = -lambda_[at(j)][k];
    subtract_force(G_[at(j)], y_, K_[at(j)]);
  }
  void arrive(const QVec<Sys>& q0, const Rounding<S, N>* lost) {
    for (int i = first_; i < s_; ++i) {
      Vec<S, N>&Q = Q_[at(i)], &D = D_[at(i)];
      for (int k = 0; k < Q.size(); ++k) Q[k] = q0[k] + (lost ? S(D[k] + lost->q[k]) : D[k]);
    }
  }

  int s_, first_, multipliers_;
  std::vector<Vec<S, M>> lambda_, r_;  // r_: g(Q_i)
  std::vector<Jacobian<S, N, M>> G_;
  std::vector<Vec<S, N>> D_, Q_, P_, F_, K_, v_;  // F_: H_q;  K_: kicks;  v_: velocities, or scratch
  Vec<S, M> y_;                                   // scratch
  int threads_ = 1;                               // that are asked for
  StageCrew<Sys> crew_;
  Counters counters_;
};

}  // namespace holonom
