// The stages of an implicit Runge-Kutta method on the constrained system of index 2, as Gear, Gupta and Leimkuhler
// (1985) write it: both constraints, and a multiplier for each, of which the new one vanishes on solutions.
//   Q_i = q₀ + h Σ_j a_ij (H_p + H_pp GᵀM_j),   g(Q_i) = 0,
//   P_i = p₀ − h Σ_j a_ij (H_q + GᵀΛ_j),        G H_p(Q_i, P_i) = 0
// In each iteration momenta are renewed from the last forces and put onto the hidden constraint, then displacements
// from these momenta, and positions onto the other one:
//   h Σ_j a_ij K δΛ_j = G H_p(Q_i, P_i),   h Σ_j a_ij K δM_j = −(g(Q_i) + G δD_i),   K = G H_pp Gᵀ   (stage_gram.hpp)
// Contraction O(h); slow ones are accelerated, and where even that is not enough the full Newton matrix takes over.
#pragma once

#include "holonom/solve/stage_iteration.hpp"
#include "holonom/solve/stage_newton.hpp"

namespace holonom {

template <class Sys>
class IndexTwoStages : public StageIteration<Sys> {
  using S = ScalarOf<Sys>;
  using R = Real<S>;
  static constexpr int N = Sys::N, M = Sys::M;
  using Values = StageValues<Sys>;
  using Values::s_, Values::D_, Values::Q_, Values::P_, Values::F_, Values::K_, Values::v_, Values::G_, Values::lambda_,
      Values::r_, Values::y_, Values::counters_, Values::at;
  using Base = StageIteration<Sys>;
  using Base::t_, Base::gram_, Base::scale_, Base::G0_, Base::dlambda_, Base::D_new_, Base::P_new_, Base::w_,
      Base::fine_sum_, Base::acceleration_, Base::last_displacement_, Base::last_change_, Base::guess_, Base::options_;

 public:
  static constexpr bool keeps_hidden = true;  // stages are on the hidden constraint

  // A and Â of the coefficients are the same, and all stages are unknown.
  IndexTwoStages(const Sys& sys, const StageCoefficients<S>& coefficients)
      : Base(sys, coefficients, coefficients.A),
        newton_(sys, s_, 0, s_, true),
        mu_(lambda_),
        hidden_(lambda_),
        impulse_(size_g(sys)) {}

  Status begin(const Sys& sys, const QVec<Sys>& q, const QVec<Sys>& p) {
    acceleration_ = Acceleration<S>(2 * s_ * q.size(), 2 * s_ * size_g(sys));
    if (const Status s = this->start(sys, q, p, false); !s.ok()) return s;
    newton_.prepare(sys, q, p, lambda_[0], this->gram().rank());
    return {};
  }

  // The stages from (q₀, p₀), and their kicks; `lost`: what rounding has taken from these so far
  Status solve(const Sys& sys, const QVec<Sys>& q0, const QVec<Sys>& p0, const S& h, const Rounding<S, N>* lost) {
    return this->attempts(newton_.exists(), [&](bool from_memory, bool full) {
      this->guess(sys, q0, p0, h, from_memory);
      for (Vec<S, M>& mu : mu_) fill(mu, S(0));
      const Status status = full ? newton(sys, q0, p0, h, lost) : iterate(sys, q0, p0, h, lost);
      if (!status.ok()) return status;
      finish(sys, h);
      if (const Status s = this->holds(sys, q0, lost); !s.ok()) return s;
      return this->joins(sys, q0, p0, h, lost) ? Status{} : Status{Failure::wrong_root};
    });
  }

  // The end of the step is on both constraints.
  Status depart_from(const Sys& sys, const QVec<Sys>& q1, const QVec<Sys>& p1) {
    if (const Status s = Base::depart_from(sys, q1, p1); !s.ok()) return s;
    if (options_.stage_iterations > 0) return {};
    energy_p(sys, q1, p1, w_);
    measure_motion(sys, G0_, q1, p1, w_, this->redundant(), y_, scale_);
    scale_.add_impulse(G0_, impulse_);
    multiply(G0_, w_, y_);
    const R size = scale_.hidden_residual(y_);
    R enough = std::is_same_v<S, R> ? R(R(rounding_errors) * epsilon<S>()) : tangent_rounding_errors<S>();
    keep_largest(enough, R(options_.tolerance));
    if (size <= enough) return {};
    return {size == size ? Failure::no_convergence : Failure::not_finite, scale_.worst_hidden(y_), to_double(size)};
  }

  // For the next step, that starts `travel` away.
  void remember(const QVec<Sys>& travel, bool) { guess_.remember(travel, D_, P_, lambda_); }

 private:
  Status iterate(const Sys& sys, const QVec<Sys>& q0, const QVec<Sys>& p0, const S& h, const Rounding<S, N>* lost) {
    const R size = this->size_of_motion(q0);
    Stagnation<R> stagnation(epsilon<S>(), options_, 0.5);
    acceleration_.begin();
    for (bool refresh = true, slow = false;;) {
      this->evaluate(sys, 0, q0, lost);
      for (int j = 0; j < s_; ++j) this->kick_of(j);
      const R impulse = this->size_of_momenta(p0, h);
      for (int i = 0; i < s_; ++i) this->renew_momentum(i, p0, h, lost, P_new_[at(i)]);
      if (refresh && !gram_.factor(sys, *this, options_.matrix, counters_)) return this->no_factors();
      correct_momenta(sys, h);
      move(sys, h);
      correct_positions(sys, h);
      R dq(0), dp(0);
      for (int i = 0; i < s_; ++i) {
        keep_largest(dq, largest_difference(D_new_[at(i)], D_[at(i)]));
        keep_largest(dp, largest_difference(P_new_[at(i)], P_[at(i)]));
      }
      if (slow) this->accelerate(size, impulse, lambda_, mu_);
      std::swap(D_, D_new_);
      std::swap(P_, P_new_);
      this->arrive(q0, lost);
      const auto verdict = this->judge(stagnation, dq, dp, size, impulse);
      if (verdict == Stagnation<R>::Verdict::done) break;
      if (verdict == Stagnation<R>::Verdict::failed) return this->failure(stagnation);
      const bool far = last_displacement_ > R(1e4) * epsilon<S>();
      refresh = stagnation.iterations() > 1 && stagnation.rate() > R(0.3) && far;
      slow = slow || (refresh && options_.stage_iterations == 0);
    }
    counters_.newton(stagnation.iterations());
    return {};
  }

  // The full Newton method from the first guess
  Status newton(const Sys& sys, const QVec<Sys>& q0, const QVec<Sys>& p0, const S& h, const Rounding<S, N>* lost) {
    const R size = this->size_of_motion(q0);
    const int rank = this->gram().rank();
    Stagnation<R> stagnation(epsilon<S>(), options_, 2);
    for (bool refresh = true;;) {
      this->evaluate(sys, 0, q0, lost);
      for (int j = 0; j < s_; ++j) {
        this->kick_of(j);
        P_new_[at(j)] = P_[at(j)];
      }
      const R impulse = this->size_of_momenta(p0, h);
      find_hidden(sys);
      move(sys, h);
      for (int i = 0; i < s_; ++i) {
        this->renew_momentum(i, p0, h, lost, P_new_[at(i)]);
        for (int k = 0; k < w_.size(); ++k) {
          newton_.position(i, k) = D_[at(i)][k] - D_new_[at(i)][k];
          newton_.momentum(i, k) = P_[at(i)][k] - P_new_[at(i)][k];
        }
        for (int k = 0; k < rank; ++k) {
          newton_.multiplier(i, k) = r_[at(i)][this->independent(k)];
          newton_.hidden(i, k) = hidden_[at(i)][this->independent(k)];
        }
      }
      if (refresh) {
        ++counters_.factorisation;
        counters_.hessian += static_cast<std::uint64_t>(s_ * q0.size());
        if (!newton_.factor(sys, t_.A, t_.A, h, *this)) return this->no_factors();
      }
      newton_.solve();
      R dq(0), dp(0);
      for (int i = 0; i < s_; ++i) {
        for (int k = 0; k < w_.size(); ++k) {
          keep_largest(dq, magnitude(newton_.position(i, k)));
          keep_largest(dp, magnitude(newton_.momentum(i, k)));
          D_[at(i)][k] -= newton_.position(i, k);
          P_[at(i)][k] -= newton_.momentum(i, k);
        }
        for (int k = 0; k < rank; ++k) {
          lambda_[at(i)][this->independent(k)] -= newton_.multiplier(i, k);
          mu_[at(i)][this->independent(k)] -= newton_.hidden(i, k);
        }
      }
      this->arrive(q0, lost);
      const auto verdict = this->judge(stagnation, dq, dp, size, impulse);
      if (verdict == Stagnation<R>::Verdict::done) break;
      if (verdict == Stagnation<R>::Verdict::failed) return this->failure(stagnation);
      refresh = stagnation.iterations() > 1 && stagnation.rate() > R(0.1) && last_change_ > R(1e4) * epsilon<S>();
    }
    counters_.newton(stagnation.iterations());
    return {};
  }

  // G H_p of the new momenta
  void find_hidden(const Sys& sys) {
    for (int i = 0; i < s_; ++i) {
      energy_p(sys, Q_[at(i)], P_new_[at(i)], v_[at(i)]);
      multiply(G_[at(i)], v_[at(i)], hidden_[at(i)]);
    }
  }
  // Λ_j += δΛ_j, P_i −= h Σ_j a_ij G_jᵀδΛ_j
  void correct_momenta(const Sys& sys, const S& h) {
    find_hidden(sys);
    gram_.solve(sys, *this, options_.matrix, h, hidden_, dlambda_);
    for (int j = 0; j < s_; ++j) {
      for (S& x : dlambda_[at(j)]) x *= h;
      axpy(S(1), dlambda_[at(j)], lambda_[at(j)]);
      fill(v_[at(j)], S(0));
      subtract_force(G_[at(j)], dlambda_[at(j)], v_[at(j)]);
    }
    for (int i = 0; i < s_; ++i) {
      t_.A.combine(i, v_, w_, fine_sum_);
      axpy(h, w_, P_new_[at(i)]);
    }
  }
  // D_i = h Σ_j a_ij (H_p + H_pp GᵀM_j)
  void move(const Sys& sys, const S& h) {
    for (int j = 0; j < s_; ++j) {
      energy_p(sys, Q_[at(j)], P_new_[at(j)], v_[at(j)]);
      add_displacement(sys, j, S(-1), mu_[at(j)]);
    }
    for (int i = 0; i < s_; ++i) {
      t_.A.combine(i, v_, D_new_[at(i)], fine_sum_);
      for (S& d : D_new_[at(i)]) d *= h;
    }
  }
  // M_j −= δM_j, D_i −= h Σ_j a_ij H_pp G_jᵀδM_j
  void correct_positions(const Sys& sys, const S& h) {
    for (int i = 0; i < s_; ++i) {
      for (int k = 0; k < w_.size(); ++k) w_[k] = D_new_[at(i)][k] - D_[at(i)][k];
      multiply(G_[at(i)], w_, y_);
      axpy(S(1), y_, r_[at(i)]);
    }
    gram_.solve(sys, *this, options_.matrix, h, r_, dlambda_);
    for (int j = 0; j < s_; ++j) {
      for (S& x : dlambda_[at(j)]) x *= h;
      axpy(S(-1), dlambda_[at(j)], mu_[at(j)]);
      fill(v_[at(j)], S(0));
      add_displacement(sys, j, S(1), dlambda_[at(j)]);
    }
    for (int i = 0; i < s_; ++i) {
      t_.A.combine(i, v_, w_, fine_sum_);
      axpy(h, w_, D_new_[at(i)]);
    }
  }
  // v_j −= c H_pp G_jᵀx
  void add_displacement(const Sys& sys, int j, const S& c, const MVec<Sys>& x) {
    fill(w_, S(0));
    subtract_force(G_[at(j)], x, w_);
    energy_pp(sys, Q_[at(j)], P_new_[at(j)], w_, fine_sum_);
    axpy(c, fine_sum_, v_[at(j)]);
  }
  // Kicks of the stages found, and the impulse of their last multipliers
  void finish(const Sys& sys, const S& h) {
    for (int j = 0; j < s_; ++j) {
      if (last_change_ > R(2) * epsilon<S>()) {
        energy_q(sys, Q_[at(j)], P_[at(j)], F_[at(j)]);
        sys.G(Q_[at(j)], G_[at(j)]);
        ++counters_.force;
        ++counters_.jacobian;
      }
      this->kick_of(j);
    }
    impulse_ = lambda_[at(s_ - 1)];
    for (S& x : impulse_) x *= h;
  }

  StageNewton<Sys> newton_;
  std::vector<Vec<S, M>> mu_, hidden_;  // M_j; G H_p
  Vec<S, M> impulse_;
};

}  // namespace holonom
