// Leimkuhler and Reich (1994): the pendulum of their experiments through all formulations and projections. The paper
// shows figures; an independent program has the numbers.
#include <gtest/gtest.h>

#include <cmath>

#include "model_run.hpp"
#include "printed.hpp"

namespace holonom::contract {
namespace {

using D = Dual<double>;

// The largest values over a run with h = 0.01 from (1, 0, 0, −2), of q·q − 1 and 2 q·p whatever the model's form of g
// is.
struct Seen {
  double g = 0, psi = 0, wedge = 0, energy = 0, t = 0;
  State<double> x;
  bool failed = false;
};

Seen look(const std::string& key, const char* model, double until) {
  const auto compiled = load(model);
  const ModelSystem<D> dual(compiled);
  const ModelSystem<double> sys(compiled);
  Seen seen;
  // Two tangent vectors that are consistent with the constraints
  State<D> x(2, 1), y(2, 1);
  x.q = Vec<D>{D{1, 0}, D{0, 1}};
  x.p = Vec<D>{D{0, 2}, D{-2, 0}};
  y.q = Vec<D>{D{1, 0}, D{0, 0}};
  y.p = Vec<D>{D{0, 0}, D{-2, 1}};
  const MethodEntry entry = methods().find(key);
  const auto one = entry.make<D>(dual), other = entry.make<D>(dual);
  const D h = 0.01;
  EXPECT_TRUE(one->begin(x, h).ok() && other->begin(y, h).ok());
  const long steps = std::lround(until / 0.01);
  for (long k = 0; k < steps; ++k) {
    seen.t = 0.01 * static_cast<double>(k + 1);
    if (!one->step(x, h).ok() || !other->step(y, h).ok()) {
      seen.failed = true;
      break;
    }
    Vec<double> q(2), p(2);
    double wedge = 0;
    for (int i = 0; i < 2; ++i) {
      q[i] = x.q[i].v;
      p[i] = x.p[i].v;
      wedge += x.q[i].d * y.p[i].d - x.p[i].d * y.q[i].d;
    }
    keep_largest(seen.g, std::abs(dot(q, q) - 1));
    keep_largest(seen.psi, 2 * std::abs(dot(q, p)));
    keep_largest(seen.wedge, std::abs(wedge - 1));
    keep_largest(seen.energy, std::abs(sys.H(q, p) - 2));
    seen.x.q = q;
    seen.x.p = p;
    if (seen.g > 1e3) {
      seen.failed = true;
      break;
    }
  }
  return seen;
}

// What is printed as "<3e-15" is a bound.
void expect(double value, const std::string& printed, const std::string& what) {
  if (printed.empty()) return;
  if (printed[0] == '<')
    EXPECT_LE(value, std::stod(printed.substr(1))) << what;
  else
    EXPECT_TRUE(as_printed(value, printed.c_str())) << what << ": " << value << " for " << printed;
}

TEST(LeimkuhlerReich, TableOfFormulationsAndProjections) {
  const struct {
    const char* key;
    double until;
    const char *g, *psi, *wedge, *energy;
  } rows[] = {
      {"gauss-1@dirac", 10, "2.4029e-4", "4.5185e-4", "<1e-11", "6.52e-4"},
      {"gauss-1@dirac", 1, "2.3953e-4", "4.4096e-4", "<1e-13", ""},
      {"gauss-1@simplified", 1, "7.2951e-3", "3.6427e-2", "<1e-13", "2.30e-2"},
      {"gauss-1@weak", 10, "<1e-14", "<2e-14", "2.4999e-5", "<2e-14"},
      {"gauss-1@underlying", 10, "5.0005e-5", "<2e-14", "1.2345e-3", "1.3752e-4"},
      {"gauss-1@underlying", 1, "", "", "8.3382e-5", ""},
      {"gauss-1@underlying", 100, "", "", "1.63e-2", ""},
      {"gauss-1@dirac+orthogonal", 10, "<2e-15", "<5e-15", "1.9684e-4", "2.8876e-4"},
      {"gauss-1@dirac+orthogonal", 1, "", "", "6.4350e-5", ""},
      {"gauss-1@dirac+orthogonal", 100, "", "", "1.96e-3", ""},
      {"gauss-1@dirac+orthogonal:20", 10, "6.5072e-5", "6.0336e-4", "3.5123e-3", "3.2067e-3"},
      {"gauss-1@dirac+orthogonal:20", 1, "", "", "6.1516e-4", ""},
      {"gauss-1@simplified+orthogonal", 10, "<2e-15", "<5e-15", "2.2467e-4", "2.6657e-4"},
      {"gauss-1@simplified+orthogonal", 1, "", "", "8.9509e-5", ""},
      {"gauss-1@weak+orthogonal:20", 10, "<1e-14", "<2e-14", "2.4999e-5", "<2e-14"},
      {"gauss-1@underlying+orthogonal", 10, "<2e-15", "<5e-15", "2.5805e-5", "1.2480e-4"},
      {"gauss-1@underlying+orthogonal", 1, "", "", "2.4720e-5", ""},
      {"gauss-1@dirac+stage", 10, "7.6281e-4", "1.5833e-3", "1.3609e-3", "3.8140e-4"},
      {"gauss-1@dirac+stage", 1, "2.1170e-4", "4.6672e-4", "3.3720e-4", ""},
      {"gauss-1@dirac+stage", 100, "", "", "2.0e-2", ""},
      {"gauss-1@weak+stage", 10, "7.6281e-4", "1.5833e-3", "1.3609e-3", "3.8140e-4"},
      {"gauss-1@h-m+stage", 10, "7.6281e-4", "1.5833e-3", "1.3609e-3", "3.8140e-4"},
      {"gauss-1@baumgarte+stage", 10, "7.6281e-4", "1.5833e-3", "1.3609e-3", "3.8140e-4"},
  };
  for (const auto& row : rows) {
    const Seen seen = look(row.key, "pendulum-quadratic", row.until);
    std::printf("%-32s t <= %-3g  |g| %.4e  |Gp| %.4e  |wedge - 1| %.4e  |dH| %.4e\n", row.key, row.until, seen.g,
                seen.psi, seen.wedge, seen.energy);
    const std::string what = row.key;
    EXPECT_FALSE(seen.failed) << what;
    expect(seen.g, row.g, what + ", g");
    expect(seen.psi, row.psi, what + ", Gp");
    expect(seen.wedge, row.wedge, what + ", wedge");
    expect(seen.energy, row.energy, what + ", energy");
  }
}

// √(q·q) − 1 is another extension off the circle.
TEST(LeimkuhlerReich, RootFormOfTheConstraint) {
  const Seen dirac = look("gauss-1@dirac", "pendulum", 10), underlying = look("gauss-1@underlying", "pendulum", 10);
  expect(dirac.g, "2.391e-4", "dirac");
  expect(dirac.psi, "3.903e-4", "dirac");
  expect(underlying.g, "5.01e-5", "underlying");
  expect(underlying.psi, "2.4e-8", "underlying");
}

TEST(LeimkuhlerReich, StatesAtOneAndTen) {
  const struct {
    const char* key;
    double until;
    std::vector<const char*> q, p;
  } rows[] = {
      {"gauss-1@dirac", 1, {"-0.6834259170641", "-0.7301143252105"}, {"-1.7060079240201", "1.5966123520452"}},
      {"gauss-1@simplified", 1, {"-0.6808709935128", "-0.7274060562112"}, {"-1.6997637863165", "1.6160621180591"}},
      {"gauss-1@weak", 1, {"-0.6835709155192", "-0.7298841027562"}, {"-1.7054579158712", "1.5972418422721"}},
      {"gauss-1@underlying", 1, {"-0.6836122510710", "-0.7298203851070"}, {"-1.7053492887425", "1.5973761351824"}},
      {"gauss-1@dirac+orthogonal",
       1,
       {"-0.6837064711277", "-0.7297571248972"},
       {"-1.7050782259723", "1.5974808290366"}},
      {"gauss-1@underlying+stage",
       1,
       {"-0.6835973329948", "-0.7300043730660"},
       {"-1.7057063032467", "1.5969856150959"}},
      {"gauss-1@dirac", 10, {"0.9928885734586", "-0.1190910112738"}, {"-0.2451104714026", "-2.0440387469646"}},
      {"gauss-1@weak", 10, {"0.9926240166684", "-0.1212335000443"}, {"-0.2497076686558", "-2.0445324845312"}},
      {"gauss-1@underlying", 10, {"0.9926540567368", "-0.1209622870872"}, {"-0.2491346126183", "-2.0444759258803"}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(std::string(row.key) + " at " + std::to_string(row.until));
    const State<double> x = look(row.key, "pendulum-quadratic", row.until).x;
    for (int i = 0; i < 2; ++i) {
      EXPECT_NEAR(x.q[i], std::stod(row.q[static_cast<std::size_t>(i)]), 2e-12);
      EXPECT_NEAR(x.p[i], std::stod(row.p[static_cast<std::size_t>(i)]), 2e-12);
    }
  }
}

// The residuals of `simplified` leave by the saddle, at a rate of 2|p|, until q·q = 1/2. There q' = p (2 q·q − 1)/(q·q)
// vanishes, and the equations of the step have no root any more: Newton's method with the exact matrix does not find
// one in step 220 either, and what it then ends with has |g| > 1000 at t = 2.30, the blow-up of the independent
// program.
TEST(LeimkuhlerReich, SimplifiedHasAnEnd) {
  const Seen quadratic = look("gauss-1@simplified", "pendulum-quadratic", 5);
  EXPECT_TRUE(quadratic.failed);
  EXPECT_NEAR(quadratic.t, 2.20, 1e-12);
  expect(quadratic.g, "4.98785882990e-1", "before its end");
  const Seen root = look("gauss-1@simplified", "pendulum", 5);
  EXPECT_TRUE(root.failed);
  EXPECT_GT(root.g, 0.5);
}

// ---- State space forms, Algorithm 2.1

State<double> state_space(const char* key, double h, long steps) {
  const ModelSystem<double> sys(load("pendulum-quadratic"));
  State<double> x(2, 1);
  x.q = Vec<double>{1, 0};
  x.p = Vec<double>{0, -2};
  const auto method = methods().find(key).make<double>(sys);
  EXPECT_TRUE(method->begin(x, h).ok());
  for (long k = 0; k < steps; ++k) EXPECT_TRUE(method->step(x, h).ok()) << key << " step " << k;
  return x;
}

TEST(StateSpace, StatesOfAlgorithm21) {
  const struct {
    const char* key;
    std::vector<double> w;
  } rows[] = {
      {"gauss-1@state-space:partition:1", {-0.6838525503031, -0.7296202364545, -1.7046091995759, 1.5976823149323}},
      {"gauss-2@state-space:partition:1", {-0.6836579417874, -0.7298025888081, -1.7052419847922, 1.5974213348247}},
      {"gauss-1@state-space:tangent", {-0.6837736870182, -0.7296941447905, -1.7049217264506, 1.5976291207700}},
  };
  for (const auto& row : rows) {
    const State<double> x = state_space(row.key, 0.01, 100);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(x.q[static_cast<int>(i)], row.w[i], 2e-13) << row.key;
      EXPECT_NEAR(x.p[static_cast<int>(i)], row.w[2 + i], 2e-13) << row.key;
    }
    EXPECT_NEAR(dot(x.q, x.q), 1, 1e-15) << row.key;
    EXPECT_NEAR(dot(x.q, x.p), 0, 1e-15) << row.key;
  }
  const double exact[] = {-0.6836579365484, -0.7298025937158, -1.7052420024719, 1.5974213284031};
  const State<double> x = state_space("gauss-2@state-space:tangent", 0.01, 100);
  double square = 0;
  for (int i = 0; i < 2; ++i) square += std::pow(x.q[i] - exact[i], 2) + std::pow(x.p[i] - exact[2 + i], 2);
  expect(std::sqrt(square), "1.64e-8", "gauss-2, tangent");
}

// The area after 10 steps of h = 0.1 from the angle 1 and the speed 0.3: kept with a fixed chart and with partitions,
// not with charts that are made of the state.
TEST(StateSpace, SymplecticWithAFixedChartOnly) {
  const ModelSystem<D> sys(load("pendulum-quadratic"));
  const auto defect = [&](const char* key) {
    const double s = std::sin(1.0), c = std::cos(1.0), w = 0.3;
    State<D> x(2, 1), y(2, 1);
    x.q = Vec<D>{D{s, c}, D{-c, s}};
    x.p = Vec<D>{D{w * c, -w * s}, D{w * s, w * c}};
    y.q = Vec<D>{D{s, 0}, D{-c, 0}};
    y.p = Vec<D>{D{w * c, c}, D{w * s, s}};
    const D h = 0.1;
    for (State<D>* z : {&x, &y}) {
      const auto method = methods().find(key).make<D>(sys);
      EXPECT_TRUE(method->begin(*z, h).ok());
      for (int k = 0; k < 10; ++k) EXPECT_TRUE(method->step(*z, h).ok());
    }
    double wedge = 0;
    for (int i = 0; i < 2; ++i) wedge += x.q[i].d * y.p[i].d - x.p[i].d * y.q[i].d;
    return wedge - 1;
  };
  for (const char* key : {"gauss-1@state-space", "gauss-2@state-space", "gauss-1@state-space:partition"})
    EXPECT_LE(std::abs(defect(key)), 1e-13) << key;
  expect(-defect("gauss-1@state-space:tangent"), "2.6e-4", "gauss-1");
  expect(-defect("gauss-2@state-space:tangent"), "6.9e-8", "gauss-2");
}

// Every chart has its own modified Hamiltonian: energy drifts with the number of switches.
TEST(StateSpace, PartitionsDrift) {
  const ModelSystem<double> sys(load("pendulum-quadratic"));
  const auto error = [&](long steps) {
    const State<double> x = state_space("gauss-1@state-space:partition:1", 0.01, steps);
    return sys.H(x.q, x.p) - 2;
  };
  expect(-error(1000), "2.8e-4", "t = 10");
  expect(-error(10000), "2.5e-3", "t = 100");
}

// Functional iterations contract for steps below 1/1700 there; Newton's method finds stages of longer ones, to
// round-off.
TEST(StateSpace, StiffForcesAreForNewton) {
  const ModelSystem<double> sys(load("stiff-pendulum-chain"));
  const State<double> start = initial_state(sys).state;
  const double H = sys.H(start.q, start.p);
  for (const char* key : {"gauss-1@state-space", "gauss-2@state-space", "radau-2a-2@state-space:tangent"}) {
    SCOPED_TRACE(key);
    const MethodEntry entry = methods().find(key);
    const auto method = entry.make<double>(sys);
    State<double> x = start;
    ASSERT_TRUE(method->begin(x, 0.01).ok());
    for (int k = 0; k < 50; ++k) ASSERT_TRUE(method->step(x, 0.01).ok());
    EXPECT_LT(std::abs(sys.H(x.q, x.p) - H), 1e-5);
    if (!entry.info.symmetric) continue;
    for (int k = 0; k < 50; ++k) ASSERT_TRUE(method->step(x, -0.01).ok());  // symmetric, if the stages are exact
    EXPECT_LT(largest_difference(x.q, start.q), 1e-13);
    EXPECT_LT(largest_difference(x.p, start.p), 1e-10);
  }
}

// A chart that ends says so.
TEST(StateSpace, FixedChartsEnd) {
  const ModelSystem<double> sys(load("pendulum-quadratic"));
  State<double> x(2, 1);
  x.q = Vec<double>{1, 0};
  x.p = Vec<double>{0, -2};
  const auto method = methods().find("gauss-2@state-space").make<double>(sys);
  ASSERT_TRUE(method->begin(x, 0.01).ok());
  Status status;
  long k = 0;
  for (; k < 1000 && status.ok(); ++k) status = method->step(x, 0.01);
  EXPECT_EQ(status.failure, Failure::chart_ends);
  EXPECT_EQ(method->begin(x, 0.01).failure, Failure::chart_ends);  // no other chart in silence
  EXPECT_GT(x.q[0], 0);                                            // it has not gone around
  EXPECT_LT(x.q[1], -0.95);                                        // but nearly a quarter of it
}

}  // namespace
}  // namespace holonom::contract
