// State space forms by a parametrisation of one's own: every method that takes any H runs on the canonical form, and
// keeps there what it claims; the form with velocities is none to keep the symplectic form with.
#include "holonom/formulations/own_chart.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "checks.hpp"
#include "choice.hpp"
#include "holonom/analysis/tangent_map.hpp"
#include "model_run.hpp"

namespace holonom::contract {
namespace {

struct Combination {
  const char *key, *model;
  friend std::ostream& operator<<(std::ostream& out, const Combination& c) { return out << c.key << " " << c.model; }
};

class OwnChart : public testing::TestWithParam<Combination> {};

TEST_P(OwnChart, Holds) {
  const MethodEntry entry = methods().find(GetParam().key);
  const Problem problem(case_of(GetParam().model));
  ASSERT_TRUE(suits(entry, problem.sys));
  EXPECT_EQ(entry.info.key, GetParam().key);
  EXPECT_TRUE(entry.info.keeps_position && entry.info.keeps_hidden);
  EXPECT_TRUE(info_is_complete(entry.info).holds);
  for (const Property& property : properties()) {
    if (!property.claimed(entry.info, problem.about) || is_deficit(property.name, entry.info, problem.about)) continue;
    SCOPED_TRACE(property.name);
    Verdict verdict;
    ASSERT_NO_THROW(verdict = property.check(entry, problem));
    EXPECT_TRUE(verdict.holds) << verdict.evidence;
  }
}

constexpr Combination combinations[] = {
    {"gauss-1@state-space:own", "pendulum"},           {"gauss-2@state-space:own", "geodesic-torus"},
    {"gauss-2@state-space:own", "slider-crank"},       {"rattle@state-space:own", "geodesic-torus"},
    {"rattle@state-space:own", "slider-crank"},        {"yoshida-4@state-space:own", "geodesic-torus"},
    {"lobatto-3@state-space:own", "geodesic-torus"},   {"radau-2a-2@state-space:own", "geodesic-torus"},
    {"rk-4@state-space:own", "geodesic-torus"},        {"bdf-2@state-space:own", "slider-crank"},
    {"midpoint@state-space:own", "slider-crank"},      {"gauss-2@state-space:own-velocity", "geodesic-torus"},
    {"rk-4@state-space:own-velocity", "slider-crank"},
};
INSTANTIATE_TEST_SUITE_P(All, OwnChart, testing::ValuesIn(combinations),
                         [](const auto& c) { return test_name(std::string(c.param.key) + "__" + c.param.model); });

// Velocities are no canonical momenta: where the metric of the chart is not constant, a step of the same method is not
// symplectic with them, by O(h^(order + 1)). (With the angle of a pendulum it is: they differ by a factor.)
TEST(OwnCharts, CanonicalMomentaMatter) {
  for (const char* model : {"geodesic-torus", "slider-crank"}) {
    const Problem problem(case_of(model));
    const ModelSystem<quad> sys(problem.compiled);
    const ModelSystem<Dual<quad>> dual(problem.compiled);
    const State<quad> x = initial_state(sys).state;
    StateSize<quad> size;
    size.include(x);
    for (int stages = 1; stages <= 2; ++stages) {
      const std::string method = "gauss-" + std::to_string(stages) + "@state-space:";
      const auto defect = [&](const std::string& form, double h) {
        return to_double(symplectic_defect(methods().find(method + form), sys, dual, x, size, quad(h), 1));
      };
      const double h = problem.h / 4, canonical = defect("own", h), velocities = defect("own-velocity", h);
      const double order = std::log2(velocities / defect("own-velocity", h / 2));
      std::printf("%s, %sown: defect %.1e, with velocities %.1e, of order %.2f\n", model, method.c_str(), canonical,
                  velocities, order);
      EXPECT_LE(canonical, 1e-31) << model << ", " << method;
      EXPECT_NEAR(order, 2 * stages + 1, 0.1) << model << ", " << method;
    }
  }
  EXPECT_TRUE(methods().find("gauss-2@state-space:own").info.symplectic);
  EXPECT_FALSE(methods().find("gauss-2@state-space:own-velocity").info.symplectic);
  EXPECT_FALSE(methods().find("rk-4@state-space:own").info.symplectic);
}

// Coordinates of the chart go on from step to step, and are those of a run on the form itself: an angle winds.
TEST(OwnCharts, AnglesWind) {
  const ModelSystem<double> sys(load("slider-crank"));
  const ChartSystem<double> form(sys, *parametrisation_of<double>(sys));
  const auto method = methods().find("gauss-2").make<double>(form);
  const auto run = methods().find("gauss-2@state-space:own").make<double>(sys);
  State<double> x = initial_state(sys).state, y(1, 0);
  ChartSystem<double> entrance(sys, *parametrisation_of<double>(sys));
  ASSERT_TRUE(entrance.enter(x, y).ok());
  const double h = 0.001;
  ASSERT_TRUE(method->begin(y, h).ok() && run->begin(x, h).ok());
  const double start = y.q[0];
  for (int k = 0; k < 2000; ++k) {
    ASSERT_TRUE(method->step(y, h).ok() && run->step(x, h).ok());
    ASSERT_EQ(x.q[0], y.q[0]) << "step " << k;  // the crank angle is a coordinate of the model, too
    if (k == 1000) {
      ASSERT_TRUE(run->begin(x, h).ok() && method->begin(y, h).ok());
    }
  }
  EXPECT_GT(y.q[0] - start, 30);
}
// The same where the position does not tell the turns: a pendulum that goes around.
TEST(OwnCharts, AnglesWindWhereThePositionDoesNotTell) {
  const ModelSystem<double> sys(load("pendulum"));
  const Parametrisation<double>& phi = *parametrisation_of<double>(sys);
  ChartSystem<double> form(sys, phi);
  const auto method = methods().find("gauss-2").make<double>(form);
  const auto run = methods().find("gauss-2@state-space:own").make<double>(sys);
  State<double> x(2, 1), y(1, 0);
  x.q = Vec<double>{1, 0};
  x.p = Vec<double>{0, 3};
  ASSERT_TRUE(form.enter(x, y).ok());
  const double h = 0.05, start = y.q[0];
  ASSERT_TRUE(method->begin(y, h).ok() && run->begin(x, h).ok());
  for (int k = 0; k < 2000; ++k) {
    ASSERT_TRUE(method->step(y, h).ok() && run->step(x, h).ok());
    Vec<double> q(2), rows(2);
    phi.phi(y.q, q, rows);
    ASSERT_TRUE(x.q[0] == q[0] && x.q[1] == q[1]) << "step " << k;
    if (k == 1000) {
      ASSERT_TRUE(run->begin(x, h).ok() && method->begin(y, h).ok());
    }
  }
  EXPECT_GT(y.q[0] - start, 100);
}

// Every scalar: orders and constraints at round-off of each.
template <class S>
void runs_in(const char* model) {
  const ModelSystem<S> sys(load(model));
  const auto start = initial_state(sys);
  const auto method = methods().find("gauss-2@state-space:own").make<S>(sys);
  State<S> x = start.state;
  Manifold<S> manifold(sys);
  ASSERT_TRUE(method->begin(x, *start.step).ok());
  for (int k = 0; k < 5; ++k) {
    ASSERT_TRUE(method->step(x, *start.step).ok());
    EXPECT_LE(manifold.position(x.q).relative, S(100) * epsilon<S>());
    EXPECT_LE(manifold.hidden(x.q, x.p).relative, S(100) * epsilon<S>());
  }
}
TEST(OwnCharts, RunInEveryPrecision) {
  for (const char* model : {"pendulum", "geodesic-torus", "slider-crank"}) {
    runs_in<double>(model);
    runs_in<long double>(model);
    runs_in<quad>(model);
    runs_in<mp100>(model);
  }
}

// What a method or a model lacks is said.
TEST(OwnCharts, SayWhatIsMissing) {
  const auto reason = [](const char* key, const char* model) {
    const ModelSystem<double> sys(load(model));
    try {
      (void)methods().find(key).make<double>(sys);
    } catch (const Unsuitable& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(reason("gauss-2@state-space:own", "kepler-sphere").find("give one in [chart] of the model file"),
            std::string::npos);
  EXPECT_NE(reason("shake@state-space:own", "pendulum").find("does not suit this system"), std::string::npos);
}

}  // namespace
}  // namespace holonom::contract
