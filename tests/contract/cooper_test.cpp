// Cooper's theorem and the remark of Leimkuhler and Reich (1994, section 3.4) on it: Runge-Kutta methods with
// b_i a_ij + b_j a_ji = b_i b_j keep quadratic invariants exactly, if they are strong ones. Those of the simplified
// formulation h-m are weak: the exact motion keeps them on the manifold only, and the same methods do not keep them.
#include <gtest/gtest.h>

#include <cmath>

#include "holonom/coefficients/tableau.hpp"
#include "holonom/formulations/formulation.hpp"
#include "holonom/solve/brackets.hpp"
#include "model_run.hpp"

namespace holonom::contract {
namespace {

// The largest changes over a run
struct Changes {
  double g = 0, psi = 0, momentum = 0;  // momentum: the first invariant of the model, if it has one
};
Changes changes(const std::string& key, const ModelSystem<double>& sys, State<double> x, double h, long steps) {
  const auto method = methods().find(key).make<double>(sys);
  EXPECT_TRUE(method->begin(x, h).ok()) << key;
  Brackets<double> at(sys);
  Vec<double> invariants(static_cast<int>(sys.labels().invariants.size()));
  const auto look = [&] {
    EXPECT_TRUE(at.at(x.q, x.p).ok());
    sys.invariants(x.q, x.p, invariants);
  };
  look();
  const Vec<double> g = at.g(), psi = at.psi(), first = invariants;
  Changes seen;
  for (long k = 0; k < steps; ++k) {
    if (!method->step(x, h).ok()) {
      ADD_FAILURE() << key << ", step " << k;
      break;
    }
    look();
    keep_largest(seen.g, largest_difference(at.g(), g));
    keep_largest(seen.psi, largest_difference(at.psi(), psi));
    if (first.size() > 0) keep_largest(seen.momentum, std::abs(invariants[0] - first[0]));
  }
  return seen;
}
// The start, or a state off the manifold near it
State<double> start(const ModelSystem<double>& sys, double away) {
  State<double> x = initial_state(sys).state;
  for (int i = 0; i < sys.n(); ++i) {
    x.q[i] += away * std::sin(1.0 + i);
    x.p[i] += away * std::cos(2.0 * i);
  }
  return x;
}

TEST(Cooper, MethodsThatFulfilHisCondition) {
  const auto defect = [](Family family, int s) {
    const Tableau<double> t = runge_kutta<double>(family, s);
    double largest = 0;
    for (int i = 0; i < s; ++i)
      for (int j = 0; j < s; ++j)
        keep_largest(largest, std::abs(t.b[i] * t.A(i, j) + t.b[j] * t.A(j, i) - t.b[i] * t.b[j]));
    return largest;
  };
  for (int s = 1; s <= 4; ++s) {
    EXPECT_LE(defect(Family::gauss, s), 1e-16) << s;
    EXPECT_GT(defect(Family::radau_2a, s), 1e-3) << s;
  }
}

// Links of the form (|d|² − 1)/2 and G p are quadratic functions. Of `weak` they are strong invariants: kept to
// round-off off the manifold too, where they do not vanish, and with any step; by these methods and not by others.
TEST(Cooper, StrongQuadraticInvariantsAreKept) {
  for (const char* model : {"pendulum-quadratic", "spring-chain", "spherical-pendulum"}) {
    const ModelSystem<double> sys(load(model));
    for (const double away : {0.0, 0.05})
      for (const double h : {0.1, 0.02}) {
        for (const char* method : {"gauss-1", "gauss-2", "gauss-3"}) {
          const Changes seen = changes(std::string(method) + "@weak", sys, start(sys, away), h, 100);
          EXPECT_LE(seen.g, 4e-14) << model << " " << method;
          EXPECT_LE(seen.psi, 2e-13) << model << " " << method;
        }
        for (const char* method : {"rk-4", "radau-2a-2"}) {
          const Changes seen = changes(std::string(method) + "@weak", sys, start(sys, away), h, 100);
          EXPECT_GT(seen.g, 1e-10) << model << " " << method;
        }
      }
  }
}

// The same functions with h-m: zero on the manifold, and nowhere else, is their rate. Figure 3.2 is the first row; what
// is not kept is an error of the method, and grows by the saddle.
TEST(Cooper, WeakQuadraticInvariantsAreNot) {
  const ModelSystem<double> sys(load("pendulum-quadratic"));
  const auto K = formulate<double>(Formulation::parse("h-m"), sys);
  const auto rate = [&](const State<double>& x) {
    Vec<double> v(2);
    K->system().H_p(x.q, x.p, v);
    return dot(x.q, v);  // G q'
  };
  State<double> x(2, 1);
  x.q = Vec<double>{1, 0};
  x.p = Vec<double>{0, -2};
  EXPECT_EQ(rate(x), 0);
  State<double> off = x;
  off.q[0] = 1.1;
  off.p[0] = 0.1;
  EXPECT_GT(std::abs(rate(off)), 0.1);
  for (const auto& [method, order] : {std::pair{"gauss-1", 2}, {"gauss-2", 4}}) {
    const std::string key = std::string(method) + "@h-m";
    const double coarse = changes(key, sys, x, 0.02, 50).g, fine = changes(key, sys, x, 0.01, 100).g;
    std::printf("%s: g changes by %.4e with h = 0.02, by %.4e with h = 0.01\n", key.c_str(), coarse, fine);
    EXPECT_NEAR(std::log2(coarse / fine), order, 0.1) << key;
    if (order == 2) {
      EXPECT_NEAR(2 * fine, 7.2951e-3, 1e-7);  // q·q − 1
    }
  }
}

// One run of h-m has both: its moment about the vertical is a strong invariant, because λ is the same all around.
TEST(Cooper, OneRunKeepsTheOneAndNotTheOther) {
  const ModelSystem<double> sys(load("spherical-pendulum"));
  for (const double away : {0.0, 0.02})
    for (const char* key : {"gauss-1@h-m", "gauss-2@h-m"}) {
      const Changes seen = changes(key, sys, start(sys, away), 0.01, 60);
      EXPECT_LE(seen.momentum, 2e-14) << key;
      EXPECT_GT(seen.g, 1e-8) << key;
      EXPECT_GT(changes("radau-2a-2@h-m", sys, start(sys, away), 0.01, 60).momentum, 1e-7);
    }
}

}  // namespace
}  // namespace holonom::contract
