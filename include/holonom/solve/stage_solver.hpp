// The stages of a (partitioned) Runge-Kutta method on a constrained system, equations (3.11) of Jay (1996):
//   Q_i = q₀ + h Σ_j a_ij H_p(Q_j, P_j),   P_i = p₀ − h Σ_j â_ij (H_q(Q_j, P_j) + G(Q_j)ᵀΛ_j),   g(Q_i) = 0
// Simplified Newton iterations. In each one the momenta are renewed from the last forces, the displacements D_i from
// these momenta, and multipliers from the linearised constraints:
//   h² Σ_j B_ij δΛ_j = g(Q_i) + G(Q_i) δD_i,   B_ij = (A₀Â₀)_ij G(Q_i) H_pp G(Q_j)ᵀ   (stage_gram.hpp)
// Jay's approximate Jacobian (3.15) takes B = A₀Â₀ ⊗ G H_pp Gᵀ(q₀, p₀): one factorisation a step and ν independent
// solves an iteration (ν: stages with multipliers). Slow contractions are accelerated (acceleration.hpp); where the
// forces change too much even for that, the full Newton matrix takes over (stage_newton.hpp), if the system is small.
#pragma once

#include "holonom/solve/stage_iteration.hpp"
#include "holonom/solve/stage_newton.hpp"

namespace holonom {

template <class Sys>
class StageSolver : public StageIteration<Sys> {
  using S = ScalarOf<Sys>;
  using R = Real<S>;
  static constexpr int N = Sys::N;
  using Values = StageValues<Sys>;
  using Values::s_, Values::first_, Values::multipliers_, Values::D_, Values::Q_, Values::P_, Values::F_, Values::K_,
      Values::v_, Values::G_, Values::lambda_, Values::r_, Values::y_, Values::crew_, Values::counters_, Values::at,
      Values::kick_of, Values::arrive;
  using Base = StageIteration<Sys>;
  using Base::guess, Base::joins, Base::holds, Base::noise, Base::judge, Base::failure, Base::no_factors,
      Base::size_of_motion, Base::size_of_momenta, Base::renew_momentum;
  using Base::t_, Base::gram_, Base::G0_, Base::dlambda_, Base::D_new_, Base::P_new_, Base::w_, Base::fine_sum_,
      Base::start_velocity_, Base::acceleration_, Base::last_displacement_, Base::last_change_, Base::guess_,
      Base::separable_, Base::options_;
  // A poorer contraction is accelerated. Where forces depend on momenta that gains less (eigenvalues in a circle).
  static constexpr double slow_rate = 0.03, slow_rate_general = 0.3;

 public:
  static constexpr bool keeps_hidden = false;  // stages are on the hidden constraint

  StageSolver(const Sys& sys, const StageCoefficients<S>& coefficients)
      : Base(sys, coefficients, coefficients.A * coefficients.A_hat),
        path_(t_.A * t_.A_hat),
        row_sum_(t_.A.row_sums()),
        newton_(sys, s_, first_, multipliers_) {}

  using Base::gram, Base::independent, Base::momenta;

  Status begin(const Sys& sys, const QVec<Sys>& q, const QVec<Sys>& p) {
    force_known_ = false;
    if (const Status s = this->start(sys, q, p, is_separable(sys)); !s.ok()) return s;
    newton_.prepare(sys, q, p, lambda_[0], gram().rank());
    acceleration_ = Acceleration<S>(((s_ - first_) + (separable_ ? 0 : s_)) * q.size(), multipliers_ * gram_.m());
    return {};
  }

  // The stages from (q₀, p₀), and their kicks; `lost`: what rounding has taken from these so far
  Status solve(const Sys& sys, const QVec<Sys>& q0, const QVec<Sys>& p0, const S& h, const Rounding<S, N>* lost) {
    const bool may_switch = this->may_switch(newton_.exists());
    const auto attempt = [&](bool from_memory, bool full) {
      guess(sys, q0, p0, h, from_memory);
      const Status status =
          full ? newton(sys, q0, p0, h, lost) : iterate(sys, q0, p0, h, lost, may_switch && newton_.is_cheap());
      if (!status.ok()) return status;
      finish(sys);
      Status s = holds(sys, q0, lost);
      // Slow contractions stand still above the residuals that Newton's method leaves.
      if (!full && may_switch && s.residual > noise()) {
        momenta(p0, h, lost);
        if (s = newton(sys, q0, p0, h, lost); !s.ok()) return s;
        finish(sys);
        s = holds(sys, q0, lost);
      }
      if (!s.ok()) return s;
      return joins(sys, q0, p0, h, lost) ? status : Status{Failure::wrong_root};
    };
    return this->attempts(newton_.exists(), attempt);
  }

  // For the next step, that starts `travel` away.
  void remember(const QVec<Sys>& travel, bool last_stage_is_next) {
    guess_.remember(travel, D_, P_, lambda_);
    force_known_ = separable_ && first_ && last_stage_is_next;
    if (force_known_) std::swap(F_[0], F_[at(s_ - 1)]);
  }

  template <class F>
  void visit_memory(F&& f) {
    Base::visit_memory(f);
    f("start_force_known", force_known_);
    if (force_known_) f("start_force", F_[0]);
  }

 private:
  static bool is_separable(const Sys& sys) {
    if constexpr (Separable<Sys>)
      return true;
    else if constexpr (requires { sys.is_separable(); })
      return sys.is_separable();
    else
      return false;
  }
  // Kicks of the stages found. Forces are those before the last correction, unless it was more than a
  // rounding error.
  void finish(const Sys& sys) {
    if ((separable_ ? last_displacement_ : last_change_) > R(2) * epsilon<S>()) {
      const int from = separable_ ? first_ : 0;
      crew_.each(sys, from, s_, [&](const Sys& its, int j) {
        energy_q(its, Q_[at(j)], P_[at(j)], F_[at(j)]);
        if (gram_.m() > 0 && j >= first_ && j < multipliers_) its.G(Q_[at(j)], G_[at(j)]);
      });
      counters_.force += static_cast<std::uint64_t>(s_ - from);
      if (gram_.m() > 0) counters_.jacobian += static_cast<std::uint64_t>(multipliers_ - first_);
    }
    for (int j = 0; j < s_; ++j) kick_of(j);
  }

  // Simplified iterations. `may_leave`: a poor contraction is not worth waiting for.
  Status iterate(const Sys& sys, const QVec<Sys>& q0, const QVec<Sys>& p0, const S& h, const Rounding<S, N>* lost,
                 bool may_leave) {
    const R size = size_of_motion(q0);
    // Momenta are looked at only where forces depend on them: they have larger rounding errors, residuals of g over h.
    Stagnation<R> stagnation(epsilon<S>(), options_, separable_ ? 2 : 0.5);
    evaluate(sys, 0, q0, lost);
    if (separable_) start_velocity(sys, q0, p0, lost);
    acceleration_.begin();
    for (bool refresh = true, slow = false;;) {
      for (int j = 0; j < s_; ++j) kick_of(j);
      const R impulse = separable_ ? R(1) : size_of_momenta(p0, h);
      if (separable_)
        move_along_path(sys, h);
      else
        move(sys, p0, h, lost);
      if (gram_.m() > 0) {
        if (refresh && !gram_.factor(sys, *this, options_.matrix, counters_)) return no_factors();
        correct(sys, h);
      }
      R dq(0), dp(0);
      for (int i = first_; i < s_; ++i) keep_largest(dq, largest_difference(D_new_[at(i)], D_[at(i)]));
      for (int i = 0; i < s_ && !separable_; ++i) keep_largest(dp, largest_difference(P_new_[at(i)], P_[at(i)]));
      if (slow) this->accelerate(size, impulse, lambda_);
      std::swap(D_, D_new_);
      if (!separable_) std::swap(P_, P_new_);
      arrive(q0, lost);
      const auto verdict = judge(stagnation, dq, dp, size, impulse);
      if (verdict == Stagnation<R>::Verdict::done) break;
      const bool far = last_displacement_ > R(1e4) * epsilon<S>();
      const bool contracts_slowly =
          stagnation.iterations() > 1 && stagnation.rate() > R(separable_ ? slow_rate : slow_rate_general);
      slow = slow || (contracts_slowly && far && options_.stage_iterations == 0);
      const bool poor = stagnation.iterations() > 5 && stagnation.rate() > R(0.5) && far;
      if (verdict == Stagnation<R>::Verdict::failed || (poor && may_leave)) return failure(stagnation);
      refresh = stagnation.iterations() > 1 && stagnation.rate() > R(0.3) && far;
      evaluate(sys, separable_ ? first_ : 0, q0, lost);
    }
    counters_.newton(stagnation.iterations());
    return {};
  }

  // D_new from the kicks: P_i = p₀ − h Σ_j â_ij K_j, D_i = h Σ_j a_ij H_p(Q_j, P_j)
  void move(const Sys& sys, const QVec<Sys>& p0, const S& h, const Rounding<S, N>* lost) {
    for (int i = 0; i < s_; ++i) {
      renew_momentum(i, p0, h, lost, P_new_[at(i)]);
      energy_p(sys, Q_[at(i)], P_new_[at(i)], v_[at(i)]);
    }
    for (int i = first_; i < s_; ++i) {
      t_.A.combine(i, v_, D_new_[at(i)], fine_sum_);
      for (S& d : D_new_[at(i)]) d *= h;
    }
  }
  // The same without P: D_i = h (c_i M⁻¹p₀ − h Σ_j (AÂ)_ij M⁻¹K_j). (A rounded h c_i or h² would err by the same
  // amount in every step; h itself may be what it is.)
  void move_along_path(const Sys& sys, const S& h) {
    for (int j = 0; j < multipliers_; ++j) energy_pp(sys, Q_[at(j)], P_[at(j)], K_[at(j)], v_[at(j)]);
    for (int i = first_; i < s_; ++i) {
      path_.combine(i, v_, w_, fine_sum_);
      Vec<S, N>& D = D_new_[at(i)];
      const S &c = row_sum_.coarse(i, 0), &rest = row_sum_.fine(i, 0);
      for (int k = 0; k < D.size(); ++k)
        D[k] = h * S(c * start_velocity_[k] + S(rest * start_velocity_[k] - S(h * w_[k])));
    }
  }
  void start_velocity(const Sys& sys, const QVec<Sys>& q0, const QVec<Sys>& p0, const Rounding<S, N>* lost) {
    if (lost) {
      for (int k = 0; k < w_.size(); ++k) w_[k] = p0[k] + lost->p[k];
      energy_p(sys, q0, w_, start_velocity_);
    } else {
      energy_p(sys, q0, p0, start_velocity_);
    }
  }

  // The full Newton method from the first guess
  Status newton(const Sys& sys, const QVec<Sys>& q0, const QVec<Sys>& p0, const S& h, const Rounding<S, N>* lost) {
    const R size = size_of_motion(q0);
    Stagnation<R> stagnation(epsilon<S>(), options_, 2);
    for (bool refresh = true;;) {
      evaluate(sys, 0, q0, lost);
      this->find_velocities(sys);
      for (int j = 0; j < s_; ++j) kick_of(j);
      const R impulse = size_of_momenta(p0, h);
      for (int i = 0; i < s_; ++i) {
        t_.A_hat.combine(i, K_, w_, fine_sum_);
        for (int k = 0; k < w_.size(); ++k)
          newton_.momentum(i, k) = (P_[at(i)][k] - p0[k]) + (lost ? S(h * w_[k] - lost->p[k]) : S(h * w_[k]));
        if (i < first_) continue;
        t_.A.combine(i, v_, w_, fine_sum_);
        for (int k = 0; k < w_.size(); ++k) newton_.position(i, k) = D_[at(i)][k] - h * w_[k];
      }
      for (int i = 0; i < multipliers_; ++i)
        for (int k = 0; k < gram().rank(); ++k) newton_.multiplier(i, k) = r_[at(i)][independent(k)];
      if (refresh) {
        ++counters_.factorisation;
        counters_.hessian += static_cast<std::uint64_t>((s_ - first_) * q0.size());
        if (!newton_.factor(sys, t_.A, t_.A_hat, h, *this)) return no_factors();
      }
      newton_.solve();
      R dq(0), dp(0);
      for (int i = 0; i < s_; ++i)
        for (int k = 0; k < w_.size(); ++k) {
          keep_largest(dp, magnitude(newton_.momentum(i, k)));
          P_[at(i)][k] -= newton_.momentum(i, k);
          if (i < first_) continue;
          keep_largest(dq, magnitude(newton_.position(i, k)));
          D_[at(i)][k] -= newton_.position(i, k);
        }
      for (int j = 0; j < multipliers_; ++j)
        for (int k = 0; k < gram().rank(); ++k) lambda_[at(j)][independent(k)] -= newton_.multiplier(j, k);
      arrive(q0, lost);
      const auto verdict = judge(stagnation, dq, dp, size, impulse);
      if (verdict == Stagnation<R>::Verdict::done) break;
      if (verdict == Stagnation<R>::Verdict::failed) return failure(stagnation);
      refresh = stagnation.iterations() > 1 && stagnation.rate() > R(0.1) && last_change_ > R(1e4) * epsilon<S>();
    }
    counters_.newton(stagnation.iterations());
    return {};
  }

  // H_q from stage `from` on, but for one that is known from the step before; g and G
  void evaluate(const Sys& sys, int from, const QVec<Sys>& q0, const Rounding<S, N>* lost) {
    if (first_) G_[0] = G0_;
    Values::evaluate(sys, from == 0 && force_known_ ? 1 : from, q0, lost);
  }

  // δΛ, and what it does to momenta and positions: g(Q) + G(Q) (D_new − D) must vanish
  void correct(const Sys& sys, const S& h) {
    for (int i = 0; i < multipliers_; ++i) {
      const int stage = i + first_;
      for (int k = 0; k < w_.size(); ++k) w_[k] = D_new_[at(stage)][k] - D_[at(stage)][k];
      multiply(G_[at(stage)], w_, y_);
      axpy(S(1), y_, r_[at(i)]);
    }
    gram_.solve(sys, *this, options_.matrix, h, r_, dlambda_);
    for (int j = 0; j < multipliers_; ++j) {
      axpy(S(1), dlambda_[at(j)], lambda_[at(j)]);
      fill(K_[at(j)], S(0));
      subtract_force(G_[at(j)], dlambda_[at(j)], K_[at(j)]);  // −G_jᵀδΛ_j
    }
    if (separable_) {
      for (int j = 0; j < multipliers_; ++j) energy_pp(sys, Q_[at(j)], P_[at(j)], K_[at(j)], v_[at(j)]);
    } else {
      if (first_) fill(K_[at(s_ - 1)], S(0));
      for (int i = 0; i < s_; ++i) {
        t_.A_hat.combine(i, K_, w_);
        axpy(h, w_, P_new_[at(i)]);
        energy_pp(sys, Q_[at(i)], P_new_[at(i)], w_, v_[at(i)]);
      }
    }
    for (int i = first_; i < s_; ++i) {
      (separable_ ? path_ : t_.A).combine(i, v_, w_);
      axpy(S(h * h), w_, D_new_[at(i)]);
    }
  }

  FineCoefficients<S> path_, row_sum_;  // AÂ; Σ_j a_ij, which is c_i
  StageNewton<Sys> newton_;
  bool force_known_ = false;  // F_[0] is that of the next step
};

}  // namespace holonom
