// --sample: interpolation between steps has order 6, whatever the interval, and stays on the constraints; steps
// themselves pass unchanged.
#include "holonom/run/sampling.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "holonom/analysis/reference_flow.hpp"
#include "holonom/methods/registry.hpp"
#include "holonom/model/start.hpp"
#include "holonom/model/toml.hpp"
#include "holonom/run/driver.hpp"

namespace holonom {
namespace {

// A model, and its exact motion
class Pendulum {
 public:
  explicit Pendulum(const std::string& model = "pendulum")
      : sys(compile(load_model(HOLONOM_MODELS "/" + model + ".toml"))) {}
  ModelSystem<double> sys;
  State<double> start = initial_state(sys).state;

  State<double> exact(double t, double step = 0.2) const {
    ReferenceFlow<double> flow(sys);
    return t == 0 ? start : flow(start, t, static_cast<int>(std::ceil(std::abs(t) / step)));
  }
  Observation<double> nothing() const {
    Observation<double> seen;
    seen.invariants = Vec<double>(static_cast<int>(sys.labels().invariants.size()));
    return seen;
  }
};

struct Keep final : Recorder<double> {
  std::vector<State<double>> states;
  std::vector<Observation<double>> seen;
  void record(const State<double>& x, const Observation<double>& o) override {
    states.push_back(x);
    seen.push_back(o);
  }
};

double distance(const State<double>& a, const State<double>& b) {
  double most = 0;
  for (int i = 0; i < a.q.size(); ++i) most = std::max({most, std::abs(a.q[i] - b.q[i]), std::abs(a.p[i] - b.p[i])});
  return most;
}

// The largest error of samples of the exact solution, known at multiples of h
double sampling_error(const Pendulum& pendulum, double h, double interval, double until = 3.2, Kept onto = {}) {
  const double step = until / 16;  // of the exact flow
  Keep kept;
  Sampler<double> sampler(pendulum.sys, interval, {&kept}, onto);
  const long steps = std::lround(until / h);
  for (long k = 0; k <= steps; ++k) {
    State<double> x = pendulum.exact(static_cast<double>(k) * h, step);
    x.t = static_cast<double>(k) * h;
    sampler.record(x, pendulum.nothing());
  }
  EXPECT_EQ(kept.states.size(), static_cast<std::size_t>(std::floor(until / interval * (1 + 1e-12))) + 1);
  double most = 0;
  for (const State<double>& x : kept.states) most = std::max(most, distance(x, pendulum.exact(x.t, step)));
  return most;
}

// Constant, M(q) and general energies, with and without constraints.
TEST(Sampling, InterpolationHasOrderSix) {
  // `largest`: a step from which on the error is that of its order
  for (const auto& [model, largest] : {std::pair{"pendulum", 0.2},
                                       {"double-pendulum", 0.1},
                                       {"slider-crank", 0.005},
                                       {"charged-particle", 0.2},
                                       {"henon-heiles", 0.2}}) {
    const Pendulum system(model);
    for (const Kept onto : {Kept{true, true}, Kept{false, false}}) {
      double coarser = std::numeric_limits<double>::quiet_NaN();
      for (const double h : {largest, largest / 2, largest / 4}) {
        const double error = sampling_error(system, h, 0.143 * h, 10 * largest, onto);
        std::printf("%s: h = %g, error %.2e, order %.2f%s\n", model, h, error, std::log2(coarser / error),
                    onto.position ? "" : " (not projected)");
        if (!std::isnan(coarser)) {
          EXPECT_NEAR(std::log2(coarser / error), 6.0, 0.5) << model << ", h = " << h;
        }
        coarser = error;
      }
    }
  }
}

TEST(Sampling, TheErrorDoesNotDependOnTheInterval) {
  const Pendulum pendulum;
  const double fine = sampling_error(pendulum, 0.1, 0.013), coarse = sampling_error(pendulum, 0.1, 0.137);
  EXPECT_LT(coarse, 1.05 * fine);
  EXPECT_GT(coarse, 0.3 * fine);
}

// The order test must reject an interpolation without the constraint force.
TEST(Sampling, WithoutTheConstraintForceTheOrderIsLost) {
  const Pendulum pendulum;
  const auto middle_error = [&](double h) {
    const State<double> a = pendulum.exact(1.0), b = pendulum.exact(1.0 + h), m = pendulum.exact(1.0 + h / 2);
    Vec<double> va(2), vb(2), p(2);
    pendulum.sys.H_q(a.q, a.p, va);
    pendulum.sys.H_q(b.q, b.p, vb);
    for (double& x : va) x = -x;
    for (double& x : vb) x = -x;
    StepPolynomial<double> polynomial(2);
    polynomial.ends(h, a.p, va, b.p, vb);
    polynomial(0.5, p);
    return std::hypot(p[0] - m.p[0], p[1] - m.p[1]);
  };
  EXPECT_LT(std::log2(middle_error(0.2) / middle_error(0.1)), 3.0);
}

TEST(Sampling, QuinticsAreExact) {
  const auto f = [](double t) { return 1 + t * (2 + t * (-3 + t * (4 + t * (0.5 - 0.3 * t)))); };
  const auto f_t = [](double t) { return 2 + t * (-6 + t * (12 + t * (2 - 1.5 * t))); };
  const auto cubic = [](double t) { return 1 + t * (2 + t * (-3 + 4 * t)); };
  const auto cubic_t = [](double t) { return 2 + t * (-6 + 12 * t); };
  const double a = 0.5, h = -0.75;
  using V = Vec<double>;
  StepPolynomial<double> polynomial(1);
  V out(1);
  for (const double theta : {0.0, 0.3, 0.8, 1.0}) {
    const V f0{f(a)}, f1{f(a + h)}, c0{cubic(a)}, c1{cubic(a + h)};
    polynomial.ends(h, f0, V{f_t(a)}, f1, V{f_t(a + h)});
    polynomial.inner(V{f_t(a + 0.4 * h)}, V{f_t(a + 0.6 * h)});
    polynomial(theta, out);
    EXPECT_NEAR(out[0], f(a + theta * h), 1e-14);
    polynomial.ends(h, c0, V{cubic_t(a)}, c1, V{cubic_t(a + h)});
    polynomial(theta, out);
    EXPECT_NEAR(out[0], cubic(a + theta * h), 1e-14);
  }
}

// A state between two that are nowhere near the constraint: no projection, no multipliers, and no crash.
TEST(Sampling, WhatCannotBeProjectedIsLeftAsItIs) {
  const Pendulum pendulum;
  Keep kept;
  Sampler<double> sampler(pendulum.sys, 0.5, {&kept});
  State<double> x = pendulum.start;
  sampler.record(x, pendulum.nothing());
  x.q = {-1, 0};  // the chord goes through the origin, where the rod has no direction
  x.t = 1;
  sampler.record(x, pendulum.nothing());
  ASSERT_EQ(kept.states.size(), 3U);
  x.q = {std::numeric_limits<double>::quiet_NaN(), 0};
  x.t = 2;
  sampler.record(x, pendulum.nothing());
  ASSERT_EQ(kept.states.size(), 5U);
  EXPECT_TRUE(std::isnan(kept.states[3].q[0]));
}

// A whole run: h = 0.1, samples at multiples of `interval`, perhaps backwards.
Keep sampled_run(const Pendulum& pendulum, double h, double interval, long steps) {
  Keep kept;
  Sampler<double> sampler(pendulum.sys, interval, {&kept});
  const auto method = methods().find("rattle").make<double>(pendulum.sys);
  RunPlan plan;
  plan.steps = steps;
  (void)run<double>(pendulum.sys, *method, pendulum.start, h, plan, {&sampler});
  return kept;
}

TEST(Sampling, AStepIsPassedOnUnchanged) {
  const Pendulum pendulum;
  Keep every;
  const auto method = methods().find("rattle").make<double>(pendulum.sys);
  RunPlan plan;
  plan.steps = 30;
  (void)run<double>(pendulum.sys, *method, pendulum.start, 0.1, plan, {&every});
  const Keep thirds = sampled_run(pendulum, 0.1, 0.3, 30), halves = sampled_run(pendulum, 0.1, 0.05, 30);
  ASSERT_EQ(thirds.states.size(), 11U);
  for (std::size_t j = 0; j <= 10; ++j) {
    EXPECT_EQ(thirds.states[j].t, every.states[3 * j].t);
    EXPECT_EQ(distance(thirds.states[j], every.states[3 * j]), 0);
    EXPECT_EQ(thirds.states[j].lambda[0], every.states[3 * j].lambda[0]);
    EXPECT_EQ(thirds.seen[j].energy, every.seen[3 * j].energy);
  }
  ASSERT_EQ(halves.states.size(), 61U);
  for (std::size_t k = 0; k <= 30; ++k) EXPECT_EQ(distance(halves.states[2 * k], every.states[k]), 0);
  // Between steps the state is on the constraints as well.
  for (const Observation<double>& seen : halves.seen) {
    EXPECT_LT(seen.position.absolute, 1e-15);
    EXPECT_LT(seen.hidden.absolute, 1e-15);
  }
  EXPECT_NEAR(halves.seen[31].energy, (every.seen[15].energy + every.seen[16].energy) / 2, 1e-4);
}

TEST(Sampling, BackwardsInTime) {
  const Pendulum pendulum;
  const Keep kept = sampled_run(pendulum, -0.1, 0.25, 10);
  ASSERT_EQ(kept.states.size(), 5U);
  for (std::size_t j = 0; j < 5; ++j) {
    EXPECT_DOUBLE_EQ(kept.states[j].t, -0.25 * static_cast<double>(j));
    EXPECT_LT(distance(kept.states[j], pendulum.exact(kept.states[j].t)), 1e-2);
  }
}

TEST(Sampling, AContinuedRunKeepsTheGrid) {
  const Pendulum pendulum;
  Keep kept;
  Sampler<double> sampler(pendulum.sys, 0.25, {&kept});
  sampler.count_from(0);
  for (long k = 7; k <= 20; ++k) {
    State<double> x = pendulum.exact(0.1 * static_cast<double>(k));
    x.t = 0.1 * static_cast<double>(k);
    sampler.record(x, pendulum.nothing());
  }
  ASSERT_EQ(kept.states.size(), 6U);  // 0.75, 1, ..., 2
  EXPECT_DOUBLE_EQ(kept.states.front().t, 0.75);
  EXPECT_DOUBLE_EQ(kept.states.back().t, 2.0);
}

TEST(Sampling, RefusesAnIntervalThatIsNotPositive) {
  const Pendulum pendulum;
  for (const double bad :
       {0.0, -1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(Sampler<double>(pendulum.sys, bad, {}), InputError) << bad;
}

}  // namespace
}  // namespace holonom
