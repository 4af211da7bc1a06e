// Leimkuhler and Skeel (1994): the chains of six nodes and of seven atoms, with RATTLE and with backward differences.
// Numbers of an independent program, to the digits that it prints.
#include <gtest/gtest.h>

#include <cmath>

#include "model_run.hpp"
#include "printed.hpp"

namespace holonom::contract {
namespace {

TEST(SpringChain, States) {
  ModelRun run("spring-chain");
  expect_printed(run.x.p,
                 {"-1.1660212140445e-01", "4.3267973381906e-01", "8.3206337678858e-02", "8.6601330904714e-02",
                  "1.6414770227668e-02", "-2.9085057437912e-02", "-1.7547256768187e-02", "2.9738898846934e-02",
                  "-8.6603797300415e-02", "-8.9870537949824e-02", "-1.7886793243347e-01", "6.9935631817031e-02"});
  EXPECT_TRUE(as_printed(run.H(run.x), "6.13500012331979"));
  const State<double> hundred = run.after(0.01, 100);
  expect_printed(hundred.q, {"6.6057293193955e-01", "3.1522469233811e-01", "1.5437224518514", "7.8431628838245e-01"});
  expect_printed(hundred.p, {"1.3804832483717", "1.2763906298152e-01", "1.2593166513078", "3.5575703168675e-01"});
}

// Errors at t = 10, of RATTLE and of BDF2 with its first step by RATTLE.
TEST(SpringChain, ErrorTable) {
  ModelRun rattle("spring-chain"), backward("spring-chain", "bdf-2");
  const State<quad> reference = exact("spring-chain", 10, 200);
  expect_printed(reference.q, {"6.1873968148e-01", "8.6387648330e-01", "1.6092548374", "1.0012799979", "1.4498719592",
                               "1.4063153329e-02", "1.2897348069", "1.0011579271", "2.1975153798", "1.4206033128",
                               "2.8252643919", "2.1990191256"});
  struct Row {
    double h;
    const char *error, *energy, *backward_error, *backward_energy;
  };
  const auto compare = [&](ModelRun& run, double h, const char* error, const char* energy) {
    const State<double> x = run.after(h, std::lround(10 / h));
    EXPECT_TRUE(as_printed(global_error(x, reference), error)) << "h = " << h;
    EXPECT_TRUE(as_printed(std::abs(run.H(x) - run.H(run.x)), energy)) << "h = " << h;
  };
  for (const Row& row : {Row{0.04, "3.2285e-1", "1.5671e-3", "4.2579", "6.0579e-2"},
                         Row{0.02, "8.2682e-2", "3.6842e-4", "9.2173e-1", "9.2693e-3"},
                         Row{0.01, "2.0801e-2", "9.1032e-5", "1.9045e-1", "1.6498e-3"},
                         Row{0.005, "5.2087e-3", "2.2697e-5", "4.4478e-2", "3.2248e-4"}}) {
    compare(rattle, row.h, row.error, row.energy);
    compare(backward, row.h, row.backward_error, row.backward_energy);
  }
}

// Over [0, 100] RATTLE's energy stays in a band, that of BDF2 is lost. (The ends of the band to more digits than these
// depend on rounding errors: the motion is chaotic.)
TEST(SpringChain, EnergyInTheLongRun) {
  ModelRun rattle("spring-chain"), backward("spring-chain", "bdf-2");
  const EnergyDrift energy = rattle.energy(0.01, 10000);
  EXPECT_TRUE(as_printed(energy.lowest, "-1.164e-3", 3));
  EXPECT_LT(energy.highest, 5e-5);
  const double loss = backward.H(backward.after(0.01, 2500)) - backward.H(backward.x);
  EXPECT_TRUE(as_printed(loss, "-2.20e-3"));
}

// From t = 50 on the energies of BDF2 in double depend on rounding errors (at t = 100 they were seen from -1.7e-2 to
// -2.3e-2, -2.030e-2 by the independent program). In quad they are those of the method.
TEST(SpringChain, EnergyOfBackwardDifferencesInQuad) {
  const ModelSystem<quad> sys(load("spring-chain"));
  NumericalMap<quad> map(methods().find("bdf-2"), sys);
  State<quad> x = initial_state(sys).state;
  const quad initial = sys.H(x.q, x.p);
  std::vector<double> loss;
  map(x, quad("0.01"), 10000,
      [&](const State<quad>& y) { loss.push_back(to_double(quad(sys.H(y.q, y.p) - initial))); });
  EXPECT_TRUE(as_printed(loss[2499], "-2.1994e-3"));
  EXPECT_TRUE(as_printed(loss[4999], "-8.9205e-3"));
  EXPECT_TRUE(as_printed(loss[9999], "-1.8397e-2"));
}

TEST(LennardJonesChain, StateAndEnergy) {
  ModelRun run("lj-chain");
  EXPECT_TRUE(as_printed(run.H(run.x), "-1.190671893401"));
  const State<double> one = run.after(0.1, 1);
  expect_printed(one.q, {"-4.9865654288821e-01", "8.8819158071100e-01"});
  expect_printed(one.p, {"1.8974755167705e-03", "2.3468287131961e-01"});
  const EnergyDrift energy = run.energy(0.1, 2000);
  EXPECT_TRUE(as_printed(energy.lowest, "-4.45e-4"));
  EXPECT_TRUE(as_printed(energy.highest, "3.78e-3"));
}

// BDF2 takes the vibration out of the chain of seven atoms: what remains is a rigid rotation.
TEST(LennardJonesChain, BackwardDifferencesDampIt) {
  ModelRun run("lj-chain", "bdf-2");
  const double E0 = run.H(run.x);
  const auto loss = [&](long steps) { return run.H(run.after(0.1, steps)) - E0; };
  EXPECT_TRUE(as_printed(loss(100), "-3.530e-2"));
  EXPECT_TRUE(as_printed(loss(500), "-5.890e-2"));
  EXPECT_TRUE(as_printed(loss(1000), "-6.071e-2"));
  EXPECT_TRUE(as_printed(loss(1500), "-6.105e-2"));
  EXPECT_TRUE(as_printed(loss(2000), "-6.114e-2"));
}

// The standard deviation of the first atom's distance from the centre, over the last 20 of 200 units of time.
double vibration(ModelRun& run) {
  constexpr long steps = 2000, last = 200;
  State<double> x = run.x;
  double n = 0, sum = 0, squares = 0;
  long k = 0;
  run.map(x, 0.1, steps, [&](const State<double>& y) {
    if (++k <= steps - last) return;
    const double r = std::hypot(y.q[0], y.q[1]);
    n += 1;
    sum += r;
    squares += r * r;
  });
  return std::sqrt(squares / n - sum / n * (sum / n));
}

TEST(LennardJonesChain, VibratesInTheEndWithRattleAndNotWithBackwardDifferences) {
  ModelRun rattle("lj-chain"), backward("lj-chain", "bdf-2");
  EXPECT_TRUE(as_printed(rattle.H(rattle.after(0.1, 2000)) - rattle.H(rattle.x), "1.37e-3"));
  EXPECT_TRUE(as_printed(vibration(rattle), "3.3e-2"));
  EXPECT_TRUE(as_printed(vibration(backward), "1.5e-3"));
}

}  // namespace
}  // namespace holonom::contract
