// State space forms (Leimkuhler and Reich, section 2): an implicit Runge-Kutta method on 2(n − m) coordinates (δ, θ) of
// the manifold. With a matrix A such that R = [A; G] is not singular,
//   A q = δ,   g(q) = 0,      φ'ᵀp = θ,   G H_p = 0,   where q = φ(δ),
// is a canonical map, (2.1)-(2.3) for any H. Because p = Aᵀθ + Gᵀκ, that is R⁻ᵀp = (θ, κ), the equations of motion need
// no more than one second derivative of g, and no multipliers:
//   δ' = A H_p,   θ' = −φ'ᵀ(H_q + (κ·g)_qq H_p),   φ'ᵀy = the first part of R⁻ᵀy.
// They are solved by functional iteration to round-off (Algorithm 2.1), or where that does not converge by Newton's
// method, with difference quotients of the equations at the start of the step. Both constraints hold after every step.
//
// Charts: with a fixed A the map is symplectic, until R becomes singular. Coordinate partitions are taken from a finite
// set, so that each step has a symplectic differential; but every chart has its own modified Hamiltonian, and energy
// drifts with the number of switches. An A that is made of the state (the tangent space, every K steps) depends on it,
// and the map is not symplectic.
#pragma once

#include <vector>

#include "holonom/coefficients/tableau.hpp"
#include "holonom/methods/any_method.hpp"
#include "holonom/methods/chooses_at_begin.hpp"
#include "holonom/methods/linear_chart.hpp"
#include "holonom/solve/manifold.hpp"
#include "holonom/solve/stagnation.hpp"

namespace holonom {

template <class S>
class StateSpaceMethod final : public AnyMethod<S>, public ChoosesAtBegin<S> {
  using R = Real<S>;

 public:
  static constexpr int most_coordinates = 1000;  // matrices are full
  static constexpr int most_unknowns = 600;      // of Newton's method
  static constexpr int stiff_steps = 16;         // that take it at once, after one that needed it

  StateSpaceMethod(const AnySystem<S>& sys, Tableau<S> tableau, const ChartPolicy& policy, const MethodOptions& options)
      : sys_(sys),
        t_(std::move(tableau)),
        options_(options.newton),
        n_(sys.n()),
        m_(sys.m()),
        d_(n_ - m_),
        manifold_(sys),
        G_(sys.pattern()),
        g_(m_),
        x_(n_, m_),
        chart_(policy, n_, m_),
        lu_(n_),
        delta_(d_),
        theta_(d_),
        end_(n_, m_, d_) {
    for (Vec<S>* v : {&z_, &a_, &b_, &v_}) *v = Vec<S>(n_);
    stages_.assign(static_cast<std::size_t>(t_.stages()), Point(n_, m_, d_));
    last_ = stages_;
    if (const int unknowns = 2 * d_ * t_.stages(); unknowns <= most_unknowns) {
      newton_ = PivotedLu<S>(unknowns);
      correction_ = Vec<S>(unknowns);
    }
  }

  // (θ·δ' − H) at a stage is p·H_p − H, since G H_p = 0.
  std::string track_action() override {
    if (chart_.policy().kind != ChartPolicy::Kind::fixed) return "with charts that change it is not symplectic";
    return this->tracks({});
  }
  Status begin(const State<S>& x, const S&) override {
    // A fixed chart has ended here: another try with another chart would not be the same map.
    if (ended_ && largest_difference(x.q, ended_at_) == R(0)) return {Failure::chart_ends};
    ended_ = false;
    since_ = 0;
    stiff_ = 0;
    chart_.forget();
    if (const Status s = choose_chart(x.q); !s.ok()) return s;
    return enter(x.q);
  }
  Status begin_within(const State<S>& x, const S& h, const Involution* mirror) override {
    if (chart_.policy().kind != ChartPolicy::Kind::fixed || orientation_ == 0) return begin(x, h);
    ended_ = false;
    stiff_ = 0;
    if (!mirror) return factor(x.q);
    chart_.mirror(*mirror);
    return enter(x.q);
  }

  Status step(State<S>& x, const S& h) override {
    Status status = try_step(x, h);
    if (status.ok() || chart_.policy().kind != ChartPolicy::Kind::fixed) return status;
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
    if (chart_.policy().kind == ChartPolicy::Kind::partition ||
        (chart_.policy().kind == ChartPolicy::Kind::tangent && since_ == chart_.policy().every)) {
      since_ = 0;
      if (const Status s = choose_chart(x.q); !s.ok()) return s;
      if (const Status s = enter(x.q); !s.ok()) return s;
    }
    ++counters_.steps;
    coordinates(x);
    const bool newton = stiff_ > 0;
    if (newton) --stiff_;
    Status found = find_stages(x, h, newton);
    if (!found.ok() && !newton && newton_.size() > 0) {
      stiff_ = stiff_steps;
      found = find_stages(x, h, true);
    }
    if (!found.ok()) return found;
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
    if (this->tracks_action()) {
      ActionSum<S> sum;
      for (int j = 0; j < t_.stages(); ++j) {
        const Point& stage = stages_[static_cast<std::size_t>(j)];
        sum.add(h * t_.b[j] * S(dot(stage.p, stage.velocity) - sys_.H(stage.q, stage.p)));
      }
      this->act(sum.value());
    }
    x.q = end_.q;
    x.p = end_.p;
    ++since_;
    return {};
  }

  // Stages begin with the rates of the start.
  Status find_stages(const State<S>& x, const S& h, bool newton) {
    end_.q = x.q;
    end_.p = x.p;
    if (const Status s = rates(end_); !s.ok()) return s;
    for (Point& stage : stages_) stage = end_;
    if (newton)
      if (const Status s = prepare_newton(h); !s.ok()) return s;
    for (int i = 0; i < t_.stages(); ++i)
      advance(stages_[static_cast<std::size_t>(i)], h, [&](int) { return t_.c[i] / S(t_.stages()); });
    last_ = stages_;
    Stagnation<R> stagnation(epsilon<S>(), options_);
    for (;;) {
      for (Point& stage : stages_)
        if (const Status s = solve(stage); !s.ok()) return s;
      for (int i = 0; i < t_.stages(); ++i) {
        last_[static_cast<std::size_t>(i)].delta = stages_[static_cast<std::size_t>(i)].delta;
        last_[static_cast<std::size_t>(i)].theta = stages_[static_cast<std::size_t>(i)].theta;
        advance(stages_[static_cast<std::size_t>(i)], h, [&](int j) { return t_.A(i, j); });
      }
      if (newton) correct();
      R change(0), displacement(0);
      for (std::size_t i = 0; i < stages_.size(); ++i) {
        keep_largest(displacement, R(largest_difference(stages_[i].delta, last_[i].delta) / size_q_));
        keep_largest(change, largest_change(stages_[i].theta, last_[i].theta, R(0)));
      }
      keep_largest(change, displacement);
      const auto verdict = stagnation(change, displacement);
      if (verdict == Stagnation<R>::Verdict::done) break;
      if (verdict == Stagnation<R>::Verdict::failed)
        return {change == change ? Failure::no_convergence : Failure::not_finite, -1, to_double(change)};
    }
    counters_.newton(stagnation.iterations());
    return {};
  }

  // I − h A ⊗ J, J the derivative of (δ', θ') by (δ, θ), by difference quotients from the start. (end_ is that point.)
  Status prepare_newton(const S& h) {
    using std::sqrt;
    const int size = newton_.size();
    Square<S>& M = newton_.matrix();
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j) M(i, j) = S(i == j ? 1 : 0);
    R size_theta(0);
    for (const S& y : theta_) keep_largest(size_theta, R(magnitude(value(y))));
    if (!(size_theta > R(0))) size_theta = R(1);
    Point& near = last_.front();
    for (int k = 0; k < 2 * d_; ++k) {
      near = end_;
      near.delta = delta_;
      near.theta = theta_;
      const R away = sqrt(R(epsilon<S>())) * (k < d_ ? size_q_ : size_theta);
      (k < d_ ? near.delta[k] : near.theta[k - d_]) += S(away);
      if (const Status s = solve(near); !s.ok()) return s;
      for (int l = 0; l < 2 * d_; ++l) {
        const S slope = (l < d_ ? S(near.delta_rate[l] - end_.delta_rate[l])
                                : S(near.theta_rate[l - d_] - end_.theta_rate[l - d_])) /
                        S(away);
        for (int i = 0; i < t_.stages(); ++i)
          for (int j = 0; j < t_.stages(); ++j) M(i * 2 * d_ + l, j * 2 * d_ + k) -= h * t_.A(i, j) * slope;
      }
    }
    ++counters_.factorisation;
    return newton_.factor() ? Status{} : Status{Failure::no_convergence};
  }
  // What functional iteration has changed becomes a Newton step.
  void correct() {
    const auto each = [&](auto&& f) {
      for (int i = 0; i < t_.stages(); ++i)
        for (int k = 0; k < 2 * d_; ++k) {
          Point &now = stages_[static_cast<std::size_t>(i)], &before = last_[static_cast<std::size_t>(i)];
          S& change = correction_[i * 2 * d_ + k];
          k < d_ ? f(now.delta[k], before.delta[k], change) : f(now.theta[k - d_], before.theta[k - d_], change);
        }
    };
    each([](S& now, const S& before, S& change) { change = now - before; });
    newton_.solve(correction_);
    each([](S& now, const S& before, S& change) { now = before + change; });
  }

  template <class F>
  void visit_memory(F&& f) {
    manifold_.visit_memory(f);
    f("since_chart", since_);
    f("stiff_steps", stiff_);
    f("orientation", orientation_);
    f("size_q", size_q_);
    f("determinant", determinant_);
    chart_.visit_memory(f);
    f("counters", counters_);
  }

  // ---- charts

  Status choose_chart(const Vec<S>& q) {
    sys_.G(q, G_);
    return chart_.choose(G_);
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
        b_ = chart_.row(i);
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
    for (int i = 0; i < d_; ++i) delta_[i] = dot(chart_.row(i), x.q);
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
      for (int i = 0; i < d_; ++i) z_[i] = at.delta[i] - dot(chart_.row(i), at.q);
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
    for (int i = 0; i < d_; ++i) axpy(at.theta[i], chart_.row(i), at.p);
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
      at.delta_rate[i] = dot(chart_.row(i), at.velocity);
      at.theta_rate[i] = -a_[i];
      if (!is_finite(at.theta_rate[i])) return {Failure::not_finite};
    }
    return {};
  }

  const AnySystem<S>& sys_;
  const Tableau<S> t_;
  NewtonOptions options_;
  const int n_, m_, d_;
  Manifold<S> manifold_;
  Jacobian<S> G_;
  Vec<S> g_;
  State<S> x_;
  LinearChart<S> chart_;
  PivotedLu<S, Dynamic> lu_;  // of R
  std::vector<Point> stages_, last_;
  PivotedLu<S> newton_;
  Vec<S> correction_;
  int stiff_ = 0;
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
