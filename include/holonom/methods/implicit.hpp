// Motions of any system H(q, p) onto g = 0, with a momentum P within the step:
//   P = p − G(q)ᵀΛ − (kick at the start),   q₁ = q + (displacement),   g(q₁) = 0,   p₁ = P − (kick at the end)
// What the kicks and the displacement are is a rule. The unknowns are iterated together, with a correction
// of Λ through G H_pp Gᵀ, factored once a move: contraction O(h), to stagnation at round-off.
#pragma once

#include "holonom/methods/action.hpp"
#include "holonom/solve/across.hpp"
#include "holonom/solve/predictor.hpp"
#include "holonom/solve/stagnation.hpp"

namespace holonom {

// Symplectic Euler over a h followed by its adjoint over b h. With a = b it is the RATTLE of Jay (1996)
// and Reich (1993); equation 6.13 of Hairer, Lubich, Wanner (2003).
template <HasHpp Sys>
class EulerPair {
  using S = ScalarOf<Sys>;

 public:
  explicit EulerPair(const Sys& sys) : v_(size_q(sys)) {}

  void start_kick(const Sys& sys, const QVec<Sys>& q, const QVec<Sys>&, const QVec<Sys>& P, const S& ah, const S&,
                  QVec<Sys>& out) {
    scaled(ah, out, [&] { sys.H_q(q, P, out); });
  }
  void displacement(const Sys& sys, const QVec<Sys>& q, const QVec<Sys>& q1, const QVec<Sys>& P, const S& ah,
                    const S& bh, QVec<Sys>& out) {
    scaled(ah, out, [&] { sys.H_p(q, P, out); });
    if (bh == S(0)) return;
    sys.H_p(q1, P, v_);
    axpy(bh, v_, out);
  }
  void end_kick(const Sys& sys, const QVec<Sys>&, const QVec<Sys>& q1, const QVec<Sys>& P, const S&, const S& bh,
                QVec<Sys>& out) {
    scaled(bh, out, [&] { sys.H_q(q1, P, out); });
  }
  S action(const Sys& sys, const QVec<Sys>& q, const QVec<Sys>& q1, const QVec<Sys>& P, const S& ah, const S& bh) {
    S sum(0);
    if (!(ah == S(0))) sum += ah * lagrangian(sys, q, P, v_);
    if (!(bh == S(0))) sum += bh * lagrangian(sys, q1, P, v_);
    return sum;
  }

 private:
  template <class F>
  static void scaled(const S& c, QVec<Sys>& out, F&& evaluate) {
    if (c == S(0)) return fill(out, S(0));
    evaluate();
    for (S& x : out) x *= c;
  }
  QVec<Sys> v_;
};

// The implicit midpoint rule: everything at ((q + q₁)/2, P).
template <HasHpp Sys>
class ImplicitMidpoint {
  using S = ScalarOf<Sys>;

 public:
  explicit ImplicitMidpoint(const Sys& sys) : middle_(size_q(sys)), v_(size_q(sys)) {}

  void start_kick(const Sys& sys, const QVec<Sys>& q, const QVec<Sys>& q1, const QVec<Sys>& P, const S& ah, const S& bh,
                  QVec<Sys>& out) {
    const S half = (ah + bh) / 2;
    for (int i = 0; i < q.size(); ++i) middle_[i] = (q[i] + q1[i]) / 2;
    sys.H_q(middle_, P, out);
    for (S& x : out) x *= half;
  }
  void displacement(const Sys& sys, const QVec<Sys>& q, const QVec<Sys>& q1, const QVec<Sys>& P, const S& ah,
                    const S& bh, QVec<Sys>& out) {
    const S h = ah + bh;
    for (int i = 0; i < q.size(); ++i) middle_[i] = (q[i] + q1[i]) / 2;
    sys.H_p(middle_, P, out);
    for (S& x : out) x *= h;
  }
  void end_kick(const Sys& sys, const QVec<Sys>& q, const QVec<Sys>& q1, const QVec<Sys>& P, const S& ah, const S& bh,
                QVec<Sys>& out) {
    start_kick(sys, q, q1, P, ah, bh, out);
  }
  S action(const Sys& sys, const QVec<Sys>& q, const QVec<Sys>& q1, const QVec<Sys>& P, const S& ah, const S& bh) {
    for (int i = 0; i < q.size(); ++i) middle_[i] = (q[i] + q1[i]) / 2;
    return S(ah + bh) * lagrangian(sys, middle_, P, v_);
  }

 private:
  QVec<Sys> middle_, v_;
};

template <HasHpp Sys, template <class> class Rule>
class ImplicitMotion {
  using S = ScalarOf<Sys>;
  using R = Real<S>;
  static constexpr int N = Sys::N, M = Sys::M;

 public:
  ImplicitMotion(const Sys& sys, int moves)
      : rule_(sys),
        gram_(size_q(sys), size_g(sys)),
        predictor_(moves, size_g(sys)),
        G_(make_jacobian(sys)),
        G1_(make_jacobian(sys)),
        P_(size_q(sys)),
        q1_(size_q(sys)),
        P_new_(size_q(sys)),
        q_new_(size_q(sys)),
        kick_(size_q(sys)),
        d_(size_q(sys)),
        impulse_(size_g(sys)),
        r_(size_g(sys)),
        scale_(size_q(sys), size_g(sys)),
        memory_{Vec<S, N>(size_q(sys)), Vec<S, M>(size_g(sys))} {}

  Status begin(const Sys& sys, const State<S, N, M>& x) {
    sys.G(x.q, G_);
    ++counters_.jacobian;
    const MetricAt<Sys> metric{sys, x.q, x.p};
    scale_.begin(sys, metric, x.q, G_, r_);
    const Status s = gram_.analyse(G_, metric, scale_.row_units());
    predictor_.begin(redundant(), scale_.row_units());
    fill(memory_.rate, S(0));
    return s;
  }

  Status move(const Sys& sys, const S& ah, const S& bh, int slot, Vec<S, N>& q, Vec<S, N>& p, Rounding<S, N>* lost,
              ActionSum<S>* action = nullptr) {
    predictor_.guess(slot, impulse_);
    if (redundant()) axpy(S(ah + bh), memory_.rate, impulse_);
    if (const Status s = solve(sys, ah, bh, q, p, lost); !s.ok()) return s;
    if (const int k = leads_across(G_, q, q1_); k >= 0) return {Failure::wrong_root, k};
    predictor_.remember(slot, impulse_);
    if (action) action->add(rule_.action(sys, q, q1_, P_, ah, bh));
    rule_.end_kick(sys, q, q1_, P_, ah, bh, kick_);
    ++counters_.force;
    if (lost) {
      for (int i = 0; i < q.size(); ++i) lost->q[i] = lost_in_sum(q[i], d_[i], q1_[i]);
      subtract_force(G_, impulse_, lost->p);
      rule_.start_kick(sys, q, q1_, P_, ah, bh, d_);
      for (int i = 0; i < p.size(); ++i) {
        const S before = p[i], increment = lost->p[i] - d_[i] - kick_[i];
        p[i] = before + increment;
        lost->p[i] = lost_in_sum(before, increment, p[i]);
      }
    } else {
      for (int i = 0; i < p.size(); ++i) p[i] = P_[i] - kick_[i];
    }
    q = q1_;
    if (gram_.m() == 0) return {};
    if (const Status s = holds(sys, q, lost); !s.ok()) return s;
    if (gram_.negative_pivots(G1_) > 0) return {Failure::wrong_root};
    std::swap(G_, G1_);
    ++counters_.factorisation;
    memory_.p = p;
    const Status s = gram_.factor(G_, MetricAt<Sys>{sys, q, p});
    if (s.ok() && redundant()) remember_force(S(ah + bh));
    return s;
  }

  std::string track_action(const Sys&) const { return {}; }
  // The motion over a time below the resolution of a move, to first order.
  void make_up(const Sys& sys, const S& time, const Vec<S, N>& q, const Vec<S, N>& p, Rounding<S, N>& lost) {
    sys.H_p(q, p, d_);
    axpy(time, d_, lost.q);
    sys.H_q(q, p, kick_);
    axpy(S(-time), kick_, lost.p);
  }

  Status project(const Sys& sys, const Vec<S, N>& q, Vec<S, N>& p, Rounding<S, N>* lost) {
    if (gram_.m() == 0) return {};
    return onto_cotangent(sys, gram_, G_, q, p, d_, r_, scale_, options_, lost ? &lost->p : nullptr);
  }

  bool redundant() const { return gram_.rank() < gram_.m(); }
  Counters& counters() { return counters_; }
  NewtonOptions& options() { return options_; }
  template <class F>
  void visit_memory(F&& f) {
    predictor_.visit_memory(f);
    if (gram_.m() > 0) f("p_of_last_move", memory_.p);
    if (redundant()) f("impulse_rate", memory_.rate);
  }
  Status resume(const Sys& sys, const Vec<S, N>& q) {
    if (gram_.m() == 0) return {};
    constraint_and_jacobian(sys, q, r_, G_);
    return gram_.factor(G_, MetricAt<Sys>{sys, q, memory_.p});
  }

 private:
  struct Memory {
    Vec<S, N> p;     // after the last move, where G H_pp Gᵀ was factored: kicks and a projection have followed
    Vec<S, M> rate;  // Λ/h of redundant constraints
  };

  // Impulses of redundant constraints are not unique. What is kept of them is their force, by the multipliers of
  // minimal norm that belong to it at the next position.
  void remember_force(const S& h) {
    fill(d_, S(0));
    gram_.subtract_displacement(G_, S(S(-1) / h), impulse_, d_);
    multiply(G_, d_, memory_.rate);
    gram_.solve(memory_.rate);
  }
  // g(q₁) at round-off, and G(q₁)
  Status holds(const Sys& sys, const Vec<S, N>& q1, const Rounding<S, N>* lost) {
    constraint_and_jacobian(sys, q1, r_, G1_);
    ++counters_.constraint;
    ++counters_.jacobian;
    if (lost)
      for (int k = 0; k < r_.size(); ++k) G1_.row(k, [&](int j, const S& a) { r_[k] += a * lost->q[j]; });
    return at_round_off<Sys>(r_, G1_, q1, scale_, options_);
  }

  // P, q₁ and Λ
  Status solve(const Sys& sys, const S& ah, const S& bh, const Vec<S, N>& q, const Vec<S, N>& p,
               const Rounding<S, N>* lost) {
    const S h = ah + bh;
    P_ = p;
    sys.H_p(q, p, d_);
    for (int i = 0; i < q.size(); ++i) q1_[i] = q[i] + h * d_[i];
    Stagnation<R> stagnation(epsilon<S>(), options_);
    for (;;) {
      rule_.start_kick(sys, q, q1_, P_, ah, bh, kick_);
      ++counters_.force;
      for (int i = 0; i < p.size(); ++i) P_new_[i] = p[i] - kick_[i];
      subtract_force(G_, impulse_, P_new_);
      rule_.displacement(sys, q, q1_, P_new_, ah, bh, d_);
      if (lost) axpy(S(1), lost->q, d_);
      for (int i = 0; i < q.size(); ++i) q_new_[i] = q[i] + d_[i];
      if (gram_.m() > 0) {
        sys.g(q_new_, r_);
        ++counters_.constraint;
        gram_.solve(r_);
        gram_.subtract_displacement(G_, S(1), r_, d_);
        for (int i = 0; i < q.size(); ++i) q_new_[i] = q[i] + d_[i];
        for (int k = 0; k < r_.size(); ++k) r_[k] /= h;
        for (int k = 0; k < r_.size(); ++k) impulse_[k] += r_[k];
        subtract_force(G_, r_, P_new_);
      }
      // Against the terms that P is made of: at a turning point it vanishes, their rounding errors do not.
      const R kicked = largest(kick_);
      const R dq = largest_change(q_new_, q1_, largest(q));
      const R dp = largest_change(P_new_, P_, kicked < largest(p) ? largest(p) : kicked);
      std::swap(q1_, q_new_);
      std::swap(P_, P_new_);
      const R change = dq < dp || !(dp == dp) ? dp : dq;
      const auto verdict = stagnation(change, dq);
      if (verdict == Stagnation<R>::Verdict::done) break;
      if (verdict == Stagnation<R>::Verdict::failed)
        return {change == change ? Failure::no_convergence : Failure::not_finite, -1, to_double(change)};
    }
    counters_.newton(stagnation.iterations());
    return {};
  }

  Rule<Sys> rule_;
  GramSolver<S, N, M> gram_;
  Predictor<S, M> predictor_;
  Jacobian<S, N, M> G_, G1_;
  Vec<S, N> P_, q1_, P_new_, q_new_, kick_, d_;
  Vec<S, M> impulse_, r_;
  ConstraintScale<S, N, M> scale_;
  Memory memory_;
  Counters counters_;
  NewtonOptions options_;
};

template <class Sys>
using EulerPairMotion = ImplicitMotion<Sys, EulerPair>;
template <class Sys>
using ImplicitMidpointMotion = ImplicitMotion<Sys, ImplicitMidpoint>;

}  // namespace holonom
