// Recommendations where most of the time is never run, on types of one's own, and what they are made of: counted work
// and the growth of errors.
#include "holonom/analysis/recommendation.hpp"

#include <cmath>

#include "holonom/adapt.hpp"
#include "models.hpp"

namespace holonom::test {
namespace {

using Kind = WantedQuantity::Kind;

constexpr double no_limit = 1e12;

// With so little work allowed that only a part of the time can be run: the error at the end is the one that was
// foreseen.
TEST(Recommendation, IsContinuedInTime) {
  struct Case {
    const char* model;
    double until, accuracy;
    Kind kind;
    double budget;
  };
  for (const auto& [name, until, accuracy, kind, budget] :
       {Case{"henon-heiles", 3000, 1e-5, Kind::position, 4e7}, Case{"double-pendulum", 600, 1e-5, Kind::position, 2e8},
        Case{"double-pendulum", 600, 1e-6, Kind::energy, 1e8}}) {
    const ModelSystem<double> sys(load(name));
    const State<double> start = initial_state(sys).state;
    RecommendationPlan plan{.until = until,
                            .accuracy = accuracy,
                            .wanted = {kind, 0},
                            .weights = work_weights(sys),
                            .candidates = recommendable(sys),
                            .budget = budget};
    const Recommendation r = recommend(sys, start, plan);
    ASSERT_FALSE(r.methods.empty()) << name;
    EXPECT_LE(r.window, until / 4) << name;
    ErrorMeter meter(sys, start, until, accuracy, plan.wanted, plan.weights, no_limit);
    ASSERT_EQ(meter.window(), until) << name;
    const RecommendedMethod& best = r.methods.front();
    const Trial real = meter.run(best.method, best.steps, no_limit);
    ASSERT_EQ(real.outcome, Trial::Outcome::done) << name;
    EXPECT_LE(real.error, 2 * accuracy) << name << " " << best.method.info.key;
    EXPECT_GE(real.error, accuracy / 50) << name << " " << best.method.info.key;
  }
}

// A mass on a sphere, as a type
template <class T>
struct Sphere {
  using Scalar = T;
  static constexpr int N = 3, M = 1;
  using Q = Vec<T, 3>;

  T V(const Q& q) const { return q[2]; }
  void V_q(const Q&, Q& out) const { out = Q{T(0), T(0), T(1)}; }
  UnitMass mass() const { return {}; }
  void g(const Q& q, Vec<T, 1>& out) const { out[0] = (dot(q, q) - T(1)) / T(2); }
  void G(const Q& q, Jacobian<T, 3, 1>& out) const {
    for (int j = 0; j < 3; ++j) out(0, j) = q[j];
  }
  void g_qq(const Q&, const Q& u, const Q& v, Vec<T, 1>& out) const { out[0] = dot(u, v); }
};

TEST(Recommendation, TypesOfOnesOwn) {
  const Sphere<double> sphere;
  const auto sys = adapt(sphere);
  State<double> given(3, 1);
  given.q = Vec<double>{0.6, 0, -0.8};
  given.p = Vec<double>{0.4, 0.5, 0.3};
  const State<double> start = initial_state(sys, given).state;
  const RecommendationPlan plan{.until = 20,
                                .accuracy = 1e-6,
                                .wanted = {Kind::position, 0},
                                .weights = work_weights(sys),
                                .candidates = recommendable(sys)};
  const Recommendation r = recommend(sys, start, plan);
  ASSERT_EQ(r.methods.size(), 3U);
  EXPECT_EQ(r.window, 20);
  for (const RecommendedMethod& m : r.methods) EXPECT_LE(m.error, 1e-6);
}

TEST(CountedWork, IsThatOfTheFormulas) {
  const char* const text = R"toml(
[coordinates]
names = ["x", "y"]
[energy]
mass = [1, 1]
potential = "POTENTIAL"
[initial]
q = { x = 1, y = "0.5" }
)toml";
  const auto with = [&](const std::string& potential) {
    std::string whole = text;
    whole.replace(whole.find("POTENTIAL"), 9, potential);
    const ModelSystem<double> sys(from_text(whole));
    return work_weights(sys);
  };
  EXPECT_EQ(with("x + y").V_q, 0) << "constant forces";
  EXPECT_EQ(with("x*y").V_q, 0) << "coordinates as they are";
  const double few = with("x^2*y").V_q, sine = with("sin(x*y)").V_q;
  EXPECT_GT(few, 0);
  EXPECT_GT(sine, few + 15);
  // Tables count row by row.
  const ModelSystem<double> chain(load("hanging-chain", {{"N", "10"}})), longer(load("hanging-chain", {{"N", "20"}}));
  EXPECT_NEAR(work_weights(longer).g / work_weights(chain).g, 2, 0.1);
  // 38 products on the diagonal of G Gᵀ and 18 beside it, each with a sum; then a column at a time
  EXPECT_EQ(work_weights(chain).factor, 2 * (38 + 18) + 9 * 4 + 1);
  EXPECT_NEAR(work_weights(longer).factor / work_weights(chain).factor, 2, 0.2) << "a chain has no fill";
}

// Whatever the accuracy, the reference is much better than that: a run with many more steps than needed agrees with it.
TEST(ErrorMeter, TheReferenceIsFineEnough) {
  const ModelSystem<double> sys(load("double-pendulum"));
  const State<double> start = initial_state(sys).state;
  for (const double accuracy : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9}) {
    ErrorMeter meter(sys, start, 25, accuracy, {Kind::position, 0}, work_weights(sys), no_limit);
    EXPECT_LE(meter.reference_error(), accuracy / 50) << accuracy;
    EXPECT_LE(meter.run(methods().find("lobatto-6"), 1000, no_limit).error, accuracy / 50) << accuracy;
  }
}

// Twice as many steps are twice the work, and a composition's steps are as many as its substeps.
TEST(CountedWork, IsThatOfTheSteps) {
  const ModelSystem<double> sys(load("henon-heiles"));
  const State<double> start = initial_state(sys).state;
  ErrorMeter meter(sys, start, 10, 1e-3, {Kind::position, 0}, work_weights(sys), no_limit);
  const auto work = [&](const char* key, long steps) { return meter.run(methods().find(key), steps, no_limit).work; };
  EXPECT_NEAR(work("rattle", 400) / work("rattle", 200), 2, 0.02);
  EXPECT_NEAR(work("suzuki-4", 200) / work("rattle", 200), 5, 0.1);
}

TEST(ErrorGrowth, Laws) {
  std::vector<double> times, linear, quadratic, exponential;
  for (int k = 1; k <= 10; ++k) {
    const double t = k / 10.0;
    times.push_back(t);
    linear.push_back(1e-8 * t * (1 + 0.1 * std::sin(20 * t)));
    quadratic.push_back(1e-8 * t * t);
    exponential.push_back(1e-14 * std::exp(10 * t));
  }
  EXPECT_NEAR(error_growth(times, linear, 10, 1, 0).factor, 10, 2);
  EXPECT_NEAR(error_growth(times, linear, 10, 1, 2).factor, 100, 1e-6) << "at least";
  EXPECT_NEAR(error_growth(times, quadratic, 10, 1, 1).factor, 100, 1e-6);
  EXPECT_NEAR(error_growth(times, exponential, 2, 1, 1).factor, std::exp(10), 1e-6 * std::exp(10));
  EXPECT_EQ(error_growth(times, exponential, 2, 5, 1).law, "exponential, e-fold in 0.5");
}

}  // namespace
}  // namespace holonom::test
