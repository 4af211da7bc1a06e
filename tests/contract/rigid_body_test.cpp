// rattle-so3 against rattle: the same map to round-off, from every state and in every form; roots that do not continue
// the motion; and systems that it is not for.
#include <gtest/gtest.h>

#include <random>

#include "choice.hpp"
#include "holonom/methods/rattle_so3.hpp"
#include "holonom/run/driver.hpp"
#include "problem.hpp"

namespace holonom::contract {
namespace {

constexpr std::array models{"rigid-body-free", "rigid-body-heavy", "two-tops"};

template <class S>
double apart(const State<S>& x, const State<S>& y) {
  Real<S> largest(0);
  for (int i = 0; i < x.q.size(); ++i) {
    keep_largest(largest, Real<S>(magnitude(S(x.q[i] - y.q[i]))));
    keep_largest(largest, Real<S>(magnitude(S(x.p[i] - y.p[i]))));
  }
  return to_double(largest);
}

template <class S>
State<S> after(const AnySystem<S>& sys, const std::string& key, State<S> x, const S& h, long steps,
               const MethodOptions& options = {}) {
  const auto method = methods().find(key).make<S>(sys, options);
  EXPECT_TRUE(method->begin(x, h).ok()) << key;
  for (long k = 0; k < steps; ++k)
    if (!method->step(x, h).ok()) {
      ADD_FAILURE() << key << ": step " << k << " failed";
      break;
    }
  return x;
}

std::shared_ptr<const CompiledModel> heavy_body(const std::string& masses, const std::string& more = "",
                                                const std::string& potential = "Q33") {
  return compile(parse_model(R"toml(
format = 1
[coordinates]
names = ["Q11", "Q12", "Q13", "Q21", "Q22", "Q23", "Q31", "Q32", "Q33"]
[let]
u1 = "[Q11, Q21, Q31]"
u2 = "[Q12, Q22, Q32]"
u3 = "[Q13, Q23, Q33]"
[energy]
mass = )toml" + masses + "\npotential = \"" +
                                 potential + R"toml("
[constraints]
a = "dot(u1, u1) - 1"
b = "dot(u2, u2) - dot(u1, u1)"
c = "3*(dot(u3, u3) - 1)/2"
d = "2*dot(u1, u2)"
e = "dot(u1, u3) - dot(u1, u2)"
f = "dot(u2, u3)"
)toml" + more + R"toml(
[initial]
q = { Q11 = 1, Q12 = 0, Q13 = 0, Q21 = 0, Q22 = 1, Q23 = 0, Q31 = 0, Q32 = 0, Q33 = 1 }
v = { Q12 = 0.3, Q13 = 0.5, Q21 = -0.3, Q23 = -1, Q31 = -0.5, Q32 = 1 }
)toml",
                             "test"));
}

// ---- the same map

TEST(RattleSO3, IsRattleInOneStep) {
  for (const char* model : models)
    for (const Form form : {Form::interpreted, Form::native, Form::dynamic_sizes}) {
      if (form == Form::native && !native_available()) continue;
      const Problem problem(case_of(model), form);
      MethodOptions options;
      options.fixed_sizes = form != Form::dynamic_sizes;
      for (const State<double>& x : problem.states)
        for (const double h : {1e-6, 0.01, problem.h, -problem.h, problem.h / 3})
          for (const char* scheme : {"", "yoshida-4"}) {
            const std::string word = scheme, key = word.empty() ? "rattle-so3" : word + "/rattle-so3";
            const double gap = apart(after<double>(problem.sys, key, x, h, 1, options),
                                     after<double>(problem.sys, word.empty() ? "rattle" : word, x, h, 1, options));
            EXPECT_LE(gap, word.empty() ? 1e-15 : 4e-15) << model << ", " << key << ", h = " << h;
          }
    }
}

// A wrong rotation would be mended by corrections with a matrix of six unknowns, at six times the cost: there are none.
TEST(RattleSO3, HasNothingToCorrect) {
  for (const char* model : models) {
    const Problem problem(case_of(model));
    const auto method = methods().find("rattle-so3").make<double>(problem.sys);
    State<double> x = problem.start;
    ASSERT_TRUE(method->begin(x, problem.h).ok());
    for (int k = 0; k < 1000; ++k) ASSERT_TRUE(method->step(x, problem.h).ok()) << model << ", step " << k;
    EXPECT_EQ(method->counters().factorisation, 0U) << model;
    EXPECT_LE(method->counters().newton_iterations, 4000U) << model;
  }
}

template <class S>
void expect_rattle(double bound) {
  for (const char* model : models) {
    const ModelSystem<S> sys(load(model));
    const State<S> x = initial_state(sys).state;
    EXPECT_LE(apart(after<S>(sys, "rattle-so3", x, S(0.1), 10), after<S>(sys, "rattle", x, S(0.1), 10)), bound)
        << model;
  }
}
TEST(RattleSO3, IsRattleInEveryScalar) {
  expect_rattle<double>(1e-14);
  expect_rattle<long double>(1e-17);
  expect_rattle<quad>(1e-31);
  expect_rattle<mp100>(1e-97);
}

// Over long times both have rounding errors, which the motion enlarges; what is left between them is as large as that.
TEST(RattleSO3, StaysWithRattle) {
  constexpr long steps = 10000;
  for (const auto& [model, h, from] :
       {std::tuple{"rigid-body-free", 0.1, 1e-14}, {"rigid-body-heavy", 0.02, 1e-13}, {"two-tops", 0.002, 1e-14}}) {
    const ModelSystem<double> sys(load(model));
    const ModelSystem<long double> wide(load(model));
    const State<double> x = after<double>(sys, "rattle", initial_state(sys).state, h, steps);
    const State<double> y = after<double>(sys, "rattle-so3", initial_state(sys).state, h, steps);
    const State<long double> z =
        after<long double>(wide, "rattle", initial_state(wide).state, static_cast<long double>(h), steps);
    State<double> exact = x;
    for (int i = 0; i < x.q.size(); ++i) {
      exact.q[i] = static_cast<double>(z.q[i]);
      exact.p[i] = static_cast<double>(z.p[i]);
    }
    const double gap = apart(x, exact);
    EXPECT_GT(gap, from) << model << ": a gap that says nothing";
    EXPECT_LT(gap, 1e-6) << model << ": chaos has taken over";
    EXPECT_LE(apart(x, y), 10 * gap) << model;
    EXPECT_LE(apart(y, exact), 10 * gap) << model;
    RecordProperty(test_name(model), std::to_string(gap * 1e12) + "e-12, " + std::to_string(apart(y, exact) * 1e12) +
                                         "e-12 to long double");
  }
}

// Tangents of any directions, off the manifold as well: the derivative is that of the map which ends on it.
TEST(RattleSO3, HasTheTangentsOfRattle) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (const char* model : models) {
    const ModelSystem<Dual<double>> sys(load(model));
    const ModelSystem<double> values(load(model));
    const State<double> start = after<double>(values, "rattle", initial_state(values).state, 0.05, 20);
    for (int trial = 0; trial < 5; ++trial) {
      State<Dual<double>> x(sys.n(), sys.m());
      for (int i = 0; i < sys.n(); ++i) {
        x.q[i] = {start.q[i], normal(random)};
        x.p[i] = {start.p[i], normal(random)};
      }
      const Dual<double> h(0.05);
      // Off the manifold a solver may leave what is below 10⁵ ε; the following steps are on it.
      EXPECT_LE(apart(after(sys, "rattle-so3", x, h, 3), after(sys, "rattle", x, h, 3)), 1e-11) << model;
    }
  }
}

// Axes that are not those of inertia: a full mass matrix, with D on its diagonal three times; entries by columns.
TEST(RattleSO3, TakesAnyAxes) {
  std::string rows = "[";
  const double D[3][3] = {{0.6, 0.1, -0.05}, {0.1, 0.4, 0.08}, {-0.05, 0.08, 0.3}};
  for (int i = 0; i < 9; ++i) {
    rows += i ? ", [" : "[";
    for (int j = 0; j < 9; ++j) rows += (j ? ", " : "") + std::to_string(i / 3 == j / 3 ? D[i % 3][j % 3] : 0.0);
    rows += "]";
  }
  for (const std::string& masses :
       {rows + "]", std::string("[0.1, 0.1, 0.1, 0.7, 0.7, 0.7, 0.4, 0.4, 0.4]"),
        std::string("[0.1, 0.7, 0.4, 0.1, 0.7, 0.4, 0.1, 0.7, 0.4]"), std::string("[1, 1, 1, 1, 1, 1, 1, 1, 1]")}) {
    const ModelSystem<double> sys(heavy_body(masses, "", "Q33 + Q12*Q13"));
    const RigidBodies<double> bodies = find_rigid_bodies(sys);
    ASSERT_TRUE(bodies.reason.empty()) << bodies.reason;
    ASSERT_EQ(bodies.list.size(), 1U);
    EXPECT_EQ(bodies.list[0].turned, masses.starts_with("[["));
    const State<double> x = initial_state(sys).state;
    for (const double h : {0.001, 0.1, 0.3})
      EXPECT_LE(apart(after<double>(sys, "rattle-so3", x, h, 1), after<double>(sys, "rattle", x, h, 1)), 2e-15)
          << masses;
    MethodOptions compensated;
    compensated.compensated = true;
    for (const MethodOptions& options : {MethodOptions{}, compensated})
      EXPECT_LE(apart(after<double>(sys, "rattle-so3", x, 0.02, 100, options),
                      after<double>(sys, "rattle", x, 0.02, 100, options)),
                1e-13)
          << masses;
  }
}

// A body as thin as a needle: masses that differ by 10¹⁰, where differences of products would lose what is left.
TEST(RattleSO3, TakesNeedles) {
  const auto model =
      heavy_body("[1, \"1e-10\", \"1e-10\", 1, \"1e-10\", \"1e-10\", 1, \"1e-10\", \"1e-10\"]", "", "Q31");
  const ModelSystem<double> sys(model);
  const ModelSystem<quad> wide(model);
  const auto method = methods().find("rattle-so3").make<double>(sys);
  RunPlan plan;
  plan.steps = 2000;
  const RunResult<double> result = run<double>(sys, *method, initial_state(sys).state, 0.02, plan);
  EXPECT_EQ(result.status, RunStatus::done) << result.message;
  EXPECT_LE(result.position_relative, 1e-15);
  EXPECT_LE(result.hidden_relative, 1e-14);
  const State<quad> exact = after<quad>(wide, "rattle-so3", initial_state(wide).state, quad(0.02), 100);
  const State<double> x = after<double>(sys, "rattle-so3", initial_state(sys).state, 0.02, 100);
  for (int i = 0; i < 9; ++i) EXPECT_NEAR(x.q[i], to_double(exact.q[i]), 1e-12) << i;
  EXPECT_LE(apart(after<quad>(wide, "rattle", initial_state(wide).state, quad(0.02), 100), exact), 1e-20);
}

// Matrices with determinant −1 are as good: a body seen in a mirror.
TEST(RattleSO3, TakesReflections) {
  const ModelSystem<double> sys(load("rigid-body-heavy"));
  State<double> x = initial_state(sys).state;
  for (int i = 6; i < 9; ++i) {
    x.q[i] = -x.q[i];
    x.p[i] = -x.p[i];
  }
  EXPECT_LE(apart(after<double>(sys, "rattle-so3", x, 0.05, 20), after<double>(sys, "rattle", x, 0.05, 20)), 1e-14);
}

// From a start that is not quite orthogonal a step ends on the manifold, at the same point.
TEST(RattleSO3, ReturnsToTheManifold) {
  const ModelSystem<double> sys(load("rigid-body-heavy"));
  for (const double off : {1e-12, 1e-8, 1e-4, 1e-2}) {
    State<double> x = initial_state(sys).state;
    for (int i = 0; i < 9; ++i) x.q[i] += off * std::sin(1.0 + i);
    const State<double> y = after<double>(sys, "rattle-so3", x, 0.1, 1);
    Vec<double> g(6);
    sys.g(y.q, g);
    EXPECT_LE(largest(g), 1e-15) << off;
    EXPECT_LE(apart(y, after<double>(sys, "rattle", x, 0.1, 1)), 1e-14) << off;
  }
}

TEST(RattleSO3, KeepsEnergyOfTheFreeBody) {
  const ModelSystem<double> sys(load("rigid-body-free"));
  for (const bool compensated : {false, true}) {
    MethodOptions options;
    options.compensated = compensated;
    const auto method = methods().find("rattle-so3").make<double>(sys, options);
    RunPlan plan;
    plan.steps = 100000;
    const RunResult<double> result = run<double>(sys, *method, initial_state(sys).state, 0.1, plan);
    EXPECT_EQ(result.status, RunStatus::done) << result.message;
    EXPECT_LE(result.energy_error, compensated ? 1e-14 : 1e-13);
    EXPECT_LE(result.invariant_error[0], compensated ? 5e-15 : 1e-13);
    EXPECT_LE(result.position_relative, 1e-15);
    EXPECT_LE(result.hidden_relative, 1e-15);
  }
}

// ---- the right root

// Of a ball, sin θ = h Ω: both θ and π − θ are roots, and beyond 1 there is none.
TEST(Rotations, OfABall) {
  RigidBody<double> ball;
  ball.d = {0.5, 0.5, 0.5};
  const Rotation<double> rotation(ball);
  int iterations = 0;
  for (const double sine : {0.1, 0.9, 0.999}) {
    const double right = std::tan(std::asin(sine) / 2), wrong = 1 / right;
    for (const double guess : {0.0, right, wrong, -wrong, 100.0}) {
      std::array<double, 3> c{0, guess, 0};
      ASSERT_TRUE(rotation.solve({0, sine / 2, 0}, c, {}, iterations).ok()) << sine << ' ' << guess;
      EXPECT_NEAR(c[1], right, 1e-12) << guess;
    }
  }
  std::array<double, 3> c{0, 1, 0};
  EXPECT_FALSE(rotation.solve({0, 0.501, 0}, c, {}, iterations).ok());
}

// From any guess, the end of the path of solutions for σκ from σ = 0 to 1, or nothing.
TEST(Rotations, ContinueTheMotion) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(-1, 1);
  int found = 0, none = 0, other_guesses = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    RigidBody<double> body;
    for (double& d : body.d) d = std::pow(10, unit(random));
    std::sort(body.d.rbegin(), body.d.rend());
    const Rotation<double> rotation(body);
    const std::array<double, 3> kappa{0.6 * unit(random), 0.6 * unit(random), 0.6 * unit(random)};
    std::array<double, 3> path{}, c{};
    int iterations = 0;
    bool lost = false;
    constexpr int parts = 400;
    for (int k = 1; k <= parts && !lost; ++k) {
      const double part = static_cast<double>(k) / parts;
      const std::array<double, 3> last = path;
      lost = !rotation.solve({part * kappa[0], part * kappa[1], part * kappa[2]}, path, {}, iterations).ok();
      for (std::size_t i = 0; i < 3; ++i) lost = lost || std::abs(path[i] - last[i]) > 0.2;
    }
    for (double& x : c) x = 3 * unit(random);
    const bool ok = rotation.solve(kappa, c, {}, iterations).ok();
    if (lost) {
      ++none;
      continue;  // it turned back, or is steep there
    }
    ASSERT_TRUE(ok) << trial;
    ++found;
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(c[i], path[i], 1e-9) << trial;
    other_guesses += iterations > 12;
  }
  EXPECT_GT(found, 300);
  EXPECT_GT(none, 300);
  EXPECT_GT(other_guesses, 20);
}

TEST(RattleSO3, FailsWithAdviceWhereTheStepIsTooLong) {
  const ModelSystem<double> sys(load("rigid-body-heavy"));
  for (const char* key : {"rattle-so3", "rattle"}) {
    const auto method = methods().find(key).make<double>(sys);
    RunPlan plan;
    plan.steps = 100;
    const RunResult<double> result = run<double>(sys, *method, initial_state(sys).state, 2, plan);
    EXPECT_EQ(result.status, RunStatus::failed) << key;
    EXPECT_EQ(result.steps, 0) << key;
    EXPECT_NE(result.message.find("'unit"), std::string::npos) << result.message;
    EXPECT_NE(result.message.find("step"), std::string::npos) << result.message;
  }
}

// With any step that is done, constraints hold, and rattle does the same.
TEST(RattleSO3, IsRightOrFails) {
  int done = 0, failed = 0;
  const ModelSystem<double> sys(load("rigid-body-heavy"));
  for (double h = 0.1; h < 1.5; h *= 1.05) {
    const State<double> start = initial_state(sys).state;
    State<double> x = start, y = start;
    const auto one = methods().find("rattle-so3").make<double>(sys), two = methods().find("rattle").make<double>(sys);
    ASSERT_TRUE(one->begin(x, h).ok() && two->begin(y, h).ok());
    for (int k = 0; k < 50; ++k) {
      const bool ok = one->step(x, h).ok();
      if (ok != two->step(y, h).ok()) {
        ADD_FAILURE() << "only one of them fails at step " << k << ", h = " << h;
        break;
      }
      if (!ok) {
        ++failed;
        break;
      }
      ++done;
      EXPECT_LE(apart(x, y), 1e-8) << h << ' ' << k;
      y = x;  // steps this long are chaotic
      ASSERT_TRUE(one->begin(x, h).ok() && two->begin(y, h).ok());
    }
  }
  EXPECT_GT(done, 500);
  EXPECT_GT(failed, 5);
}

// ---- what it is not for

std::string refusal(const std::shared_ptr<const CompiledModel>& model, const char* key = "rattle-so3") {
  const ModelSystem<double> sys(model);
  try {
    (void)methods().find(key).make<double>(sys);
  } catch (const Unsuitable& e) {
    return e.what();
  }
  return {};
}
void expect_refused(const std::string& message, const std::string& reason,
                    const std::string& instead = "Take rattle,") {
  EXPECT_NE(message.find(reason), std::string::npos) << message;
  EXPECT_NE(message.find(instead), std::string::npos) << message;
}

TEST(RattleSO3, RefusesOtherSystems) {
  const std::string masses = "[0.6, 0.4, 0.2, 0.6, 0.4, 0.2, 0.6, 0.4, 0.2]";
  EXPECT_EQ(refusal(heavy_body(masses)), "");
  expect_refused(refusal(load("kepler")), "no constraints");
  expect_refused(refusal(load("double-pendulum")), "'rod1' and those that share coordinates with it tie 4 coordinates");
  expect_refused(refusal(load("double-pendulum"), "kahan-li-8/rattle-so3"), "a rotation matrix has nine",
                 "Take kahan-li-8,");
  expect_refused(refusal(load("slider-crank")), "mass");
  expect_refused(refusal(heavy_body("[0.6, 0.4, 0.2, 0.6, 0.4, 0.2, 0.6, 0.4, 0.3]")), "'Q11' to 'Q33' are not those");
  expect_refused(refusal(heavy_body(masses, "held = \"Q33 - 1\"")), "'held' does not hold for rotation matrices");
  expect_refused(refusal(heavy_body(masses, "held = \"Q12 + Q21\"")), "'held' does not hold for rotation matrices");
  const std::string two = R"(
format = 1
[coordinates]
names = ["a", "b", "c", "d", "e", "f", "g", "h", "i"]
[energy]
mass = [1, 1, 1, 1, 1, 1, 1, 1, 1]
potential = "a"
[constraints]
all = "a^2 + b^2 + c^2 + d^2 + e^2 + f^2 + g^2 + h^2 + i^2 - 3"
[initial]
q = { a = 1, b = 0, c = 0, d = 0, e = 1, f = 0, g = 0, h = 0, i = 1 }
)";
  expect_refused(refusal(compile(parse_model(two, "test"))), "8 degrees of freedom");
  for (const Case& c : cases()) {
    const ModelSystem<double> sys(load(c.model));
    if (c.field) continue;
    EXPECT_EQ(find_rigid_bodies(sys).reason.empty(), c.offers == Needs::rigid_bodies) << c.model;
  }
}

// Redundant constraints say the same.
TEST(RattleSO3, TakesRedundantConstraints) {
  const ModelSystem<double> sys(
      heavy_body("[0.6, 0.4, 0.2, 0.6, 0.4, 0.2, 0.6, 0.4, 0.2]", "rows = \"Q11^2 + Q12^2 + Q13^2 - 1\""));
  const State<double> x = initial_state(sys).state;
  EXPECT_LE(apart(after<double>(sys, "rattle-so3", x, 0.05, 1), after<double>(sys, "rattle", x, 0.05, 1)), 2e-15);
}

// ---- types of one's own

template <class S>
struct Top {
  using Scalar = S;
  static constexpr int N = 9, M = 6;

  DiagonalMass<S, 9> inertia{Vec<S, 9>{S(1), S(2), S(3), S(1), S(2), S(3), S(1), S(2), S(3)}};
  S V(const Vec<S, 9>& q) const { return 5 * q[8]; }
  void V_q(const Vec<S, 9>&, Vec<S, 9>& out) const {
    fill(out, S(0));
    out[8] = S(5);
  }
  const DiagonalMass<S, 9>& mass() const { return inertia; }
  void g(const Vec<S, 9>& q, Vec<S, 6>& out) const {
    for (int i = 0, k = 0; i < 3; ++i)
      for (int j = i; j < 3; ++j, ++k) out[k] = q[i] * q[j] + q[3 + i] * q[3 + j] + q[6 + i] * q[6 + j] - S(i == j);
  }
  void G(const Vec<S, 9>& q, Jacobian<S, 9, 6>& out) const {
    out = {};
    for (int i = 0, k = 0; i < 3; ++i)
      for (int j = i; j < 3; ++j, ++k)
        for (int r = 0; r < 9; r += 3) {
          out(k, r + i) += q[r + j];
          out(k, r + j) += q[r + i];
        }
  }
};

TEST(RattleSO3, TakesOwnTypes) {
  const Top<double> top;
  State<double, 9, 6> x, y;
  x.q = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  x.p = {0, -2, 0, 1, 0, -3, 0, 2, 0};  // Ω = (1, 0, 1)
  y = x;
  RattleSO3<Top<double>> fast(top);
  Rattle<Top<double>> usual(top);
  const double h = 0.05;
  ASSERT_TRUE(fast.begin(top, x, h).ok() && usual.begin(top, y, h).ok());
  for (int k = 0; k < 100; ++k) ASSERT_TRUE(fast.step(top, x, h).ok() && usual.step(top, y, h).ok());
  for (int i = 0; i < 9; ++i) EXPECT_NEAR(x.q[i], y.q[i], 1e-13);
  struct Wrong : Top<double> {
    DiagonalMass<double, 9> other{Vec<double, 9>{1, 2, 3, 1, 2, 3, 1, 2, 4}};
    const DiagonalMass<double, 9>& mass() const { return other; }
  };
  EXPECT_THROW(RattleSO3<Wrong>{Wrong{}}, std::invalid_argument);
}

}  // namespace
}  // namespace holonom::contract
