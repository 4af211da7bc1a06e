// Projection onto the manifold that leaves some coordinates and velocities as they are:
//   q along H_pp [Gᵀ Eᵀ]  onto  g(q) = 0,     with q_K as given,
//   p along [Gᵀ Eᵀ]       onto  G H_p = 0,    with v_K = (H_p)_K as given,
// where the rows of E pick the kept ones, as if they were held by further constraints while the rest gives way. For
// starts, such as the angle and the speed of a crank, from which all else follows.
#pragma once

#include "holonom/solve/manifold.hpp"

namespace holonom {

template <class S>
class KeptProjection {
  using R = Real<S>;

 public:
  explicit KeptProjection(const AnySystem<S>& sys) : sys_(sys), manifold_(sys), G_(sys.pattern()), v_(sys.n()) {}

  // x.q is the first guess, and holds the values to be kept.
  Status position(State<S>& x, const std::vector<int>& keep) {
    const Vec<S> given = x.q;
    Held held(*this, x, keep);
    return iterate([&] { return manifold_.position(x.q); },
                   [&] {
                     sys_.g_and_G(x.q, g_, G_);
                     const Status s = held.analyse(*this, x);
                     if (!s.ok()) return s;
                     fill(held.residual, S(0));  // of the kept ones
                     for (int k = 0; k < sys_.m(); ++k) held.residual[k] = g_[k];
                     held.gram.solve(held.residual);
                     held.gram.subtract_displacement(held.J, S(1), held.residual, x.q);
                     for (const int i : keep) x.q[i] = given[i];
                     return s;
                   });
  }

  // x.p is the first guess; `velocity` holds the values to be kept.
  Status momentum(State<S>& x, const Vec<S>& velocity, const std::vector<int>& keep) {
    Held held(*this, x, keep);
    sys_.G(x.q, G_);
    if (const Status s = held.analyse(*this, x); !s.ok()) return s;
    const auto miss = [&] {
      Residual<R> r = manifold_.hidden(x.q, x.p);
      sys_.H_p(x.q, x.p, v_);
      R fastest(0);
      for (const S& a : v_)
        if (magnitude(a) > fastest) fastest = magnitude(a);
      for (const int i : keep) {
        const R off = magnitude(S(v_[i] - velocity[i]));
        if (!(off <= r.relative * fastest)) r.relative = off / fastest;
      }
      return r;
    };
    return iterate(miss, [&] {
      sys_.H_p(x.q, x.p, v_);
      multiply(held.J, v_, held.residual);
      for (std::size_t e = 0; e < held.rows.size(); ++e)
        held.residual[sys_.m() + static_cast<int>(e)] -= velocity[held.rows[e]];
      // H_pp may depend on p.
      if (!knows(sys_, Quantity::V))
        if (const Status s = held.analyse(*this, x); !s.ok()) return s;
      held.gram.solve(held.residual);
      subtract_force(held.J, held.residual, x.p);
      return Status{};
    });
  }

 private:
  // [G; E] and its solver. What H_pp cannot move, such as a clock, needs no row to hold it.
  struct Held {
    Held(KeptProjection& of, const State<S>& x, const std::vector<int>& keep)
        : rows(movable(of, x, keep)),
          pattern(extended(of.sys_.pattern(), rows)),
          J(pattern),
          scale(of.sys_.n(), pattern.m()),
          gram(of.sys_.n(), pattern.m()),
          residual(pattern.m()) {}
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

    Status analyse(KeptProjection& of, const State<S>& x) {
      std::copy(of.G_.values().begin(), of.G_.values().end(), J.values().begin());
      for (int z = of.G_.values().size(); z < J.values().size(); ++z) J.values()[z] = S(1);
      const MetricAt<AnySystem<S>> metric{of.sys_, x.q, x.p};
      Vec<S> terms(pattern.m());
      scale.begin(of.sys_, metric, x.q, J, terms);
      return gram.analyse(J, metric, scale.row_units(), R(1e-7));
    }
    static std::vector<int> movable(KeptProjection& of, const State<S>& x, const std::vector<int>& keep) {
      std::vector<int> rows;
      Vec<S> unit(of.sys_.n()), moved(of.sys_.n());
      for (const int i : keep) {
        unit[i] = S(1);
        of.sys_.H_pp(x.q, x.p, unit, moved);
        unit[i] = S(0);
        if (moved[i] != S(0)) rows.push_back(i);
      }
      return rows;
    }
    static Pattern extended(const Pattern& of, const std::vector<int>& rows) {
      Pattern pattern = of;
      for (const int i : rows) {
        pattern.column.push_back(i);
        pattern.row_start.push_back(pattern.nonzeros());
      }
      return pattern;
    }

    std::vector<int> rows;
    Pattern pattern;
    Jacobian<S> J;
    ConstraintScale<S, Dynamic, Dynamic> scale;
    GramSolver<S, Dynamic, Dynamic> gram;
    Vec<S> residual;
  };

  // Corrects until the residual is at round-off and no longer falls.
  template <class Measure, class Correct>
  Status iterate(Measure&& measure, Correct&& correct) {
    constexpr int most = 60;
    const R good = epsilon<S>() * R(64);
    R before(0);
    for (int k = 0;; ++k) {
      const Residual<R> r = measure();
      if (r.relative <= epsilon<S>() || (r.relative <= good && k > 0 && !(r.relative < before / 2))) return {};
      if (k == most || !(r.relative < R(1e30)))
        return {r.relative == r.relative ? Failure::no_convergence : Failure::not_finite, r.constraint,
                to_double(r.relative)};
      before = r.relative;
      if (const Status s = correct(); !s.ok()) return s;
    }
  }

  const AnySystem<S>& sys_;
  Manifold<S> manifold_;
  Jacobian<S> G_;
  Vec<S> v_, g_ = Vec<S>(sys_.m());
};

}  // namespace holonom
