// The exact constrained flow, to round-off, over short times: the underlying ordinary differential
// equation with the exact multipliers, by extrapolation of the modified midpoint rule (Gragg, Bulirsch, Stoer). It
// shares no step and no Newton loop with the methods that are compared with it.
#pragma once

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "holonom/analysis/numerical_map.hpp"
#include "holonom/solve/underlying_field.hpp"

namespace holonom {

template <class S>
class ReferenceFlow {
 public:
  // Each step has the order 2 columns.
  explicit ReferenceFlow(const AnySystem<S>& sys, int columns = 8)
      : sys_(sys), field_(sys), slope_(sys.n(), sys.m()), columns_(columns) {}

  int order() const { return 2 * columns_; }

  // x(t + time) by `steps` steps, with its multipliers; see(x) after each. Throws std::runtime_error where there are
  // none.
  template <class See>
  State<S> operator()(State<S> x, const S& time, long steps, See&& see) {
    const S t0 = x.t, h = time / S(steps);
    for (long k = 1; k <= steps; ++k) {
      stop_if_interrupted();
      x = extrapolate(x, h);
      x.t = t0 + S(k) * h;
      require_multipliers(x);
      see(x);
    }
    return x;
  }
  State<S> operator()(const State<S>& x, const S& time, long steps) {
    return (*this)(x, time, steps, [](const State<S>&) {});
  }

 private:
  State<S> extrapolate(const State<S>& x, const S& h) {
    std::vector<State<S>> table(static_cast<std::size_t>(columns_));
    for (int j = 0; j < columns_; ++j) {
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
    advance(now, x, step);
    for (int k = 1; k < count; ++k) {
      State<S> next = previous;
      advance(next, now, S(2) * step);
      previous = std::move(now);
      now = std::move(next);
    }
    return now;
  }
  // x ← x + h f(at)
  void advance(State<S>& x, State<S> at, const S& h) {
    require_multipliers(at);
    axpy(h, slope_.q, x.q);
    axpy(h, slope_.p, x.p);
  }

  // λ of x, and the slopes there
  void require_multipliers(State<S>& x) {
    if (!field_.slopes(x, slope_.q, slope_.p).ok())
      throw std::runtime_error(sys_.labels().model + ": no exact multipliers on the reference solution");
  }

  const AnySystem<S>& sys_;
  UnderlyingField<S> field_;
  State<S> slope_;
  int columns_;
};

// As many columns as pay in a scalar of so many digits: more of them lose digits of their own.
template <class S>
int reference_columns() {
  return std::clamp(std::numeric_limits<S>::digits10 / 3, 8, 16);
}

// The exact solution after a time, refined until it serves.
template <class S>
struct ReferenceSolution {
  State<S> state;     // with its multipliers
  StateSize<S> size;  // of the motion,
  S lambda_size{0};   // and the largest |λ_k|
  long steps = 0;
  double error = 1;  // of q and p: the distance from the solution with half the steps, an upper estimate
};

// Doubles the number of steps until serves(solution) says so, or `most` would be exceeded. Steps that are too long for
// any solution are doubled as well; throws std::runtime_error if all are.
template <class S, class Serves>
ReferenceSolution<S> reference_solution(ReferenceFlow<S>& flow, const State<S>& start, const S& time, long steps,
                                        long most, Serves&& serves) {
  State<S> before = start;
  for (;; steps *= 2) {
    ReferenceSolution<S> now;
    const auto include = [&](const State<S>& x) {
      now.size.include(x);
      for (const S& a : x.lambda) keep_largest(now.lambda_size, S(magnitude(a)));
    };
    include(start);
    try {
      now.state = flow(start, time, steps, include);
    } catch (const std::runtime_error&) {
      if (steps * 2 > most) throw;
      continue;
    }
    now.steps = steps;
    now.error = to_double(distance(now.state, before, now.size));
    if (serves(now) || steps * 2 > most) return now;
    before = std::move(now.state);
  }
}

}  // namespace holonom
