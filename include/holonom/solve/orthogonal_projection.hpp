// The endpoint projection of Leimkuhler and Reich (section 4): from w̃ = (q̃, p̃) to the nearest state of the manifold,
//   w = w̃ − c'(w)ᵀν,   c(w) = (g, G H_p) = 0,
// in the Euclidean norm of (q, p). It keeps both constraints, and not the symplectic form.
#pragma once

#include "holonom/solve/brackets.hpp"
#include "holonom/solve/stagnation.hpp"

namespace holonom {

template <class S>
class OrthogonalProjection {
  using R = Real<S>;

 public:
  // The matrix c'c'ᵀ is a full one.
  static constexpr int most_constraints = 1000;

  explicit OrthogonalProjection(const AnySystem<S>& sys)
      : n_(sys.n()), m_(sys.m()), at_(sys), from_(n_), sum_(n_), lu_(2 * m_), nu_(2 * m_), c_(2 * m_), half_(m_) {
    rows_.assign(2 * static_cast<std::size_t>(m_), Gradient<S>(n_));
  }

  // The matrix is that of w̃: iterations contract by the distance from the manifold.
  Status operator()(Vec<S>& q, Vec<S>& p, Counters& counters, const NewtonOptions& options) {
    from_.q = q;
    from_.p = p;
    ++counters.jacobian;
    ++counters.factorisation;
    if (const Status s = set(q, p); !s.ok()) return s;
    fill(nu_, S(0));
    Stagnation<R> stagnation(epsilon<S>(), options);
    for (;;) {
      for (int k = 0; k < m_; ++k) {
        c_[k] = at_.g()[k];
        c_[m_ + k] = at_.psi()[k];
      }
      ++counters.constraint;
      lu_.solve(c_);
      axpy(S(1), c_, nu_);
      // w̃ − c'(w)ᵀν at the last w
      sum_.clear();
      for (int k = 0; k < m_; ++k) half_[k] = nu_[k];
      at_.add_g(S(-1), half_, sum_.q);
      for (int k = 0; k < m_; ++k) half_[k] = nu_[m_ + k];
      at_.add_psi(S(-1), half_, sum_);
      axpy(S(1), from_.q, sum_.q);
      axpy(S(1), from_.p, sum_.p);
      const R of_q = largest_change(sum_.q, q, R(0)), of_p = largest_change(sum_.p, p, R(0));
      q = sum_.q;
      p = sum_.p;
      const auto verdict = stagnation(of_q < of_p ? of_p : of_q, of_q);
      if (verdict == Stagnation<R>::Verdict::failed) {
        counters.newton(stagnation.iterations());
        return {of_q == of_q ? Failure::no_convergence : Failure::not_finite, 0, to_double(of_q)};
      }
      if (verdict == Stagnation<R>::Verdict::done) break;
      if (const Status s = at_.at(q, p); !s.ok()) return s;
    }
    counters.newton(stagnation.iterations());
    return {};
  }

  // c' at a state, for what follows
  Status set(const Vec<S>& q, const Vec<S>& p) {
    if (const Status s = at_.at(q, p); !s.ok()) return s;
    return factor() ? Status{} : Status{Failure::singular, 0};
  }
  // There, the shortest z with c'z = e_j: a column of c'ᵀ(c'c'ᵀ)⁻¹
  void right_inverse(int j, Gradient<S>& z) {
    fill(c_, S(0));
    c_[j] = S(1);
    lu_.solve(c_);
    z.clear();
    for (int i = 0; i < 2 * m_; ++i) {
      axpy(c_[i], rows_[static_cast<std::size_t>(i)].q, z.q);
      axpy(c_[i], rows_[static_cast<std::size_t>(i)].p, z.p);
    }
  }
  // The part of a vector that is tangent to the manifold at (q, p): z ← z − c'ᵀ(c'c'ᵀ)⁻¹c'z
  Status onto_tangent(const Vec<S>& q, const Vec<S>& p, Gradient<S>& z) {
    if (const Status s = set(q, p); !s.ok()) return s;
    // twice is enough: rounding errors of the first time are small
    for (int round = 0; round < 2; ++round) {
      for (int i = 0; i < 2 * m_; ++i) {
        const Gradient<S>& row = rows_[static_cast<std::size_t>(i)];
        c_[i] = dot(row.q, z.q) + dot(row.p, z.p);
      }
      lu_.solve(c_);
      for (int i = 0; i < 2 * m_; ++i) {
        axpy(S(-c_[i]), rows_[static_cast<std::size_t>(i)].q, z.q);
        axpy(S(-c_[i]), rows_[static_cast<std::size_t>(i)].p, z.p);
      }
    }
    return {};
  }

  template <class F>
  void visit_memory(F&& f) {
    at_.visit_memory(f);
  }

 private:
  bool factor() {
    for (int k = 0; k < m_; ++k) {
      fill(half_, S(0));
      half_[k] = S(1);
      const auto row = static_cast<std::size_t>(k), rows = static_cast<std::size_t>(m_);
      Gradient<S>&of_g = rows_[row], &of_psi = rows_[rows + row];
      of_g.clear();
      of_psi.clear();
      at_.add_g(S(1), half_, of_g.q);
      at_.add_psi(S(1), half_, of_psi);
    }
    for (int i = 0; i < 2 * m_; ++i)
      for (int j = 0; j <= i; ++j) {
        const Gradient<S>&a = rows_[static_cast<std::size_t>(i)], &b = rows_[static_cast<std::size_t>(j)];
        lu_.matrix()(i, j) = lu_.matrix()(j, i) = dot(a.q, b.q) + dot(a.p, b.p);
      }
    return lu_.factor();
  }

  const int n_, m_;
  Brackets<S> at_;
  Gradient<S> from_, sum_;
  std::vector<Gradient<S>> rows_;
  PivotedLu<S, Dynamic> lu_;
  Vec<S> nu_, c_, half_;
};

}  // namespace holonom
