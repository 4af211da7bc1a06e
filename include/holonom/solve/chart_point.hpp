// ChartPoint<S>: a point δ of a parametrisation q = φ(δ), with momenta and velocities there. Of w = δ', θ and p,
//   H_p(q, p) = φ'w,   φ'ᵀp = θ,
// any one gives the others, by Newton's method with the matrix A = [H_pp −φ'; φ'ᵀ 0]. It is not singular where G H_pp
// Gᵀ is not: the kernel of φ'ᵀ is the range of Gᵀ. Matrices are full.
#pragma once

#include "holonom/dense.hpp"
#include "holonom/norm.hpp"
#include "holonom/parametrisation.hpp"
#include "holonom/solve/status.hpp"

namespace holonom {

template <class S>
class ChartPoint {
  using R = Real<S>;

 public:
  static constexpr int most_coordinates = 1000;

  ChartPoint(const AnySystem<S>& sys, const Parametrisation<S>& phi)
      : sys_(sys),
        phi_(phi),
        n_(sys.n()),
        d_(static_cast<int>(phi.parameter_names().size())),
        rows_(n_ * d_),
        trial_rows_(n_ * d_),
        gram_(d_),
        A_(n_ + d_),
        H_pp_(n_),
        z_(n_ + d_) {
    for (Vec<S>* x : {&q, &p, &v, &trial_, &unit_, &column_}) *x = Vec<S>(n_);
    for (Vec<S>* x : {&delta, &w, &step_, &trial_delta_}) *x = Vec<S>(d_);
  }

  Vec<S> delta, q, p, v, w;  // v = φ'w = H_p(q, p)

  int freedom() const { return d_; }

  // q = φ(δ), and φ'. False where φ' is not of full rank, or no number.
  bool go_to(const Vec<S>& to) {
    delta = to;
    phi_.phi(delta, q, rows_);
    return factor_gram(rows_);
  }

  // The δ of a position, and all that go_to finds: least squares, from several first guesses. chart_ends: there is
  // none.
  Status find(const Vec<S>& position) {
    R size(0);
    for (const S& x : position) keep_largest(size, R(magnitude(value(x))));
    if (!(size > R(0))) size = R(1);
    constexpr int guesses = 64;
    for (int k = 0; k < guesses; ++k) {
      sample(k, trial_delta_);
      if (descend(position, size)) return {};
    }
    return {Failure::chart_ends};
  }

  // Points of the chart: first the one where the model begins to search, then others around it without a pattern
  void sample(int k, Vec<S>& out) const {
    phi_.near(out);
    constexpr double golden = 0.6180339887498949, extent = 4;
    double turn = golden;
    for (int j = 0; j < d_ && k > 0; ++j) {
      const double part = turn * k - static_cast<double>(static_cast<long>(turn * k));
      out[j] += S(extent * (2 * part - 1));
      turn = turn * golden + golden * (j + 1) / (j + 2);
    }
  }
  // φ'ᵀy, and φ'u
  void pull_back(const Vec<S>& y, Vec<S>& out) const {
    fill(out, S(0));
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < d_; ++j) out[j] += rows_[i * d_ + j] * y[i];
  }
  void push_forward(const Vec<S>& u, Vec<S>& out) const {
    for (int i = 0; i < n_; ++i) {
      S sum(0);
      for (int j = 0; j < d_; ++j) sum += rows_[i * d_ + j] * u[j];
      out[i] = sum;
    }
  }
  // |∂φ/∂δ_j|²
  R column_square(int j) const {
    R sum(0);
    for (int i = 0; i < n_; ++i) sum += value(rows_[i * d_ + j]) * value(rows_[i * d_ + j]);
    return sum;
  }
  // u ← (φ'ᵀφ')⁻¹u
  void solve_gram(Vec<S>& u) const { solve_ldl(gram_, u); }

  // p and w of θ. Newton's method: one iteration where H is quadratic in p, and two more for rounding errors.
  Status find_momentum(const Vec<S>& theta) {
    step_ = theta;
    solve_gram(step_);
    push_forward(step_, p);
    fill(w, S(0));
    Changes changes;
    while (changes.small < 2) {
      if (changes.small == 0 && !factor()) return {Failure::chart_ends};
      sys_.H_p(q, p, v);
      push_forward(w, trial_);
      pull_back(p, step_);
      for (int i = 0; i < n_; ++i) z_[i] = trial_[i] - v[i];
      for (int j = 0; j < d_; ++j) z_[n_ + j] = theta[j] - step_[j];
      A_.solve(z_);
      for (int i = 0; i < n_; ++i) trial_[i] = z_[i];
      for (int j = 0; j < d_; ++j) w[j] += z_[n_ + j];
      if (const Status s = change_momentum(changes); !s.ok()) return s;
    }
    push_forward(w, v);
    factored_here_ = false;  // but where p was before the last changes
    return {};
  }
  // p of w, where H_pp has an inverse
  Status find_momentum_of_velocity(const Vec<S>& velocity) {
    w = velocity;
    push_forward(w, v);
    fill(p, S(0));
    Changes changes;
    while (changes.small < 2) {
      for (int j = 0; j < n_; ++j) {
        H_pp_column(j);
        for (int i = 0; i < n_; ++i) H_pp_.matrix()(i, j) = column_[i];
      }
      if (!H_pp_.factor()) return {Failure::not_finite};
      sys_.H_p(q, p, trial_);
      for (int i = 0; i < n_; ++i) trial_[i] = v[i] - trial_[i];
      H_pp_.solve(trial_);
      if (const Status s = change_momentum(changes); !s.ok()) return s;
    }
    factored_here_ = factor();
    return factored_here_ ? Status{} : Status{Failure::chart_ends};
  }

  // (y, u) ← A⁻¹(y, u) at (q, p), which have been found
  void solve(Vec<S>& y, Vec<S>& u) {
    if (!factored_here_) factored_here_ = factor();
    for (int i = 0; i < n_; ++i) z_[i] = y[i];
    for (int j = 0; j < d_; ++j) z_[n_ + j] = u[j];
    A_.solve(z_);
    for (int i = 0; i < n_; ++i) y[i] = z_[i];
    for (int j = 0; j < d_; ++j) u[j] = z_[n_ + j];
  }

 private:
  // Those of p below √ε in a row: after one the next is a rounding error, and so is that of its derivative.
  struct Changes {
    int small = 0, all = 0;
    R size{0};  // of p on the way
  };
  // p += trial_
  Status change_momentum(Changes& changes) {
    using std::sqrt;
    constexpr int most = 50;
    R changed(0);
    for (int i = 0; i < n_; ++i) {
      keep_largest(changes.size, R(magnitude(value(p[i]))));
      p[i] += trial_[i];
      keep_largest(changes.size, R(magnitude(value(p[i]))));
      keep_largest(changed, R(magnitude(value(trial_[i]))));
    }
    if (!is_finite(changed)) return {Failure::not_finite};
    changes.small = changed <= sqrt(epsilon<S>()) * changes.size ? changes.small + 1 : 0;
    return ++changes.all < most ? Status{} : Status{Failure::no_convergence};
  }

  void H_pp_column(int j) {
    fill(unit_, S(0));
    unit_[j] = S(1);
    sys_.H_pp(q, p, unit_, column_);
  }
  bool factor() {
    for (int j = 0; j < n_; ++j) {
      H_pp_column(j);
      for (int i = 0; i < n_; ++i) A_.matrix()(i, j) = column_[i];
    }
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < d_; ++j) {
        A_.matrix()(i, n_ + j) = -rows_[i * d_ + j];
        A_.matrix()(n_ + j, i) = rows_[i * d_ + j];
      }
    for (int i = 0; i < d_; ++i)
      for (int j = 0; j < d_; ++j) A_.matrix()(n_ + i, n_ + j) = S(0);
    return A_.factor();
  }

  // φ'ᵀφ'. Its pivots are squares: what is left of a column of φ' beside those before.
  bool factor_gram(const Vec<S>& rows) {
    for (int i = 0; i < d_; ++i)
      for (int j = 0; j < d_; ++j) {
        S sum(0);
        for (int k = 0; k < n_; ++k) sum += rows[k * d_ + i] * rows[k * d_ + j];
        gram_(i, j) = sum;
      }
    return factor_ldl(gram_, R(R(1e4) * epsilon<S>())) < 0;
  }

  // Gauss-Newton from trial_delta_, with shorter steps where the distance would grow
  bool descend(const Vec<S>& position, const R& size) {
    const auto distance = [&](const Vec<S>& at) {
      phi_.phi(at, trial_, trial_rows_);
      R sum(0);
      for (int i = 0; i < n_; ++i) {
        trial_[i] = position[i] - trial_[i];
        sum += value(trial_[i]) * value(trial_[i]);
      }
      return sum;
    };
    const auto good = [&](const R& square) { return square <= R(1e6) * epsilon<S>() * epsilon<S>() * size * size; };
    delta = trial_delta_;
    R now = distance(delta);
    constexpr int most = 50, halvings = 20;
    int after = 0;  // steps after the distance has become a rounding error, for its derivative
    for (int k = 0; k < most && is_finite(now); ++k) {
      if (!factor_gram(trial_rows_)) return false;
      fill(step_, S(0));
      for (int i = 0; i < n_; ++i)
        for (int j = 0; j < d_; ++j) step_[j] += trial_rows_[i * d_ + j] * trial_[i];
      solve_gram(step_);
      if (good(now) && ++after > 2) return go_to(Vec<S>(delta));
      S factor(1);
      for (int half = 0;; ++half) {
        trial_delta_ = delta;
        axpy(factor, step_, trial_delta_);
        const R next = distance(trial_delta_);
        if (next < now || good(next)) {
          delta = trial_delta_;
          now = next;
          break;
        }
        if (half == halvings) return false;
        factor /= S(2);
      }
    }
    return false;
  }

  const AnySystem<S>& sys_;
  const Parametrisation<S>& phi_;
  const int n_, d_;
  Vec<S> rows_, trial_rows_;  // φ'
  Square<S> gram_;
  PivotedLu<S> A_, H_pp_;
  bool factored_here_ = false;  // A, at the present p
  Vec<S> z_, trial_, unit_, column_, step_, trial_delta_;
};

}  // namespace holonom
