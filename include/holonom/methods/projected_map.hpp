// Reich's wrapper (24): any symplectic map Ψ of the unconstrained system becomes a method on the manifold,
//   (q₁, p̃) = Ψ_h(q, p − G(q)ᵀΛ),   g(q₁) = 0,   then p₁ = p̃ − G(q₁)ᵀμ with G H_p = 0.
// Its order is that of Ψ, but at most 2: Λ acts at one instant, where the multiplier of the exact flow acts
// all along. Compositions raise the order again.
//
// A map is a class Map<Sys> with
//   Map(sys)                                    its scratch space
//   Status operator()(sys, q, p, h, counters)   (q, p) ← Ψ_h(q, p), constraints ignored; no allocation, and nothing
//                                               remembered from call to call
#pragma once

#include <algorithm>

#include "holonom/solve/across.hpp"
#include "holonom/solve/predictor.hpp"
#include "holonom/solve/stagnation.hpp"

namespace holonom {

// Roots of r(x) = 0 by Broyden's (good) method, from an approximate Jacobian that the caller inverts; in
// the form that keeps steps only (Kelley 1995). Superlinear, without derivatives of the map. The matrix is
// made of values, and applied to the tangents of dual numbers as well.
template <class S, int M>
class Broyden {
  using R = Real<S>;
  static constexpr int memory = 12;

 public:
  explicit Broyden(int m) : steps_(memory, Vec<R, M>(m)), next_(m) {}

  void begin() {
    known_ = 0;
    learned_ = false;
  }
  // In: s = −J₀⁻¹ r(x). Out: the step to take from x. Nothing is learned from steps between values that are
  // rounding errors: then the matrix stays, while tangents go on converging.
  void operator()(Vec<S, M>& s, bool learn) {
    for (int j = 0; j + 1 < known_; ++j) add(along(step(j), s), step(j + 1), s);
    if (learned_) {
      const S a = along(step(known_ - 1), s);
      const R shrink = R(1) - value(a);
      // A step that turns back on the last one by all its length says nothing.
      if (shrink > R(0.1) && shrink < R(10)) {
        for (int k = 0; k < s.size(); ++k) next_[k] = value(s[k]) / shrink;
        add(a, next_, s);
      }
    }
    learned_ = learn && known_ < memory;
    if (!learned_) return;
    for (int k = 0; k < s.size(); ++k) step(known_)[k] = value(s[k]);
    ++known_;
  }

 private:
  Vec<R, M>& step(int j) { return steps_[static_cast<std::size_t>(j)]; }
  static S along(const Vec<R, M>& s, const Vec<S, M>& z) {
    S sz(0);
    R ss(0);
    for (int k = 0; k < s.size(); ++k) {
      sz += S(s[k]) * z[k];
      ss += s[k] * s[k];
    }
    return ss > R(0) ? S(sz / S(ss)) : S(0);
  }
  static void add(const S& a, const Vec<R, M>& x, Vec<S, M>& y) {
    for (int k = 0; k < y.size(); ++k) y[k] += a * S(x[k]);
  }
  std::vector<Vec<R, M>> steps_;
  Vec<R, M> next_;
  int known_ = 0;
  bool learned_ = false;  // the last step is the last of steps_
};

template <class Sys, template <class> class Map>
class MapMotion {
  using S = ScalarOf<Sys>;
  using R = Real<S>;
  static constexpr int N = Sys::N, M = Sys::M;

 public:
  template <class... Further>
  MapMotion(const Sys& sys, int moves, Further&&... further)
      : map_(sys, std::forward<Further>(further)...),
        gram_(size_q(sys), size_g(sys)),
        predictor_(moves, size_g(sys)),
        broyden_(size_g(sys)),
        G_(make_jacobian(sys)),
        G1_(make_jacobian(sys)),
        q1_(size_q(sys)),
        p1_(size_q(sys)),
        v_(size_q(sys)),
        impulse_(size_g(sys)),
        r_(size_g(sys)),
        scale_(size_q(sys), size_g(sys)),
        p_of_last_move_(size_q(sys)) {}

  Status begin(const Sys& sys, const State<S, N, M>& x) {
    sys.G(x.q, G_);
    ++counters_.jacobian;
    const MetricAt<Sys> metric{sys, x.q, x.p};
    scale_.begin(sys, metric, x.q, G_, r_);
    const Status s = gram_.analyse(G_, metric, scale_.row_units());
    predictor_.begin(gram_.rank() < gram_.m(), scale_.row_units());
    return s;
  }

  Status move(const Sys& sys, const S& ah, const S& bh, int slot, Vec<S, N>& q, Vec<S, N>& p, Rounding<S, N>* lost) {
    const S h = ah + bh;
    predictor_.guess(slot, impulse_);
    broyden_.begin();
    Convergence<R> convergence(epsilon<S>(), options_, false);
    bool paused = false;
    for (;;) {
      q1_ = q;
      p1_ = p;
      subtract_force(G_, impulse_, p1_);
      if (const Status s = map_(sys, q1_, p1_, h, counters_); !s.ok()) return s;
      if (gram_.m() == 0) break;
      sys.g(q1_, r_);
      ++counters_.constraint;
      const R size = scale_.residual(r_);
      const auto verdict = convergence(size);
      // Broyden's method need not gain in every iteration, least of all in tangents, only in every two.
      paused = !paused && convergence.stalled() && size > R(10) * epsilon<S>();
      if (verdict == Convergence<R>::Verdict::done && !paused) break;
      if (verdict == Convergence<R>::Verdict::failed) {
        counters_.newton(convergence.iterations());
        return {size == size ? Failure::no_convergence : Failure::not_finite, scale_.worst(r_), to_double(size)};
      }
      R of_values(0);
      for (int k = 0; k < r_.size(); ++k)
        of_values = std::max(of_values, R(magnitude(value(r_[k])) * scale_.inverse()[k]));
      gram_.solve(r_);
      for (int k = 0; k < r_.size(); ++k) r_[k] /= h;
      broyden_(r_, of_values > R(1000) * epsilon<S>());
      for (int k = 0; k < r_.size(); ++k) impulse_[k] += r_[k];
    }
    if (const int k = leads_across(G_, q, q1_); k >= 0) return {Failure::wrong_root, k};
    predictor_.remember(slot, impulse_);
    q = q1_;
    p = p1_;
    if (lost) lost->clear();
    if (gram_.m() == 0) return {};
    counters_.newton(convergence.iterations());
    sys.G(q, G1_);
    ++counters_.jacobian;
    std::swap(G_, G1_);
    ++counters_.factorisation;
    p_of_last_move_ = p;
    return gram_.factor(G_, MetricAt<Sys>{sys, q, p});
  }

  // What a map rounds within is not known, so nothing is compensated.
  void make_up(const Sys&, const S&, const Vec<S, N>&, const Vec<S, N>&, Rounding<S, N>&) {}

  Status project(const Sys& sys, const Vec<S, N>& q, Vec<S, N>& p, Rounding<S, N>*) {
    if (gram_.m() == 0) return {};
    return onto_cotangent(sys, gram_, G_, q, p, v_, r_, scale_, options_);
  }

  bool redundant() const { return gram_.rank() < gram_.m(); }
  Counters& counters() { return counters_; }
  NewtonOptions& options() { return options_; }
  template <class F>
  void visit_memory(F&& f) {
    predictor_.visit_memory(f);
    if (gram_.m() > 0) f("p_of_last_move", p_of_last_move_);
  }
  Status resume(const Sys& sys, const Vec<S, N>& q) {
    if (gram_.m() == 0) return {};
    sys.G(q, G_);
    return gram_.factor(G_, MetricAt<Sys>{sys, q, p_of_last_move_});
  }

 private:
  Map<Sys> map_;
  GramSolver<S, N, M> gram_;
  Predictor<S, M> predictor_;
  Broyden<S, M> broyden_;
  Jacobian<S, N, M> G_, G1_;
  Vec<S, N> q1_, p1_, v_;
  Vec<S, M> impulse_, r_;
  ConstraintScale<S, N, M> scale_;
  Vec<S, N> p_of_last_move_;  // where G H_pp Gᵀ was factored: kicks and a projection have followed
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
