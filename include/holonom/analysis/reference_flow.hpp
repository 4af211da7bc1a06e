// The exact constrained flow, to round-off, over short times: the underlying ordinary differential
// equation with the exact multipliers,
//   q' = H_p,   p' = −H_q − Gᵀλ(q, p),
// by extrapolation of the modified midpoint rule (Gragg, Bulirsch, Stoer). It shares no step and no
// Newton loop with the methods that are compared with it.
#pragma once

#include <array>
#include <stdexcept>

#include "holonom/analysis/manifold.hpp"

namespace holonom {

template <class S>
class ReferenceFlow {
 public:
  explicit ReferenceFlow(const AnySystem<S>& sys) : sys_(sys), manifold_(sys), G_(sys.pattern()) {}

  // x(t + time) by `steps` steps of order 2 columns.
  State<S> operator()(State<S> x, const S& time, int steps) {
    const S t0 = x.t, h = time / S(steps);
    for (int k = 1; k <= steps; ++k) {
      x = extrapolate(x, h);
      x.t = t0 + S(k) * h;
    }
    return x;
  }

 private:
  static constexpr int columns = 8;

  State<S> extrapolate(const State<S>& x, const S& h) {
    std::array<State<S>, columns> table;
    for (int j = 0; j < columns; ++j) {
      table[static_cast<std::size_t>(j)] = midpoint(x, h, substeps(j));
      // Aitken-Neville in h²; table[i] holds the column that ends in row j.
      for (int i = j - 1; i >= 0; --i) {
        State<S>& lower = table[static_cast<std::size_t>(i)];
        const State<S>& upper = table[static_cast<std::size_t>(i) + 1];
        const S ratio = S(substeps(j)) / S(substeps(i));
        const S weight = S(1) / (ratio * ratio - S(1));
        for (int c = 0; c < sys_.n(); ++c) {
          lower.q[c] = upper.q[c] + weight * (upper.q[c] - lower.q[c]);
          lower.p[c] = upper.p[c] + weight * (upper.p[c] - lower.p[c]);
        }
      }
    }
    return table[0];
  }
  static constexpr int substeps(int j) { return 2 * (j + 1); }

  State<S> midpoint(const State<S>& x, const S& h, int count) {
    const S step = h / S(count);
    State<S> previous = x, now = x;
    advance(now, rate(x), step);
    for (int k = 1; k < count; ++k) {
      State<S> next = previous;
      advance(next, rate(now), S(2) * step);
      previous = std::move(now);
      now = std::move(next);
    }
    return now;
  }
  static void advance(State<S>& x, const State<S>& by, const S& h) {
    axpy(h, by.q, x.q);
    axpy(h, by.p, x.p);
  }

  State<S> rate(State<S> x) {
    State<S> f(sys_.n(), sys_.m());
    if (!manifold_.multipliers(x).ok())
      throw std::runtime_error(sys_.labels().model + ": no exact multipliers on the reference solution");
    sys_.H_p(x.q, x.p, f.q);
    sys_.H_q(x.q, x.p, f.p);
    for (S& a : f.p) a = -a;
    sys_.G(x.q, G_);
    subtract_force(G_, x.lambda, f.p);
    return f;
  }

  const AnySystem<S>& sys_;
  Manifold<S> manifold_;
  Jacobian<S> G_;
};

}  // namespace holonom
