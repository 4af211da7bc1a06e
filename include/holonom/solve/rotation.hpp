// The free motion of one rigid body over a time h, onto QᵀQ = I:
//   P½ = P − QΛ, Λ symmetric,   Q₁ = Q + h P½ D⁻¹ = Q R,   R a rotation
// With A = QᵀP this is (R − I) D = h (A − Λ), whose antisymmetric part determines R, and whose symmetric part then Λ
// (Moser and Veselov 1991; McLachlan and Scovel 1995). With the quaternion (1, c)/√(1 + c·c) of R, D = diag(d) and
// I = tr(D) − D, that is three quadratic equations instead of those for six multipliers (Hairer 2003):
//   c + α∘(c₂c₃, c₃c₁, c₁c₂) = κ (1 + c·c),   2κ = h I⁻¹m,   m̂ = A − Aᵀ,   α₁ = (d₂ − d₃)/(d₂ + d₃), and so on
//
// Which root: X = R D solves a Riccati equation, XᵀX = D² with X − Xᵀ = h m̂, and has no more than one solution with all
// eigenvalues in the right half plane. For h = 0 it is X = D, and it is the one that continues the motion until the
// path of solutions turns back. By Hurwitz' criterion, and since det X = det D > 0, it is the one with
//   tr X > 0  and  (λ₁ + λ₂)(λ₂ + λ₃)(λ₃ + λ₁) > 0, of the eigenvalues of X,
// where the product is the determinant of Newton's matrix up to a positive factor. No path has to be followed to know
// it.
#pragma once

#include "holonom/solve/convergence.hpp"
#include "holonom/solve/rigid_bodies.hpp"
#include "holonom/solve/status.hpp"

namespace holonom {

// A symmetric matrix by its entries 11, 22, 33, 12, 13, 23
template <class S>
using Symmetric3 = std::array<S, 6>;

template <class S>
class Rotation {
  using R = Real<S>;
  using Vector = std::array<S, 3>;

 public:
  explicit Rotation(const RigidBody<R>& body) : d_{S(body.d[0]), S(body.d[1]), S(body.d[2])} {
    const auto& d = body.d;
    trace_ = d[0] + d[1] + d[2];
    for (std::size_t k = 0; k < 3; ++k) {
      const R a = d[(k + 1) % 3], b = d[(k + 2) % 3];
      inertia_[k] = a + b;
      alpha_[k] = S(R((a - b) / (a + b)));
      inverse_[k] = S(R(R(1) / (a + b)));
    }
    for (std::size_t k = 0; k < 3; ++k) reduced_[k] = S(R(d[k] / 2));
    reduced_[3] = S(R(d[0] * d[1] / (d[0] + d[1])));
    reduced_[4] = S(R(d[0] * d[2] / (d[0] + d[2])));
    reduced_[5] = S(R(d[1] * d[2] / (d[1] + d[2])));
  }
  const Vector& d() const { return d_; }
  // Ω = I⁻¹m, with m̂ = A − Aᵀ
  [[gnu::always_inline]] Vector angular_velocity(const Matrix3<S>& A) const {
    return {S((A[7] - A[5]) * inverse_[0]), S((A[2] - A[6]) * inverse_[1]), S((A[3] - A[1]) * inverse_[2])};
  }

  // c from a first guess, for kappa = h Ω/2. A root that does not continue the motion is none.
  [[gnu::always_inline]] Status solve(const Vector& kappa, Vector& c, const NewtonOptions& options,
                                      int& iterations) const {
    const Vector guess = c;
    const Status s = newton(kappa, c, options, iterations);
    if (s.ok()) [[likely]]
      return s;
    return follow(kappa, guess, c, s, options, iterations);
  }

  // Λ over the time h from A = QᵀP and c; and what takes a defect E = QᵀQ − I away, to first order in E and h:
  // E = h (Δ D⁻¹ + D⁻¹ Δ). Entries are those of the columns with the smaller masses, which lose nothing to the larger.
  [[gnu::always_inline]] Symmetric3<S> impulse(const Matrix3<S>& A, const Vector& c, const S& rate,
                                               const Symmetric3<S>& E) const {
    const S xx = c[0] * c[0], yy = c[1] * c[1], zz = c[2] * c[2];
    const S s = 2 * rate / (S(1) + (xx + yy + zz));
    const auto entry = [&](const S& a, const S& turn, const S& d, std::size_t k) -> S {
      return a - s * turn * d + E[k] * reduced_[k] * rate;
    };
    return {entry(A[0], S(-(yy + zz)), d_[0], 0),         entry(A[4], S(-(zz + xx)), d_[1], 1),
            entry(A[8], S(-(xx + yy)), d_[2], 2),         entry(A[1], S(c[0] * c[1] - c[2]), d_[1], 3),
            entry(A[2], S(c[0] * c[2] + c[1]), d_[2], 4), entry(A[5], S(c[1] * c[2] - c[0]), d_[2], 5)};
  }

  // μ = A − Ω̂D, symmetric: what a projection takes from P is Qμ; and whether no more than a few times what is left.
  struct Normal {
    Symmetric3<S> mu;
    bool clean;
  };
  [[gnu::always_inline]] Normal normal(const Matrix3<S>& A) const {
    const Vector w = angular_velocity(A);
    const Symmetric3<S> mu{A[0], A[4], A[8], S(A[1] + w[2] * d_[1]), S(A[2] - w[1] * d_[2]), S(A[5] + w[0] * d_[2])};
    const R a = magnitude(mu[0]), b = magnitude(mu[1]) + magnitude(mu[3]),
            c = magnitude(mu[2]) + magnitude(mu[4]) + magnitude(mu[5]);
    const R left = R(16) * (magnitude(w[0]) + magnitude(w[1]) + magnitude(w[2]));
    return {mu, a <= left * value(d_[0]) && b <= left * value(d_[1]) && c <= left * value(d_[2])};
  }

 private:
  [[gnu::always_inline]] Status newton(const Vector& kappa, Vector& c, const NewtonOptions& options,
                                       int& iterations) const {
    const auto size_of = [](const Vector& x) { return R(magnitude(x[0]) + magnitude(x[1]) + magnitude(x[2])); };
    const R turn = size_of(kappa), guessed = size_of(c);
    const R scale = turn > R(0) ? turn : guessed > R(0) ? guessed : R(1);
    const R unit = R(1) / scale;
    const auto residual = [&] {
      const S &x = c[0], &y = c[1], &z = c[2];
      const S longer = S(1) + (x * x + y * y + z * z);
      return Vector{S(x + alpha_[0] * (y * z) - kappa[0] * longer), S(y + alpha_[1] * (z * x) - kappa[1] * longer),
                    S(z + alpha_[2] * (x * y) - kappa[2] * longer)};
    };
    Vector r = residual();
    R size = size_of(r) * unit;
    // The equations are quadratic: a correction δ leaves exactly α∘(δ₂δ₃, δ₃δ₁, δ₁δ₂) − κ δ·δ, which is corrected with
    // the same matrix (Chebyshev's method, of order 3).
    const R remainder = R(4) * scale * (R(1) + 3 * scale);
    Convergence<R> convergence(epsilon<S>(), options, true, true, R(remainder * remainder * size));
    if constexpr (!std::is_same_v<S, R>) convergence.accept(tangent_rounding_errors<S>());
    Matrix3<S> inverse{};
    R determinant(0);
    for (;;) {
      const auto verdict = convergence(size);
      if (verdict == Convergence<R>::Verdict::done) break;
      if (verdict == Convergence<R>::Verdict::failed) {
        iterations = convergence.iterations();
        return {size == size ? Failure::no_convergence : Failure::not_finite, -1, to_double(size)};
      }
      determinant = invert(kappa, c, inverse);
      const Vector first = product(inverse, r);
      const S square = first[0] * first[0] + first[1] * first[1] + first[2] * first[2];
      const Vector second = product(inverse, {S(alpha_[0] * (first[1] * first[2]) - kappa[0] * square),
                                              S(alpha_[1] * (first[2] * first[0]) - kappa[1] * square),
                                              S(alpha_[2] * (first[0] * first[1]) - kappa[2] * square)});
      for (std::size_t k = 0; k < 3; ++k) c[k] -= first[k] + second[k];
      r = residual();
      size = size_of(r) * unit;
    }
    // Near where the path turns back, the matrix changes much within a correction.
    if (!(determinant > R(0.125))) determinant = invert(kappa, c, inverse);
    iterations = convergence.iterations();
    const R xx = value(c[0]) * value(c[0]), yy = value(c[1]) * value(c[1]), zz = value(c[2]) * value(c[2]);
    const R turned = inertia_[0] * xx + inertia_[1] * yy + inertia_[2] * zz;
    if (!(determinant > R(0) && trace_ * (R(1) + (xx + yy + zz)) > 2 * turned)) return {Failure::wrong_root};
    return {};
  }

  [[gnu::always_inline]] static Vector product(const Matrix3<S>& a, const Vector& x) {
    return {S(a[0] * x[0] + a[1] * x[1] + a[2] * x[2]), S(a[3] * x[0] + a[4] * x[1] + a[5] * x[2]),
            S(a[6] * x[0] + a[7] * x[1] + a[8] * x[2])};
  }
  // Of Newton's matrix at c; returns its determinant.
  [[gnu::always_inline]] R invert(const Vector& kappa, const Vector& c, Matrix3<S>& inverse) const {
    const S &x = c[0], &y = c[1], &z = c[2];
    const Vector k{S(2 * kappa[0]), S(2 * kappa[1]), S(2 * kappa[2])};
    const S a11 = S(1) - k[0] * x, a12 = alpha_[0] * z - k[0] * y, a13 = alpha_[0] * y - k[0] * z;
    const S a21 = alpha_[1] * z - k[1] * x, a22 = S(1) - k[1] * y, a23 = alpha_[1] * x - k[1] * z;
    const S a31 = alpha_[2] * y - k[2] * x, a32 = alpha_[2] * x - k[2] * y, a33 = S(1) - k[2] * z;
    const S b11 = a22 * a33 - a23 * a32, b21 = a23 * a31 - a21 * a33, b31 = a21 * a32 - a22 * a31;
    const S determinant = a11 * b11 + a12 * b21 + a13 * b31, s = S(1) / determinant;
    inverse = {S(b11 * s), S((a13 * a32 - a12 * a33) * s), S((a12 * a23 - a13 * a22) * s),
               S(b21 * s), S((a11 * a33 - a13 * a31) * s), S((a13 * a21 - a11 * a23) * s),
               S(b31 * s), S((a12 * a31 - a11 * a32) * s), S((a11 * a22 - a12 * a21) * s)};
    return value(determinant);
  }

  // Where the guess has led nowhere, or astray: for σκ, 0 ≤ σ ≤ 1, from c = 0.
  [[gnu::noinline, gnu::cold]] Status follow(const Vector& kappa, const Vector& guess, Vector& c, const Status& reason,
                                             const NewtonOptions& options, int& iterations) const {
    if (reason.failure == Failure::not_finite) {
      c = guess;
      return reason;
    }
    Vector reached{S(0), S(0), S(0)};
    int sum = iterations;
    R from(0), length(R(1) / 4);
    while (from < R(1)) {
      const R to = R(1) - from < R(1.5) * length ? R(1) : R(from + length);
      Vector part;
      for (std::size_t k = 0; k < 3; ++k) {
        part[k] = S(to) * kappa[k];
        c[k] = from > R(0) ? S(reached[k] * S(R(to / from))) : part[k];
      }
      const Status s = newton(part, c, options, iterations);
      sum += iterations;
      if (s.ok()) {
        reached = c;
        from = to;
        continue;
      }
      length /= 2;
      if (!(length > R(1) / 300)) {
        iterations = sum;
        return reason.failure == Failure::wrong_root ? reason : s;
      }
    }
    iterations = sum;
    return {};
  }

  Vector d_, alpha_, inverse_;
  Symmetric3<S> reduced_;  // d_i d_j/(d_i + d_j)
  std::array<R, 3> inertia_{};
  R trace_{0};
};

}  // namespace holonom
