// Reich's wrapper (24): any symplectic map Ψ of the unconstrained system becomes a method on the manifold,
//   (q₁, p̃) = Ψ_h(q, p − G(q)ᵀΛ),   g(q₁) = 0,   then p₁ = p̃ − G(q₁)ᵀμ with G H_p = 0.
// Its order is that of Ψ, but at most 2: Λ acts at one instant, where the multiplier of the exact flow acts
// all along. Compositions raise the order again.
//
// A map is a class Map<Sys> with
//   Map(sys)                                    its memory
//   Status operator()(sys, q, p, h, counters)   (q, p) ← Ψ_h(q, p), constraints ignored; no allocation
#pragma once

#include "holonom/methods/predictor.hpp"
#include "holonom/solve/stagnation.hpp"

namespace holonom {

// Roots of r(x) = 0 by Broyden's (good) method, from an approximate Jacobian that the caller inverts; in
// the form that keeps steps only (Kelley 1995). Superlinear, without derivatives of the map.
template <class S, int M>
class Broyden {
  using R = Real<S>;
  static constexpr int memory = 12;

 public:
  explicit Broyden(int m) : steps_(memory, Vec<S, M>(m)) {}

  void begin() { known_ = 0; }
  // In: s = −J₀⁻¹ r(x). Out: the step to take from x.
  void operator()(Vec<S, M>& s) {
    for (int j = 0; j + 1 < known_; ++j) axpy(S(along(step(j), s)), step(j + 1), s);
    if (known_ > 0) {
      const R shrink = R(1) - along(step(known_ - 1), s);
      // A step that turns back on the last one by all its length says nothing.
      if (shrink > R(0.1) && shrink < R(10))
        for (S& a : s) a /= S(shrink);
    }
    R size(0);
    for (const S& a : s) size += value(a) * value(a);
    if (known_ < memory && size > R(0)) step(known_++) = s;
  }

 private:
  Vec<S, M>& step(int j) { return steps_[static_cast<std::size_t>(j)]; }
  // Values only: a matrix for the tangents of dual numbers as well, which they cannot upset.
  static R along(const Vec<S, M>& s, const Vec<S, M>& z) {
    R sz(0), ss(0);
    for (int k = 0; k < s.size(); ++k) {
      sz += value(s[k]) * value(z[k]);
      ss += value(s[k]) * value(s[k]);
    }
    return ss > R(0) ? R(sz / ss) : R(0);
  }
  std::vector<Vec<S, M>> steps_;
  int known_ = 0;
};

template <class Sys, template <class> class Map>
class MapMotion {
  using S = ScalarOf<Sys>;
  using R = Real<S>;
  static constexpr int N = Sys::N, M = Sys::M;

 public:
  template <class... Further>
  MapMotion(const Sys& sys, int moves, Further&&... further)
      : map_(sys, std::forward<Further>(further)...), gram_(size_q(sys), size_g(sys)), predictor_(moves, size_g(sys)),
        broyden_(size_g(sys)), G_(make_jacobian(sys)), G1_(make_jacobian(sys)), q1_(size_q(sys)), p1_(size_q(sys)),
        v_(size_q(sys)), impulse_(size_g(sys)), r_(size_g(sys)), inverse_scale_(size_g(sys)), hidden_scale_(size_g(sys)) {}

  Status begin(const Sys& sys, const State<S, N, M>& x) {
    sys.G(x.q, G_);
    ++counters_.jacobian;
    first_scale(sys, x.q, r_, inverse_scale_);
    rescale(G_, x.q, inverse_scale_);
    const Status s = gram_.analyse(G_, MetricAt<Sys>{sys, x.q, x.p});
    predictor_.begin(gram_.rank() < gram_.m());
    return s;
  }

  Status move(const Sys& sys, const S& ah, const S& bh, int slot, Vec<S, N>& q, Vec<S, N>& p, Rounding<S, N>* lost) {
    const S h = ah + bh;
    predictor_.guess(slot, impulse_);
    broyden_.begin();
    Convergence<R> convergence(epsilon<S>(), options_, false);
    for (;;) {
      q1_ = q;
      p1_ = p;
      subtract_force(G_, impulse_, p1_);
      if (const Status s = map_(sys, q1_, p1_, h, counters_); !s.ok()) return s;
      if (gram_.m() == 0) break;
      sys.g(q1_, r_);
      ++counters_.constraint;
      const R size = relative_residual(r_, inverse_scale_);
      const auto verdict = convergence(size);
      if (verdict == Convergence<R>::Verdict::done) break;
      if (verdict == Convergence<R>::Verdict::failed) {
        counters_.newton(convergence.iterations());
        return {size == size ? Failure::no_convergence : Failure::not_finite, worst_constraint(r_, inverse_scale_), to_double(size)};
      }
      gram_.solve(r_);
      for (int k = 0; k < r_.size(); ++k) r_[k] /= h;
      broyden_(r_);
      for (int k = 0; k < r_.size(); ++k) impulse_[k] += r_[k];
    }
    predictor_.remember(slot, impulse_);
    q = q1_;
    p = p1_;
    if (lost) lost->clear();
    if (gram_.m() == 0) return {};
    counters_.newton(convergence.iterations());
    sys.G(q, G1_);
    ++counters_.jacobian;
    if (const int k = gram_.turned(G1_); k >= 0) return {Failure::wrong_root, k};
    std::swap(G_, G1_);
    ++counters_.factorisation;
    return gram_.factor(G_, MetricAt<Sys>{sys, q, p});
  }

  Status project(const Sys& sys, const Vec<S, N>& q, Vec<S, N>& p) {
    if (gram_.m() == 0) return {};
    return onto_cotangent(sys, gram_, G_, q, p, v_, r_, hidden_scale_, options_);
  }

  Counters& counters() { return counters_; }
  NewtonOptions& options() { return options_; }
  template <class F>
  void visit_memory(F&& f) {
    predictor_.visit_memory(f);
  }

 private:
  Map<Sys> map_;
  GramSolver<S, N, M> gram_;
  Predictor<S, M> predictor_;
  Broyden<S, M> broyden_;
  Jacobian<S, N, M> G_, G1_;
  Vec<S, N> q1_, p1_, v_;
  Vec<S, M> impulse_, r_;
  Vec<R, M> inverse_scale_, hidden_scale_;
  Counters counters_;
  NewtonOptions options_;
};

// The map of a multiple-time-step method: V_slow kicks at both ends, `inner` Verlet steps with V_fast between
// (Grubmüller et al. 1991; Tuckerman, Berne, Martyna 1992).
template <class Sys>
class MultipleTimeSteps {
  using S = ScalarOf<Sys>;

 public:
  MultipleTimeSteps(const Sys& sys, int inner) : inner_(inner), f_(size_q(sys)), v_(size_q(sys)) {}

  Status operator()(const Sys& sys, QVec<Sys>& q, QVec<Sys>& p, const S& h, Counters& counters) {
    const S half = h / 2, step = h / S(inner_), half_step = step / 2;
    const auto push = [&](Part part, const S& c) {
      gradient(sys, part, q, f_);
      ++counters.force;
      ++(part == Part::slow ? counters.force_slow : counters.force_fast);
      axpy(S(-c), f_, p);
    };
    push(Part::slow, half);
    push(Part::fast, half_step);
    for (int k = 0; k < inner_; ++k) {
      sys.mass().solve(p, v_);
      axpy(step, v_, q);
      push(Part::fast, k + 1 < inner_ ? step : half_step);
    }
    push(Part::slow, half);
    return {};
  }

 private:
  int inner_;
  QVec<Sys> f_, v_;
};

template <class Sys>
using MultipleTimeStepMotion = MapMotion<Sys, MultipleTimeSteps>;

}  // namespace holonom
