// State space forms (Leimkuhler and Reich, section 2): an implicit Runge-Kutta method on 2(n − m) coordinates (δ, θ) of
// the manifold. With a matrix A such that R = [A; G] is not singular,
//   A q = δ,   g(q) = 0,      φ'ᵀp = θ,   G H_p = 0,   where q = φ(δ),
// is a canonical map, (2.1)-(2.3) for any H. Because p = Aᵀθ + Gᵀκ, that is R⁻ᵀp = (θ, κ), the equations of motion need
// no more than one second derivative of g, and no multipliers:
//   δ' = A H_p,   θ' = −φ'ᵀ(H_q + (κ·g)_qq H_p),   φ'ᵀy = the first part of R⁻ᵀy.
// They are solved by functional iteration to round-off (Algorithm 2.1). Both constraints hold after every step.
//
// Charts: with a fixed A the map is symplectic, until R becomes singular. Coordinate partitions are taken from a finite
// set, so that each step has a symplectic differential; but every chart has its own modified Hamiltonian, and energy
// drifts with the number of switches. An A that is made of the state (the tangent space, every K steps) depends on it,
// and the map is not symplectic.
#pragma once

#include <algorithm>
#include <vector>

#include "holonom/coefficients/tableau.hpp"
#include "holonom/formulations/formulation.hpp"
#include "holonom/methods/any_method.hpp"
#include "holonom/solve/manifold.hpp"
#include "holonom/solve/stagnation.hpp"

namespace holonom {

template <class S>
class StateSpaceMethod final : public AnyMethod<S> {
  using R = Real<S>;

 public:
  static constexpr int most_coordinates = 1000;  // matrices are full

  StateSpaceMethod(const AnySystem<S>& sys, Tableau<S> tableau, const ChartPolicy& policy, const MethodOptions& options)
      : sys_(sys),
        t_(std::move(tableau)),
        policy_(policy),
        options_(options.newton),
        n_(sys.n()),
        m_(sys.m()),
        d_(n_ - m_),
        manifold_(sys),
        G_(sys.pattern()),
        g_(m_),
        x_(n_, m_),
        lu_(n_),
        delta_(d_),
        theta_(d_),
        end_(n_, m_, d_) {
    for (Vec<S>* v : {&z_, &a_, &b_, &v_}) *v = Vec<S>(n_);
    A_.assign(static_cast<std::size_t>(d_), Vec<S>(n_));
    stages_.assign(static_cast<std::size_t>(t_.stages()), Point(n_, m_, d_));
  }

  Status begin(const State<S>& x, const S&) override {
    // A fixed chart has ended here: another try with another chart would not be the same map.
    if (ended_ && largest_difference(x.q, ended_at_) == R(0)) return {Failure::chart_ends};
    ended_ = false;
    since_ = 0;
    dependent_ = Vec<int>();
    if (const Status s = choose_chart(x.q); !s.ok()) return s;
    return enter(x.q);
  }

  Status step(State<S>& x, const S& h) override {
    Status status = try_step(x, h);
    if (status.ok() || policy_.kind != ChartPolicy::Kind::fixed) return status;
    ended_ = true;
    ended_at_ = x.q;
    // Near its end iterations fail before the chart does.
    if (factor(x.q).ok() && determinant() > determinant_ / 4) return status;
    return {Failure::chart_ends};
  }

  const Counters& counters() override { return counters_; }

  void save(MemoryWriter& out) override { visit_memory(out); }
  Status load(MemoryReader& in, const State<S>&, const S&) override {
    visit_memory(in);
    return {};
  }

 private:
  // A point in the chart, its state, and what the equations of motion say there
  struct Point {
    Point(int n, int m, int d) : q(n), p(n), velocity(n), kappa(m), delta(d), theta(d), delta_rate(d), theta_rate(d) {}
    Vec<S> q, p, velocity, kappa, delta, theta, delta_rate, theta_rate;
  };

  Status try_step(State<S>& x, const S& h) {
    if (policy_.kind == ChartPolicy::Kind::partition ||
        (policy_.kind == ChartPolicy::Kind::tangent && since_ == policy_.every)) {
      since_ = 0;
      if (const Status s = choose_chart(x.q); !s.ok()) return s;
      if (const Status s = enter(x.q); !s.ok()) return s;
    }
    ++counters_.steps;
    coordinates(x);
    // Stages begin with the rates of the start.
    end_.q = x.q;
    end_.p = x.p;
    if (const Status s = rates(end_); !s.ok()) return s;
    for (Point& stage : stages_) stage = end_;
    for (int i = 0; i < t_.stages(); ++i)
      advance(stages_[static_cast<std::size_t>(i)], h, [&](int) { return t_.c[i] / S(t_.stages()); });
    Stagnation<R> stagnation(epsilon<S>(), options_);
    for (;;) {
      for (Point& stage : stages_)
        if (const Status s = solve(stage); !s.ok()) return s;
      R change(0), displacement(0);
      for (int i = 0; i < t_.stages(); ++i) {
        Point& stage = stages_[static_cast<std::size_t>(i)];
        end_.delta = stage.delta;
        end_.theta = stage.theta;
        advance(stage, h, [&](int j) { return t_.A(i, j); });
        keep_largest(displacement, R(largest_difference(stage.delta, end_.delta) / size_q_));
        keep_largest(change, largest_change(stage.theta, end_.theta, R(0)));
      }
      keep_largest(change, displacement);
      const auto verdict = stagnation(change, displacement);
      if (verdict == Stagnation<R>::Verdict::done) break;
      if (verdict == Stagnation<R>::Verdict::failed)
        return {change == change ? Failure::no_convergence : Failure::not_finite, -1, to_double(change)};
    }
    counters_.newton(stagnation.iterations());
    end_.q = stages_.back().q;
    fill(v_, S(0));
    for (int j = 0; j < t_.stages(); ++j) axpy(S(h * t_.b[j]), stages_[static_cast<std::size_t>(j)].velocity, v_);
    advance(end_, h, [&](int j) { return t_.b[j]; });
    if (const Status s = find_state(end_); !s.ok()) return s;
    // A motion that the chart cannot follow would turn back at its border.
    R moved(0), missed(0);
    for (int i = 0; i < n_; ++i) {
      keep_largest(moved, R(magnitude(value(v_[i]))));
      keep_largest(missed, R(magnitude(value(S(end_.q[i] - x.q[i] - v_[i])))));
    }
    if (missed > moved / 2 + R(1000) * epsilon<S>() * size_q_) return {Failure::chart_ends};
    x.q = end_.q;
    x.p = end_.p;
    ++since_;
    return {};
  }

  template <class F>
  void visit_memory(F&& f) {
    manifold_.visit_memory(f);
    f("since_chart", since_);
    f("orientation", orientation_);
    f("size_q", size_q_);
    f("determinant", determinant_);
    f("dependent", dependent_);
    for (Vec<S>& row : A_) f("chart", row);
    f("counters", counters_);
  }

  // ---- charts

  Status choose_chart(const Vec<S>& q) {
    sys_.G(q, G_);
    if (policy_.kind == ChartPolicy::Kind::partition) return choose_partition();
    // An orthonormal basis of the tangent space: unit vectors with the largest parts in it, made orthogonal
    std::vector<Vec<S>> basis;
    Vec<S> row(n_);
    for (int k = 0; k < m_; ++k) {
      fill(row, S(0));
      G_.row(k, [&](int j, const S& y) { row[j] = y; });
      if (!add_orthogonal(basis, row)) return {Failure::singular, k};
    }
    std::vector<bool> used(static_cast<std::size_t>(n_));
    for (int i = 0; i < d_; ++i) {
      int best = -1;
      R largest(0);
      for (int j = 0; j < n_; ++j) {
        if (used[static_cast<std::size_t>(j)]) continue;
        R left(1);
        for (const Vec<S>& e : basis) left -= value(e[j]) * value(e[j]);
        if (best < 0 || left > largest) {
          best = j;
          largest = left;
        }
      }
      used[static_cast<std::size_t>(best)] = true;
      fill(row, S(0));
      row[best] = S(1);
      if (!add_orthogonal(basis, row)) return {Failure::singular, 0};
      A_[static_cast<std::size_t>(i)] = basis.back();
      if (policy_.kind == ChartPolicy::Kind::fixed)  // a constant, whatever the state it was made at depends on
        for (S& y : A_[static_cast<std::size_t>(i)]) y = S(value(y));
    }
    return {};
  }
  static bool add_orthogonal(std::vector<Vec<S>>& basis, Vec<S> x) {
    using std::sqrt;
    const R before = value(dot(x, x));
    for (int round = 0; round < 2; ++round)
      for (const Vec<S>& e : basis) axpy(S(-dot(e, x)), e, x);
    const S square = dot(x, x);
    if (!(value(square) > R(1e-20) * before)) return false;
    const S length = sqrt(square);
    for (S& y : x) y /= length;
    basis.push_back(std::move(x));
    return true;
  }

  // Elimination with complete pivoting tells which coordinates depend on the others best.
  Status choose_partition() {
    std::vector<int> best;
    R product(1);
    Square<R> B(m_ > 0 ? n_ : 0);
    for (int k = 0; k < m_; ++k) G_.row(k, [&](int j, const S& y) { B(k, j) = value(y); });
    std::vector<bool> used(static_cast<std::size_t>(n_));
    std::vector<bool> done(static_cast<std::size_t>(m_));
    for (int i = 0; i < m_; ++i) {
      int row = -1, column = -1;
      R pivot(0);
      for (int k = 0; k < m_; ++k)
        for (int j = 0; j < n_; ++j)
          if (!done[static_cast<std::size_t>(k)] && !used[static_cast<std::size_t>(j)] && magnitude(B(k, j)) > pivot) {
            pivot = magnitude(B(k, j));
            row = k;
            column = j;
          }
      if (row < 0) return {Failure::singular, i};
      product *= pivot;
      done[static_cast<std::size_t>(row)] = used[static_cast<std::size_t>(column)] = true;
      best.push_back(column);
      for (int k = 0; k < m_; ++k) {
        if (done[static_cast<std::size_t>(k)]) continue;
        const R factor = B(k, column) / B(row, column);
        for (int j = 0; j < n_; ++j) B(k, j) -= factor * B(row, j);
      }
    }
    std::sort(best.begin(), best.end());
    if (since_ == 0 && dependent_.size() == m_) {
      // The chart that is there stays if it is good enough.
      PivotedLu<R, Dynamic> present(m_);
      for (int k = 0; k < m_; ++k) {
        fill(a_, S(0));
        G_.row(k, [&](int j, const S& y) { a_[j] = y; });
        for (int j = 0; j < m_; ++j) present.matrix()(k, j) = value(a_[dependent_[j]]);
      }
      R determinant(1);
      if (present.factor())
        for (int k = 0; k < m_; ++k) determinant *= magnitude(present.matrix()(k, k));
      else
        determinant = R(0);
      if (determinant >= R(policy_.leave) * product) return {};
    }
    dependent_ = Vec<int>(m_);
    for (int k = 0; k < m_; ++k) dependent_[k] = best[static_cast<std::size_t>(k)];
    int row = 0;
    for (int j = 0; j < n_; ++j) {
      if (used[static_cast<std::size_t>(j)]) continue;
      fill(A_[static_cast<std::size_t>(row)], S(0));
      A_[static_cast<std::size_t>(row++)][j] = S(1);
    }
    return {};
  }

  // The chart is used from q on.
  Status enter(const Vec<S>& q) {
    size_q_ = R(0);
    for (const S& y : q) keep_largest(size_q_, R(magnitude(value(y))));
    if (!(size_q_ > R(0))) size_q_ = R(1);
    orientation_ = 0;
    const Status s = factor(q);
    determinant_ = determinant();
    return s;
  }
  // |det R| where it was factored last
  R determinant() {
    R product(1);
    for (int i = 0; i < n_; ++i) product *= magnitude(value(lu_.matrix()(i, i)));
    return product;
  }

  // R at q. The sign of its determinant is the same all over a chart.
  Status factor(const Vec<S>& q) {
    sys_.g_and_G(q, g_, G_);
    ++counters_.constraint;
    ++counters_.jacobian;
    ++counters_.factorisation;
    for (int i = 0; i < n_; ++i) {
      if (i < d_)
        b_ = A_[static_cast<std::size_t>(i)];
      else
        fill(b_, S(0));
      if (i >= d_) G_.row(i - d_, [&](int j, const S& y) { b_[j] = y; });
      for (int j = 0; j < n_; ++j) lu_.matrix()(i, j) = b_[j];
    }
    if (!lu_.factor()) return {Failure::chart_ends};
    const int now = lu_.sign();
    if (orientation_ == 0) orientation_ = now;
    return now == orientation_ ? Status{} : Status{Failure::chart_ends};
  }

  // ---- coordinates

  void coordinates(const State<S>& x) {
    for (int i = 0; i < d_; ++i) delta_[i] = dot(A_[static_cast<std::size_t>(i)], x.q);
    (void)factor(x.q);
    z_ = x.p;
    lu_.solve_transposed(z_);
    for (int i = 0; i < d_; ++i) theta_[i] = z_[i];
  }

  // to = (δ, θ) + h Σ weight(j) (δ', θ')_j of the stages
  template <class Weight>
  void advance(Point& to, const S& h, Weight&& weight) {
    to.delta = delta_;
    to.theta = theta_;
    for (int j = 0; j < t_.stages(); ++j) {
      const Point& from = stages_[static_cast<std::size_t>(j)];
      const S c = h * weight(j);
      axpy(c, from.delta_rate, to.delta);
      axpy(c, from.theta_rate, to.theta);
    }
  }

  // (q, p) of (δ, θ), q from a guess
  Status find_state(Point& at) {
    constexpr int most = 50;
    R last(0);
    for (int k = 0;; ++k) {
      if (const Status s = factor(at.q); !s.ok()) return s;
      for (int i = 0; i < d_; ++i) z_[i] = at.delta[i] - dot(A_[static_cast<std::size_t>(i)], at.q);
      for (int i = 0; i < m_; ++i) z_[d_ + i] = -g_[i];
      lu_.solve(z_);
      R change(0);
      for (const S& y : z_) keep_largest(change, R(magnitude(y) / size_q_));
      axpy(S(1), z_, at.q);
      if (!(change < R(1e10))) return {Failure::chart_ends};
      if (change <= R(2) * epsilon<S>() || (k > 1 && change >= last / 2 && change <= R(1e4) * epsilon<S>())) break;
      if (k == most) return {Failure::chart_ends};
      last = change;
    }
    fill(at.p, S(0));
    for (int i = 0; i < d_; ++i) axpy(at.theta[i], A_[static_cast<std::size_t>(i)], at.p);
    x_.q = at.q;
    x_.p = at.p;
    if (const Status s = manifold_.project_momentum(x_, true); !s.ok()) return s;
    at.p = x_.p;
    return {};
  }

  Status solve(Point& at) {
    if (const Status s = find_state(at); !s.ok()) return s;
    return rates(at);
  }

  // (δ', θ') at a state
  Status rates(Point& at) {
    if (const Status s = factor(at.q); !s.ok()) return s;
    ++counters_.force;
    z_ = at.p;
    lu_.solve_transposed(z_);
    for (int k = 0; k < m_; ++k) at.kappa[k] = z_[d_ + k];
    sys_.H_p(at.q, at.p, at.velocity);
    sys_.H_q(at.q, at.p, a_);
    if (m_ > 0) {
      sys_.lambda_g_qq(at.q, at.kappa, at.velocity, b_);
      axpy(S(1), b_, a_);
    }
    lu_.solve_transposed(a_);
    for (int i = 0; i < d_; ++i) {
      at.delta_rate[i] = dot(A_[static_cast<std::size_t>(i)], at.velocity);
      at.theta_rate[i] = -a_[i];
      if (!is_finite(at.theta_rate[i])) return {Failure::not_finite};
    }
    return {};
  }

  const AnySystem<S>& sys_;
  const Tableau<S> t_;
  const ChartPolicy policy_;
  NewtonOptions options_;
  const int n_, m_, d_;
  Manifold<S> manifold_;
  Jacobian<S> G_;
  Vec<S> g_;
  State<S> x_;
  PivotedLu<S, Dynamic> lu_;  // of R
  std::vector<Vec<S>> A_;
  Vec<int> dependent_;  // coordinates, of a partition
  std::vector<Point> stages_;
  Vec<S> delta_, theta_;
  Point end_;
  Vec<S> z_, a_, b_, v_;
  R size_q_{1}, determinant_{0};
  bool ended_ = false;  // a fixed chart, at this position
  Vec<S> ended_at_;
  int orientation_ = 0;
  long since_ = 0;
  Counters counters_;
};

}  // namespace holonom
