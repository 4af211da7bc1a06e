// The Newton loops onto the manifold {g = 0, G H_p = 0}. They run to stagnation at round-off, because
// an unconverged solve is not symplectic; in dual numbers the residual includes the tangent part.
#pragma once

#include "holonom/solve/gram.hpp"
#include "holonom/solve/rounding.hpp"
#include "holonom/system.hpp"

namespace holonom {

// The matrix that corrects the stages of implicit Runge-Kutta methods (solve/stage_solver.hpp).
enum class StageMatrix : std::uint8_t { automatic, start, stages, full };

struct NewtonOptions {
  double tolerance = 0;      // relative residual to stop at; 0: round-off
  int max_iterations = 50;
  StageMatrix matrix = StageMatrix::automatic;
  int stage_iterations = 0;  // exactly so many for the stages of a step, to see what is lost; 0: to round-off
};

// max_k |r_k| / scale_k: a residual against the rounding errors of its own terms, the same in all
// units. NaN if one of them is. (No branches: which constraint is the largest cannot be predicted.)
template <class S, class R, int M>
R relative_residual(const Vec<S, M>& r, const Vec<R, M>& inverse_scale) {
  R largest(0), sum(0);
  for (int k = 0; k < r.size(); ++k) {
    const R x = magnitude(r[k]) * inverse_scale[k];
    sum += x;
    largest = largest < x ? x : largest;
  }
  return sum == sum ? largest : sum;
}

// The constraint with the largest relative residual.
template <class S, class R, int M>
int worst_constraint(const Vec<S, M>& r, const Vec<R, M>& inverse_scale) {
  int worst = -1;
  R largest(0);
  for (int k = 0; k < r.size(); ++k) {
    const R x = magnitude(r[k]) * inverse_scale[k];
    if (x <= largest) continue;  // NaN is the worst
    largest = x;
    worst = k;
  }
  return worst;
}

// 1/scale from the sizes of the terms that g is made of at a first point, where the system knows them.
template <Constrained Sys>
void first_scale(const Sys& sys, const QVec<Sys>& q, MVec<Sys>& r, Vec<Real<ScalarOf<Sys>>, Sys::M>& inverse_scale) {
  using R = Real<ScalarOf<Sys>>;
  fill(inverse_scale, R(0));  // unknown
  if constexpr (requires { sys.g_scale(q, r); }) {
    sys.g_scale(q, r);
    for (int k = 0; k < r.size(); ++k)
      if (magnitude(r[k]) > R(0)) inverse_scale[k] = R(1) / magnitude(r[k]);
  }
}

// What rounding errors of q alone do to g, Σ_j |G_kj| |q_j|: scales only ever grow.
template <class S, int N, int M>
void rescale(const Jacobian<S, N, M>& G, const Vec<S, N>& q, Vec<Real<S>, M>& inverse_scale) {
  using R = Real<S>;
  for (int k = 0; k < G.m(); ++k) {
    R s(0);
    G.row(k, [&](int j, const S& a) { s += magnitude(a) * magnitude(q[j]); });
    if (s * inverse_scale[k] > R(1) || (inverse_scale[k] == R(0) && s > R(0))) inverse_scale[k] = R(1) / s;
    if (inverse_scale[k] == R(0)) inverse_scale[k] = R(1);
  }
}

// The same for G v, from max |G_kj| max |v_j|, because single products may vanish.
template <class S, int N, int M>
void hidden_scale(const Jacobian<S, N, M>& G, const Vec<S, N>& v, Vec<Real<S>, M>& inverse_scale) {
  using R = Real<S>;
  for (int k = 0; k < G.m(); ++k) {
    R a(0), b(0);
    G.row(k, [&](int j, const S& x) {
      if (magnitude(x) > a) a = magnitude(x);
      if (magnitude(v[j]) > b) b = magnitude(v[j]);
    });
    inverse_scale[k] = a * b > R(0) ? R(R(1) / (a * b)) : R(1);
  }
}

// Decides after each residual whether a Newton iteration goes on.
template <class R>
class Convergence {
 public:
  enum class Verdict { go_on, done, last_correction, failed };

  // quadratic: each correction squares the error; else it shrinks by a constant factor.
  // correct_once: a first guess that is good enough for the scale of the terms is still corrected. Far from the
  // origin that scale is much larger than the error that can be reached; and a residual at round-off is random,
  // where the error of a guess is not.
  // remainder: a residual r leaves at most this times r², as far as anyone knows.
  Convergence(const R& eps, const NewtonOptions& options, bool quadratic = true, bool correct_once = false, const R& remainder = R(100))
      : remainder_(remainder), quadratic_(quadratic), correct_once_(correct_once && !(options.tolerance > 0)), floor_(options.tolerance > 0 ? R(options.tolerance) : eps), accepted_(R(1e5) * eps),
        max_(options.max_iterations) {
    if (accepted_ < floor_) accepted_ = floor_;
  }

  Verdict operator()(const R& r) {
    ++iterations_;
    if (r <= floor_) {
      last_ = correct_once_ && iterations_ == 1;
      return last_ ? Verdict::last_correction : Verdict::done;
    }
    stalled_ = iterations_ > 1 && !(r < previous_ / 2);
    if (stalled_ && r <= accepted_) return Verdict::done;  // rounding errors of g itself
    if (!(r < R(1e30)) || iterations_ >= max_ || (stalled_ && ++stalls_ > 8)) return Verdict::failed;
    // Newton squares the error, with a constant that is a guess in the first iteration; the observed one, r / previous²,
    // takes over later.
    const R rate = iterations_ == 1 ? R(1) : R(r / previous_);
    slow_ = iterations_ > 1 && rate > R(0.05);
    R next = quadratic_ ? (iterations_ == 1 ? R(remainder_ * r * r) : R(10 * r * rate * rate)) : R(2 * r * rate);
    // The last iterate may have been so far away that the rate says nothing: believe in no better one than these.
    const R least = quadratic_ ? R(remainder_ / 100 * r * r) : R(r / 1000000);
    if (next < least) next = least;
    previous_ = r;
    last_ = next <= floor_;
    return last_ ? Verdict::last_correction : Verdict::go_on;
  }

  int iterations() const { return iterations_; }
  bool stalled() const { return stalled_; }
  bool slow() const { return slow_; }  // a new matrix would pay
  bool last_was_unchecked() const { return last_; }
  // The residual of a first guess was at round-off already; accept_guess: and no correction is wanted.
  bool guess_was_good() const { return iterations_ == 1 && last_ && previous_ == R(0); }
  void accept_guess() { last_ = false; }

 private:
  R remainder_;
  bool quadratic_, correct_once_;
  R floor_, accepted_, previous_{0};
  int iterations_ = 0, stalls_ = 0, max_;
  bool stalled_ = false, slow_ = false, last_ = false;
};

// p ← p − Gᵀλ, with compensation if anyone counts what is lost
template <class S, int N, int M>
void subtract_force(const Jacobian<S, N, M>& G, const Vec<S, M>& lambda, Vec<S, N>& p, Vec<S, N>* lost) {
  if (!lost) return subtract_force(G, lambda, p);
  subtract_force(G, lambda, *lost);
  absorb(p, *lost);
}

// p ← p − Gᵀμ with G H_p(q, p) = 0, by Newton's method with one factorisation of G H_pp Gᵀ; linear
// when H is quadratic in p. G = G(q) is given; v and r are scratch. `lost`: what rounding has taken from p so
// far, if anyone counts: rounding errors along the manifold are repaired by nothing that follows.
template <System Sys>
Status onto_cotangent(const Sys& sys, GramSolver<ScalarOf<Sys>, Sys::N, Sys::M>& gram, const JacobianOf<Sys>& G,
                      const QVec<Sys>& q, QVec<Sys>& p, QVec<Sys>& v, MVec<Sys>& r,
                      Vec<Real<ScalarOf<Sys>>, Sys::M>& inverse_scale, const NewtonOptions& options,
                      QVec<Sys>* lost = nullptr) {
  using R = Real<ScalarOf<Sys>>;
  Convergence<R> convergence(epsilon<ScalarOf<Sys>>(), options);
  for (;;) {
    energy_p(sys, q, p, v);
    multiply(G, v, r);
    // Against the motion before projection: what is left of it may be at a turning point.
    if (convergence.iterations() == 0) {
      hidden_scale(G, v, inverse_scale);
      // A redundant constraint may vanish to first order (a dead centre); its rounding errors do not.
      if (gram.rank() < gram.m()) fill(inverse_scale, *std::min_element(inverse_scale.begin(), inverse_scale.end()));
    }
    const R size = relative_residual(r, inverse_scale);
    const auto verdict = convergence(size);
    if (verdict == Convergence<R>::Verdict::done) return {};
    if (verdict == Convergence<R>::Verdict::failed)
      return {size == size ? Failure::no_convergence : Failure::not_finite, worst_constraint(r, inverse_scale), to_double(size)};
    gram.solve(r);
    subtract_force(G, r, p, lost);
  }
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
      : gram_(size_q(sys), size_g(sys)), G0_(make_jacobian(sys)), residual_(size_g(sys)), inverse_scale_(size_g(sys)),
        inverse_reach_(size_g(sys)), v_(size_q(sys)) {}

  NewtonOptions options;
  Counters counters;

  // Prepares for steps from q.
  Status begin(const Sys& sys, const Vec<S, N>& q) {
    sys.G(q, G0_);
    ++counters.jacobian;
    first_scale(sys, q, residual_, inverse_scale_);
    rescale(G0_, q, inverse_scale_);
    fill(inverse_reach_, R(0));
    rescale(G0_, q, inverse_reach_);
    if (const Status s = gram_.analyse(G0_, InverseMass<Sys>{sys}); !s.ok()) return s;
    find_remainder(sys, q);
    return {};
  }

  bool redundant() const { return gram_.rank() < gram_.m(); }

  // Finds the impulse Λ with g(q₁) = 0, where p½ = p̂ − G(q₀)ᵀΛ and q₁ = q₀ + h M⁻¹p½. In: a first guess
  // of Λ. Out: also G₁ = G(q₁). `lost`: what rounding has taken from q₀ and p̂ so far, if anyone counts.
  // (Inlined by force: small systems then live in registers from one end of the step to the other, which
  // is a factor 1.4.)
  [[gnu::always_inline]] Status drift(const Sys& sys, const Vec<S, N>& q0, const Vec<S, N>& p_hat, const S& h,
                                      Vec<S, M>& impulse, Vec<S, N>& p_half, Vec<S, N>& q1, Jacobian<S, N, M>& G1,
                                      Rounding<S, N>* lost = nullptr) {
    auto&& r = scratch(residual_);
    auto&& v = scratch(v_);
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
    const S rate = S(1) / h;
    Convergence<R> convergence(epsilon<S>(), options, refreshes(), true, remainder_);
    int suspicious = -1;
    for (bool refresh = true;; refresh = refreshes() || convergence.slow()) {
      if (refresh) constraint_and_jacobian(sys, q1, r, G1);
      else sys.g(q1, r);
      if (lost)  // g at the position that is kept, of which q₁ is the larger part
        for (int k = 0; k < gram_.m(); ++k)
          G1.row(k, [&](int j, const S& a) { r[k] += a * lost_in_sum(q0[j], S(h * v[j] + lost->q[j]), q1[j]); });
      const R size = relative_residual(r, inverse_scale_);
      const Verdict verdict = convergence(size);
      if (verdict == Verdict::done) break;
      // A guess that is as good as positions can be.
      if (convergence.guess_was_good() && !lost && relative_residual(r, inverse_reach_) <= epsilon<S>()) {
        convergence.accept_guess();
        break;
      }
      if (verdict == Verdict::failed) {
        count(convergence.iterations(), 0);
        return {size == size ? Failure::no_convergence : Failure::not_finite, worst_constraint(r, inverse_scale_), to_double(size)};
      }
      // The terms of g have grown since they were measured: a new measure, before giving up digits.
      if (convergence.stalled()) rescale(G1, q1, inverse_scale_);
      suspicious = gram_.newton(G1, r, refresh);
      for (int k = 0; k < gram_.m(); ++k) impulse[k] += r[k] * rate;
      move();
      if (verdict == Verdict::last_correction) break;
    }
    if (convergence.last_was_unchecked() || !refreshes()) sys.G(q1, G1);
    count(convergence.iterations(), convergence.last_was_unchecked());
    // On the branch that starts at h = 0 the matrix G(q₁) M⁻¹ G(q₀)ᵀ stays positive.
    if (suspicious >= 0) return {Failure::wrong_root, suspicious};
    if (lost) keep_lost(q0, p_hat, h, impulse, p_half, q1, v, *lost);
    return {};
  }

  // q₁ becomes the point that the next drift starts from.
  void depart_from(const Sys& sys, const Jacobian<S, N, M>& G1) {
    if (gram_.m() == 0) return;
    G0_ = G1;
    gram_.displace(G1, InverseMass<Sys>{sys});
  }

  // p ← p − Gᵀμ with G M⁻¹p = 0 at that point
  Status onto_cotangent(Vec<S, N>& p, Rounding<S, N>* lost = nullptr) {
    if (gram_.m() == 0) return {};
    ++counters.factorisation;
    if (const Status s = gram_.factor(G0_); !s.ok()) return s;
    auto&& r = scratch(residual_);
    gram_.multiply(G0_, p, r);
    gram_.solve(r);
    subtract_force(G0_, r, p, lost ? &lost->p : nullptr);
    return {};
  }

  // λ(q, p) of the index-1 system at that point, where K has been factored: K λ = g_qq(v, v) − G M⁻¹V_q
  void multipliers(const Sys& sys, const Vec<S, N>& q, const Vec<S, N>& p, const Vec<S, N>& force, Vec<S, M>& lambda)
    requires HasCurvature<Sys>
  {
    if (gram_.m() == 0) return;
    sys.mass().solve(p, v_);
    sys.g_qq(q, v_, v_, lambda);
    gram_.multiply(G0_, force, residual_);
    for (int k = 0; k < gram_.m(); ++k) lambda[k] -= residual_[k];
    gram_.solve(lambda);
  }

  template <class F>
  void visit_memory(F&& f) {
    f("inverse_scale", inverse_scale_);
    f("inverse_reach", inverse_reach_);
  }

 private:
  // Whether each Newton step has a matrix of its own, or those of one step share the first.
  bool refreshes() const {
    if constexpr (M == Dynamic) return gram_.refreshes();
    else return true;
  }
  // What a Newton step leaves of residuals that are as large as the terms of g: g_qq(u, u)/2, with u the correction. (Some
  // twice the terms, unless positions are far from the origin, and the terms are that much larger than the constraint is long.)
  void find_remainder(const Sys& sys, const Vec<S, N>& q) {
    remainder_ = R(100);
    if constexpr (HasCurvature<Sys>) {
      if (gram_.m() == 0 || !knows_curvature(sys)) return;
      for (int k = 0; k < gram_.m(); ++k) residual_[k] = S(R(1) / inverse_scale_[k]);
      gram_.solve(residual_);
      fill(v_, S(0));
      gram_.subtract_displacement(G0_, S(1), residual_, v_);
      sys.g_qq(q, v_, v_, residual_);
      R left(0);
      for (int k = 0; k < gram_.m(); ++k) keep_largest(left, R(magnitude(value(residual_[k])) / 2 * inverse_scale_[k]));
      if (10 * left > remainder_ && is_finite(left)) remainder_ = 10 * left;
    }
  }
  void count(int iterations, int unchecked) {
    counters.newton(iterations);
    counters.constraint += static_cast<std::uint64_t>(iterations);
    counters.jacobian += static_cast<std::uint64_t>(iterations + unchecked);
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
  Jacobian<S, N, M> G0_;
  Vec<S, M> residual_;
  Vec<R, M> inverse_scale_;  // of the terms of g: what rounding errors of g are relative to
  Vec<R, M> inverse_reach_;  // of what rounding errors of positions do to g: what can be reached at best
  Vec<S, N> v_;
  R remainder_{100};  // see Convergence
};

}  // namespace holonom
