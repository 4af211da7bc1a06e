// The implicit midpoint rule for a part of V (all of it, or the fast part), onto g = 0:
//   P = p − G(q)ᵀΛ − h/2 ∇V(½(q + q₁)),   q₁ = q + h M⁻¹P,   g(q₁) = 0,   p₁ = P − h/2 ∇V(½(q + q₁))
// Steps that are long for V are what it is for. While h is short, the force is iterated, each time with a
// drift; when that contracts badly, Newton's method takes over, with V_qq:
//   [ M/h + h/4 V_qq   Gᵀ ] [δd]      [ M d/h − p + GᵀΛ + h/2 ∇V ]
//   [ G(q₁)            0  ] [δΛ]  = − [ g(q₁)                    ],   d = q₁ − q
#pragma once

#include "holonom/methods/drift.hpp"
#include "holonom/solve/stagnation.hpp"

namespace holonom {

template <Separable Sys>
class MidpointMotion {
  using S = ScalarOf<Sys>;
  using R = Real<S>;
  static constexpr int N = Sys::N, M = Sys::M;
  // Up to here the matrix of Newton's method is a dense one.
  static constexpr int most_unknowns = 800;

 public:
  MidpointMotion(const Sys& sys, int moves, Part part)
      : part_(part),
        solver_(sys),
        predictor_(moves, size_g(sys)),
        G0_(make_jacobian(sys)),
        G1_(make_jacobian(sys)),
        impulse_(size_g(sys)),
        r_(size_g(sys)),
        force_(size_q(sys)),
        middle_(size_q(sys)),
        p_hat_(size_q(sys)),
        P_(size_q(sys)),
        q1_(size_q(sys)),
        previous_(size_q(sys)),
        d_(size_q(sys)),
        image_(size_q(sys)),
        trial_(size_q(sys)) {
    if constexpr (HasHessian<Sys>)
      if (const int unknowns = size_q(sys) + size_g(sys); unknowns <= most_unknowns) {
        lu_ = PivotedLu<S>(unknowns);
        x_ = Vec<S>(unknowns);
      }
  }

  Status begin(const Sys& sys, const State<S, N, M>& x) {
    stiff_ = false;
    sys.G(x.q, G0_);
    const Status s = solver_.begin(sys, x.q);
    predictor_.begin(solver_.redundant(), solver_.row_units());
    has_newton_ = lu_.size() > 0 && !solver_.redundant();
    return s;
  }

  Status move(const Sys& sys, const S& ah, const S& bh, int slot, Vec<S, N>& q, Vec<S, N>& p, Rounding<S, N>* lost,
              ActionSum<S>* action = nullptr) {
    const S h = ah + bh;
    predictor_.guess(slot, impulse_);
    guess_displacement(sys, h, p);
    bool solved = false;
    if (!stiff_) {
      const Status s = iterate_force(sys, h, q, p, lost);
      solved = s.ok();
      if (!solved && !has_newton_) return s;
      stiff_ = !solved || slow_;
      if (!solved) {
        fill(impulse_, S(0));
        guess_displacement(sys, h, p);
      }
    }
    if (!solved)
      if (const Status s = newton(sys, h, q, p, lost); !s.ok()) return s;
    predictor_.remember(slot, impulse_);
    if (action) action->add(find_action(sys, h, q, p));
    q = q1_;
    p = P_;
    G0_ = G1_;
    solver_.depart_from(sys, G1_);
    return {};
  }

  std::string track_action(const Sys& sys) const { return lacks_potential(sys, part_); }
  // The motion over a time below the resolution of a move, to first order.
  void make_up(const Sys& sys, const S& time, const Vec<S, N>& q, const Vec<S, N>& p, Rounding<S, N>& lost) {
    sys.mass().solve(p, d_);
    axpy(time, d_, lost.q);
    gradient(sys, part_, q, force_);
    axpy(S(-time), force_, lost.p);
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
    f("stiff", stiff_);
  }
  Status resume(const Sys& sys, const Vec<S, N>& q) {
    solver_.resume(sys, q);
    G0_ = solver_.G();
    return solver_.choose_independent();
  }

 private:
  void guess_displacement(const Sys& sys, const S& h, const Vec<S, N>& p) {
    sys.mass().solve(p, d_);
    for (S& a : d_) a *= h;
  }
  void evaluate_force(const Sys& sys, const Vec<S, N>& q) {
    for (int i = 0; i < q.size(); ++i) middle_[i] = q[i] + d_[i] / 2;
    gradient(sys, part_, middle_, force_);
    Counters& c = counters();
    ++c.force;
    c.force_slow += part_ == Part::slow;
    c.force_fast += part_ == Part::fast;
  }

  // h (T − V)(½(q + q₁), P) with P = ½(p − GᵀΛ + p₁), of the move found
  S find_action(const Sys& sys, const S& h, const Vec<S, N>& q, const Vec<S, N>& p) {
    Vec<S, N>& P = p_hat_;
    P = p;
    subtract_force(G0_, impulse_, P);
    for (int i = 0; i < q.size(); ++i) {
      P[i] = (P[i] + P_[i]) / 2;
      middle_[i] = (q[i] + q1_[i]) / 2;
    }
    sys.mass().solve(P, image_);
    return h * S(dot(P, image_) / 2 - potential(sys, part_, middle_));
  }

  // Out, as of newton: q₁, p₁ (in P_), G(q₁), Λ.
  Status iterate_force(const Sys& sys, const S& h, const Vec<S, N>& q, const Vec<S, N>& p, Rounding<S, N>* lost) {
    const S half = h / 2;
    Rounding<S, N>* trial = lost ? &trial_ : nullptr;
    Stagnation<R> stagnation(epsilon<S>(), options());
    for (int i = 0; i < q.size(); ++i) q1_[i] = q[i] + d_[i];
    const R size = largest(q);
    slow_ = false;
    for (;;) {
      evaluate_force(sys, q);
      p_hat_ = p;
      if (trial) *trial = *lost;
      push(p_hat_, half, trial);
      previous_ = q1_;
      Expectation<R> any;  // guesses get better from iteration to iteration
      if (const Status s = solver_.drift(sys, q, p_hat_, h, impulse_, any, P_, q1_, G1_, trial); !s.ok()) return s;
      for (int i = 0; i < q.size(); ++i) d_[i] = q1_[i] - q[i];
      const R change = largest_change(q1_, previous_, size);
      const auto verdict = stagnation(change, change);
      // Poor contraction: Newton's method is cheaper, if there is one.
      const bool poor = stagnation.iterations() > 2 && change > R(1e3) * epsilon<S>() && stagnation.rate() > R(0.2);
      slow_ = slow_ || (poor && has_newton_);
      if (verdict == Stagnation<R>::Verdict::done) break;
      if (verdict == Stagnation<R>::Verdict::failed || (slow_ && stagnation.rate() > R(0.5)))
        return {change == change ? Failure::no_convergence : Failure::not_finite, -1, to_double(change)};
    }
    if (trial) *lost = *trial;
    push(P_, half, lost);
    return {};
  }
  // p ← p − c ∇V
  void push(Vec<S, N>& p, const S& c, Rounding<S, N>* lost) {
    if (lost) return axpy(S(-c), force_, p, lost->p);
    axpy(S(-c), force_, p);
  }

  Status newton(const Sys& sys, const S& h, const Vec<S, N>& q, const Vec<S, N>& p, Rounding<S, N>* lost) {
    if constexpr (HasHessian<Sys>) {
      const int n = q.size(), m = size_g(sys);
      const auto arrive = [&] {
        for (int i = 0; i < n; ++i) q1_[i] = q[i] + (lost ? S(d_[i] + lost->q[i]) : d_[i]);
      };
      Stagnation<R> stagnation(epsilon<S>(), options());
      bool refresh = true;
      for (;;) {
        evaluate_force(sys, q);
        arrive();
        constraint_and_jacobian(sys, q1_, r_, G1_);
        ++counters().constraint;
        ++counters().jacobian;
        if (refresh && !assemble(sys, h)) return {Failure::not_finite};
        residual(sys, h, p);
        lu_.solve(x_);
        R change(0);
        for (int i = 0; i < n; ++i) {
          if (!(magnitude(x_[i]) <= change)) change = magnitude(x_[i]);
          d_[i] -= x_[i];
        }
        for (int k = 0; k < m; ++k) impulse_[k] -= x_[n + k];
        // (A long step may start near the origin, or end there.)
        const R size = std::max(largest(q), largest(q1_));
        if (size > R(0)) change /= size;
        const auto verdict = stagnation(change, change);
        if (verdict == Stagnation<R>::Verdict::done) break;
        if (verdict == Stagnation<R>::Verdict::failed)
          return {change == change ? Failure::no_convergence : Failure::not_finite, -1, to_double(change)};
        refresh = stagnation.iterations() > 1 && stagnation.rate() > R(0.1) && change > R(1e4) * epsilon<S>();
      }
      counters().newton(stagnation.iterations());
      arrive();
      // P = M d/h and p₁ = 2P − p̂: rounding errors of a stiff force do not enter.
      sys.mass().multiply(d_, P_);
      p_hat_ = p;
      subtract_force(G0_, impulse_, p_hat_);
      for (int i = 0; i < n; ++i) P_[i] = 2 * (P_[i] / h) - p_hat_[i];
      if (!keeps_energy(sys, q, p)) return {Failure::wrong_root};
      ++counters().jacobian;
      if (const Status s = solver_.holds(sys, q1_, r_, G1_); !s.ok()) return s;
      if (lost) {
        for (int i = 0; i < n; ++i) lost->q[i] = lost_in_sum(q[i], S(d_[i] + lost->q[i]), q1_[i]);
        fill(lost->p, S(0));
      }
    }
    return {};
  }

  // Newton's method for a stiff force has no path to follow: the motion is much slower than its steps could be. But the
  // midpoint rule keeps quadratic energies, and a wrong root has a kinetic energy that nothing could have given it.
  // (Compressed springs push sideways: where h²/4 V_qq is less than −M, the right root has met another one, and is
  // gone.)
  bool keeps_energy(const Sys& sys, const Vec<S, N>& q, const Vec<S, N>& p) {
    const auto kinetic = [&](const Vec<S, N>& momentum) {
      sys.mass().solve(momentum, image_);
      return R(value(dot(momentum, image_)) / 2);
    };
    const R before = value(sys.V(q)), after = value(sys.V(q1_));
    const R released = before > after ? R(before - after) : R(0);
    const R rounding = R(1e3) * epsilon<S>() * (magnitude(before) + magnitude(after));
    return kinetic(P_) <= 4 * (kinetic(p) + released) + rounding;
  }

  bool assemble(const Sys& sys, const S& h) {
    if constexpr (HasHessian<Sys>) {
      const int n = d_.size(), m = G1_.m();
      Square<S>& A = lu_.matrix();
      const S quarter = h / 4;
      Vec<S, N>& unit = p_hat_;
      for (int j = 0; j < n; ++j) {
        fill(unit, S(0));
        unit[j] = S(1);
        sys.V_qq(part_, middle_, unit, image_);
        ++counters().hessian;
        for (int i = 0; i < n; ++i) A(i, j) = quarter * image_[i];
        sys.mass().multiply(unit, image_);
        for (int i = 0; i < n; ++i) A(i, j) += image_[i] / h;
      }
      for (int k = 0; k < m; ++k) {
        for (int i = 0; i < n + m; ++i) A(n + k, i) = S(0);
        for (int i = 0; i < n; ++i) A(i, n + k) = S(0);
        G0_.row(k, [&](int j, const S& a) { A(j, n + k) = a; });
        G1_.row(k, [&](int j, const S& a) { A(n + k, j) = a; });
      }
      ++counters().factorisation;
      return lu_.factor();
    }
    return false;
  }
  void residual(const Sys& sys, const S& h, const Vec<S, N>& p) {
    const int n = d_.size();
    const S half = h / 2;
    sys.mass().multiply(d_, image_);
    p_hat_ = p;
    subtract_force(G0_, impulse_, p_hat_);
    for (int i = 0; i < n; ++i) x_[i] = image_[i] / h - p_hat_[i] + half * force_[i];
    for (int k = 0; k < r_.size(); ++k) x_[n + k] = r_[k];
  }

  Part part_;
  ConstraintSolver<Sys> solver_;
  Predictor<S, M> predictor_;
  Jacobian<S, N, M> G0_, G1_;
  Vec<S, M> impulse_, r_;
  Vec<S, N> force_, middle_, p_hat_, P_, q1_, previous_, d_, image_;
  Rounding<S, N> trial_;
  PivotedLu<S> lu_;
  Vec<S> x_;
  bool stiff_ = false;  // Newton's method has taken over
  bool has_newton_ = false, slow_ = false;
};

}  // namespace holonom
