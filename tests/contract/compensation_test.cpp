// Compensated summation: what is left of the rounding errors of a run at small steps.
#include <gtest/gtest.h>

#include "round_off.hpp"

namespace holonom::contract {
namespace {

struct Gain {
  RoundOff plain, compensated;
};
Gain measure(const char* name, const RoundOffProblem& problem, const char* key, double h, long steps) {
  const auto reference = quad_run(problem, key, h, steps);
  const Gain gain{round_off(problem, key, false, h, steps, reference),
                  round_off(problem, key, true, h, steps, reference)};
  std::printf("%-20s %-15s h %g, %6ld steps   q %.1e -> %.1e   p %.1e -> %.1e   H %.1e -> %.1e\n", name, key, h, steps,
              gain.plain.position, gain.compensated.position, gain.plain.momentum, gain.compensated.momentum,
              gain.plain.energy, gain.compensated.energy);
  return gain;
}

// Rounding errors of q and p are ε a step without compensation, h ε with it.
TEST(Compensation, TakesTwoDigitsFromTheRoundingErrorsOfRattle) {
  for (const auto& [name, problem] :
       {std::pair{"kepler-sphere", kepler_on_the_sphere()}, std::pair{"spherical-pendulum", spherical_pendulum()}}) {
    const Gain gain = measure(name, problem, "rattle", 1e-3, 50000);
    // or all that the last state, which is rounded, can show
    constexpr double last_digit = 2 * std::numeric_limits<double>::epsilon();
    EXPECT_LE(gain.compensated.position, std::max(gain.plain.position / 100, last_digit)) << name;
    EXPECT_LE(gain.compensated.momentum, std::max(gain.plain.momentum / 100, last_digit)) << name;
    EXPECT_LE(gain.compensated.energy, std::max(gain.plain.energy / 30, 3 * last_digit)) << name;
  }
}

class CompensationOf : public testing::TestWithParam<const char*> {};

// Within a few ε of the exact result of the method for as long as the run lasts, whatever plain sums do.
TEST_P(CompensationOf, LeavesAFewUnitsOfTheLastDigit) {
  const std::string key = GetParam();
  const bool shake = key.starts_with("shake");  // its p has rounding errors ε/h along Gᵀ, which do not grow
  const long steps = key == "kahan-li-8" ? 2000 : key == "yoshida-4" || key == "rkf-78" ? 5000 : 20000;
  constexpr double h = 1e-3, few = 1e-14;
  std::vector<std::pair<const char*, RoundOffProblem>> problems{{"double-pendulum", double_pendulum()},
                                                                {"kepler-sphere", kepler_on_the_sphere()},
                                                                {"spherical-pendulum", spherical_pendulum()}};
  if (!shake) problems.emplace_back("charged-particle", charged_particle());
  for (const auto& [name, problem] : problems) {
    const auto [plain, compensated] = measure(name, problem, GetParam(), h, steps);
    EXPECT_LE(compensated.position, few) << name;
    EXPECT_LE(compensated.energy, few / 2) << name;
    if (!shake) {
      EXPECT_LE(compensated.momentum, few) << name;
    }
    EXPECT_LE(compensated.position, 2 * plain.position + 1e-15) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, CompensationOf,
                         testing::Values("rattle", "yoshida-4", "kahan-li-8", "midpoint", "shake-leapfrog", "rkf-78",
                                         "variational-trapezoidal", "variational-midpoint"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace holonom::contract
