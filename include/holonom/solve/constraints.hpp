// The Newton loops onto the manifold {g = 0, G H_p = 0}. They run to stagnation at round-off, because
// an unconverged solve is not symplectic; in dual numbers the residual includes the tangent part.
#pragma once

#include "holonom/solve/gram.hpp"
#include "holonom/system.hpp"

namespace holonom {

struct NewtonOptions {
  double tolerance = 0;      // relative residual to stop at; 0: round-off
  int max_iterations = 50;
};

// max_k |r_k| / scale_k: a residual against the rounding errors of its own terms, the same in all
// units. `worst` receives the constraint.
template <class S, int N, int M>
Real<S> relative_residual(const Vec<S, M>& r, const Vec<Real<S>, M>& scale, int& worst) {
  Real<S> largest(0);
  for (int k = 0; k < r.size(); ++k) {
    const Real<S> x = magnitude(r[k]) / scale[k];
    if (!(x <= largest)) {  // also true for NaN
      largest = x;
      worst = k;
    }
  }
  return largest;
}

// The sizes that g is made of at a first point. Along a motion they change little.
template <Constrained Sys>
void first_scale(const Sys& sys, const QVec<Sys>& q, MVec<Sys>& scratch, Vec<Real<ScalarOf<Sys>>, Sys::M>& base) {
  if constexpr (requires { sys.g_scale(q, scratch); }) {
    sys.g_scale(q, scratch);
    for (int k = 0; k < scratch.size(); ++k) base[k] = magnitude(scratch[k]);
  }
}

// What rounding errors of q alone do to g: Σ_j |G_kj| |q_j|, at least the base.
template <class S, int N, int M>
void position_scale(const Jacobian<S, N, M>& G, const Vec<S, N>& q, const Vec<Real<S>, M>& base, Vec<Real<S>, M>& scale) {
  for (int k = 0; k < G.m(); ++k) {
    Real<S> s(0);
    G.row(k, [&](int j, const S& a) { s += magnitude(a) * magnitude(q[j]); });
    if (s < base[k]) s = base[k];
    scale[k] = s > Real<S>(0) ? s : Real<S>(1);
  }
}

// The same for G v: max |G_kj| max |v_j|, because single products may vanish.
template <class S, int N, int M>
void hidden_scale(const Jacobian<S, N, M>& G, const Vec<S, N>& v, Vec<Real<S>, M>& scale) {
  for (int k = 0; k < G.m(); ++k) {
    Real<S> a(0), b(0);
    G.row(k, [&](int j, const S& x) {
      if (magnitude(x) > a) a = magnitude(x);
      if (magnitude(v[j]) > b) b = magnitude(v[j]);
    });
    scale[k] = a * b > Real<S>(0) ? Real<S>(a * b) : Real<S>(1);
  }
}

// Decides after each residual whether a Newton iteration goes on.
template <class R>
class Convergence {
 public:
  enum class Verdict { go_on, done, last_correction, failed };

  Convergence(const R& eps, const NewtonOptions& options)
      : floor_(options.tolerance > 0 ? R(options.tolerance) : eps), accepted_(R(1e5) * eps),
        max_(options.max_iterations) {
    if (accepted_ < floor_) accepted_ = floor_;
  }

  Verdict operator()(const R& r) {
    ++iterations_;
    if (r <= floor_) return Verdict::done;
    const bool stalled = iterations_ > 1 && !(r < previous_ / 2);
    if (stalled && r <= accepted_) return Verdict::done;  // rounding errors of g itself
    if (!(r < R(1e30)) || iterations_ >= max_ || (stalled && ++stalls_ > 8)) return Verdict::failed;
    // Newton squares the error: 100 r² covers the unknown constant of a first iteration, and the
    // observed one, r / previous², takes over later.
    const R next = iterations_ == 1 ? 100 * r * r : 10 * r * (r / previous_) * (r / previous_);
    previous_ = r;
    return next <= floor_ ? Verdict::last_correction : Verdict::go_on;
  }

  int iterations() const { return iterations_; }

 private:
  R floor_, accepted_, previous_{0};
  int iterations_ = 0, stalls_ = 0, max_;
};

// p ← p − Gᵀμ with G H_p(q, p) = 0, by Newton's method with one factorisation of G H_pp Gᵀ; linear
// when H is quadratic in p. G = G(q) is given; v and r are scratch.
template <Hamiltonian Sys>
Status onto_cotangent(const Sys& sys, GramSolver<ScalarOf<Sys>, Sys::N, Sys::M>& gram, const JacobianOf<Sys>& G,
                      const QVec<Sys>& q, QVec<Sys>& p, QVec<Sys>& v, MVec<Sys>& r, Vec<Real<ScalarOf<Sys>>, Sys::M>& scale,
                      const NewtonOptions& options) {
  using R = Real<ScalarOf<Sys>>;
  Convergence<R> convergence(epsilon<ScalarOf<Sys>>(), options);
  for (int worst = -1;;) {
    sys.H_p(q, p, v);
    multiply(G, v, r);
    // Against the motion before projection: what is left of it may be at a turning point.
    if (convergence.iterations() == 0) hidden_scale(G, v, scale);
    const R size = relative_residual<ScalarOf<Sys>, Sys::N, Sys::M>(r, scale, worst);
    const auto verdict = convergence(size);
    if (verdict == Convergence<R>::Verdict::done) return {};
    if (verdict == Convergence<R>::Verdict::failed)
      return {size == size ? Failure::no_convergence : Failure::not_finite, worst, to_double(size)};
    gram.solve(r);
    subtract_force(G, r, p);
  }
}

// The two projections of a separable system: positions along M⁻¹G(q₀)ᵀ, then momenta.
template <Separable Sys>
class ConstraintSolver {
  using S = ScalarOf<Sys>;
  static constexpr int N = Sys::N, M = Sys::M;

 public:
  explicit ConstraintSolver(const Sys& sys)
      : gram_(size_q(sys), size_g(sys)), G0_(make_jacobian(sys)), G1_(make_jacobian(sys)),
        residual_(size_g(sys)), scale_(size_g(sys)), base_scale_(size_g(sys)), v_(size_q(sys)) {}

  NewtonOptions options;
  Counters counters;

  // Prepares for steps from q.
  Status begin(const Sys& sys, const Vec<S, N>& q) {
    sys.G(q, G0_);
    ++counters.jacobian;
    first_scale(sys, q, residual_, base_scale_);
    position_scale(G0_, q, base_scale_, scale_);
    return gram_.analyse(G0_, inverse_mass(sys));
  }

  // Finds the impulse Λ with g(q₁) = 0, where p½ = p̂ − G(q₀)ᵀΛ and q₁ = q₀ + h M⁻¹p½.
  // In: a first guess of Λ. G(q₁) is kept for `onto_cotangent`.
  Status drift(const Sys& sys, const Vec<S, N>& q0, const Vec<S, N>& p_hat, const S& h, Vec<S, M>& impulse,
               Vec<S, N>& p_half, Vec<S, N>& q1) {
    Convergence<Real<S>> convergence(epsilon<S>(), options);
    int worst = -1, suspicious = -1;
    for (;;) {
      move(sys, q0, p_hat, h, impulse, p_half, q1);
      if constexpr (M == 0) return {};
      if (gram_.m() == 0) return {};
      constraint_and_jacobian(sys, q1, residual_, G1_);
      ++counters.constraint;
      ++counters.jacobian;
      const Real<S> r = relative_residual<S, N, M>(residual_, scale_, worst);
      const auto verdict = convergence(r);
      if (verdict == Convergence<Real<S>>::Verdict::failed)
        return {r == r ? Failure::no_convergence : Failure::not_finite, worst, to_double(r)};
      if (verdict == Convergence<Real<S>>::Verdict::done) break;
      suspicious = gram_.linearise(G1_);
      gram_.solve_linearised(residual_);
      for (int k = 0; k < gram_.m(); ++k) impulse[k] += residual_[k] / h;
      if (verdict == Convergence<Real<S>>::Verdict::last_correction) {
        move(sys, q0, p_hat, h, impulse, p_half, q1);
        sys.G(q1, G1_);
        ++counters.jacobian;
        break;
      }
    }
    counters.newton(convergence.iterations());
    // On the branch that starts at h = 0 the matrix G(q₁) M⁻¹ G(q₀)ᵀ stays positive.
    if (suspicious >= 0) return {Failure::wrong_root, suspicious};
    return {};
  }

  // p ← p − G(q₁)ᵀμ with G(q₁) M⁻¹p = 0; q₁ becomes the point that the next drift starts from.
  Status onto_cotangent(const Sys& sys, const Vec<S, N>& q1, Vec<S, N>& p) {
    if (gram_.m() == 0) return {};
    std::swap(G0_, G1_);
    ++counters.factorisation;
    if (const Status s = gram_.factor(G0_, inverse_mass(sys)); !s.ok()) return s;
    position_scale(G0_, q1, base_scale_, scale_);
    gram_.multiply(p, residual_);
    gram_.solve(residual_);
    subtract_force(G0_, residual_, p);
    return {};
  }

  const Jacobian<S, N, M>& G() const { return G0_; }
  GramSolver<S, N, M>& gram() { return gram_; }

 private:
  static auto inverse_mass(const Sys& sys) {
    return [&sys](const Vec<S, N>& u, Vec<S, N>& out) { sys.mass().solve(u, out); };
  }

  void move(const Sys& sys, const Vec<S, N>& q0, const Vec<S, N>& p_hat, const S& h, const Vec<S, M>& impulse,
            Vec<S, N>& p_half, Vec<S, N>& q1) {
    p_half = p_hat;
    subtract_force(G0_, impulse, p_half);
    sys.mass().solve(p_half, v_);
    for (int i = 0; i < q1.size(); ++i) q1[i] = q0[i] + h * v_[i];
  }

  GramSolver<S, N, M> gram_;
  Jacobian<S, N, M> G0_, G1_;
  Vec<S, M> residual_;
  Vec<Real<S>, M> scale_, base_scale_;
  Vec<S, N> v_;
};

}  // namespace holonom
