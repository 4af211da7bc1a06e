// Reich (1996): the pendulum of tables 1 and 2, which the paper prints with two digits and an independent program with
// six.
#include <gtest/gtest.h>

#include <cmath>

#include "model_run.hpp"
#include "printed.hpp"

namespace holonom::contract {
namespace {

TEST(Pendulum, ExactSolution) {
  const State<quad> x = exact("pendulum", 2, 40);
  const auto off = [](const quad& value, const char* printed) {
    return to_double(quad(abs(quad(value - quad(printed)))));
  };
  EXPECT_LE(off(x.q[0], "-0.204193214788280422521"), 1e-21);
  EXPECT_LE(off(x.q[1], "-0.978930605831908382143"), 1e-21);
  EXPECT_LE(off(x.p[0], "-1.369754885003414137283"), 1e-21);
  EXPECT_LE(off(x.p[1], "0.285714484534999514681"), 1e-21);
  EXPECT_LE(off(x.lambda[0], "2.936791817495725146"), 1e-18);
}

// Tables 1 and 2, Yoshida's composition (27): p_y, which the exact solution has back to zero after every period,
// and the largest energy error. The paper prints two digits, an independent program six.
constexpr double period = 7.4162987092054875;

double largest_energy_error(ModelRun& run, double h, long steps) {
  double largest = 0;
  State<double> x = run.x;
  run.map(x, h, steps, [&](const State<double>& y) { keep_largest(largest, std::abs(run.H(y) - run.H(run.x))); });
  return largest;
}

TEST(Pendulum, TablesOfYoshidaComposition) {
  ModelRun run("pendulum", "yoshida-4");
  const double h = 0.04 * period;
  const struct {
    int periods;
    const char *paper, *digits;
  } rows[] = {{1, ".77e-1", "7.74456e-2"}, {2, ".15", "1.54879e-1"}, {4, ".31", "3.09357e-1"}};
  for (const auto& row : rows) {
    const double py = run.after(h, 25 * row.periods).p[1];
    EXPECT_TRUE(as_printed(py, row.paper)) << row.periods << " periods";
    EXPECT_TRUE(as_printed(py, row.digits)) << row.periods << " periods";
  }
  const double coarse = largest_energy_error(run, h, 100), fine = largest_energy_error(run, h / 10, 1000);
  EXPECT_TRUE(as_printed(coarse, ".15e-1"));
  EXPECT_TRUE(as_printed(coarse, "1.49740e-2"));
  EXPECT_TRUE(as_printed(fine, ".86e-6"));
  EXPECT_TRUE(as_printed(fine, "8.59703e-7"));
}

TEST(Pendulum, YoshidaStateAfterAPeriod) {
  const State<double> x = ModelRun("pendulum", "yoshida-4").after(0.04 * period, 25);
  expect_printed(x.q, {"9.999955027664023e-01", "-2.999074352295988e-03"}, 0, 12);
  expect_printed(x.p, {"2.322662541600073e-04", "7.744563232538497e-02"}, 0, 12);
}

// √(q·q) − L and (q·q − L²)/2 vanish on the same circle, and the methods never look elsewhere.
TEST(Pendulum, FormOfTheConstraintDoesNotMatter) {
  for (const char* key : {"rattle", "yoshida-4", "kahan-li-8"}) {
    ModelRun root("pendulum", key), quadratic("pendulum-quadratic", key);
    State<double> x = root.x;
    std::vector<State<double>> states;
    root.map(x, 0.04 * period, 25, [&](const State<double>& y) { states.push_back(y); });
    double off = 0;
    std::size_t k = 0;
    x = quadratic.x;
    quadratic.map(x, 0.04 * period, 25, [&](const State<double>& y) {
      keep_largest(off, largest_difference(y.q, states[k].q));
      keep_largest(off, largest_difference(y.p, states[k].p));
      ++k;
    });
    std::printf("%-12s largest difference of the two forms over a period: %.1e\n", key, off);
    EXPECT_LE(off, 1e-14) << key;
  }
}

TEST(ReichTables, LobattoRows) {
  ModelRun run("pendulum", "lobatto-3");
  const double h = 0.04 * period;
  const State<double> one = run.after(h, 25);
  // Rounding errors of 25 steps are all that two programs differ by: 1.1e-15 were seen.
  constexpr double round_off = 2e-15;
  EXPECT_NEAR(one.q[0], 9.999999999999984e-01, round_off);
  EXPECT_NEAR(one.q[1], -5.766606000200e-08, round_off);
  EXPECT_NEAR(one.p[0], -1.958254641343e-11, round_off);
  EXPECT_NEAR(one.p[1], -3.395853034963e-04, round_off);
  EXPECT_TRUE(as_printed(run.after(h, 50).p[1], "-6.79171e-4"));
  EXPECT_TRUE(as_printed(run.after(h, 100).p[1], "-1.35834e-3"));
  EXPECT_TRUE(as_printed(largest_energy_error(run, h, 100), "4.74607e-5"));
  EXPECT_TRUE(as_printed(largest_energy_error(run, h / 10, 1000), "4.65725e-9", 5));
}

// Table 2 does not say over how many periods: any number of them gives the digits that it prints.
TEST(ReichTables, EnergyErrorsOverManyPeriods) {
  const double h = 0.04 * period;
  ModelRun yoshida("pendulum", "yoshida-4"), lobatto("pendulum", "lobatto-3");
  const struct {
    int periods;
    const char* yoshida;
  } rows[] = {{1, "1.4974e-2"}, {2, "1.4974e-2"}, {4, "1.4974e-2"}, {10, "1.4988e-2"}, {40, "1.4988e-2"}};
  for (const auto& row : rows)
    EXPECT_TRUE(as_printed(largest_energy_error(yoshida, h, 25 * row.periods), row.yoshida))
        << row.periods << " periods";
  EXPECT_TRUE(as_printed(largest_energy_error(lobatto, h, 25), "4.744e-5"));
  EXPECT_TRUE(as_printed(largest_energy_error(lobatto, h, 25 * 40), "4.771e-5"));
}

// The paper says that BDF4 damps the pendulum: with a fixed step it gains energy, which is zero at the start.
TEST(ReichTables, BackwardDifferencesOfOrderFourGainEnergy) {
  ModelRun run("pendulum", "bdf-4");
  const auto energy = [&](double part_of_period, long periods) {
    return run.H(run.after(part_of_period * period, std::lround(static_cast<double>(periods) / part_of_period)));
  };
  EXPECT_TRUE(as_printed(energy(0.01, 1), ".00059"));
  EXPECT_TRUE(as_printed(energy(0.01, 4), ".00234"));
  EXPECT_TRUE(as_printed(energy(0.01, 40), ".0240"));
  EXPECT_TRUE(as_printed(energy(0.02, 1), ".018"));
  EXPECT_TRUE(as_printed(energy(0.02, 20), ".59"));
  EXPECT_TRUE(as_printed(energy(0.04, 1), ".60"));
}

// Tables 1 and 2, the state space form: the Gauss method of two stages on angle'' = -sin(angle). The paper prints
// .26e-4 .52e-4 .10e-3 and .11e-4 .11e-8; its second and third number are twice and four times the rounded first.
TEST(Pendulum, TablesOfTheStateSpaceForm) {
  ModelRun run("pendulum", "gauss-2@state-space:own");
  const double h = 0.04 * period;
  const std::vector<double> py{run.after(h, 25).p[1], run.after(h, 50).p[1], run.after(h, 100).p[1]};
  expect_printed(py, {"2.6327e-5", "5.2654e-5", "1.0531e-4"});
  EXPECT_TRUE(as_printed(py[0], ".26e-4"));
  const double coarse = largest_energy_error(run, h, 100), fine = largest_energy_error(run, h / 10, 1000);
  EXPECT_TRUE(as_printed(coarse, "1.1308e-5"));
  EXPECT_TRUE(as_printed(coarse, ".11e-4"));
  EXPECT_TRUE(as_printed(fine, "1.1117e-9"));
  EXPECT_TRUE(as_printed(fine, ".11e-8"));
}

// Tables 1 and 2, the Gauss method of two stages on H_M with the projection (31). The paper's row (.71e-3, .14e-2,
// .28e-2; .97e-4, .10e-7) is not reproduced: an independent program has these numbers for the true H_M, too.
TEST(Pendulum, TablesOfGaussOnTheFormulation) {
  ModelRun run("pendulum", "gauss-2@h-m+symplectic");
  const double h = 0.04 * period;
  expect_printed(std::vector{run.after(h, 25).p[1], run.after(h, 50).p[1], run.after(h, 100).p[1]},
                 {"1.30538e-3", "2.61076e-3", "5.22151e-3"});
  EXPECT_TRUE(as_printed(largest_energy_error(run, h, 100), "1.56231e-4"));
  EXPECT_TRUE(as_printed(largest_energy_error(run, h / 10, 1000), "1.61289e-8"));
  const State<double> x = run.after(h, 25);
  EXPECT_NEAR(x.q[0], 9.999999999996373e-01, 2e-15);
  EXPECT_NEAR(x.q[1], -8.518003948e-07, 1e-14);
  EXPECT_NEAR(x.p[0], 1.111922041e-09, 1e-16);
  EXPECT_TRUE(as_printed(x.p[1], "1.305378640e-3"));
  // Other extensions off the circle
  EXPECT_TRUE(as_printed(ModelRun("pendulum-quadratic", "gauss-2@h-m+symplectic").after(h, 25).p[1], "1.3074e-3"));
  EXPECT_TRUE(as_printed(ModelRun("pendulum", "gauss-2@dirac+symplectic").after(h, 25).p[1], "1.309e-3"));
}

}  // namespace
}  // namespace holonom::contract
