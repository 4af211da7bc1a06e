// Reich's (34): the stages of a symplectic Runge-Kutta method on a formulation H̃(q, p) without constraints, and the
// impulse at the start of the step by which it ends on g = 0, solved for together:
//   Q_i = q₀ + h Σ_j a_ij H̃_p(Q_j, P_j),   P_i = p₀ − G(q₀)ᵀΛ − h Σ_j â_ij H̃_q(Q_j, P_j),
//   g(q₁) = 0,   q₁ = q₀ + h Σ_j b_j H̃_p(Q_j, P_j)
// Simplified Newton iterations with the approximate Jacobian that follows (34): of the Hessian of H̃ at the start it has
// H̃_pp alone, which is that of the formulation (start_impulse.hpp). One gradient a stage and iteration; contraction
// O(h), accelerated where it is slow. Where even that is not enough the full Newton matrix takes over: that of the
// stages without an impulse (stage_newton.hpp), with all second derivatives of H̃, bordered by Λ and g(q₁). The last
// resort is to solve for the stages of one Λ after the other.
#pragma once

#include "holonom/solve/stage_iteration.hpp"
#include "holonom/solve/stage_newton.hpp"
#include "holonom/solve/start_impulse.hpp"

namespace holonom {

template <class Sys>
class ImpulsiveStages : public StageIteration<Sys> {
  using S = ScalarOf<Sys>;
  using R = Real<S>;
  static constexpr int N = Sys::N, M = Sys::M;
  using Values = StageValues<Sys>;
  using Values::s_, Values::first_, Values::D_, Values::Q_, Values::P_, Values::F_, Values::K_, Values::v_,
      Values::counters_, Values::at, Values::arrive;
  using Base = StageIteration<Sys>;
  using Base::t_, Base::D_new_, Base::P_new_, Base::w_, Base::fine_sum_, Base::start_velocity_, Base::acceleration_,
      Base::last_displacement_, Base::last_change_, Base::guess_, Base::options_;
  static constexpr double slow_rate = 0.3;  // a poorer contraction is accelerated,
  static constexpr int most_pauses = 4;     // and all begin anew where they pause, so many times

 public:
  // formulated: H̃;  sys: the system with its constraints;  reversed: G H̃_pp Gᵀ = −G H_pp Gᵀ
  ImpulsiveStages(const Sys& formulated, const Sys& sys, const StageCoefficients<S>& coefficients,
                  const FineCoefficients<S>& b, bool reversed)
      : Base(formulated, coefficients, coefficients.A),
        b_(b),
        row_sum_(t_.A.row_sums()),
        impulse_(sys, reversed),
        newton_(formulated, s_, first_, 0),
        start_(size_q(sys)),
        d_(size_q(sys)),
        push_(size_q(sys)),
        q1_(size_q(sys)),
        p1_(size_q(sys)),
        r_end_(size_g(sys)),
        end_(size_g(sys)) {
    find_weights();
  }

  StartImpulse<Sys>& impulse() { return impulse_; }
  // The end of the step, before the projection of the momentum
  const QVec<Sys>& q1() const { return q1_; }
  QVec<Sys>& p1() { return p1_; }

  Status begin(const Sys& formulated, const Sys& sys, const QVec<Sys>& q, const QVec<Sys>& p) {
    if (const Status s = impulse_.begin(sys, q, p, counters_); !s.ok()) return s;
    if (const Status s = this->start(formulated, q, p, false); !s.ok()) return s;
    newton_.prepare(formulated, q, p, Values::lambda_[0], 0);
    acceleration_ = Acceleration<S>((2 * s_ - first_) * q.size(), impulse_.m());
    if (newton_.exists()) {
      columns_.assign(at(impulse_.m()), Vec<S>(newton_.corrections().size()));
      end_columns_.assign(at(impulse_.m()), Vec<S, N>(q.size()));
      border_ = PivotedLu<S>(impulse_.m());
    }
    return {};
  }

  // The stages from (q₀, p₀), the impulse, and the end of the step
  Status solve(const Sys& formulated, const Sys& sys, const QVec<Sys>& q0, const QVec<Sys>& p0, const S& h) {
    const bool may_leave = this->may_switch(newton_.exists()) && newton_.is_cheap();
    return this->attempts(newton_.exists(), [&](bool from_memory, bool full) {
      this->guess(formulated, q0, p0, h, from_memory);
      impulse_.guess(from_memory);
      Status s = full ? newton(formulated, sys, q0, p0, h) : iterate(formulated, sys, q0, p0, h, may_leave);
      if (s.ok()) s = finish(formulated, sys, q0, p0, h);
      if (s.ok() || from_memory || full != newton_.exists()) return s;
      return one_by_one(formulated, sys, q0, p0, h);
    });
  }

  // For the next step
  void remember() {
    guess_.remember(d_, D_, P_, Values::lambda_);
    impulse_.remember();
  }

  template <class F>
  void visit_memory(F&& f) {
    Base::visit_memory(f);
    impulse_.visit_memory(f);
  }

 private:
  // w with q₁ = q₀ + Σ w_i (Q_i − q₀) where the stages are solutions: bᵀA⁻¹, or the last stage of a pair
  void find_weights() {
    Vec<S> weights(s_);
    if (t_.is_pair) {
      weights[s_ - 1] = S(1);
    } else {
      PivotedLu<S> lu(s_);
      for (int i = 0; i < s_; ++i) {
        weights[i] = b_(0, i);
        for (int j = 0; j < s_; ++j) lu.matrix()(i, j) = t_.A(i, j);
      }
      lu.factor();
      lu.solve_transposed(weights);
    }
    weights_.assign(weights.begin(), weights.end());
  }

  // H̃_q and H̃_p of all stages: one gradient each
  void find_rates(const Sys& formulated) {
    for (int j = 0; j < s_; ++j) {
      energy_q(formulated, Q_[at(j)], P_[at(j)], F_[at(j)]);
      energy_p(formulated, Q_[at(j)], P_[at(j)], v_[at(j)]);
      this->kick_of(j);
    }
    counters_.force += static_cast<std::uint64_t>(s_);
  }
  // p₀ − GᵀΛ
  void find_start(const QVec<Sys>& p0) {
    start_ = p0;
    impulse_.apply(start_);
  }
  // d = h Σ b_j v_j, q₁ = q₀ + d
  void find_end(const QVec<Sys>& q0, const S& h) {
    b_.combine(0, v_, d_, fine_sum_);
    for (int k = 0; k < d_.size(); ++k) {
      d_[k] *= h;
      q1_[k] = q0[k] + d_[k];
    }
  }

  Status iterate(const Sys& formulated, const Sys& sys, const QVec<Sys>& q0, const QVec<Sys>& p0, const S& h,
                 bool may_leave) {
    const R size = this->size_of_motion(q0);
    const auto from_here = [&] {
      acceleration_.begin();
      return Stagnation<R>(epsilon<S>(), options_, 0.5);
    };
    Stagnation<R> stagnation = from_here();
    int before = 0, pauses = 0;
    for (bool slow = false;;) {
      find_rates(formulated);
      const R momentum = this->size_of_momenta(p0, h);
      find_start(p0);
      for (int j = 0; j < s_; ++j) {
        this->renew_momentum(j, start_, h, nullptr, P_new_[at(j)]);
        for (int k = 0; k < w_.size(); ++k) w_[k] = P_new_[at(j)][k] - P_[at(j)][k];
        impulse_.respond(sys, q0, p0, w_);
        axpy(S(1), w_, v_[at(j)]);
      }
      for (int i = first_; i < s_; ++i) {
        t_.A.combine(i, v_, D_new_[at(i)], fine_sum_);
        for (S& x : D_new_[at(i)]) x *= h;
      }
      find_end(q0, h);
      if (with_impulse_) correct(sys, q0, h);
      R dq(0), dp(0);
      for (int i = 0; i < s_; ++i) {
        keep_largest(dp, largest_difference(P_new_[at(i)], P_[at(i)]));
        if (i >= first_) keep_largest(dq, largest_difference(D_new_[at(i)], D_[at(i)]));
      }
      if (slow) this->accelerate(size, momentum, impulse_.unknowns());
      std::swap(D_, D_new_);
      std::swap(P_, P_new_);
      arrive(q0, nullptr);
      const R displacement_before = last_displacement_;
      const auto verdict = this->judge(stagnation, dq, dp, size, momentum);
      if (verdict == Stagnation<R>::Verdict::done) {
        if (has_settled(displacement_before) || pauses == most_pauses) break;
        ++pauses;
        before += stagnation.iterations();
        stagnation = from_here();
        continue;
      }
      const bool far = last_displacement_ > R(1e4) * epsilon<S>();
      const bool slowly = stagnation.iterations() > 1 && stagnation.rate() > R(slow_rate);
      slow = slow || (slowly && far && options_.stage_iterations == 0);
      const bool poor = stagnation.iterations() > 5 && stagnation.rate() > R(0.5) && far;
      if (verdict == Stagnation<R>::Verdict::failed || (poor && may_leave)) return this->failure(stagnation);
    }
    counters_.newton(before + stagnation.iterations());
    return {};
  }
  // Iterations that turn while they contract, accelerated ones above all, pause far above round-off, and Stagnation
  // takes two pauses for the end. Where they are rounding errors, of g or of momenta, positions stand still, and not by
  // chance.
  bool has_settled(const R& displacement_before) const {
    const R round_off = std::max(epsilon<S>(), R(options_.tolerance));
    return last_change_ <= R(2) * round_off || std::max(displacement_before, last_displacement_) <= round_off ||
           options_.stage_iterations > 0;
  }

  // δΛ, and what it does to the stages and to the end
  void correct(const Sys& sys, const QVec<Sys>& q0, const S& h) {
    impulse_.look(sys, q0, d_, q1_, counters_);
    fill(push_, S(0));
    const MVec<Sys>& change = impulse_.correct(h, push_);
    for (int i = 0; i < s_; ++i) {
      subtract_force(impulse_.G(), change, P_new_[at(i)]);
      if (i >= first_) axpy(row_sum_(i, 0), push_, D_new_[at(i)]);
    }
    axpy(S(1), push_, d_);
  }

  // The full Newton method from the first guess. With x = (D, P), J x' + C Λ' = residual, where C is Gᵀ at all momenta,
  // and the linearised end: g(q₁) + G₁ Σ w_i (residual_i − D'_i) = 0.
  Status newton(const Sys& formulated, const Sys& sys, const QVec<Sys>& q0, const QVec<Sys>& p0, const S& h) {
    const R size = this->size_of_motion(q0);
    Stagnation<R> stagnation(epsilon<S>(), options_, 2);
    for (bool refresh = true;;) {
      find_rates(formulated);
      const R momentum = this->size_of_momenta(p0, h);
      if (refresh) {
        ++counters_.factorisation;
        counters_.hessian += static_cast<std::uint64_t>((s_ - first_) * q0.size());
        if (!newton_.factor(formulated, t_.A, t_.A_hat, h, *this)) return this->no_factors();
        if (with_impulse_) find_columns();
      }
      find_start(p0);
      for (int i = 0; i < s_; ++i) {
        t_.A_hat.combine(i, K_, w_, fine_sum_);
        for (int k = 0; k < w_.size(); ++k) newton_.momentum(i, k) = (P_[at(i)][k] - start_[k]) + h * w_[k];
        if (i < first_) continue;
        t_.A.combine(i, v_, w_, fine_sum_);
        for (int k = 0; k < w_.size(); ++k) newton_.position(i, k) = D_[at(i)][k] - h * w_[k];
      }
      if (with_impulse_) find_end(q0, h);
      at_end(push_);
      newton_.solve();
      if (with_impulse_ && !border(sys, q0)) return this->no_factors();
      R dq(0), dp(0);
      for (int i = 0; i < s_; ++i)
        for (int k = 0; k < w_.size(); ++k) {
          keep_largest(dp, magnitude(newton_.momentum(i, k)));
          P_[at(i)][k] -= newton_.momentum(i, k);
          if (i < first_) continue;
          keep_largest(dq, magnitude(newton_.position(i, k)));
          D_[at(i)][k] -= newton_.position(i, k);
        }
      arrive(q0, nullptr);
      const auto verdict = this->judge(stagnation, dq, dp, size, momentum);
      if (verdict == Stagnation<R>::Verdict::done) break;
      if (verdict == Stagnation<R>::Verdict::failed) return this->failure(stagnation);
      refresh = stagnation.iterations() > 1 && stagnation.rate() > R(0.1) && last_change_ > R(1e4) * epsilon<S>();
    }
    counters_.newton(stagnation.iterations());
    return {};
  }
  // Of long steps free flight ends too far from g = 0 for both at once. From the stages without an impulse; or those of
  // one Λ after the other, Λ by Broyden's method.
  Status one_by_one(const Sys& formulated, const Sys& sys, const QVec<Sys>& q0, const QVec<Sys>& p0, const S& h) {
    const auto stages = [&] {
      with_impulse_ = false;
      Status s;
      for (const bool full : {false, true}) {
        if (full && (s.ok() || !newton_.exists())) break;
        this->guess(formulated, q0, start_, h, false);
        s = full ? newton(formulated, sys, q0, p0, h) : iterate(formulated, sys, q0, p0, h, newton_.exists());
      }
      with_impulse_ = true;
      return s;
    };
    impulse_.guess(false);
    start_ = p0;
    Status s = stages();
    if (s.ok()) s = newton_.exists() ? newton(formulated, sys, q0, p0, h) : iterate(formulated, sys, q0, p0, h, false);
    if (s.ok()) s = finish(formulated, sys, q0, p0, h);
    if (s.ok()) return s;
    s = impulse_.search(sys, h, q1_, counters_, options_, [&] {
      find_start(p0);
      if (const Status status = stages(); !status.ok()) return status;
      find_rates(formulated);
      find_end(q0, h);
      return Status{};
    });
    return s.ok() ? finish(formulated, sys, q0, p0, h) : s;
  }
  // Of the corrections without an impulse, and their residuals at the end (push_), those with one. False if the matrix
  // for Λ is singular.
  bool border(const Sys& sys, const QVec<Sys>& q0) {
    const int m = impulse_.m();
    r_end_ = impulse_.look(sys, q0, d_, q1_, counters_);
    at_end(w_);
    for (int k = 0; k < w_.size(); ++k) push_[k] = w_[k] - push_[k];
    multiply(impulse_.G_at_end(), push_, end_);
    axpy(S(-1), r_end_, end_);
    for (int k = 0; k < m; ++k) {
      multiply(impulse_.G_at_end(), end_columns_[at(k)], r_end_);
      for (int l = 0; l < m; ++l) border_.matrix()(l, k) = r_end_[l];
    }
    if (!border_.factor()) return false;
    border_.solve(end_);
    for (int k = 0; k < m; ++k) axpy(S(-end_[k]), columns_[at(k)], newton_.corrections());
    axpy(S(-1), end_, impulse_.unknowns()[0]);
    return true;
  }
  // J⁻¹C
  void find_columns() {
    for (int k = 0; k < impulse_.m(); ++k) {
      fill(newton_.corrections(), S(0));
      impulse_.G().row(k, [&](int l, const S& x) {
        for (int i = 0; i < s_; ++i) newton_.momentum(i, l) = x;
      });
      newton_.solve();
      columns_[at(k)] = newton_.corrections();
      at_end(end_columns_[at(k)]);
    }
  }
  // Σ w_i of the positions among the unknowns of newton_
  void at_end(QVec<Sys>& out) {
    fill(out, S(0));
    for (int i = first_; i < s_; ++i)
      for (int k = 0; k < out.size(); ++k) out[k] += weights_[at(i)] * newton_.position(i, k);
  }

  // The end of the step from the stages found. Rates are those before the last correction, unless it was more than a
  // rounding error.
  Status finish(const Sys& formulated, const Sys& sys, const QVec<Sys>& q0, const QVec<Sys>& p0, const S& h) {
    if (last_change_ > R(2) * epsilon<S>()) {
      find_rates(formulated);
      find_end(q0, h);
    }
    if (const Status s = impulse_.land(sys, q0, h, d_, q1_, counters_, options_); !s.ok()) return s;
    find_start(p0);
    b_.combine(0, K_, w_, fine_sum_);
    for (int k = 0; k < w_.size(); ++k) p1_[k] = start_[k] - h * w_[k];
    if (t_.is_pair) {
      w_ = v_[0];
    } else {
      fill(w_, S(0));
      for (int j = 0; j < s_; ++j) axpy(t_.start[at(j)], v_[at(j)], w_);
    }
    energy_p(sys, q0, p0, start_velocity_);  // that of H̃ is the same on the manifold
    return this->continues(formulated, q0, p0, h) ? Status{} : Status{Failure::wrong_root};
  }

  FineCoefficients<S> b_, row_sum_;
  std::vector<S> weights_;
  StartImpulse<Sys> impulse_;
  bool with_impulse_ = true;  // Λ is unknown; else the stages of this Λ are looked for
  StageNewton<Sys> newton_;
  std::vector<Vec<S>> columns_;         // J⁻¹C
  std::vector<Vec<S, N>> end_columns_;  // what they do to q₁
  PivotedLu<S> border_;
  Vec<S, N> start_, d_, push_, q1_, p1_;  // start_: p₀ − GᵀΛ;  d_: q₁ − q₀
  Vec<S, M> r_end_, end_;
};

}  // namespace holonom
