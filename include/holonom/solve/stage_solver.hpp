// The stages of a (partitioned) Runge-Kutta method on a constrained system, equations (3.11) of Jay (1996):
//   Q_i = q₀ + h Σ_j a_ij H_p(Q_j, P_j),   P_i = p₀ − h Σ_j â_ij (H_q(Q_j, P_j) + G(Q_j)ᵀΛ_j),   g(Q_i) = 0
// Simplified Newton iterations. In each one the momenta are renewed from the last forces, the displacements D_i from
// these momenta, and multipliers from the linearised constraints:
//   h² Σ_j B_ij δΛ_j = g(Q_i) + G(Q_i) δD_i,   B_ij = (A₀Â₀)_ij G(Q_i) H_pp G(Q_j)ᵀ   (stage_gram.hpp)
// Jay's approximate Jacobian (3.15) takes B = A₀Â₀ ⊗ G H_pp Gᵀ(q₀, p₀): one factorisation a step and ν independent
// solves an iteration (ν: stages with multipliers). Slow contractions are accelerated (acceleration.hpp); where the
// forces change too much even for that, the full Newton matrix takes over (stage_newton.hpp), if the system is small.
#pragma once

#include "holonom/dense.hpp"
#include "holonom/solve/acceleration.hpp"
#include "holonom/solve/fine_coefficients.hpp"
#include "holonom/solve/stage_gram.hpp"
#include "holonom/solve/stage_guess.hpp"
#include "holonom/solve/stage_newton.hpp"
#include "holonom/solve/stage_values.hpp"

namespace holonom {

// What the stages are made of. `is_pair`: a_1j = 0 and â_js = 0, so Q_1 = q₀ and Λ_s are no unknowns. `start`: the
// weights of the polynomial through the stages at time 0, if these should continue the motion from there (which of a
// pair P_1 shows).
template <class S>
struct StageCoefficients {
  FineCoefficients<S> A, A_hat;
  Vec<S> c;
  bool is_pair = false;
  std::vector<S> start = {};
};

template <class Sys>
requires HasHpp<Sys> || Separable<Sys>
class StageSolver : public StageValues<Sys> {
  using S = ScalarOf<Sys>;
  using R = Real<S>;
  static constexpr int N = Sys::N, M = Sys::M;
  using Values = StageValues<Sys>;
  using Values::s_, Values::first_, Values::multipliers_, Values::D_, Values::Q_, Values::P_, Values::F_, Values::K_,
      Values::v_, Values::G_, Values::lambda_, Values::r_, Values::y_, Values::crew_, Values::threads_,
      Values::counters_, Values::at, Values::residual, Values::kick_of, Values::arrive;
  // After a step that needed Newton's method, so many more take it before the simplified iteration is tried again.
  static constexpr int stiff_steps = 16;
  // The same for a guess from memory that led to no root, or to a wrong one.
  static constexpr int astray_steps = 8;
  // A poorer contraction is accelerated. Where forces depend on momenta that gains less (eigenvalues in a circle).
  static constexpr double slow_rate = 0.03, slow_rate_general = 0.3;

 public:
  StageSolver(const Sys& sys, const StageCoefficients<S>& coefficients)
      : Values(sys, coefficients.c.size(), coefficients.is_pair),
        t_(coefficients),
        path_(t_.A * t_.A_hat),
        row_sum_(t_.A.row_sums()),
        gram_(sys, path_, first_, multipliers_),
        scale_(size_q(sys), size_g(sys)),
        G0_(make_jacobian(sys)),
        G1_(make_jacobian(sys)),
        dlambda_(at(multipliers_), Vec<S, M>(size_g(sys))),
        w_(size_q(sys)),
        fine_sum_(size_q(sys)),
        start_velocity_(size_q(sys)),
        newton_(sys, s_, first_, multipliers_),
        guess_(sys, t_.c, first_, multipliers_) {
    for (auto* stages_of : {&D_new_, &P_new_}) stages_of->assign(at(s_), Vec<S, N>(size_q(sys)));
  }

  // The k-th of the independent constraints
  int independent(int k) const { return gram_.start().independent(k); }

  GramSolver<S, N, M>& gram() { return gram_.start(); }
  const JacobianOf<Sys>& G_at_start() const { return G0_; }
  NewtonOptions& options() { return options_; }
  ConstraintScale<S, N, M>& scale() { return scale_; }
  bool redundant() const { return gram_.redundant(); }

  Status begin(const Sys& sys, const QVec<Sys>& q, const QVec<Sys>& p) {
    separable_ = is_separable(sys);
    memory_ = {};
    crew_.hire(sys, std::min(threads_, s_ - first_));
    if (size_g(sys) > 0) {
      sys.G(q, G0_);
      ++counters_.jacobian;
      scale_.begin(sys, metric_at(sys, q, p), q, G0_, y_);
    }
    if (const Status s = gram_.analyse(sys, G0_, q, p, scale_.row_units()); !s.ok()) return s;
    newton_.prepare(sys, q, p, lambda_[0], gram().rank());
    acceleration_ = Acceleration<S>(((s_ - first_) + (separable_ ? 0 : s_)) * q.size(), multipliers_ * gram_.m());
    guess_.begin(sys, separable_, redundant());
    return {};
  }

  // K = G H_pp Gᵀ at the point (q₁, p₁) where the next step starts
  Status depart_from(const Sys& sys, const QVec<Sys>& q1, const QVec<Sys>& p1) {
    if (gram_.m() == 0) return {};
    sys.G(q1, G1_);
    ++counters_.jacobian;
    std::swap(G0_, G1_);
    ++counters_.factorisation;
    return gram().factor(G0_, metric_at(sys, q1, p1));
  }

  // The same after a projection of (q, p), which factors at the point that it finds.
  template <class Projection>
  Status depart_by(const Sys& sys, QVec<Sys>& q, QVec<Sys>& p, Projection& projection) {
    return projection(sys, gram(), G0_, q, p, counters_, options_);
  }

  // For a method with one stage, before each step: a first guess of Q − q₀, P and Λ.
  void suggest(const QVec<Sys>& displacement, const QVec<Sys>& momentum, const MVec<Sys>& lambda) {
    guess_.suggest(displacement, momentum, lambda);
  }

  // The stages from (q₀, p₀), and their kicks; `lost`: what rounding has taken from these so far. If no root is found
  // near the guess from memory, or a wrong one, a second attempt starts from free flight, and a third one takes
  // Newton's method there, if it exists.
  Status solve(const Sys& sys, const QVec<Sys>& q0, const QVec<Sys>& p0, const S& h, const Rounding<S, N>* lost) {
    const bool has_newton = newton_.exists(), may_switch = has_newton && options_.matrix == StageMatrix::automatic;
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
    const bool from_memory = guess_.has_memory() && memory_.astray == 0;
    const bool full = has_newton && (options_.matrix == StageMatrix::full || memory_.stiff > 0);
    if (memory_.stiff > 0) --memory_.stiff;
    if (memory_.astray > 0) --memory_.astray;
    Status status = attempt(from_memory, full);
    if (!status.ok() && from_memory) {
      memory_.astray = astray_steps;
      status = attempt(false, full);
    }
    if (status.ok() || full || !may_switch) return status;
    memory_.stiff = stiff_steps;
    return attempt(false, true);
  }

  // P_i where the iteration has no need of it: for separable systems
  void momenta(const QVec<Sys>& p0, const S& h, const Rounding<S, N>* lost) {
    if (separable_)
      for (int i = 0; i < s_; ++i) renew_momentum(i, p0, h, lost, P_[at(i)]);
  }
  // For the next step, that starts `travel` away.
  void remember(const QVec<Sys>& travel, bool last_stage_is_next) {
    guess_.remember(travel, D_, P_, lambda_);
    memory_.force_known = separable_ && first_ && last_stage_is_next;
    if (memory_.force_known) std::swap(F_[0], F_[at(s_ - 1)]);
  }

  template <class F>
  void visit_memory(F&& f) {
    guess_.visit_memory(f);
    memory_.visit_memory(f);
    if (memory_.force_known) f("start_force", F_[0]);
  }
  // As `depart_from` left it at (q, p), or `depart_by` at the point q that it found, with the momentum p before.
  Status resume(const Sys& sys, const QVec<Sys>& q, const QVec<Sys>& p, bool projected = false) {
    if (gram_.m() == 0) return {};
    if (projected)
      constraint_and_jacobian(sys, q, y_, G0_);
    else
      sys.G(q, G0_);
    return gram().factor(G0_, metric_at(sys, q, p));
  }

 private:
  struct Memory {
    int stiff = 0;             // steps for which Newton's method is still taken
    int astray = 0;            // steps for which guesses from memory are not asked for
    bool force_known = false;  // F_[0] is that of the next step

    template <class F>
    void visit_memory(F&& f) {
      f("stiff_steps", stiff);
      f("astray_steps", astray);
      f("start_force_known", force_known);
    }
  };

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
  // Whether the stages belong to this start. Velocities jump from that of p₀ to that of the stages' polynomial at time
  // 0 (for a pair, to that of P_1), by the more the less the step resolves the motion; other solutions of the same
  // equations, which make a turn too many, have another velocity altogether. Measured (docs/methods/lobatto.md): up to
  // 0.2 of |v| + h |a| with steps that are far too long, and from 0.4 with wrong solutions.
  bool joins(const Sys& sys, const QVec<Sys>& q0, const QVec<Sys>& p0, const S& h, const Rounding<S, N>* lost) {
    if (!t_.is_pair && t_.start.empty()) return true;
    const auto size = [](const Vec<S, N>& x) {
      R largest(0);
      for (const S& a : x) keep_largest(largest, R(magnitude(value(a))));
      return largest;
    };
    if (t_.is_pair) {
      renew_momentum(0, p0, h, lost, v_[0]);
      energy_p(sys, q0, v_[0], w_);
    } else {
      momenta(p0, h, lost);
      this->find_velocities(sys);
      fill(w_, S(0));
      for (int j = 0; j < s_; ++j) axpy(t_.start[at(j)], v_[at(j)], w_);
    }
    energy_p(sys, q0, p0, start_velocity_);
    for (int k = 0; k < w_.size(); ++k) w_[k] -= start_velocity_[k];
    const R jump = size(w_), allowed = size(start_velocity_) / 3;
    if (jump <= allowed) return true;
    guess_.acceleration(sys, gram(), G0_, q0, p0, w_, counters_);
    // Not all rules see the start: P_1 of RATTLE, and the one stage of the midpoint rule, are half a step away.
    R away = s_ == 1 ? R(magnitude(value(t_.c[0]))) : R(0);
    for (int j = 0; j < s_ && t_.is_pair; ++j) away += value(t_.A_hat(0, j));
    return jump <= allowed + (R(1) / 3 + magnitude(away)) * magnitude(value(h)) * size(w_);
  }
  // Residuals that evaluations of g leave. (In dual numbers those of tangents are not known.)
  double noise() const {
    if constexpr (!std::is_same_v<S, R>) return std::numeric_limits<double>::infinity();
    return std::max(8 * to_double(epsilon<S>()), options_.tolerance);
  }
  // The constraints at the last stage, which most methods end with. An iteration may stand still above round-off.
  Status holds(const Sys& sys, const QVec<Sys>& q0, const Rounding<S, N>* lost) {
    if (gram_.m() == 0 || options_.stage_iterations > 0) return {};
    const int last = s_ - 1;
    residual(sys, last, q0, lost);
    ++counters_.constraint;
    return at_round_off<Sys>(r_[at(last - first_)], G_[at(last)], Q_[at(last)], scale_, options_);
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
      if (slow) accelerate(size, impulse);
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
  // D_new, P_new and Λ from what the last iterations have taught
  void accelerate(const R& size, const R& impulse) {
    int at_f = 0, at_y = 0;
    const auto show = [&](const auto& stages_new, const auto& stages, int from, const R& scale) {
      const R unit = scale > R(0) ? R(R(1) / scale) : R(1);
      for (int i = from; i < s_; ++i)
        for (int k = 0; k < w_.size(); ++k) acceleration_.f(at_f++) = (stages_new[at(i)][k] - stages[at(i)][k]) * unit;
    };
    show(D_new_, D_, first_, size);
    if (!separable_) show(P_new_, P_, 0, impulse);
    const auto each = [&](auto&& f) {
      at_y = 0;
      for (int i = first_; i < s_; ++i)
        for (S& x : D_new_[at(i)]) f(x, acceleration_.y(at_y++));
      for (int i = separable_ ? s_ : 0; i < s_; ++i)
        for (S& x : P_new_[at(i)]) f(x, acceleration_.y(at_y++));
      for (Vec<S, M>& lambda : lambda_)
        for (S& x : lambda) f(x, acceleration_.y(at_y++));
    };
    each([](const S& x, S& y) { y = x; });
    acceleration_();
    each([](S& x, const S& y) { x = y; });
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
  void renew_momentum(int i, const QVec<Sys>& p0, const S& h, const Rounding<S, N>* lost, QVec<Sys>& P) {
    t_.A_hat.combine(i, K_, P, fine_sum_);
    for (int k = 0; k < P.size(); ++k) P[k] = p0[k] - (lost ? S(h * P[k] - lost->p[k]) : S(h * P[k]));
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

  // Changes of positions and momenta, relative to their sizes
  typename Stagnation<R>::Verdict judge(Stagnation<R>& stagnation, R dq, R dp, const R& size, const R& impulse) {
    if (size > R(0)) dq /= size;
    if (impulse > R(0)) dp /= impulse;
    last_displacement_ = dq;
    last_change_ = dq < dp || !(dp == dp) ? dp : dq;
    return stagnation(last_change_, dq);
  }
  Status failure(const Stagnation<R>& stagnation) {
    counters_.newton_iterations += static_cast<std::uint64_t>(stagnation.iterations());
    return {last_change_ == last_change_ ? Failure::no_convergence : Failure::not_finite, -1, to_double(last_change_)};
  }
  Status no_factors() const {
    const auto finite = [](const auto& vectors) {
      for (const auto& x : vectors)
        for (const S& a : x)
          if (!is_finite(a)) return false;
      return true;
    };
    return finite(r_) && finite(K_) && finite(D_new_) ? Status{Failure::singular, 0} : Status{Failure::not_finite};
  }
  R size_of_motion(const QVec<Sys>& q0) const {
    R size = largest(q0);
    for (int i = first_; i < s_; ++i) keep_largest(size, largest(D_[at(i)]));
    return size;
  }
  // Against the terms that P is made of: at a turning point it vanishes, their rounding errors do not.
  R size_of_momenta(const QVec<Sys>& p0, const S& h) const {
    R size = largest(p0);
    for (const Vec<S, N>& K : K_) keep_largest(size, R(magnitude(h) * largest(K)));
    return size;
  }

  void guess(const Sys& sys, const QVec<Sys>& q0, const QVec<Sys>& p0, const S& h, bool from_memory) {
    if (first_) {
      fill(D_[0], S(0));
      Q_[0] = q0;
    }
    if (from_memory)
      guess_.from_memory(sys, gram(), G0_, q0, p0, D_, P_, lambda_, counters_);
    else
      guess_.free_flight(sys, gram(), G0_, q0, p0, h, D_, P_, lambda_, counters_);
    for (int i = first_; i < s_; ++i)
      for (int k = 0; k < q0.size(); ++k) Q_[at(i)][k] = q0[k] + D_[at(i)][k];
  }

  // H_q from stage `from` on, but for one that is known from the step before; g and G
  void evaluate(const Sys& sys, int from, const QVec<Sys>& q0, const Rounding<S, N>* lost) {
    if (first_) G_[0] = G0_;
    Values::evaluate(sys, from == 0 && memory_.force_known ? 1 : from, q0, lost);
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

  StageCoefficients<S> t_;
  FineCoefficients<S> path_, row_sum_;  // AÂ; Σ_j a_ij, which is c_i
  StageGram<Sys> gram_;
  ConstraintScale<S, N, M> scale_;
  Jacobian<S, N, M> G0_, G1_;
  std::vector<Vec<S, M>> dlambda_;
  std::vector<Vec<S, N>> D_new_, P_new_;
  Vec<S, N> w_, fine_sum_, start_velocity_;
  StageNewton<Sys> newton_;
  Acceleration<S> acceleration_;
  R last_displacement_{0}, last_change_{0};
  StageGuess<Sys> guess_;
  Memory memory_;
  bool separable_ = false;
  NewtonOptions options_;
};

}  // namespace holonom
