// Variational integrators: the step from (q₀, p₀) that a discrete Lagrangian L_d(q₀, q₁; h) generates on g = 0,
//   p₀ = −D₁L_d(q₀, q₁) + G(q₀)ᵀΛ,   g(q₁) = 0,   p₁ = D₂L_d(q₀, q₁) − G(q₁)ᵀμ,   G(q₁) H_p(q₁, p₁) = 0
// (sections 1.6 and 2.2 of Hairer, Lubich and Wanner 2003; Marsden and West 2001). It is symplectic by construction:
// L_d generates it as in (2.15) and (2.16), p₁·dq₁ − p₀·dq₀ = dL_d along G dq = 0. In v = (q₁ − q₀)/h and Λ it is
// solved by Newton's method, with P = −D₁L_d:
//   [ −h D₁D₂L_d   G(q₀)ᵀ ] [δv]      [ P − p₀ + G(q₀)ᵀΛ ]
//   [ G(q₁)        0      ] [δΛ]  = − [ g(q₁)/h          ],   then   p₁ = p₀ − G(q₀)ᵀΛ + (D₁ + D₂)L_d − G(q₁)ᵀμ.
// (So rounding errors of P do not enter p₁, and where L_d does not depend on where it is, nothing does.)
#pragma once

#include "holonom/methods/action.hpp"
#include "holonom/model/lagrangian_view.hpp"
#include "holonom/solve/across.hpp"
#include "holonom/solve/predictor.hpp"

namespace holonom {

template <class Sys>
class Variational {
  using S = ScalarOf<Sys>;
  using R = Real<S>;

 public:
  Variational(const Sys& sys, const std::shared_ptr<const DiscreteRule>& rule)
      : action_of_(sys.discrete(rule)),
        gram_(sys.n(), sys.m()),
        scale_(sys.n(), sys.m()),
        predictor_(1, sys.n()),
        path_(sys.n()),
        G_(make_jacobian(sys)),
        G1_(make_jacobian(sys)),
        impulse_(sys.m()),
        r_(sys.m()),
        entries_(action_of_.matrix().nonzeros()),
        lost_(sys.n()) {
    for (Vec<S>* x : {&v_, &start_v_, &guess_, &q1_, &p1_, &of_v_, &of_q0_, &residual_, &last_, &found_})
      *x = Vec<S>(sys.n());
  }

  void compensate(bool yes) { compensated_ = yes; }

  Status begin(const Sys& sys, const State<S>& x, const S&) {
    lost_.clear();
    sys.G(x.q, G_);
    ++counters_.jacobian;
    const MetricAt<Sys> metric{sys, x.q, x.p};
    scale_.begin(sys, metric, x.q, G_, r_);
    predictor_.begin(false);
    const Status s = gram_.analyse(G_, metric, scale_.row_units());
    if (const int unknowns = x.q.size() + gram_.rank(); lu_.size() != unknowns) {
      lu_ = PivotedLu<S>(unknowns);
      x_ = Vec<S>(unknowns);
    }
    begun_ = false;
    return s;
  }

  Status step(const Sys& sys, State<S>& x, const S& h) {
    sys.H_p(x.q, x.p, start_v_);
    if (const Status s = guess(sys, x, h); !s.ok()) return s;
    guess_ = v_;
    Expectation<R>& expectation = predictor_.expectation(0);
    const Status from_guess = newton(sys, x, h);
    if (!from_guess.ok() || !continues(x, h, expectation))
      if (const Status s = follow(sys, x, h, from_guess, expectation); !s.ok()) return s;
    for (int i = 0; i < v_.size(); ++i) guess_[i] = v_[i] - start_v_[i];
    predictor_.remember(0, guess_);
    begun_ = true;
    return arrive(sys, x, h);
  }

  // L_d itself: that is what generates the step.
  std::string track_action(const Sys&) {
    tracks_action_ = true;
    return {};
  }
  S action() const { return action_; }
  Counters& counters() { return counters_; }
  NewtonOptions& options() { return options_; }
  template <class F>
  void visit_memory(F&& f) {
    predictor_.visit_memory(f);
    if (compensated_) lost_.visit_memory(f);
  }
  Status resume(const Sys& sys, const State<S>& x, const S&) {
    begun_ = true;
    if (gram_.m() == 0) return {};
    constraint_and_jacobian(sys, x.q, r_, G_);
    return gram_.factor(G_, MetricAt<Sys>{sys, x.q, x.p});  // H_pp is the same for all p
  }

 private:
  // Momenta whose terms are rounded worse than this are not those of the formulas.
  static R accepted() { return std::is_same_v<S, R> ? R(R(1e4) * epsilon<S>()) : tangent_rounding_errors<S>(); }

  // v from those of the last steps. The first step has none: there v changes with h as it does for a small part of it.
  Status guess(const Sys& sys, const State<S>& x, const S& h) {
    if (begun_) {
      predictor_.guess(0, v_);
      axpy(S(1), start_v_, v_);
      return {};
    }
    v_ = start_v_;
    const Status s = newton(sys, x, S(h * S(small_part())));
    for (int i = 0; i < v_.size(); ++i) v_[i] = start_v_[i] + (v_[i] - start_v_[i]) / S(small_part());
    return s;
  }
  static R small_part() { return R(1) / 256; }

  // From v to v, Λ, q₁, g(q₁) and G(q₁). Λ is linear in the equations: it needs no guess.
  Status newton(const Sys& sys, const State<S>& x, const S& h) {
    const int n = v_.size();
    fill(impulse_, S(0));
    Convergence<R> convergence(epsilon<S>(), options_, true, true);
    convergence.accept(accepted());
    for (;;) {
      move(x.q, h);
      const bool light = convergence.foreseen();
      evaluate(x.q, h, !light);
      constraint_and_jacobian(sys, q1_, r_, G1_);
      ++counters_.constraint;
      ++counters_.jacobian;
      if (compensated_)  // g at the position that is kept, of which q₁ is the larger part
        for (int k = 0; k < r_.size(); ++k)
          G1_.row(k, [&](int j, const S& a) { r_[k] += a * lost_in_sum(x.q[j], increment(j, h), q1_[j]); });
      const R in_p = residual(x.p), in_g = r_.size() > 0 ? scale_.residual_at(G1_, q1_, r_) : R(0);
      const R size = in_p < in_g || !(in_g == in_g) ? in_g : in_p;
      const auto verdict = convergence(size);
      if (verdict == Convergence<R>::Verdict::done) break;
      if (verdict == Convergence<R>::Verdict::failed)
        return {size == size ? Failure::no_convergence : Failure::not_finite, in_p < in_g ? scale_.worst(r_) : -1,
                to_double(size)};
      if (light) evaluate(x.q, h, true);
      convergence.accept(R(8) * rounding_of_positions(h));
      if (!correct(h)) return {Failure::no_convergence, -1, to_double(size)};
      for (int i = 0; i < n; ++i) v_[i] -= x_[i];
      for (int k = 0; k < gram_.rank(); ++k) impulse_[gram_.independent(k)] -= x_[n + k];
    }
    counters_.newton(convergence.iterations());
    return {};
  }
  S increment(int i, const S& h) const { return compensated_ ? S(h * v_[i] + lost_.q[i]) : S(h * v_[i]); }
  void move(const Vec<S>& q, const S& h) {
    for (int i = 0; i < q.size(); ++i) q1_[i] = q[i] + increment(i, h);
  }
  void evaluate(const Vec<S>& q, const S& h, bool with_matrix) {
    const typename DiscreteAction<S>::Step step{q, q1_, v_, h};
    ++counters_.force;
    if (!with_matrix) return action_of_.slopes(step, of_v_, of_q0_);
    action_of_.slopes_and_matrix(step, of_v_, of_q0_, entries_);
    counters_.hessian += static_cast<std::uint64_t>(q.size());
  }
  // Of the momenta, against their terms in common units
  R residual(const Vec<S>& p) {
    for (int i = 0; i < p.size(); ++i) residual_[i] = S(0);
    subtract_force(G_, impulse_, residual_);
    R size(0);
    terms_ = R(0);
    const Vec<R>& unit = scale_.units();
    for (int i = 0; i < p.size(); ++i) {
      const S force = residual_[i];
      residual_[i] = (of_v_[i] - of_q0_[i]) - (compensated_ ? S(p[i] + (lost_.p[i] + force)) : S(p[i] + force));
      keep_largest(size, R(magnitude(residual_[i]) / unit[i]));
      for (const S& term : {p[i], of_v_[i], of_q0_[i], force}) keep_largest(terms_, R(magnitude(term) / unit[i]));
    }
    return terms_ > R(0) ? R(size / terms_) : size;
  }
  // What rounding errors of positions do to the momenta, where forces are stiff; against the same terms
  R rounding_of_positions(const S& h) {
    const Pattern& K = action_of_.matrix();
    const Vec<R>& unit = scale_.units();
    R size(0);
    for (int i = 0; i < q1_.size(); ++i) {
      R sum(0);
      const int end = K.row_start[static_cast<std::size_t>(i) + 1];
      for (int z = K.row_start[static_cast<std::size_t>(i)]; z < end; ++z)
        sum += magnitude(entries_[z]) * magnitude(q1_[K.column[static_cast<std::size_t>(z)]]);
      keep_largest(size, R(sum / unit[i]));
    }
    return terms_ > R(0) ? R(epsilon<S>() * size / (magnitude(h) * terms_)) : R(0);
  }
  // The Newton correction in x_; false if its matrix is singular
  bool correct(const S& h) {
    const int n = v_.size(), rank = gram_.rank();
    Square<S>& A = lu_.matrix();
    for (int i = 0; i < n + rank; ++i)
      for (int j = 0; j < n + rank; ++j) A(i, j) = S(0);
    const Pattern& K = action_of_.matrix();
    for (int i = 0; i < n; ++i) {
      const int end = K.row_start[static_cast<std::size_t>(i) + 1];
      for (int z = K.row_start[static_cast<std::size_t>(i)]; z < end; ++z)
        A(i, K.column[static_cast<std::size_t>(z)]) = entries_[z];
      x_[i] = residual_[i];
    }
    for (int k = 0; k < rank; ++k) {
      const int constraint = gram_.independent(k);
      G_.row(constraint, [&](int j, const S& a) { A(j, n + k) = a; });
      G1_.row(constraint, [&](int j, const S& a) { A(n + k, j) = a; });
      x_[n + k] = r_[constraint] / h;
    }
    ++counters_.factorisation;
    if (!lu_.factor()) return false;
    lu_.solve(x_);
    return true;
  }

  // ---- which solution continues the motion (solve/continuation.hpp); lengths in common units

  R length(const Vec<S>& a, const Vec<S>& b) {
    R size(0);
    const Vec<R>& unit = scale_.units();
    for (int i = 0; i < a.size(); ++i) keep_largest(size, R(magnitude(R(value(a[i]) - value(b[i]))) * unit[i]));
    return size;
  }
  R length(const Vec<S>& a) {
    R size(0);
    const Vec<R>& unit = scale_.units();
    for (int i = 0; i < a.size(); ++i) keep_largest(size, R(magnitude(value(a[i])) * unit[i]));
    return size;
  }
  // As near to the guess as solutions usually are, and along the constraints
  bool continues(const State<S>& x, const S& h, Expectation<R>& expectation) {
    const R step = magnitude(value(h)), distance = step * length(v_, guess_), way = step * length(v_);
    if (leads_across(G_, x.q, q1_) >= 0 || gram_.negative_pivots(G1_) > 0) return false;
    return distance <= R(1e4) * epsilon<S>() * length(x.q) || expectation.meets(R(distance * distance), R(way * way));
  }
  // The solution for h at the end of the path of solutions for parts of it
  Status follow(const Sys& sys, const State<S>& x, const S& h, const Status& reason, Expectation<R>& expectation) {
    found_ = v_;
    path_.begin();
    path_.add(R(0), start_v_);
    v_ = start_v_;
    if (const Status s = newton(sys, x, S(h * S(small_part()))); !s.ok()) return reason.ok() ? s : reason;
    path_.add(small_part(), v_);
    last_ = x.q;
    int last_negative_pivots = 0;
    for (PathStep<R> step; !step.ended();) {
      const R to = step.to();
      path_.predict(to, v_);
      guess_ = v_;
      const Status s = newton(sys, x, S(S(to) * h));
      const R way = length(q1_, last_), off = magnitude(value(h)) * to * length(v_, guess_);
      const R distance = !s.ok() ? std::numeric_limits<R>::quiet_NaN() : way > R(0) ? R(off / way) : off;
      const int negative_pivots = s.ok() ? gram_.negative_pivots(G1_) : 0;
      bool accepted = false;
      if (!step.judge(distance, negative_pivots != last_negative_pivots, accepted))
        return s.ok() ? Status{Failure::wrong_root} : reason.ok() ? s : reason;
      if (!accepted) continue;
      path_.add(to, v_);
      last_ = q1_;
      last_negative_pivots = negative_pivots;
    }
    expectation.was_right(reason.ok() && length(found_, v_) <= R(1e-6) * length(v_));
    return {};
  }

  // p₁ on the constraints of q₁; x becomes (q₁, p₁)
  Status arrive(const Sys& sys, State<S>& x, const S& h) {
    const typename DiscreteAction<S>::Step step{x.q, q1_, v_, h};
    if (const Status s = at_round_off<Sys>(r_, G1_, q1_, scale_, options_); !s.ok()) return s;
    action_of_.force(step, of_v_);
    ++counters_.force;
    if (tracks_action_) action_ = action_of_.value(step);
    subtract_force(G_, impulse_, of_v_);
    p1_ = x.p;
    Vec<S>* lost = nullptr;
    if (compensated_) {
      lost = &lost_.p;
      axpy(S(1), of_v_, *lost);
      absorb(p1_, *lost);
      for (int i = 0; i < q1_.size(); ++i) lost_.q[i] = lost_in_sum(x.q[i], increment(i, h), q1_[i]);
    } else {
      axpy(S(1), of_v_, p1_);
    }
    if (gram_.m() > 0) {
      std::swap(G_, G1_);
      ++counters_.factorisation;
      if (const Status s = gram_.factor(G_, MetricAt<Sys>{sys, q1_, p1_}); !s.ok()) return s;
      if (const Status s = onto_cotangent(sys, gram_, G_, q1_, p1_, last_, r_, scale_, options_, lost); !s.ok())
        return s;
    }
    x.q = q1_;
    x.p = p1_;
    ++counters_.steps;
    return {};
  }

  DiscreteAction<S> action_of_;
  GramSolver<S, Dynamic, Dynamic> gram_;
  ConstraintScale<S, Dynamic, Dynamic> scale_;
  Predictor<S, Dynamic> predictor_;  // of v − H_p(q₀, p₀)
  Path<S, Dynamic> path_;            // of v
  Jacobian<S> G_, G1_;
  Vec<S> impulse_, r_, entries_;
  Rounding<S, Dynamic> lost_;
  Vec<S> v_, start_v_, guess_, q1_, p1_, of_v_, of_q0_, residual_, last_, found_;
  PivotedLu<S> lu_;
  Vec<S> x_;
  bool begun_ = false, compensated_ = false, tracks_action_ = false;
  S action_{0};
  R terms_{0};  // the largest of those that momenta were last made of
  Counters counters_;
  NewtonOptions options_;
};

}  // namespace holonom
