// Methods that must agree: where a composition projects does not matter, and Euler with its adjoint is not RATTLE.
#include <gtest/gtest.h>

#include "checks.hpp"
#include "holonom/analysis/convergence_order.hpp"
#include "holonom/coefficients/composition.hpp"
#include "holonom/methods/rattle.hpp"

namespace holonom::contract {
namespace {

using View = SeparableView<double>;
using Words = Composition<View>;

// ---- Reich 1996, theorem 3.3: a projection between substeps moves p along Gᵀ, which the next impulse takes back.

struct Composed {
  const char *scheme, *model;
};

class ProjectionBetweenSubsteps : public testing::TestWithParam<Composed> {};

TEST_P(ProjectionBetweenSubsteps, ChangesNothing) {
  const auto [scheme, model] = GetParam();
  const Problem problem(case_of(model));
  const std::vector<double> c = coefficients<double>(*find_composition(scheme));
  constexpr long steps = 10;

  NumericalMap<double> composition(methods().find(scheme), problem.sys), rattle(methods().find("rattle"), problem.sys);
  double off = 0;
  for (const State<double>& x : problem.states) {
    State<double> at_the_end = x, every_time = x;
    composition(at_the_end, problem.h, steps);
    for (long k = 0; k < steps; ++k)
      for (const double part : c) rattle(every_time, part * problem.h, 1);
    keep_largest(off, distance(at_the_end, every_time, problem.size));
  }
  std::printf("%s on %s: %.1e\n", scheme, model, off);
  EXPECT_LE(off, Bounds::round_off);
}

INSTANTIATE_TEST_SUITE_P(Compositions, ProjectionBetweenSubsteps,
                         testing::Values(Composed{"yoshida-4", "pendulum"}, Composed{"yoshida-4", "double-pendulum"},
                                         Composed{"yoshida-4", "spring-chain"}, Composed{"kahan-li-8", "pendulum"},
                                         Composed{"kahan-li-8", "double-pendulum"},
                                         Composed{"kahan-li-8", "spring-chain"},
                                         Composed{"yoshida-4", "charged-particle"},  // any H(q, p)
                                         Composed{"kahan-li-8", "charged-particle"},
                                         Composed{"yoshida-4", "slider-crank"},  // M(q)
                                         Composed{"kahan-li-8", "slider-crank"}),
                         [](const auto& test) {
                           std::string name = std::string(test.param.scheme) + "_" + test.param.model;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// ---- Constrained Euler and its adjoint, each over h/2

const Word<double> euler{kick(1.0), move(1.0, 0.0)};

class EulerAndAdjoint : public testing::TestWithParam<const char*> {
 protected:
  // The word on the model, begun anew at x.
  State<double> run(const Word<double>& word, const State<double>& x, double h, long steps) const {
    Words method(view, word);
    State<double> y = x;
    EXPECT_TRUE(method.begin(view, y, h).ok());
    for (long k = 0; k < steps; ++k) EXPECT_TRUE(method.step(view, y, h).ok());
    return y;
  }
  State<double> run(const char* key, const State<double>& x, double h, long steps) const {
    State<double> y = x;
    NumericalMap<double>(methods().find(key), problem.sys)(y, h, steps);
    return y;
  }
  double off(const State<double>& x, const State<double>& y) const { return distance(x, y, problem.size); }

  // Slope of log |one step of the word − one step of `key`| over log h.
  double order_of_difference(const Word<double>& word, const char* key) const {
    std::vector<OrderPoint> points;
    for (const double h : {problem.h / 4, problem.h / 8, problem.h / 16, problem.h / 32}) {
      double d = 0;
      for (const State<double>& x : problem.states) keep_largest(d, off(run(word, x, h, 1), run(key, x, h, 1)));
      points.push_back({h, d, d});
    }
    const OrderFit fit = fit_order(points, 1e-14);
    EXPECT_GE(fit.used, 3);
    return fit.slope_q;
  }

  Problem problem{case_of(GetParam())};
  View view{problem.sys};
};

TEST_P(EulerAndAdjoint, IsTheGeodesicMethodWithTwoDrifts) {
  const Word<double> word = compose(euler, {0.5, 0.5}, true);
  ASSERT_EQ(word.size(), 4u);  // kick ½, move ½, move ½, kick ½
  double geodesic = 0, in_turn = 0, rattle = 0;
  for (const State<double>& x : problem.states) {
    const State<double> y = run(word, x, problem.h, 10);
    keep_largest(geodesic, off(y, run("geodesic-2", x, problem.h, 10)));
    keep_largest(rattle, off(y, run("rattle", x, problem.h, 10)));
    State<double> z = x;
    for (int k = 0; k < 10; ++k) z = run(adjoint(euler), run(euler, z, problem.h / 2, 1), problem.h / 2, 1);
    keep_largest(in_turn, off(y, z));
  }
  const double order = order_of_difference(word, "rattle");
  std::printf("%s: geodesic-2 %.1e, the two maps in turn %.1e; rattle %.1e after 10 steps, O(h^%.2f) after one\n",
              GetParam(), geodesic, in_turn, rattle, order);
  EXPECT_LE(geodesic, Bounds::round_off);
  EXPECT_LE(in_turn, Bounds::round_off);
  EXPECT_GE(rattle, 1e-7);
  EXPECT_NEAR(order, 3, 0.15);
}

// It is on the manifold at the half step, where RATTLE is not.
TEST_P(EulerAndAdjoint, PassesThroughTheManifold) {
  Manifold<double> manifold(problem.sys);
  const State<double>& x = problem.states.front();
  EXPECT_LE(manifold.position(run(euler, x, problem.h / 2, 1).q).relative, Bounds::round_off);
  const State<double> y = run("rattle", x, problem.h, 1);
  Vec<double> middle(problem.sys.n());
  for (int i = 0; i < middle.size(); ++i) middle[i] = (x.q[i] + y.q[i]) / 2;
  EXPECT_GE(manifold.position(middle).relative, 1e-7);
}

TEST_P(EulerAndAdjoint, TheOtherWayRoundIsPositionVerlet) {
  const Word<double> word = compose(adjoint(euler), {0.5, 0.5}, true);
  ASSERT_EQ(word.size(), 3u);  // move ½, kick 1, move ½
  double same = 0, rattle = 0;
  for (const State<double>& x : problem.states) {
    const State<double> y = run(word, x, problem.h, 10);
    keep_largest(same, off(y, run("position-verlet", x, problem.h, 10)));
    keep_largest(rattle, off(y, run("rattle", x, problem.h, 10)));
  }
  const double order = order_of_difference(word, "rattle");
  std::printf("%s: position-verlet %.1e; rattle %.1e after 10 steps, O(h^%.2f) after one\n", GetParam(), same, rattle,
              order);
  EXPECT_LE(same, Bounds::round_off);
  EXPECT_GE(rattle, 1e-7);
  EXPECT_NEAR(order, 3, 0.15);
}

INSTANTIATE_TEST_SUITE_P(Models, EulerAndAdjoint, testing::Values("double-pendulum", "kepler-sphere", "spring-chain"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace holonom::contract
