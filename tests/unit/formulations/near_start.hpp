// States near the start of a model, off its manifold, and directions, for tests of formulations.
#pragma once

#include <random>

#include "holonom/dual.hpp"
#include "models.hpp"

namespace holonom::test {

// One constraint; several, with {ψ, ψ} ≠ 0; a general H; M(q); a torus; many constraints; a sparse mass
inline const std::vector<std::string>& formulation_models() {
  static const std::vector<std::string> all{"pendulum",         "pendulum-quadratic", "double-pendulum",
                                            "charged-particle", "slider-crank",       "rigid-body-heavy",
                                            "geodesic-torus",   "kepler-sphere",      "lj-chain"};
  return all;
}

struct NearStart {
  Vec<double> q, p, u, w;    // a state, and a direction
  Vec<double> x, y;          // numbers, one for each constraint
  Vec<Dual<double>> dq, dp;  // the state with the direction as its tangent

  // `away`: how far from the start, which is on the manifold
  NearStart(const ModelSystem<double>& sys, std::mt19937& random, double away)
      : u(sys.n()), w(sys.n()), x(sys.m()), y(sys.m()), dq(sys.n()), dp(sys.n()) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    const State<double> start = initial_state(sys).state;
    q = start.q;
    p = start.p;
    for (int i = 0; i < sys.n(); ++i) {
      q[i] += away * uniform(random);
      p[i] += away * uniform(random);
      u[i] = uniform(random);
      w[i] = uniform(random);
      dq[i] = {q[i], u[i]};
      dp[i] = {p[i], w[i]};
    }
    for (int k = 0; k < sys.m(); ++k) {
      x[k] = uniform(random);
      y[k] = uniform(random);
    }
  }
};

inline double along(const Vec<double>& q_row, const Vec<double>& p_row, const NearStart& at) {
  return dot(q_row, at.u) + dot(p_row, at.w);
}

}  // namespace holonom::test
