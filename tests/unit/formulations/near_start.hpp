// States near the start of a model, off its manifold, and directions, for tests of formulations.
#pragma once

#include <filesystem>
#include <random>

#include "holonom/dual.hpp"
#include "holonom/solve/constraint_rank.hpp"
#include "models.hpp"

namespace holonom::test {

// All models with constraints, but for those whose constraints are redundant: off the manifold these contradict each
// other, and there are no formulations.
inline const std::vector<std::string>& formulation_models() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> found;
    for (const auto& file : std::filesystem::directory_iterator(HOLONOM_MODELS)) {
      if (file.path().extension() != ".toml") continue;
      const ModelSystem<double> sys(load(file.path().stem()));
      if (sys.m() > 0 && constraint_rank(sys, initial_state(sys).state).rank == sys.m())
        found.push_back(file.path().stem());
    }
    return found;
  }();
  return all;
}

// Section 3.6 of Leimkuhler and Reich: H = p·p/2, g = (q·q − 1)/2
inline ModelSystem<double> circle() {
  return ModelSystem<double>(from_text(R"(
[coordinates]
names = ["x", "y"]
[energy]
mass = [1, 1]
potential = "0"
[constraints]
g = "(x^2 + y^2 - 1)/2"
[initial]
q = { x = "0.6", y = "0.8" }
v = { x = "-1.2", y = "0.9" }
)"));
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
