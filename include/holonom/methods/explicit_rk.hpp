// An explicit Runge-Kutta method on the underlying ordinary differential equation (solve/underlying.hpp), projected
// onto both constraints after every step: q along H_pp Gᵀ, then p along Gᵀ. Accurate for its cost over short times; not
// symplectic, so its energy drifts. A baseline for honest comparison.
#pragma once

#include "holonom/coefficients/explicit_tableau.hpp"
#include "holonom/solve/stagnation.hpp"
#include "holonom/solve/underlying.hpp"

namespace holonom {

template <class Sys>
requires HasHpp<Sys> && HasCurvature<Sys>
class ExplicitRungeKutta {
  using S = ScalarOf<Sys>;
  using R = Real<S>;
  static constexpr int N = Sys::N, M = Sys::M;

 public:
  ExplicitRungeKutta(const Sys& sys, const ExplicitTableau& tableau)
      : gram_(size_q(sys), size_g(sys)),
        G_(make_jacobian(sys)),
        q_(size_q(sys)),
        p_(size_q(sys)),
        a_(size_q(sys)),
        b_(size_q(sys)),
        lambda_(size_g(sys)),
        r_(size_g(sys)),
        scale_(size_q(sys), size_g(sys)),
        lost_(size_q(sys)) {
    const auto number = [](const Fraction& f) { return S(f.numerator) / S(f.denominator); };
    for (const auto& row : tableau.A) {
      auto& numbers = A_.emplace_back();
      for (const Fraction& f : row) numbers.push_back(number(f));
      k_.emplace_back(size_q(sys), 0);
    }
    for (const Fraction& f : tableau.b) weights_.push_back(number(f));
  }

  void compensate(bool yes) { compensated_ = yes; }

  Status begin(const Sys& sys, const State<S, N, M>& x, const S&) {
    lost_.clear();
    sys.G(x.q, G_);
    const MetricAt<Sys> metric{sys, x.q, x.p};
    scale_.begin(sys, metric, x.q, G_, r_);
    return gram_.analyse(G_, metric, scale_.row_units());
  }

  Status step(const Sys& sys, State<S, N, M>& x, const S& h) {
    for (std::size_t i = 0; i < k_.size(); ++i) {
      q_ = x.q;
      p_ = x.p;
      for (std::size_t j = 0; j < i; ++j) add(S(h * A_[i][j]), k_[j]);
      if (const Status s = rate(sys, k_[i]); !s.ok()) return s;
    }
    // The increment is summed first: what rounding takes from it is small.
    fill(q_, S(0));
    fill(p_, S(0));
    for (std::size_t i = 0; i < k_.size(); ++i) add(S(h * weights_[i]), k_[i]);
    if (compensated_) {
      std::swap(a_, q_);
      std::swap(b_, p_);
      q_ = x.q;
      p_ = x.p;
      axpy(S(1), a_, q_, lost_.q);
      axpy(S(1), b_, p_, lost_.p);
    } else {
      axpy(S(1), x.q, q_);
      axpy(S(1), x.p, p_);
    }
    if (const Status s = project(sys); !s.ok()) return s;
    x.q = q_;
    x.p = p_;
    ++counters_.steps;
    return {};
  }

  Counters& counters() { return counters_; }
  NewtonOptions& options() { return options_; }
  template <class F>
  void visit_memory(F&& f) {
    scale_.visit_memory(f);
    if (compensated_) lost_.visit_memory(f);
  }
  // Every stage factors anew.
  Status resume(const Sys&, const State<S, N, M>&, const S&) { return {}; }

 private:
  void add(const S& c, const State<S, N, M>& k) {
    if (c == S(0)) return;
    axpy(c, k.q, q_);
    axpy(c, k.p, p_);
  }

  // (q', p') at (q_, p_)
  Status rate(const Sys& sys, State<S, N, M>& k) {
    sys.H_p(q_, p_, k.q);
    sys.H_q(q_, p_, k.p);
    ++counters_.force;
    if (size_g(sys) > 0) {
      sys.G(q_, G_);
      ++counters_.jacobian;
      ++counters_.factorisation;
      if (const Status s = gram_.factor(G_, MetricAt<Sys>{sys, q_, p_}); !s.ok()) return s;
      free_acceleration(sys, q_, p_, k.q, k.p, a_, b_);
      exact_multipliers(sys, gram_, G_, q_, k.q, a_, lambda_, r_);
    }
    for (S& a : k.p) a = -a;
    subtract_force(G_, lambda_, k.p);
    return {};
  }

  Status project(const Sys& sys) {
    if (size_g(sys) == 0) return {};
    Convergence<R> convergence(epsilon<S>(), options_);
    bool stalled = false;
    for (;;) {
      constraint_and_jacobian(sys, q_, r_, G_);
      ++counters_.constraint;
      ++counters_.jacobian;
      const R size = stalled ? scale_.residual_at(G_, q_, r_) : scale_.residual(r_);
      const auto verdict = convergence(size);
      if (verdict == Convergence<R>::Verdict::failed)
        return {size == size ? Failure::no_convergence : Failure::not_finite, scale_.worst(r_), to_double(size)};
      stalled = stalled || convergence.stalled();
      ++counters_.factorisation;
      if (const Status s = gram_.factor(G_, MetricAt<Sys>{sys, q_, p_}); !s.ok()) return s;
      if (verdict == Convergence<R>::Verdict::done) break;
      gram_.solve(r_);
      gram_.subtract_displacement(G_, S(1), r_, compensated_ ? lost_.q : q_);
      if (compensated_) absorb(q_, lost_.q);
    }
    counters_.newton(convergence.iterations());
    if (stalled) scale_.grow(G_, q_);
    return onto_cotangent(sys, gram_, G_, q_, p_, a_, r_, scale_, options_, compensated_ ? &lost_.p : nullptr);
  }

  std::vector<std::vector<S>> A_;
  std::vector<S> weights_;
  std::vector<State<S, N, M>> k_;
  GramSolver<S, N, M> gram_;
  Jacobian<S, N, M> G_;
  Vec<S, N> q_, p_, a_, b_;
  Vec<S, M> lambda_, r_;
  ConstraintScale<S, N, M> scale_;
  bool compensated_ = false;
  Rounding<S, N> lost_;
  Counters counters_;
  NewtonOptions options_;
};

}  // namespace holonom
