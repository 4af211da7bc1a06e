// What the iterations that find the stages of a step have in common: where they start, G and K = G H_pp Gᵀ there; first
// guesses; when they end; and whether what they found belongs to the start.
#pragma once

#include "holonom/solve/acceleration.hpp"
#include "holonom/solve/fine_coefficients.hpp"
#include "holonom/solve/stage_gram.hpp"
#include "holonom/solve/stage_guess.hpp"
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

// Lagrange's polynomials of the nodes at 0
template <class S>
std::vector<S> weights_at_start(const Vec<S>& c) {
  std::vector<S> weights;
  for (int j = 0; j < c.size(); ++j) {
    S l(1);
    for (int k = 0; k < c.size(); ++k)
      if (k != j) l *= c[k] / (c[k] - c[j]);
    weights.push_back(l);
  }
  return weights;
}

template <class Sys>
requires HasHpp<Sys> || Separable<Sys>
class StageIteration : public StageValues<Sys> {
  using S = ScalarOf<Sys>;
  using R = Real<S>;
  static constexpr int N = Sys::N, M = Sys::M;

 protected:
  using Values = StageValues<Sys>;
  using Values::s_, Values::first_, Values::multipliers_, Values::D_, Values::Q_, Values::P_, Values::K_, Values::v_,
      Values::G_, Values::lambda_, Values::r_, Values::y_, Values::crew_, Values::threads_, Values::counters_,
      Values::at, Values::residual;
  // After a step that needed Newton's method, so many more take it before the simplified iteration is tried again.
  static constexpr int stiff_steps = 16;
  // The same for a guess from memory that led to no root, or to a wrong one.
  static constexpr int astray_steps = 8;
  // Jumps of velocities, as a part of them, up to which a step resolves the motion.
  static constexpr double resolved = 0.02;

 public:
  // response: multipliers Λ_j move the residual of the i-th constraint by h² response_ij G H_pp GᵀΛ_j
  StageIteration(const Sys& sys, const StageCoefficients<S>& coefficients, const FineCoefficients<S>& response)
      : Values(sys, coefficients.c.size(), coefficients.is_pair),
        t_(coefficients),
        gram_(sys, response, first_, multipliers_),
        scale_(size_q(sys), size_g(sys)),
        G0_(make_jacobian(sys)),
        G1_(make_jacobian(sys)),
        dlambda_(at(multipliers_), Vec<S, M>(size_g(sys))),
        w_(size_q(sys)),
        fine_sum_(size_q(sys)),
        start_velocity_(size_q(sys)),
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
    w_ = p;
    const Status s = projection(sys, gram(), G0_, q, p, counters_, options_);
    if (!s.ok() || !unresolved_) return s;
    return turns_over(G_[at(s_ - 1)], G0_, metric_at(sys, q, w_), G0_) ? Status{Failure::wrong_root} : s;
  }

  // For a method with one stage, before each step: a first guess of Q − q₀, P and Λ.
  void suggest(const QVec<Sys>& displacement, const QVec<Sys>& momentum, const MVec<Sys>& lambda) {
    guess_.suggest(displacement, momentum, lambda);
  }

  // P_i where the iteration has no need of it: for separable systems
  void momenta(const QVec<Sys>& p0, const S& h, const Rounding<S, N>* lost) {
    if (separable_)
      for (int i = 0; i < s_; ++i) renew_momentum(i, p0, h, lost, P_[at(i)]);
  }

  template <class F>
  void visit_memory(F&& f) {
    guess_.visit_memory(f);
    f("stiff_steps", memory_.stiff);
    f("astray_steps", memory_.astray);
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

 protected:
  // At a first point. separable: momenta are no unknowns
  Status start(const Sys& sys, const QVec<Sys>& q, const QVec<Sys>& p, bool separable) {
    separable_ = separable;
    memory_ = {};
    crew_.hire(sys, std::min(threads_, s_ - first_));
    if (size_g(sys) > 0) {
      sys.G(q, G0_);
      ++counters_.jacobian;
      scale_.begin(sys, metric_at(sys, q, p), q, G0_, y_);
    }
    if (const Status s = gram_.analyse(sys, G0_, q, p, scale_.row_units()); !s.ok()) return s;
    guess_.begin(sys, separable_, redundant());
    return {};
  }

  // Attempts until one succeeds: attempt(from_memory, full) starts from memory, or from free flight, with simplified
  // iterations or the full Newton method. The third one takes that method, if it exists.
  template <class Attempt>
  Status attempts(bool has_newton, Attempt&& attempt) {
    const bool from_memory = guess_.has_memory() && memory_.astray == 0;
    const bool full = has_newton && (options_.matrix == StageMatrix::full || memory_.stiff > 0);
    if (memory_.stiff > 0) --memory_.stiff;
    if (memory_.astray > 0) --memory_.astray;
    Status status = attempt(from_memory, full);
    if (!status.ok() && from_memory) {
      memory_.astray = astray_steps;
      status = attempt(false, full);
    }
    if (status.ok() || full || !may_switch(has_newton)) return status;
    memory_.stiff = stiff_steps;
    return attempt(false, true);
  }
  bool may_switch(bool has_newton) const { return has_newton && options_.matrix == StageMatrix::automatic; }

  // P_i = p₀ − h Σ_j â_ij K_j
  void renew_momentum(int i, const QVec<Sys>& p0, const S& h, const Rounding<S, N>* lost, QVec<Sys>& P) {
    t_.A_hat.combine(i, K_, P, fine_sum_);
    for (int k = 0; k < P.size(); ++k) P[k] = p0[k] - (lost ? S(h * P[k] - lost->p[k]) : S(h * P[k]));
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

  // D_new, P_new and multipliers from what the last iterations have taught
  template <class... Multipliers>
  void accelerate(const R& size, const R& impulse, Multipliers&... multipliers) {
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
      const auto carry = [&](std::vector<Vec<S, M>>& of_stages) {
        for (Vec<S, M>& lambda : of_stages)
          for (S& x : lambda) f(x, acceleration_.y(at_y++));
      };
      (carry(multipliers), ...);
    };
    each([](const S& x, S& y) { y = x; });
    acceleration_();
    each([](S& x, const S& y) { x = y; });
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

  // Whether the stages belong to this start. Velocities jump from that of p₀ to that of the stages' polynomial at time
  // 0 (for a pair, to that of P_1), by the more the less the step resolves the motion; other solutions of the same
  // equations, which make a turn too many, have another velocity altogether. Measured (docs/methods/lobatto.md): up to
  // 0.2 of |v| + h |a| with steps that are far too long, and from 0.4 with wrong solutions.
  bool joins(const Sys& sys, const QVec<Sys>& q0, const QVec<Sys>& p0, const S& h, const Rounding<S, N>* lost) {
    unresolved_ = false;
    if (!t_.is_pair && t_.start.empty()) return true;
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
    return continues(sys, q0, p0, h);
  }
  // The same for those who know both velocities: that of the stages, w_, and start_velocity_. Where rigid bodies became
  // their mirror images, velocities jumped by 0.05 or more of their size.
  bool continues(const Sys& sys, const QVec<Sys>& q0, const QVec<Sys>& p0, const S& h) {
    const auto size = [](const Vec<S, N>& x) {
      R largest(0);
      for (const S& a : x) keep_largest(largest, R(magnitude(value(a))));
      return largest;
    };
    for (int k = 0; k < w_.size(); ++k) w_[k] -= start_velocity_[k];
    const R jump = size(w_), speed = size(start_velocity_), allowed = speed / 3;
    unresolved_ = jump > speed * R(resolved);
    if (unresolved_ && turns_over(sys, q0, p0)) return false;
    if (jump <= allowed) return true;
    guess_.acceleration(sys, gram(), G0_, q0, p0, w_, counters_);
    // Not all rules see the start: P_1 of RATTLE, and the one stage of the midpoint rule, are half a step away.
    R away = s_ == 1 ? R(magnitude(value(t_.c[0]))) : R(0);
    for (int j = 0; j < s_ && t_.is_pair; ++j) away += value(t_.A_hat(0, j));
    return jump <= allowed + (R(1) / 3 + magnitude(away)) * magnitude(value(h)) * size(w_);
  }
  // Whether gradients of constraints are turned over from one stage to the next, as those of a body are that has become
  // its mirror image. (Along a motion that is resolved they are where it passes a dead centre.)
  template <class Any>
  bool turns_over(const Any& sys, const QVec<Sys>& q0, const QVec<Sys>& p0) {
    if (gram_.m() == 0) return false;
    const auto metric = metric_at(sys, q0, p0);
    const JacobianOf<Sys>* from = &G0_;
    bool turned = false;
    for (int j = first_; j < s_ && !turned; ++j) {
      turned = turns_over(*from, G_[at(j)], metric, G0_);
      from = &G_[at(j)];
    }
    return turned;
  }
  // `back`: the gradients whose directions are those of the solver before and afterwards
  template <class Metric>
  bool turns_over(const JacobianOf<Sys>& from, const JacobianOf<Sys>& to, const Metric& metric,
                  const JacobianOf<Sys>& back) {
    gram().set_directions(from, metric);
    bool turned = gram().negative_pivots(to) > 0;
    gram().set_directions(back, metric);
    // A mirror image that has turned by more than a right angle as well has positive pivots.
    for (int k = 0; k < from.m() && !turned; ++k) {
      fill(w_, S(0));
      from.row(k, [&](int j, const S& a) { w_[j] = a; });
      R both(0);
      to.row(k, [&](int j, const S& a) { both += value(a) * value(w_[j]); });
      turned = both < R(0);
    }
    return turned;
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

  struct Memory {
    int stiff = 0;   // steps for which Newton's method is still taken
    int astray = 0;  // steps for which guesses from memory are not asked for
  };

  StageCoefficients<S> t_;
  StageGram<Sys> gram_;
  ConstraintScale<S, N, M> scale_;
  Jacobian<S, N, M> G0_, G1_;
  std::vector<Vec<S, M>> dlambda_;
  std::vector<Vec<S, N>> D_new_, P_new_;
  Vec<S, N> w_, fine_sum_, start_velocity_;
  Acceleration<S> acceleration_;
  R last_displacement_{0}, last_change_{0};
  StageGuess<Sys> guess_;
  Memory memory_;
  bool separable_ = false, unresolved_ = false;
  NewtonOptions options_;
};

}  // namespace holonom
