// Stiff and split potentials: what the methods made for them can do beyond RATTLE, on the models with parts.
#include <gtest/gtest.h>

#include "holonom/analysis/conservation.hpp"
#include "holonom/analysis/reference_flow.hpp"
#include "holonom/model/toml.hpp"
#include "model_run.hpp"

namespace holonom::contract {
namespace {

class Stiff : public testing::TestWithParam<const char*> {};

constexpr double limit = 0.0012;  // RATTLE's, on the stiff chain: 2 over the largest frequency, 1.7/eps

TEST(StiffChain, LimitsTheStepOfRattle) {
  const ModelSystem<double> sys = system_under_test("stiff-pendulum-chain");
  const State<double> x = initial_state(sys).state;
  NumericalMap<double> map(methods().find("rattle"), sys);
  const EnergyDrift below = energy_drift(map, sys, x, limit, 20000);
  EXPECT_LE(below.band(), 1e-6);
  const auto above = [&] { return energy_drift(map, sys, x, 1.05 * limit, 20000).band(); };
  EXPECT_THROW((void)above(), StepFailed);
}

// Twenty times beyond, from a start on the slow motion: the energy stays in a band for 10⁵ steps.
TEST_P(Stiff, RunsFarBeyondTheLimit) {
  const ModelSystem<double> sys = system_under_test("stiff-pendulum-chain");
  NumericalMap<double> map(methods().find(GetParam()), sys);
  const EnergyDrift energy = energy_drift(map, sys, initial_state(sys).state, 20 * limit, 100000);
  EXPECT_LE(energy.band(), 2e-3);
  EXPECT_LE(std::abs(energy.trend.change), 0.05 * energy.band());
  RecordProperty("band", std::to_string(energy.band()));
  RecordProperty("drift", std::to_string(energy.trend.change));
}

INSTANTIATE_TEST_SUITE_P(On, Stiff, testing::Values("midpoint", "verlet-midpoint"), [](const auto& key) {
  return std::string(key.param[0] == 'm' ? "Midpoint" : "VerletMidpoint");
});

// The equations of a step are linear here, and have one root whatever the step. Some steps start where positions are
// rounding errors of the next ones.
TEST(Midpoint, TakesStepsOfALinearSystemThroughTheOrigin) {
  Model model("springs on a line");
  const Expr x = model.coordinate("x"), y = model.coordinate("y");
  model.set_mass({1, 1}).set_potential((x * x + 3 * y * y) / 4);
  model.add_constraint("line", x - y).start_at({1, 1}, {0.3, 0.3});
  const ModelSystem<double> sys(compile(model));
  for (const double h : {1.7, 1.8, 1.999, 2.01, 4.0, 6.0}) {
    NumericalMap<double> map(methods().find("midpoint"), sys);
    EnergyDrift energy;
    ASSERT_NO_THROW(energy = energy_drift(map, sys, initial_state(sys).state, h, 20000)) << h;
    EXPECT_LE(energy.band(), 1e-11) << h;
  }
}

struct Cost {
  double error;
  std::uint64_t slow;  // gradients of V_slow, or of all of V
};

Cost cost(const char* key, const ModelSystem<double>& sys, const State<double>& exact, double time, long steps) {
  State<double> x = initial_state(sys).state;
  const auto method = methods().find(key).make<double>(sys);
  const double h = time / static_cast<double>(steps);
  EXPECT_TRUE(method->begin(x, h).ok());
  for (long k = 0; k < steps; ++k) EXPECT_TRUE(method->step(x, h).ok());
  const Counters& c = method->counters();
  return {largest_difference(x.q, exact.q), c.force_slow > 0 ? c.force_slow : c.force};
}

// A spring that rings: RATTLE has to resolve it with all forces, `respa` with the fast ones only.
TEST(MultipleTimeSteps, SaveSlowForcesAtEqualError) {
  const ModelSystem<double> sys(compile(load_model(std::string(HOLONOM_MODELS) + "/elastic-double-pendulum.toml",
                                                   {{"eps", "0.02"}, {"stretch", "0.02"}})));
  constexpr double time = 20;
  ReferenceFlow<double> flow(sys);
  const State<double> exact = flow(initial_state(sys).state, time, 4000);
  const Cost rattle = cost("rattle", sys, exact, time, 16000), respa = cost("respa-8", sys, exact, time, 2000);
  EXPECT_LE(respa.error, rattle.error);
  EXPECT_GE(rattle.slow, 7 * respa.slow);
  RecordProperty("rattle", std::to_string(rattle.error) + " with " + std::to_string(rattle.slow));
  RecordProperty("respa-8", std::to_string(respa.error) + " with " + std::to_string(respa.slow));
}

}  // namespace
}  // namespace holonom::contract
