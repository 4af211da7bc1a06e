// The Newton loops onto the manifold {g = 0, G H_p = 0}. They run to stagnation at round-off, because
// an unconverged solve is not symplectic; in dual numbers the residual includes the tangent part.
#pragma once

#include "holonom/solve/constraint_scale.hpp"
#include "holonom/solve/continuation.hpp"
#include "holonom/solve/convergence.hpp"
#include "holonom/solve/gram.hpp"
#include "holonom/solve/rounding.hpp"
#include "holonom/solve/underlying.hpp"

namespace holonom {

// p ← p − Gᵀλ, with compensation if anyone counts what is lost
template <class S, int N, int M>
void subtract_force(const Jacobian<S, N, M>& G, const Vec<S, M>& lambda, Vec<S, N>& p, Vec<S, N>* lost) {
  if (!lost) return subtract_force(G, lambda, p);
  subtract_force(G, lambda, *lost);
  absorb(p, *lost);
}

// What G v is measured against, v = H_p(q, p); r is scratch.
template <Constrained Sys>
void measure_motion(const Sys& sys, const JacobianOf<Sys>& G, const QVec<Sys>& q, const QVec<Sys>& p,
                    const QVec<Sys>& v, bool redundant, MVec<Sys>& r,
                    ConstraintScale<ScalarOf<Sys>, Sys::N, Sys::M>& scale) {
  scale.measure_motion(G, v, p, redundant);
  if constexpr (HasCurvature<Sys>)
    if (redundant) scale.add_rounding_of_positions(sys, q, v, r);
}

// p ← p − Gᵀμ with G H_p(q, p) = 0, by Newton's method with one factorisation of G H_pp Gᵀ; linear
// when H is quadratic in p. G = G(q) is given; v and r are scratch. `lost`: what rounding has taken from p so
// far, if anyone counts: rounding errors along the manifold are repaired by nothing that follows.
template <System Sys>
Status onto_cotangent(const Sys& sys, GramSolver<ScalarOf<Sys>, Sys::N, Sys::M>& gram, const JacobianOf<Sys>& G,
                      const QVec<Sys>& q, QVec<Sys>& p, QVec<Sys>& v, MVec<Sys>& r,
                      ConstraintScale<ScalarOf<Sys>, Sys::N, Sys::M>& scale, const NewtonOptions& options,
                      QVec<Sys>* lost = nullptr) {
  using S = ScalarOf<Sys>;
  using R = Real<S>;
  Convergence<R> convergence(epsilon<S>(), options);
  if constexpr (!std::is_same_v<S, R>) convergence.accept(tangent_rounding_errors<S>());
  for (;;) {
    energy_p(sys, q, p, v);
    // Against the motion before projection: what is left of it may be at a turning point.
    if (convergence.iterations() == 0) measure_motion(sys, G, q, p, v, gram.rank() < gram.m(), r, scale);
    multiply(G, v, r);
    const R size = scale.hidden_residual(r);
    const auto verdict = convergence(size);
    if (verdict == Convergence<R>::Verdict::done) return {};
    if (verdict == Convergence<R>::Verdict::failed)
      return {size == size ? Failure::no_convergence : Failure::not_finite, scale.worst_hidden(r), to_double(size)};
    gram.solve(r);
    if (convergence.iterations() == 1) scale.add_impulse(G, r);
    subtract_force(G, r, p, lost);
  }
}

// Whether g(q) is at round-off, with r and G of q, and what is left of it.
template <Constrained Sys>
Status at_round_off(const MVec<Sys>& r, const JacobianOf<Sys>& G, const QVec<Sys>& q,
                    ConstraintScale<ScalarOf<Sys>, Sys::N, Sys::M>& scale, const NewtonOptions& options) {
  using S = ScalarOf<Sys>;
  using R = Real<S>;
  if (r.size() == 0) return {};
  const R size = scale.residual_at(G, q, r);
  R enough = std::is_same_v<S, R> ? R(R(rounding_errors) * epsilon<S>()) : tangent_rounding_errors<S>();
  if (enough < R(options.tolerance)) enough = R(options.tolerance);
  if (size <= enough) return {Failure::none, -1, to_double(size)};
  return {size == size ? Failure::no_convergence : Failure::not_finite, scale.worst(r), to_double(size)};
}

// The two projections of a separable system: positions along M⁻¹G(q₀)ᵀ, then momenta. Knows the point
// that displacements start from.
template <Separable Sys>
class ConstraintSolver {
  using S = ScalarOf<Sys>;
  using R = Real<S>;
  static constexpr int N = Sys::N, M = Sys::M;
  using Verdict = typename Convergence<R>::Verdict;

 public:
  explicit ConstraintSolver(const Sys& sys)
      : gram_(size_q(sys), size_g(sys)),
        scale_(size_q(sys), size_g(sys)),
        G0_(make_jacobian(sys)),
        residual_(size_g(sys)),
        correction_(size_g(sys)),
        v_(size_q(sys)),
        expected_(size_q(sys)),
        apart_(size_q(sys)),
        weighted_(size_q(sys)),
        found_(size_q(sys)),
        last_(size_q(sys)),
        path_(size_g(sys)) {}

  NewtonOptions options;
  Counters counters;

  // Prepares for steps from q.
  Status begin(const Sys& sys, const Vec<S, N>& q) {
    sys.G(q, G0_);
    ++counters.jacobian;
    scale_.begin(sys, InverseMass<Sys>{sys}, q, G0_, residual_);
    if (const Status s = gram_.analyse(G0_, InverseMass<Sys>{sys}, scale_.row_units()); !s.ok()) return s;
    find_remainder(sys, q);
    return {};
  }

  bool redundant() const { return gram_.rank() < gram_.m(); }
  Vec<R, M> row_units() const { return scale_.row_units(); }

  // Finds the impulse Λ with g(q₁) = 0, where p½ = p̂ − G(q₀)ᵀΛ and q₁ = q₀ + h M⁻¹p½. In: a first guess
  // of Λ, and how good such guesses usually are. Out: also G₁ = G(q₁). `lost`: what rounding has taken from q₀ and p̂
  // so far, if anyone counts.
  // (Inlined by force: small systems then live in registers from one end of the step to the other, which
  // is a factor 1.4.)
  [[gnu::always_inline]] Status drift(const Sys& sys, const Vec<S, N>& q0, const Vec<S, N>& p_hat, const S& h,
                                      Vec<S, M>& impulse, Expectation<R>& expectation, Vec<S, N>& p_half, Vec<S, N>& q1,
                                      Jacobian<S, N, M>& G1, Rounding<S, N>* lost = nullptr) {
    if (const Status s = solve<false>(sys, q0, p_hat, h, impulse, &expectation, p_half, q1, G1, lost); !s.ok())
        [[unlikely]]
      return follow(sys, q0, p_hat, h, impulse, expectation, p_half, q1, G1, s, lost);
    return {};
  }

  // q₁ becomes the point that the next drift starts from.
  void depart_from(const Sys& sys, const Jacobian<S, N, M>& G1) {
    if (gram_.m() == 0) return;
    G0_ = G1;
    gram_.set_directions(G1, InverseMass<Sys>{sys});
  }

  // p ← p − Gᵀμ with G M⁻¹p = 0 at that point, q
  Status onto_cotangent(const Sys& sys, const Vec<S, N>& q, Vec<S, N>& p, Rounding<S, N>* lost = nullptr) {
    if (gram_.m() == 0) return {};
    ++counters.factorisation;
    if (const Status s = gram_.factor(G0_); !s.ok()) return s;
    auto&& r = scratch(residual_);
    gram_.multiply(G0_, p, r);
    gram_.solve(r);
    subtract_force(G0_, r, p, lost ? &lost->p : nullptr);
    // One constraint is left with the rounding errors of its own terms. Of several, one may be left with those of
    // others.
    if constexpr (M == 1)
      return {};
    else if constexpr (M == 2)
      return gram_.is_well_conditioned() ? Status{} : check_momentum(sys, q, r, p, lost);
    else
      return check_momentum(sys, q, r, p, lost);
  }

  // λ(q, p) of the underlying differential equation at that point, where K has been factored; force: V_q
  void multipliers(const Sys& sys, const Vec<S, N>& q, const Vec<S, N>& p, const Vec<S, N>& force,
                   Vec<S, M>& lambda) requires HasCurvature<Sys> {
    if (gram_.m() == 0) return;
    sys.mass().solve(p, v_);
    sys.mass().solve(force, apart_);
    for (S& a : apart_) a = -a;
    exact_multipliers(sys, gram_, G0_, q, v_, apart_, lambda, residual_);
  }

  // g(q₁) at round-off, for those who solve for q₁ otherwise. r and G₁ are those of q₁ afterwards.
  Status holds(const Sys& sys, const Vec<S, N>& q1, Vec<S, M>& r, Jacobian<S, N, M>& G1) {
    if (gram_.m() == 0) return {};
    constraint_and_jacobian(sys, q1, r, G1);
    return at_round_off<Sys>(r, G1, q1, scale_, options);
  }

  template <class F>
  void visit_memory(F&& f) {
    scale_.visit_memory(f);
  }
  // q is the point that the next drift starts from.
  void resume(const Sys& sys, const Vec<S, N>& q) {
    if (gram_.m() == 0) return;
    constraint_and_jacobian(sys, q, residual_, G0_);
    gram_.set_directions(G0_, InverseMass<Sys>{sys});
  }
  // Which of redundant constraints are independent at that point, for those who do not project momenta before a drift.
  Status choose_independent() { return redundant() ? gram_.factor(G0_) : Status{}; }
  const Jacobian<S, N, M>& G() const { return G0_; }

 private:
  // Whether each Newton step has a matrix of its own, or those of one step share the first.
  bool refreshes() const {
    if constexpr (M == Dynamic)
      return gram_.refreshes();
    else
      return true;
  }

  // Newton's method from the guess. A solution farther from it than is expected may be a wrong one, and so may one at
  // which the gradients of constraints have been turned over: Failure::wrong_root. Without an expectation the guess is
  // known to be right. patient: where the terms of g have grown since they were measured, an iteration stands still
  // above their first sizes, and is judged by the present ones.
  template <bool patient>
  [[gnu::always_inline]] Status solve(const Sys& sys, const Vec<S, N>& q0, const Vec<S, N>& p_hat, const S& h,
                                      Vec<S, M>& impulse, Expectation<R>* expectation, Vec<S, N>& p_half, Vec<S, N>& q1,
                                      Jacobian<S, N, M>& G1, Rounding<S, N>* lost) {
    auto&& r = scratch(residual_);
    auto&& v = scratch(v_);
    auto&& correction = scratch(correction_);
    const auto move = [&] {
      if (lost) {
        p_half = lost->p;
        subtract_force(G0_, impulse, p_half);
        for (int i = 0; i < p_half.size(); ++i) p_half[i] += p_hat[i];
        sys.mass().solve(p_half, v);
        for (int i = 0; i < q1.size(); ++i) q1[i] = q0[i] + (h * v[i] + lost->q[i]);
        return;
      }
      p_half = p_hat;
      subtract_force(G0_, impulse, p_half);
      sys.mass().solve(p_half, v);
      for (int i = 0; i < q1.size(); ++i) q1[i] = q0[i] + h * v[i];
    };
    move();
    if (gram_.m() == 0) {
      if (lost) keep_lost(q0, p_hat, h, impulse, p_half, q1, v, *lost);
      return {};
    }
    R distance(0);
    const S rate = S(1) / h;
    Convergence<R> convergence(epsilon<S>(), options, refreshes(), true, remainder_);
    if constexpr (!std::is_same_v<S, R>) convergence.accept(tangent_rounding_errors<S>());
    bool is_current = true;  // G₁ = G(q₁)
    bool is_turned = false;
    for (bool refresh = true;; refresh = refreshes() || convergence.slow()) {
      is_current = refresh || convergence.foreseen();
      if (is_current)
        constraint_and_jacobian(sys, q1, r, G1);
      else
        sys.g(q1, r);
      if (lost)  // g at the position that is kept, of which q₁ is the larger part
        for (int k = 0; k < gram_.m(); ++k)
          G1.row(k, [&](int j, const S& a) { r[k] += a * lost_in_sum(q0[j], S(h * v[j] + lost->q[j]), q1[j]); });
      R size(0);
      if constexpr (patient)
        size = scale_.residual_at(G1, q1, r);
      else
        size = scale_.residual(r);
      const Verdict verdict = convergence(size);
      if (verdict == Verdict::done) break;
      if (verdict == Verdict::failed || (!patient && convergence.stalled())) {
        count(convergence.iterations());
        return {size == size ? Failure::no_convergence : Failure::not_finite, scale_.worst(r), to_double(size)};
      }
      // A guess that is as good as positions can be.
      if (convergence.iterations() == 1 && size <= epsilon<S>() && !lost && !(options.tolerance > 0) &&
          scale_.residual_of_positions(r) <= epsilon<S>())
        break;
      correction = r;
      gram_.newton(G1, correction, refresh);
      is_turned = gram_.negative_pivots() > 0;
      // The square of the displacement M⁻¹G₀ᵀδ is δᵀG₀M⁻¹G₀ᵀδ, and G₁M⁻¹G₀ᵀδ is the residual.
      distance += largest_product(correction, r);
      for (int k = 0; k < gram_.m(); ++k) impulse[k] += correction[k] * rate;
      move();
    }
    // Together with g, as everywhere else: a resumed run finds G(q₁) in this way again.
    if constexpr (M == Dynamic)
      if (!is_current) constraint_and_jacobian(sys, q1, correction, G1);
    if constexpr (patient) scale_.grow(G1, q1);
    count(convergence.iterations());
    if (expectation && (is_turned || !expectation->meets(distance))) [[unlikely]]
      if (is_turned || !is_near(sys, distance, q0, p_half, h, *expectation)) return {Failure::wrong_root};
    if (lost) keep_lost(q0, p_hat, h, impulse, p_half, q1, v, *lost);
    return {};
  }

  // Whether q₁ is as near to its prediction as it should be, compared with the way to it, h v with v = M⁻¹p½. That must
  // lie along the constraints, too: of a wrong root, which is across from q₀, a bad prediction may be near.
  [[gnu::noinline]] bool is_near(const Sys& sys, const R& distance, const Vec<S, N>& q0, const Vec<S, N>& p_half,
                                 const S& h, Expectation<R>& expectation) {
    const R round_off = R(1e4) * epsilon<S>(), least = round_off * round_off * length(sys, q0);
    if (distance <= least) {
      expectation.meets_round_off(least);
      return true;
    }
    ++counters.factorisation;
    if (!gram_.factor(G0_).ok()) return false;
    sys.mass().solve(p_half, apart_);
    multiply(G0_, apart_, residual_);
    correction_ = residual_;
    gram_.solve(correction_);
    const R across = value(dot(residual_, correction_)), all = value(dot(apart_, p_half));
    if (!(5 * across <= all)) return false;
    return expectation.meets(distance, R(largest_product(apart_, p_half) * value(h) * value(h)));
  }
  // xᵀM x, of its largest term
  R length(const Sys& sys, const Vec<S, N>& x) {
    sys.mass().multiply(x, weighted_);
    return largest_product(x, weighted_);
  }

  // The same for a guess that has failed, or may have led astray: along the path of solutions for σh, 0 ≤ σ ≤ 1, from
  // the projection of p̂ at its beginning.
  [[gnu::noinline]] Status follow(const Sys& sys, const Vec<S, N>& q0, const Vec<S, N>& p_hat, const S& h,
                                  Vec<S, M>& impulse, Expectation<R>& expectation, Vec<S, N>& p_half, Vec<S, N>& q1,
                                  Jacobian<S, N, M>& G1, const Status& reason, Rounding<S, N>* lost) {
    const bool had_solution = reason.failure == Failure::wrong_root;
    if (reason.failure == Failure::no_convergence) {
      if (solve<true>(sys, q0, p_hat, h, impulse, &expectation, p_half, q1, G1, lost).ok()) return {};
    }
    found_ = q1;
    ++counters.factorisation;
    if (const Status s = gram_.factor(G0_); !s.ok()) return s;
    gram_.multiply(G0_, p_hat, impulse);
    gram_.solve(impulse);
    path_.begin();
    path_.add(R(0), impulse);
    last_ = q0;
    int last_negative_pivots = 0;
    for (PathStep<R> step; !step.ended();) {
      const R to = step.to();
      path_.predict(to, impulse);
      const R distance = follow_to(sys, q0, p_hat, S(S(to) * h), impulse, p_half, q1, G1);
      const int negative_pivots = gram_.negative_pivots(G1);
      bool accepted = false;
      if (!step.judge(distance, negative_pivots != last_negative_pivots, accepted))
        return distance == distance ? Status{Failure::wrong_root, scale_.worst(residual_)}
               : had_solution
                   ? Status{Failure::no_convergence, scale_.worst(residual_), to_double(scale_.residual(residual_))}
                   : reason;
      if (!accepted) continue;
      path_.add(to, impulse);
      last_ = q1;
      last_negative_pivots = negative_pivots;
    }
    const Status s = solve<true>(sys, q0, p_hat, h, impulse, nullptr, p_half, q1, G1, lost);
    if (!s.ok()) return s;
    for (int i = 0; i < q1.size(); ++i) {
      found_[i] -= q1[i];
      last_[i] = q1[i] - q0[i];
    }
    expectation.was_right(had_solution && length(sys, found_) <= R(1e-12) * length(sys, last_));
    return {};
  }
  // The solution for a part of the step, and its distance from the prediction as a part of the way from the last node;
  // NaN if there is none.
  R follow_to(const Sys& sys, const Vec<S, N>& q0, const Vec<S, N>& p_hat, const S& h, Vec<S, M>& impulse,
              Vec<S, N>& p_half, Vec<S, N>& q1, Jacobian<S, N, M>& G1) {
    using std::sqrt;
    const R none = std::numeric_limits<R>::quiet_NaN();
    const auto move = [&] {
      p_half = p_hat;
      subtract_force(G0_, impulse, p_half);
      sys.mass().solve(p_half, apart_);
      for (int i = 0; i < q1.size(); ++i) q1[i] = q0[i] + h * apart_[i];
    };
    const auto from = [&](const Vec<S, N>& x) {
      for (int i = 0; i < q1.size(); ++i) apart_[i] = q1[i] - x[i];
      return R(sqrt(length(sys, apart_)));
    };
    move();
    expected_ = q1;
    const R enough = R(1000) * epsilon<S>();
    for (int iteration = 0;; ++iteration) {
      constraint_and_jacobian(sys, q1, residual_, G1);
      const R size = scale_.residual_at(G1, q1, residual_);
      if (!(size < R(1e30)) || iteration == options.max_iterations) return none;
      if (size <= enough) break;
      gram_.newton(G1, residual_, true);
      for (int k = 0; k < gram_.m(); ++k) impulse[k] += residual_[k] / h;
      move();
    }
    const R distance = from(expected_), way = from(last_);
    return way > R(0) ? R(distance / way) : distance;
  }

  // G M⁻¹p within rounding errors of its terms
  bool is_tangent(const Sys& sys, const Vec<S, N>& p) {
    auto&& v = scratch(v_);
    sys.mass().solve(p, v);
    const R bound = R(16) * epsilon<S>();
    bool good = true;
    for (int k = 0; k < gram_.m(); ++k) {
      S sum(0);
      R terms(0);
      G0_.row(k, [&](int j, const S& a) {
        const S x = a * v[j];
        sum += x;
        terms += magnitude(x);
      });
      good = good && magnitude(sum) <= bound * terms;
    }
    return good;
  }
  // Terms may vanish: then those of Gᵀμ are the measure. And solves may lose digits where constraints are nearly
  // dependent: then they are repeated.
  [[gnu::noinline]] Status check_momentum(const Sys& sys, const Vec<S, N>& q, const Vec<S, M>& mu, Vec<S, N>& p,
                                          Rounding<S, N>* lost) {
    if (is_tangent(sys, p)) return {};
    sys.mass().solve(p, v_);
    measure_motion(sys, G0_, q, p, v_, redundant(), correction_, scale_);
    scale_.add_impulse(G0_, mu);
    Convergence<R> convergence(epsilon<S>(), options, false);
    if constexpr (!std::is_same_v<S, R>) convergence.accept(tangent_rounding_errors<S>());
    for (;;) {
      sys.mass().solve(p, v_);
      multiply(G0_, v_, correction_);
      const R size = scale_.hidden_residual(correction_);
      const Verdict verdict = convergence(size);
      if (verdict == Verdict::done) return {};
      if (verdict == Verdict::failed)
        return {size == size ? Failure::no_convergence : Failure::not_finite, scale_.worst_hidden(correction_),
                to_double(size)};
      gram_.solve(correction_);
      subtract_force(G0_, correction_, p, lost ? &lost->p : nullptr);
    }
  }
  // What a Newton step leaves of residuals that are as large as the terms of g: g_qq(u, u)/2, with u the correction.
  // (Some twice the terms, unless positions are far from the origin, and the terms are that much larger than the
  // constraint is long.)
  void find_remainder(const Sys& sys, const Vec<S, N>& q) {
    remainder_ = R(100);
    if constexpr (HasCurvature<Sys>) {
      if (gram_.m() == 0 || !knows(sys, Quantity::g_qq)) return;
      for (int k = 0; k < gram_.m(); ++k) residual_[k] = S(R(1) / scale_.inverse()[k]);
      gram_.solve(residual_);
      fill(v_, S(0));
      gram_.subtract_displacement(G0_, S(1), residual_, v_);
      sys.g_qq(q, v_, v_, residual_);
      R left(0);
      for (int k = 0; k < gram_.m(); ++k)
        keep_largest(left, R(magnitude(value(residual_[k])) / 2 * scale_.inverse()[k]));
      if (10 * left > remainder_ && is_finite(left)) remainder_ = 10 * left;
    }
  }
  void count(int iterations) {
    counters.newton(iterations);
    counters.constraint += static_cast<std::uint64_t>(iterations);
    counters.jacobian += static_cast<std::uint64_t>(iterations);
  }
  void keep_lost(const Vec<S, N>& q0, const Vec<S, N>& p_hat, const S& h, const Vec<S, M>& impulse,
                 const Vec<S, N>& p_half, const Vec<S, N>& q1, const Vec<S, N>& v, Rounding<S, N>& lost) {
    subtract_force(G0_, impulse, lost.p);
    for (int i = 0; i < q1.size(); ++i) {
      lost.p[i] = lost_in_sum(p_hat[i], lost.p[i], p_half[i]);
      lost.q[i] = lost_in_sum(q0[i], S(h * v[i] + lost.q[i]), q1[i]);
    }
  }

  GramSolver<S, N, M> gram_;
  ConstraintScale<S, N, M> scale_;
  Jacobian<S, N, M> G0_;
  Vec<S, M> residual_, correction_;
  Vec<S, N> v_, expected_, apart_, weighted_, found_, last_;
  Path<S, M> path_;
  R remainder_{100};  // see Convergence
};

}  // namespace holonom
