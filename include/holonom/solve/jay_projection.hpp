// The projection of Jay and of Ascher and Petzold after a step: q along H_pp G(q̃)ᵀ, with the direction fixed at the
// point q̃ that is projected, onto g = 0; then p along Gᵀ onto G H_p = 0. It keeps the order of a method, not the
// symplectic form.
#pragma once

#include <string_view>

#include "holonom/solve/constraints.hpp"

namespace holonom {

template <System Sys>
class JayProjection {
  using S = ScalarOf<Sys>;
  using R = Real<S>;
  static constexpr int N = Sys::N, M = Sys::M;

 public:
  static constexpr std::string_view name = "jay";

  explicit JayProjection(const Sys& sys)
      : G1_(make_jacobian(sys)),
        from_(size_q(sys)),
        v_(size_q(sys)),
        nu_(size_g(sys)),
        r_(size_g(sys)),
        scale_(size_q(sys), size_g(sys)) {}

  template <class Metric>
  void begin(const Sys& sys, const Metric& A, const QVec<Sys>& q, const JacobianOf<Sys>& G) {
    scale_.begin(sys, A, q, G, r_);
  }

  // G and the factorisation in `gram` are those of the projected point afterwards.
  Status operator()(const Sys& sys, GramSolver<S, N, M>& gram, JacobianOf<Sys>& G, QVec<Sys>& q, QVec<Sys>& p,
                    Counters& counters, const NewtonOptions& options) {
    if (gram.m() == 0) return {};
    from_ = q;
    fill(nu_, S(0));
    sys.G(q, G);
    gram.set_directions(G, metric_at(sys, q, p));
    // Positions may be far from the origin, where the terms of g are large: nothing is foreseen.
    Convergence<R> convergence(epsilon<S>(), options, true, false, R(1e30));
    const bool always_new = [&] {
      if constexpr (M == Dynamic)
        return gram.refreshes();
      else
        return true;
    }();
    bool stalled = false;
    for (bool refresh = true;; refresh = always_new || convergence.slow()) {
      constraint_and_jacobian(sys, q, r_, G1_);
      ++counters.constraint;
      ++counters.jacobian;
      const R size = stalled ? scale_.residual_at(G1_, q, r_) : scale_.residual(r_);
      const auto verdict = convergence(size);
      if (verdict == Convergence<R>::Verdict::done) break;
      if (verdict == Convergence<R>::Verdict::failed)
        return {size == size ? Failure::no_convergence : Failure::not_finite, scale_.worst(r_), to_double(size)};
      stalled = stalled || convergence.stalled();
      gram.newton(G1_, r_, refresh);
      axpy(S(1), r_, nu_);
      q = from_;
      gram.subtract_displacement(G, S(1), nu_, q);
    }
    if (stalled) scale_.grow(G1_, q);
    std::swap(G, G1_);
    ++counters.factorisation;
    if (const Status s = gram.factor(G, metric_at(sys, q, p)); !s.ok()) return s;
    return onto_cotangent(sys, gram, G, q, p, v_, r_, scale_, options);
  }
  template <class F>
  void visit_memory(F&& f) {
    scale_.visit_memory(f);
  }

 private:
  JacobianOf<Sys> G1_;
  QVec<Sys> from_, v_;
  MVec<Sys> nu_, r_;
  ConstraintScale<S, N, M> scale_;
};

}  // namespace holonom
