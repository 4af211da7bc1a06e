// The stage projection of Leimkuhler and Reich (section 4; "midpoint projection" with one stage): the stages of an
// implicit Runge-Kutta method are on the manifold, the steps are not,
//   W_i = w + h Σ a_ij f(W_j) − c'(W_i)ᵀΛ_i,   c(W_i) = (g, G H_p) = 0,   w₁ = w + h Σ b_j f(W_j).
// As all formulations agree on the manifold, it is the same with all of them. It has an instability (Ascher and
// Petzold).
#pragma once

#include "holonom/coefficients/tableau.hpp"
#include "holonom/solve/orthogonal_projection.hpp"

namespace holonom {

template <class S>
class StageProjection {
  using R = Real<S>;

 public:
  // f is (H_p, −H_q) of the formulation.
  StageProjection(const AnySystem<S>& sys, const AnySystem<S>& formulated, Tableau<S> tableau)
      : formulated_(formulated), t_(std::move(tableau)), project_(sys), next_(sys.n()) {
    stages_.assign(static_cast<std::size_t>(t_.stages()), Gradient<S>(sys.n()));
    rates_ = stages_;
  }

  // A step, by functional iteration to round-off.
  Status operator()(Vec<S>& q, Vec<S>& p, const S& h, Counters& counters, const NewtonOptions& options) {
    for (Gradient<S>& stage : stages_) {
      stage.q = q;
      stage.p = p;
    }
    Stagnation<R> stagnation(epsilon<S>(), options);
    for (;;) {
      find_rates(counters);
      R change(0), displacement(0);
      for (int i = 0; i < t_.stages(); ++i) {
        advance(q, p, h, [&](int j) { return t_.A(i, j); });
        if (const Status s = project_(next_.q, next_.p, counters, options); !s.ok()) return s;
        Gradient<S>& stage = stages_[static_cast<std::size_t>(i)];
        keep_largest(displacement, largest_change(next_.q, stage.q, R(0)));
        keep_largest(change, largest_change(next_.p, stage.p, R(0)));
        std::swap(stage, next_);
      }
      keep_largest(change, displacement);
      const auto verdict = stagnation(change, displacement);
      if (verdict == Stagnation<R>::Verdict::failed)
        return {change == change ? Failure::no_convergence : Failure::not_finite, -1, to_double(change)};
      if (verdict == Stagnation<R>::Verdict::done) break;
    }
    find_rates(counters);
    advance(q, p, h, [&](int j) { return t_.b[j]; });
    q = next_.q;
    p = next_.p;
    return {};
  }

  template <class F>
  void visit_memory(F&& f) {
    project_.visit_memory(f);
  }

 private:
  void find_rates(Counters& counters) {
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      formulated_.H_p(stages_[i].q, stages_[i].p, rates_[i].q);
      formulated_.H_q(stages_[i].q, stages_[i].p, rates_[i].p);
      for (S& x : rates_[i].p) x = -x;
      ++counters.force;
    }
  }
  // next_ = w + h Σ weight(j) f_j
  template <class Weight>
  void advance(const Vec<S>& q, const Vec<S>& p, const S& h, Weight&& weight) {
    next_.clear();
    for (int j = 0; j < t_.stages(); ++j) {
      const S c = h * weight(j);
      axpy(c, rates_[static_cast<std::size_t>(j)].q, next_.q);
      axpy(c, rates_[static_cast<std::size_t>(j)].p, next_.p);
    }
    axpy(S(1), q, next_.q);
    axpy(S(1), p, next_.p);
  }

  const AnySystem<S>& formulated_;
  const Tableau<S> t_;
  OrthogonalProjection<S> project_;
  std::vector<Gradient<S>> stages_, rates_;
  Gradient<S> next_;
};

}  // namespace holonom
