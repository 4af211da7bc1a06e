// No silent wrong result: a step that is called good has its constraints at round-off, and continues the motion, with
// long steps, redundant constraints, and through dead centres.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "holonom/methods/registry.hpp"
#include "holonom/run/driver.hpp"
#include "holonom/solve/constraint_rank.hpp"
#include "problem.hpp"

namespace holonom::contract {
namespace {

std::shared_ptr<const CompiledModel> test_model(const std::string& name, const Overrides& overrides = {}) {
  return compile(load_model(std::string(HOLONOM_TEST_MODELS) + "/" + name + ".toml", overrides));
}
std::shared_ptr<const CompiledModel> from_text(const std::string& text) {
  return compile(parse_model("format = 1\nname = \"test\"\n" + text, "test.toml"));
}

RunResult<double> run_of(const ModelSystem<double>& sys, const std::string& key, double h, long steps,
                         bool watch_all = true) {
  const auto method = methods().find(key).make<double>(sys);
  RunPlan plan;
  plan.steps = plan.every = steps;
  plan.watch_all = watch_all;
  return run<double>(sys, *method, initial_state(sys).state, h, plan);
}

// ---- constraints at round-off, or a failure

struct LongStep {
  const char *model, *method;
  double h;
};

// Newton's method used to end with a correction that nobody had checked, and the simplified iterations of stages where
// they stand still.
TEST(LongSteps, LeaveNoResidual) {
  for (const LongStep& c : {LongStep{"hanging-chain", "position-verlet", 0.024927},
                            {"rigid-body-heavy", "position-verlet", 0.50146},
                            {"kepler-sphere", "kahan-li-8", 0.20112},
                            {"rigid-body-heavy", "rattle", 0.35144},
                            {"rigid-body-heavy", "lobatto-4", 0.5},
                            {"rigid-body-heavy", "lobatto-4", 0.55}}) {
    const ModelSystem<double> sys(load(c.model));
    const RunResult<double> result = run_of(sys, c.method, c.h, 1000);
    EXPECT_GT(result.steps, 50) << c.model << ' ' << c.method << ": " << result.message;
    EXPECT_LE(result.position_relative, 1e-14) << c.model << ' ' << c.method << ' ' << c.h;
    EXPECT_LE(result.hidden_relative, 1e-14) << c.model << ' ' << c.method << ' ' << c.h;
  }
}

TEST(LongSteps, FailWhereThereIsNoSolution) {
  const ModelSystem<double> sys(load("pendulum"));
  for (const bool watch_all : {true, false}) {
    const RunResult<double> result = run_of(sys, "rattle", 1e5, 5, watch_all);
    EXPECT_EQ(result.status, RunStatus::failed);
    EXPECT_EQ(result.steps, 0);
    EXPECT_EQ(result.state.q[0], 1) << "the last good state is kept";
  }
}

// Random methods, models and steps from 0.3 to 300 times the model's own: whatever is called done has its constraints.
TEST(LongSteps, AreRightOrFail) {
  std::mt19937 random(20261116);
  const std::vector<std::string> keys{"rattle",
                                      "position-verlet",
                                      "symplectic-euler",
                                      "geodesic-3",
                                      "midpoint",
                                      "yoshida-4",
                                      "suzuki-4",
                                      "kahan-li-6",
                                      "kahan-li-8",
                                      "sofroniou-spaletta-10",
                                      "lobatto-2",
                                      "lobatto-3",
                                      "lobatto-4",
                                      "lobatto-6",
                                      "lobatto-9",
                                      "variational-trapezoidal",
                                      "variational-midpoint"};
  std::uniform_real_distribution<double> decades(-0.5, 2.5);
  int done = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const Case& on = cases()[random() % cases().size()];
    const std::string& key = keys[random() % keys.size()];
    const double factor = std::pow(10, decades(random));
    const ModelSystem<double> sys(load(on.model));
    try {
      const double h = initial_state(sys).step.value_or(0.01) * factor;
      const RunResult<double> result = run_of(sys, key, h, 50);
      if (result.status != RunStatus::done) continue;
      ++done;
      EXPECT_LE(std::max(result.position_relative, result.hidden_relative), 1e-12)
          << on.model << ' ' << key << " h = " << h;
    } catch (const Unsuitable&) {
    }
  }
  EXPECT_GT(done, 100);
}

// ---- the motion is continued

// Impulses of redundant constraints had carried what no force corresponds to from step to step, until a wheel turned
// nine times in one step.
TEST(RedundantRods, DoNotJump) {
  const ModelSystem<double> sys(load("locomotive"));
  for (const auto& [key, steps, bound] :
       {std::tuple{"yoshida-4", 50000L, 3e-5}, {"suzuki-4", 20000L, 1e-5}, {"kahan-li-8", 10000L, 1e-8}}) {
    const RunResult<double> result = run_of(sys, key, 0.01, steps);
    ASSERT_EQ(result.status, RunStatus::done) << key << ": " << result.message;
    EXPECT_LE(std::abs(result.state.q[0] - result.state.q[1]), 1e-11) << key;
    EXPECT_LE(result.energy_error, bound) << key;
  }
}

// A constraint that is nearly one of the two that it follows from, in any order: sizes that are known at compile time
// had taken three of rank 2 for independent ones.
TEST(RedundantRods, AreFoundInAnyOrder) {
  const std::string rods[] = {"zz = \"2*(x^2 + y^2 - 1) + 1e-5*((u - x)^2 + (v - y)^2 - 1)\"\n",
                              "upper = \"x^2 + y^2 - 1\"\n", "lower = \"(u - x)^2 + (v - y)^2 - 1\"\n"};
  int order[] = {0, 1, 2};
  do {
    const ModelSystem<double> sys(from_text(
        "[coordinates]\nnames = [\"x\", \"y\", \"u\", \"v\"]\n[energy]\nmass = [1, 1, 1, 1]\npotential = \"y + v\"\n"
        "[constraints]\n" +
        rods[order[0]] + rods[order[1]] + rods[order[2]] +
        "[initial]\nq = { x = 0.6, y = -0.8, u = 0, v = -1.6 }\np = { x = 0 }\n"));
    for (const char* key : {"rattle", "kahan-li-8", "lobatto-2", "lobatto-3"}) {
      const RunResult<double> result = run_of(sys, key, 0.05, 200);
      EXPECT_EQ(result.status, RunStatus::done)
          << key << ", order " << order[0] << order[1] << order[2] << ": " << result.message;
      EXPECT_LE(result.energy_error, 0.01) << key;
    }
  } while (std::next_permutation(std::begin(order), std::end(order)));
}

class DeadCentres : public testing::TestWithParam<const char*> {};

// Some 1100 passages. The energy error is that of the pendulum which the parallelogram is, where rounding errors do not
// count; near a dead centre these are larger by the reciprocal of the distance.
TEST_P(DeadCentres, ArePassed) {
  const ModelSystem<double> flat(test_model("parallelogram"));
  const ModelSystem<double> pendulum(from_text(R"model(
[coordinates]
names = ["x", "y"]
[energy]
mass = [3, 3]
potential = "3*9.81*y"
[constraints]
crank = "(x^2 + y^2 - 0.3^2)/2"
[initial]
q = { x = "0.3*cos(1)", y = "0.3*sin(1)" }
v = { x = "-12*0.3*sin(1)", y = "12*0.3*cos(1)" }
)model"));
  const RunResult<double> result = run_of(flat, GetParam(), 0.003, 100000),
                          same = run_of(pendulum, GetParam(), 0.003, 100000);
  ASSERT_EQ(same.status, RunStatus::done);
  ASSERT_EQ(result.status, RunStatus::done) << result.message;
  EXPECT_LE(result.invariant_error[0], 1e-18) << "the other branch was taken";
  EXPECT_LE(result.energy_error, 10 * same.energy_error + 1e-5);
  EXPECT_LE(result.position_relative, 3e-14);
}

INSTANTIATE_TEST_SUITE_P(By, DeadCentres,
                         testing::Values("rattle", "position-verlet", "symplectic-euler", "geodesic-3", "yoshida-4",
                                         "suzuki-4", "kahan-li-8", "variational-trapezoidal", "variational-midpoint"),
                         [](const auto& key) {
                           std::string name = key.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Where the iterations of a method end in rounding errors near a dead centre, the message says so.
TEST(DeadCentre, IsNamedWhereAStepFails) {
  // Steps that end just there
  const ModelSystem<double> flat(test_model("parallelogram", {{"g", "0"}, {"theta0", "-1e-4"}}));
  const RunResult<double> result = run_of(flat, "kahan-li-8/midpoint", 1e-4 / 24, 5);
  ASSERT_EQ(result.status, RunStatus::failed);
  EXPECT_NE(result.message.find("close to a singular position (a dead centre)"), std::string::npos) << result.message;
  const RunResult<double> too_long = run_of(ModelSystem<double>(load("pendulum")), "rattle", 1e5, 1);
  ASSERT_EQ(too_long.status, RunStatus::failed);
  EXPECT_EQ(too_long.message.find("singular position"), std::string::npos) << too_long.message;
}

// ---- redundant or singular

TEST(Rank, OfConstraintsWhoseTermsVanish) {
  const ModelSystem<double> sys(from_text(R"model(
[coordinates]
names = ["a", "x", "y", "f"]
[energy]
mass = [1, 1, 1, 1]
potential = "x"
[constraints]
rod = "(x - 0.1*cos(a))^2 + (y - 0.1*sin(a))^2 - 0.3^2"
left = "y - 0.05*sin(f)"
right = "y + 0.05*sin(f)"
again = "y"
[initial]
q = { a = 1, x = "0.1*cos(1) + sqrt(0.3^2 - (0.1*sin(1))^2)", y = 0, f = 0 }
)model"));
  const ConstraintRank rank = constraint_rank(sys, initial_state(sys).state);
  EXPECT_EQ(rank.rank, 3);
  EXPECT_FALSE(rank.singular_position);
  EXPECT_TRUE(rank.is_clear());
  const RunResult<double> result = run_of(sys, "rattle", 0.01, 1000);
  EXPECT_EQ(result.status, RunStatus::done) << result.message;
  EXPECT_LE(result.energy_error, 1e-4);
}

TEST(Rank, OfLinkagesThatMoveAgainstTheCount) {
  struct Linkage {
    const char* model;
    int constraints, rank;
  };
  for (const auto& [model, constraints, its_rank] :
       {Linkage{"bennett", 38, 35}, Linkage{"sarrus", 60, 59}, Linkage{"double-parallelogram", 54, 47}}) {
    const ModelSystem<double> sys(test_model(model));
    EXPECT_EQ(sys.m(), constraints) << model;
    const ConstraintRank rank = constraint_rank(sys, initial_state(sys).state);
    EXPECT_EQ(rank.rank, its_rank) << model;
    EXPECT_FALSE(rank.singular_position) << model;
    EXPECT_TRUE(rank.is_clear()) << model;
    for (const char* key : {"rattle", "yoshida-4", "lobatto-3", "variational-trapezoidal"}) {
      const RunResult<double> result = run_of(sys, key, 0.01, std::string(key) == "rattle" ? 1000 : 200);
      EXPECT_EQ(result.status, RunStatus::done) << model << ", " << key << ": " << result.message;
      EXPECT_LE(result.position_relative, 3e-14) << model << ", " << key;
      EXPECT_LE(result.hidden_relative, 3e-14) << model << ", " << key;
      EXPECT_LE(result.energy_error, 1e-3) << model << ", " << key;
    }
  }
}

// A square sheet of n × n points with both diagonals of each cell. Flat, every point may leave the plane to first
// order.
std::string sheet(int n) {
  std::string text =
      "[coordinates]\nr = { count = " + std::to_string(n * n) + ", dim = 3 }\n[energy]\nmass = { r = 1 }\n";
  text += "[[energy.sum]]\nover = { i = \"0.." + std::to_string(n * n - 1) + "\" }\nterm = \"r[i].z\"\n[constraints]\n";
  const auto edge = [&](int a, int b, int square) {
    const std::string d = "r[" + std::to_string(a) + "] - r[" + std::to_string(b) + "]";
    text += "e" + std::to_string(a) + "_" + std::to_string(b) + " = \"(dot(" + d + ", " + d + ") - " +
            std::to_string(square) + ")/2\"\n";
  };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const int k = i * n + j;
      if (j + 1 < n) edge(k, k + 1, 1);
      if (i + 1 < n) edge(k, k + n, 1);
      if (i + 1 < n && j + 1 < n) edge(k, k + n + 1, 2);
      if (i + 1 < n && j > 0) edge(k, k + n - 1, 2);
    }
  return text + "[initial]\nq.r = [\"floor(i/" + std::to_string(n) + ")\", \"i - " + std::to_string(n) + "*floor(i/" +
         std::to_string(n) + ")\", \"0\"]\n";
}

TEST(Rank, OfManyConstraintsAtASingularStart) {
  const ModelSystem<double> sys(from_text(sheet(10)));
  ASSERT_GT(sys.m(), 300);
  const ConstraintRank rank = constraint_rank(sys, initial_state(sys).state);
  EXPECT_EQ(rank.rank, 197);
  EXPECT_TRUE(rank.singular_position);
}

// ---- units of constraints

TEST(Units, AFactorInAConstraintChangesNothing) {
  const auto last = [](const std::string& factor) {
    const ModelSystem<double> sys(from_text(R"model(
[coordinates]
names = ["x1", "z1", "x2", "z2"]
[energy]
mass = [1, 1, 1, 1]
potential = "z1 + z2"
[constraints]
rod1 = "(sqrt(x1^2 + z1^2) - 1)*)model" + factor +
                                            R"model("
rod2 = "sqrt((x2 - x1)^2 + (z2 - z1)^2) - 1"
[initial]
q = { x1 = "1/2", z1 = "-sqrt(0.75)", x2 = 0, z2 = "-sqrt(3)" }
)model"));
    EXPECT_FALSE(constraint_rank(sys, initial_state(sys).state).singular_position) << factor;
    const RunResult<double> result = run_of(sys, "rattle", 0.12, 100);
    EXPECT_EQ(result.status, RunStatus::done) << factor << ": " << result.message;
    return result.state.q;
  };
  const Vec<double> as_written = last("1");
  for (const char* power : {"2^40", "2^(-40)", "2^400", "2^(-400)"}) {
    const Vec<double> q = last(power);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(q[i], as_written[i]) << power;
  }
  for (const char* other : {"1e14", "1e-14", "1e150", "1e-150"}) {
    const Vec<double> q = last(other);
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(q[i], as_written[i], 1e-11) << other;
  }
}

}  // namespace
}  // namespace holonom::contract
