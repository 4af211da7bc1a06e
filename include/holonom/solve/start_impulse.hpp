// The impulse −G(q₀)ᵀΛ at the start of a step by which a map of a formulation without constraints ends on g(q₁) = 0,
// Reich's (31). On the manifold such a Hamiltonian has H̃_pp = H_pp along the manifold, and along Gᵀ as well (h-m), or
// the negative of it (Dirac's): G H̃_pp Gᵀ = ±K, K = G H_pp Gᵀ. So to first order
//   δq₁ = ∓h H_pp GᵀδΛ,   δΛ = ±K⁻¹g(q₁)/h.
#pragma once

#include "holonom/solve/across.hpp"
#include "holonom/solve/broyden.hpp"
#include "holonom/solve/constraints.hpp"
#include "holonom/solve/predictor.hpp"

namespace holonom {

template <class Sys>
class StartImpulse {
  using S = ScalarOf<Sys>;
  using R = Real<S>;
  static constexpr int N = Sys::N, M = Sys::M;

 public:
  // reversed: G H̃_pp Gᵀ = −K
  StartImpulse(const Sys& sys, bool reversed)
      : reversed_(reversed),
        gram_(size_q(sys), size_g(sys)),
        predictor_(1, size_g(sys)),
        broyden_(size_g(sys)),
        scale_(size_q(sys), size_g(sys)),
        G_(make_jacobian(sys)),
        G1_(make_jacobian(sys)),
        Lambda_(1, Vec<S, M>(size_g(sys))),
        r_(size_g(sys)),
        v_(size_q(sys)),
        unprojected_(size_q(sys)) {}

  Status begin(const Sys& sys, const QVec<Sys>& q, const QVec<Sys>& p, Counters& counters) {
    sys.G(q, G_);
    ++counters.jacobian;
    const auto metric = metric_at(sys, q, p);
    scale_.begin(sys, metric, q, G_, r_);
    const Status s = gram_.analyse(G_, metric, scale_.row_units());
    predictor_.begin(gram_.rank() < gram_.m(), scale_.row_units());
    return s;
  }

  int m() const { return gram_.m(); }
  const JacobianOf<Sys>& G() const { return G_; }
  const JacobianOf<Sys>& G_at_end() const { return G1_; }
  const MVec<Sys>& Lambda() const { return Lambda_[0]; }
  std::vector<Vec<S, M>>& unknowns() { return Lambda_; }  // Λ, and nothing else

  // From the last steps, or none at all
  void guess(bool from_memory) {
    if (from_memory)
      predictor_.guess(0, Lambda_[0]);
    else
      fill(Lambda_[0], S(0));
  }
  void remember() { predictor_.remember(0, Lambda_[0]); }

  // p ← p − GᵀΛ
  void apply(QVec<Sys>& p) const { subtract_force(G_, Lambda_[0], p); }

  // u ← H̃_pp u at the start (q₀, p₀), without terms that vanish on the manifold
  void respond(const Sys& sys, const QVec<Sys>& q0, const QVec<Sys>& p0, QVec<Sys>& u) {
    energy_pp(sys, q0, p0, u, v_);
    if (reversed_) {
      gram_.multiply(G_, u, r_);
      gram_.solve(r_);
      gram_.subtract_displacement(G_, S(2), r_, v_);
    }
    std::swap(u, v_);
  }

  // g and G at the end of a step
  const MVec<Sys>& look(const Sys& sys, const QVec<Sys>& q1, Counters& counters) {
    constraint_and_jacobian(sys, q1, r_, G1_);
    ++counters.constraint;
    ++counters.jacobian;
    return r_;
  }
  // The same at q₀ + d, which is meant by q₁: where rounding takes away what a change of d would do to g, iterations
  // add to Λ for ever.
  const MVec<Sys>& look(const Sys& sys, const QVec<Sys>& q0, const QVec<Sys>& d, const QVec<Sys>& q1,
                        Counters& counters) {
    look(sys, q1, counters);
    for (int k = 0; k < r_.size(); ++k)
      G1_.row(k, [&](int j, const S& a) { r_[k] += a * lost_in_sum(q0[j], d[j], q1[j]); });
    return r_;
  }
  // Λ += δΛ, which takes g(q₁) away if positions at the end move by `displacement` (added to).
  // Returns δΛ.
  const MVec<Sys>& correct(const S& h, QVec<Sys>& displacement) {
    find_change(h);
    axpy(S(1), r_, Lambda_[0]);
    gram_.subtract_displacement(G_, response(h), r_, displacement);
    return r_;
  }

  // Λ from none at all, by Broyden's method, for those who can say where a step with a given Λ ends: `end` finds q₁.
  template <class End>
  Status search(const Sys& sys, const S& h, const QVec<Sys>& q1, Counters& counters, const NewtonOptions& options,
                End&& end) {
    fill(Lambda_[0], S(0));
    broyden_.begin();
    Convergence<R> convergence(epsilon<S>(), options, false);
    for (bool paused = false;;) {
      if (const Status s = end(); !s.ok()) return s;
      look(sys, q1, counters);
      const R size = scale_.residual(r_);
      const auto verdict = convergence(size);
      // Broyden's method need not gain in every iteration, least of all in tangents, only in every two.
      paused = !paused && convergence.stalled() && size > R(10) * epsilon<S>();
      if (verdict == Convergence<R>::Verdict::done && !paused) return {};
      if (verdict == Convergence<R>::Verdict::failed) return failure(size);
      R of_values(0);
      for (int k = 0; k < r_.size(); ++k) keep_largest(of_values, R(magnitude(value(r_[k])) * scale_.inverse()[k]));
      find_change(h);
      broyden_(r_, of_values > R(1000) * epsilon<S>());
      axpy(S(1), r_, Lambda_[0]);
    }
  }

  // The end of a step whose stages have been found: q₁ = q₀ + d is put onto g = 0 exactly, by changes of Λ that are
  // rounding errors to the stages. G_at_end is that of q₁ afterwards.
  Status land(const Sys& sys, const QVec<Sys>& q0, const S& h, QVec<Sys>& d, QVec<Sys>& q1, Counters& counters,
              const NewtonOptions& options) {
    Convergence<R> convergence(epsilon<S>(), options, false);
    if constexpr (!std::is_same_v<S, R>) convergence.accept(tangent_rounding_errors<S>());
    for (;;) {
      for (int k = 0; k < q1.size(); ++k) q1[k] = q0[k] + d[k];
      look(sys, q1, counters);
      const R size = scale_.residual_at(G1_, q1, r_);
      const auto verdict = convergence(size);
      if (verdict == Convergence<R>::Verdict::done) break;
      if (verdict == Convergence<R>::Verdict::failed) return failure(size);
      correct(h, d);
    }
    if (const int k = leads_across(G_, q0, q1); k >= 0) return {Failure::wrong_root, k};
    return {};
  }

  // The next step starts at q₁, with G of `land`; p₁ is put onto G H_p = 0 there.
  Status depart_from(const Sys& sys, const QVec<Sys>& q1, QVec<Sys>& p1, Counters& counters,
                     const NewtonOptions& options) {
    std::swap(G_, G1_);
    unprojected_ = p1;
    ++counters.factorisation;
    if (const Status s = gram_.factor(G_, metric_at(sys, q1, p1)); !s.ok()) return s;
    return onto_cotangent(sys, gram_, G_, q1, p1, v_, r_, scale_, options);
  }

  template <class F>
  void visit_memory(F&& f) {
    predictor_.visit_memory(f);
    f("unprojected_p", unprojected_);
  }
  Status resume(const Sys& sys, const QVec<Sys>& q) {
    constraint_and_jacobian(sys, q, r_, G_);
    return gram_.factor(G_, metric_at(sys, q, unprojected_));
  }

 private:
  S response(const S& h) const { return reversed_ ? S(-h) : h; }
  // r ← δΛ = ±K⁻¹r/h
  void find_change(const S& h) {
    gram_.solve(r_);
    const S c = response(h);
    for (S& x : r_) x /= c;
  }
  Status failure(const R& size) const {
    return {size == size ? Failure::no_convergence : Failure::not_finite, scale_.worst(r_), to_double(size)};
  }

  bool reversed_;
  GramSolver<S, N, M> gram_;  // at the start of the step
  Predictor<S, M> predictor_;
  Broyden<S, M> broyden_;
  ConstraintScale<S, N, M> scale_;
  Jacobian<S, N, M> G_, G1_;
  std::vector<Vec<S, M>> Lambda_;
  Vec<S, M> r_;
  Vec<S, N> v_;
  Vec<S, N> unprojected_;  // the momentum before the last projection, where K was factored
};

}  // namespace holonom
