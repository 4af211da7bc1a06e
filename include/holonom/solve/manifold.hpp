// The manifold of a system, {g(q) = 0, G(q) H_p(q, p) = 0}: how far a state is from it, how to get
// there, and the exact multipliers on it. Used for starts, observers and outputs, not inside methods.
#pragma once

#include "holonom/any_system.hpp"
#include "holonom/solve/constraints.hpp"
#include "holonom/solve/minimal_norm.hpp"
#include "holonom/solve/underlying.hpp"

namespace holonom {

template <class R>
struct Residual {
  R absolute{0}, relative{0};
  int constraint = -1;  // the one with the largest relative residual

  template <class F>
  void visit_memory(F&& f) {
    f("absolute", absolute);
    f("relative", relative);
    f("constraint", constraint);
  }
};

template <class S>
class Manifold {
  using R = Real<S>;

 public:
  explicit Manifold(const AnySystem<S>& sys)
      : sys_(sys),
        gram_(sys.n(), sys.m()),
        G_(sys.pattern()),
        v_(sys.n()),
        a_(sys.n()),
        b_(sys.n()),
        force_(sys.n()),
        r_(sys.m()),
        c_(sys.m()),
        scale_(sys.n(), sys.m()),
        largest_hidden_(sys.m()),
        others_(sys.m()),
        fastest_(sys.m()),
        impulses_(sys.m()) {}

  // |g| and |G H_p|
  Residual<R> position(const Vec<S>& q) {
    sys_.g_and_G(q, r_, G_);
    if (!scale_known_)
      find_scale(q);
    else
      scale_.grow(G_, q);
    return measure(scale_.inverse());
  }
  Residual<R> hidden(const Vec<S>& q, const Vec<S>& p) {
    sys_.G(q, G_);
    if (!scale_known_) find_scale(q);
    if (!rank_known_) {
      redundant_ =
          gram_.analyse(G_, MetricAt<AnySystem<S>>{sys_, q, p}, scale_.row_units()).ok() && gram_.rank() < gram_.m();
      rank_known_ = true;
    }
    sys_.H_p(q, p, v_);
    measure_motion(sys_, G_, q, p, v_, redundant_, r_, scale_);
    multiply(G_, v_, r_);
    for (int k = 0; k < r_.size(); ++k) {
      keep_largest(largest_hidden_[k], R(magnitude(r_[k])));
      keep_largest(scale_.stands_still(k) ? others_[k] : fastest_[k], R(R(1) / scale_.hidden_inverse()[k]));
    }
    return measure(scale_.hidden_inverse());
  }
  // Steps of size h begin at x. A motion that is as slow as rounding errors of the impulses of a step is made of these.
  void expect_impulses(const State<S>& x, const S& h) {
    if (sys_.m() == 0) return;
    sys_.G(x.q, G_);
    if (!scale_known_) find_scale(x.q);
    sys_.H_q(x.q, x.p, a_);
    for (S& a : a_) a *= h;
    sys_.H_pp(x.q, x.p, a_, b_);
    scale_.measure_motion(G_, b_, a_);
    for (int k = 0; k < r_.size(); ++k)
      if (!scale_.stands_still(k)) impulses_[k] = R(1) / scale_.hidden_inverse()[k];
  }
  // |G H_p| of all states that were looked at, of each constraint against its own fastest motion: at a turning point
  // nothing moves. Against impulses only where all motion is a rounding error of theirs: long steps have large ones.
  R largest_hidden() const {
    R largest(0);
    for (int k = 0; k < fastest_.size(); ++k) {
      if (largest_hidden_[k] == R(0)) continue;
      const R motion = fastest_[k] > R(0) ? fastest_[k] : others_[k];
      const bool is_noise = motion <= R(1000) * epsilon<S>() * impulses_[k];
      keep_largest(largest, R(largest_hidden_[k] / (is_noise ? impulses_[k] : motion)));
    }
    return largest;
  }
  const Vec<S>& last_residual() const { return r_; }
  // H_p where `hidden` was last called
  const Vec<S>& last_velocity() const { return v_; }

  // q along H_pp Gᵀ, then p along Gᵀ. Dependent constraints are allowed if they agree.
  Status project(State<S>& x) {
    if (const Status s = project_position(x); !s.ok()) return s;
    return project_momentum(x);
  }
  Status project_position(State<S>& x) {
    if (sys_.m() == 0) return {};
    // From far away the terms of g are large, and so are the residuals that count as rounding errors:
    // what was reached is measured anew, and projected again if it is not enough there.
    constexpr int rounds = 5;
    for (int round = 0;; ++round) {
      if (const Status s = newton_onto_position(x); !s.ok()) return s;
      scale_known_ = false;
      const Residual<R> r = position(x.q);
      if (r.relative <= epsilon<S>() * R(64)) return {};
      if (round == rounds) return {Failure::no_convergence, r.constraint, to_double(r.relative)};
    }
  }
  // keep_rank: independent constraints stay independent, so that nothing has to be decided, nor allocated.
  Status project_momentum(State<S>& x, bool keep_rank = false) {
    if (sys_.m() == 0) return {};
    if (const Status s = analyse(x, keep_rank); !s.ok()) return s;
    return onto_cotangent(sys_, gram_, G_, x.q, x.p, v_, r_, scale_, {});
  }

  // λ(q, p) of the underlying differential equation. It fails where the second derivatives of g are not known.
  Status multipliers(State<S>& x, bool keep_rank = false) {
    if (sys_.m() == 0) return {};
    if (!knows(sys_, Quantity::g_qq)) return {Failure::not_finite};
    if (const Status s = analyse(x, keep_rank); !s.ok()) return s;
    sys_.H_p(x.q, x.p, v_);
    sys_.H_q(x.q, x.p, force_);
    free_acceleration(sys_, x.q, x.p, v_, force_, a_, b_);
    exact_multipliers(sys_, gram_, G_, x.q, v_, a_, x.lambda, c_);
    if (gram_.rank() < gram_.m()) minimise_norm(gram_, G_, scale_.row_units(), x.lambda);
    return {};
  }

  // Where `multipliers` or `project_momentum` was last called: G, and solutions of G H_pp Gᵀ x = r
  const Jacobian<S>& jacobian() const { return G_; }
  void solve_gram(Vec<S>& r) { gram_.solve(r); }

  // G H_pp Gᵀ at a state, as a full matrix: for few constraints.
  Square<S> gram_matrix(const State<S>& x) {
    sys_.G(x.q, G_);
    DenseGram<S, Dynamic, Dynamic> dense(sys_.n(), sys_.m());
    dense.assemble(G_, metric(x));
    return dense.matrix();
  }

  // Sets of dependent constraints at a state, up to `noise`. Empty if there are too many to try.
  std::vector<std::vector<int>> dependent(const State<S>& x, const R& noise) {
    constexpr int most = 1000;
    if (sys_.m() > most) return {};
    return dependent_rows(gram_matrix(x), noise);
  }

  // Scales grow with the states that are looked at, and largest residuals with them.
  template <class F>
  void visit_memory(F&& f) {
    f("units", scale_.units());
    f("scale", scale_);
    f("scale_known", scale_known_);
    f("rank_known", rank_known_);
    f("redundant", redundant_);
    f("largest_hidden", largest_hidden_);
    f("others", others_);
    f("fastest", fastest_);
    f("impulses", impulses_);
  }

 private:
  Status newton_onto_position(State<S>& x) {
    Convergence<R> convergence(epsilon<S>(), {});
    for (;;) {
      const Residual<R> r = position(x.q);
      const auto verdict = convergence(r.relative);
      if (verdict == Convergence<R>::Verdict::done) return {};
      if (verdict == Convergence<R>::Verdict::failed)
        return {r.relative == r.relative ? Failure::no_convergence : Failure::not_finite, r.constraint,
                to_double(r.relative)};
      // Off the manifold, redundant constraints are dependent only nearly.
      if (const Status s = gram_.analyse(G_, metric(x), scale_.row_units(), R(1e-7)); !s.ok()) return s;
      gram_.solve(r_);
      gram_.subtract_displacement(G_, S(1), r_, x.q);
    }
  }

  MetricAt<AnySystem<S>> metric(const State<S>& x) const { return {sys_, x.q, x.p}; }
  // Scales at q, where G is known. (Units of coordinates do not depend on momenta.)
  void find_scale(const Vec<S>& q) {
    fill(v_, S(0));
    scale_.begin(sys_, MetricAt<AnySystem<S>>{sys_, q, v_}, q, G_, c_);
    scale_known_ = true;
  }
  Status analyse(const State<S>& x, bool keep_rank = false) {
    sys_.G(x.q, G_);
    if (!scale_known_) find_scale(x.q);
    if (!keep_rank || !independent_)
      if (const Status s = gram_.analyse(G_, metric(x), scale_.row_units()); !s.ok()) return s;
    independent_ = gram_.rank() == gram_.m();
    // (at the first state as well: what is found does not depend on which was the first)
    return keep_rank && independent_ ? gram_.factor(G_, metric(x)) : Status{};
  }
  Residual<R> measure(const Vec<R>& inverse_scale) const {
    Residual<R> result;
    result.relative = relative_residual(r_, inverse_scale);
    result.constraint = worst_constraint(r_, inverse_scale);
    for (int k = 0; k < r_.size(); ++k)
      if (!(magnitude(r_[k]) <= result.absolute)) result.absolute = magnitude(r_[k]);
    return result;
  }

  const AnySystem<S>& sys_;
  GramSolver<S, Dynamic, Dynamic> gram_;
  Jacobian<S> G_;
  Vec<S> v_, a_, b_, force_, r_, c_;
  ConstraintScale<S, Dynamic, Dynamic> scale_;
  Vec<R> largest_hidden_, others_, fastest_, impulses_;  // others_: the motion of others, if a constraint never moves
  bool scale_known_ = false, rank_known_ = false, redundant_ = false;
  bool independent_ = false;  // constraints, when they were analysed last
};

}  // namespace holonom
