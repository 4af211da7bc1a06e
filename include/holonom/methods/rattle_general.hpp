// RATTLE for any H(q, p) (Jay 1996; Reich 1993; equation 6.13 of Hairer, Lubich, Wanner 2003).
//   p½ = p − h/2 H_q(q, p½) − G(q)ᵀΛ
//   q₁ = q + h/2 (H_p(q, p½) + H_p(q₁, p½)),     g(q₁) = 0
//   p₁ = p½ − h/2 H_q(q₁, p½) − G(q₁)ᵀμ,         G(q₁) H_p(q₁, p₁) = 0
// The first two lines are iterated together with a correction of Λ through G H_pp Gᵀ, factored once
// a step: contraction O(h), to stagnation at round-off.
#pragma once

#include "holonom/methods/method.hpp"
#include "holonom/solve/constraints.hpp"

namespace holonom {

// Ends a linearly convergent iteration when its changes have become rounding errors.
template <class R>
class Stagnation {
 public:
  enum class Verdict { go_on, done, failed };

  Stagnation(const R& eps, const NewtonOptions& options)
      : floor_(options.tolerance > 0 ? R(options.tolerance) : eps / 4), accepted_(R(1e4) * eps),
        max_(4 * options.max_iterations) {
    if (accepted_ < floor_) accepted_ = floor_;
  }
  // `change` of all unknowns; `displacement`, that of the positions alone.
  Verdict operator()(const R& change, const R& displacement) {
    ++iterations_;
    const bool stalled = iterations_ > 1 && !(change < R(0.9) * previous_);  // slow contractions are no stall
    // Rounding errors of g reach p divided by h, and p may be small (a start at rest): positions tell.
    if (change <= floor_ || (stalled && displacement <= accepted_)) return Verdict::done;
    // A contraction this poor is not one.
    if (!(change < R(1e30)) || iterations_ >= max_ || (iterations_ > 1 && change > previous_ && ++growths_ > 5))
      return Verdict::failed;
    previous_ = change;
    return Verdict::go_on;
  }
  int iterations() const { return iterations_; }

 private:
  R floor_, accepted_, previous_{0};
  int iterations_ = 0, growths_ = 0, max_;
};

template <HasHpp Sys>
class RattleGeneral {
  using S = ScalarOf<Sys>;
  using R = Real<S>;
  static constexpr int N = Sys::N, M = Sys::M;

 public:
  explicit RattleGeneral(const Sys& sys)
      : gram_(size_q(sys), size_g(sys)), G0_(make_jacobian(sys)), G1_(make_jacobian(sys)), p_(size_q(sys)),
        q_(size_q(sys)), p_new_(size_q(sys)), q_new_(size_q(sys)), f_(size_q(sys)), v0_(size_q(sys)),
        v1_(size_q(sys)), impulse_(size_g(sys)), r_(size_g(sys)), inverse_scale_(size_g(sys)) {}

  Status begin(const Sys& sys, const State<S, N, M>& x, const S&) {
    sys.G(x.q, G0_);
    ++counters_.jacobian;
    fill(impulse_, S(0));
    return gram_.analyse(G0_, MetricAt<Sys>{sys, x.q, x.p});
  }

  Status step(const Sys& sys, State<S, N, M>& x, const S& h) {
    const S half = h / 2;
    if (const Status s = half_step(sys, x, h, half); !s.ok()) return s;
    sys.G(q_, G1_);
    sys.H_q(q_, p_, f_);
    ++counters_.jacobian;
    ++counters_.force;
    for (int i = 0; i < p_.size(); ++i) p_[i] -= half * f_[i];
    if (gram_.m() > 0) {
      if (const int k = gram_.turned(G1_); k >= 0) return {Failure::wrong_root, k};
      std::swap(G0_, G1_);
      ++counters_.factorisation;
      if (const Status s = gram_.factor(G0_, MetricAt<Sys>{sys, q_, p_}); !s.ok()) return s;
      if (const Status s = onto_cotangent(sys, gram_, G0_, q_, p_, v1_, r_, inverse_scale_, options_); !s.ok()) return s;
    }
    x.q = q_;
    x.p = p_;
    ++counters_.steps;
    return {};
  }

  template <class F>
  void visit_memory(F&& f) {
    f("impulse", impulse_);
  }

  Counters& counters() { return counters_; }
  NewtonOptions& options() { return options_; }
  GramSolver<S, N, M>& gram() { return gram_; }

 private:
  // p½, q₁ and Λ
  Status half_step(const Sys& sys, const State<S, N, M>& x, const S& h, const S& half) {
    p_ = x.p;
    sys.H_p(x.q, x.p, v0_);
    for (int i = 0; i < q_.size(); ++i) q_[i] = x.q[i] + h * v0_[i];
    Stagnation<R> stagnation(epsilon<S>(), options_);
    for (;;) {
      sys.H_q(x.q, p_, f_);
      ++counters_.force;
      for (int i = 0; i < p_.size(); ++i) p_new_[i] = x.p[i] - half * f_[i];
      subtract_force(G0_, impulse_, p_new_);
      sys.H_p(x.q, p_new_, v0_);
      sys.H_p(q_, p_new_, v1_);
      for (int i = 0; i < q_.size(); ++i) q_new_[i] = x.q[i] + half * (v0_[i] + v1_[i]);
      if (gram_.m() > 0) {
        sys.g(q_new_, r_);
        ++counters_.constraint;
        gram_.solve(r_);
        for (int k = 0; k < r_.size(); ++k) r_[k] /= h;
        for (int k = 0; k < r_.size(); ++k) impulse_[k] += r_[k];
        subtract_force(G0_, r_, p_new_);
        gram_.subtract_displacement(G0_, h, r_, q_new_);
      }
      // Against the terms that p½ is made of: at a turning point it vanishes, their rounding errors do not.
      const R kick = largest(f_) * magnitude(half);
      const R dq = largest_change(q_new_, q_, largest(x.q));
      const R dp = largest_change(p_new_, p_, kick < largest(x.p) ? largest(x.p) : kick);
      q_ = q_new_;
      p_ = p_new_;
      const R change = dq < dp || !(dp == dp) ? dp : dq;
      const auto verdict = stagnation(change, dq);
      if (verdict == Stagnation<R>::Verdict::done) break;
      if (verdict == Stagnation<R>::Verdict::failed)
        return {change == change ? Failure::no_convergence : Failure::not_finite, -1, to_double(change)};
    }
    counters_.newton(stagnation.iterations());
    return {};
  }

  static R largest(const Vec<S, N>& a) {
    R size(0);
    for (int i = 0; i < a.size(); ++i)
      if (magnitude(a[i]) > size) size = magnitude(a[i]);
    return size;
  }
  // Relative to the largest entry, or to `scale` if that is larger.
  static R largest_change(const Vec<S, N>& a, const Vec<S, N>& b, const R& scale) {
    R change(0), size = largest(a);
    for (int i = 0; i < a.size(); ++i) {
      const R c = magnitude(S(a[i] - b[i]));
      if (!(c <= change)) change = c;
    }
    if (size < scale) size = scale;
    return size > R(0) ? R(change / size) : change;
  }

  GramSolver<S, N, M> gram_;
  Jacobian<S, N, M> G0_, G1_;
  Vec<S, N> p_, q_, p_new_, q_new_, f_, v0_, v1_;
  Vec<S, M> impulse_, r_;
  Vec<R, M> inverse_scale_;
  Counters counters_;
  NewtonOptions options_;
};

}  // namespace holonom
