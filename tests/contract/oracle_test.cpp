// Numbers of independent programs for the problems of the papers, to the digits that they print (eleven
// where they print more).
#include <gtest/gtest.h>

#include <cmath>

#include "holonom/analysis/reference_flow.hpp"
#include "model_run.hpp"
#include "printed.hpp"

namespace holonom::contract {
namespace {

TEST(AsPrinted, TellsAWrongDigit) {
  EXPECT_TRUE(as_printed(0.1234, ".1234"));
  EXPECT_FALSE(as_printed(0.1235, ".1234"));
  EXPECT_TRUE(as_printed(-1.2345678901234e-3, "-1.2345678901299e-03"));
  EXPECT_FALSE(as_printed(-1.2345678901234e-3, "-1.2345678902234e-03"));
  EXPECT_TRUE(as_printed(2.3e-6, "2e-6"));
  EXPECT_FALSE(as_printed(2.7e-6, "2e-6"));
}

// The exact solution, with its multipliers.
State<quad> exact(const char* model, const quad& time, int steps) {
  const GraphSystem<quad> sys(load(model));
  ReferenceFlow<quad> flow(sys);
  State<quad> x = flow(initial_state(sys).state, time, steps);
  EXPECT_TRUE(Manifold<quad>(sys).multipliers(x).ok());
  return x;
}

// Euclidean, over q and p.
double global_error(const State<double>& x, const State<quad>& exact) {
  double sum = 0;
  for (int i = 0; i < x.q.size(); ++i)
    sum += std::pow(x.q[i] - to_double(exact.q[i]), 2) + std::pow(x.p[i] - to_double(exact.p[i]), 2);
  return std::sqrt(sum);
}

// ---- Hairer, Lubich, Wanner 2003

TEST(KeplerOnTheSphere, States) {
  ModelRun run("kepler-sphere");
  expect_printed(run.x.q, {".481521391647851", ".749925134938942", ".453596121425577"});
  expect_printed(run.x.p, {"-1.169497095299723", ".157968897476296", ".980328096067579"});
  EXPECT_TRUE(as_printed(run.H(run.x), "-.7272795407"));
  const State<double> one = run.after(0.07, 1), hundred = run.after(0.07, 100);
  expect_printed(one.q, {"3.9649731337679e-01", "7.5029834391861e-01", "5.2900120566780e-01"});
  expect_printed(one.p, {"-1.2201233575763", "-1.9022721276539e-01", "1.1843126050772"});
  expect_printed(hundred.q, {"8.5634707349688e-01", "3.4810552739111e-01", "3.8143443933799e-01"});
}

TEST(KeplerOnTheSphere, EnergyBand) {
  ModelRun run("kepler-sphere");
  const EnergyDrift wide = run.energy(0.07, 100000), narrow = run.energy(0.035, 100000);
  EXPECT_TRUE(as_printed(wide.lowest, "-.113279"));
  EXPECT_TRUE(as_printed(wide.highest, "2e-6"));
  EXPECT_TRUE(as_printed(narrow.lowest, "-.032648"));
}

TEST(Kepler, VerletStates) {
  ModelRun run("kepler");
  const State<double> fine = run.after(0.02, 100), coarse = run.after(0.05, 100);
  expect_printed(fine.q, {"-1.3410436650014e+00", "5.4380291058217e-01"});
  expect_printed(fine.p, {"-4.6874715422996e-01", "-4.0646993638500e-01"});
  expect_printed(coarse.q, {"-1.0298667342718e+00", "-7.3325567941322e-01"});
  expect_printed(coarse.p, {"7.3110177597901e-01", "-2.5626176839366e-01"});
}

TEST(Kepler, VerletEnergy) {
  ModelRun run("kepler");
  EXPECT_TRUE(as_printed(run.energy(0.02, 2500).highest, "1.485111e-3"));
  EXPECT_TRUE(as_printed(run.energy(0.01, 5000).highest, "3.7068e-4"));
}

TEST(TwoBodiesOnTheSphere, ErrorAtOne) {
  ModelRun run("two-body-sphere");
  EXPECT_TRUE(as_printed(run.H(run.x), "-.945518319748"));
  const State<quad> reference = exact("two-body-sphere", 1, 200);
  const double last_digit = 1.6e-10;  // the last one that is printed is not certain
  const double printed_q[] = {.7194465277, .2665502540, .6413639029, .3583831397, .0934726601, .9288834087};
  const double printed_p[] = {-.7496248086, .7465141734, .5306370090, .4789430414, .3302337456, -.2180176066};
  for (int i = 0; i < 6; ++i) {
    EXPECT_NEAR(to_double(reference.q[i]), printed_q[i], last_digit);
    EXPECT_NEAR(to_double(reference.p[i]), printed_p[i], last_digit);
  }
  EXPECT_TRUE(as_printed(global_error(run.after(0.002, 500), reference), "1.39e-2"));
  EXPECT_TRUE(as_printed(global_error(run.after(0.001, 1000), reference), "3.51e-3"));
}

// The angular velocity in the body, Ω̂ = Qᵀ P D⁻¹.
Vec<double> angular_velocity(const ModelRun& run, const State<double>& x) {
  Vec<double> v(9);
  run.sys.H_p(x.q, x.p, v);  // P D⁻¹
  const auto hat = [&](int i, int j) {
    double sum = 0;
    for (int k = 0; k < 3; ++k) sum += x.q[3 * k + i] * v[3 * k + j];
    return sum;
  };
  return {hat(2, 1), hat(0, 2), hat(1, 0)};
}

double largest_change_of_momentum(ModelRun& run, double h, long steps) {
  const auto count = static_cast<int>(run.sys.labels().invariants.size());
  Vec<double> initial(count), now(count);
  run.sys.invariants(run.x.q, run.x.p, initial);
  double largest = 0;
  State<double> y = run.x;
  run.map(y, h, steps, [&](const State<double>& z) {
    run.sys.invariants(z.q, z.p, now);
    for (int k = 0; k < count; ++k) keep_largest(largest, std::abs(now[k] - initial[k]));
  });
  return largest;
}

TEST(FreeRigidBody, AngularVelocity) {
  ModelRun run("rigid-body-free");
  expect_printed(angular_velocity(run, run.after(0.1, 1)),
                 {"1.0050214693598", "4.8466253124079e-01", "-3.0990465037574e-01"});
  expect_printed(angular_velocity(run, run.after(0.1, 100)),
                 {"1.0046584882037", "-4.8579006074677e-01", "3.0919768231968e-01"});
}

TEST(FreeRigidBody, KeepsEnergyAndMomentumToRoundOff) {
  ModelRun run("rigid-body-free");
  const EnergyDrift energy = run.energy(0.1, 1000);
  EXPECT_LE(std::max(-energy.lowest, energy.highest), 1e-14);
  const double momentum = largest_change_of_momentum(run, 0.1, 1000);
  EXPECT_LE(momentum, 1e-14);
  RecordProperty("energy", std::to_string(1e15 * std::max(-energy.lowest, energy.highest)) + "e-15");
  RecordProperty("momentum", std::to_string(1e15 * momentum) + "e-15");
}

TEST(HeavyRigidBody, AngularVelocityAndEnergy) {
  ModelRun run("rigid-body-heavy");
  expect_printed(angular_velocity(run, run.after(0.1, 100)),
                 {"1.2831368029964", "1.5625005699629", "-4.6431708615219e-02"});
  EXPECT_TRUE(as_printed(run.energy(0.1, 1000).lowest, "-2.3564e-2"));
  EXPECT_TRUE(as_printed(run.energy(0.05, 2000).lowest, "-5.8955e-3"));
  EXPECT_LE(largest_change_of_momentum(run, 0.1, 1000), 1e-14);
}

// ---- Leimkuhler and Skeel 1994

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

TEST(SpringChain, ErrorTable) {
  ModelRun run("spring-chain");
  const State<quad> reference = exact("spring-chain", 10, 200);
  expect_printed(reference.q, {"6.1873968148e-01", "8.6387648330e-01", "1.6092548374", "1.0012799979", "1.4498719592",
                               "1.4063153329e-02", "1.2897348069", "1.0011579271", "2.1975153798", "1.4206033128",
                               "2.8252643919", "2.1990191256"});
  struct Row {
    double h;
    const char *error, *energy;
  };
  for (const Row& row : {Row{0.04, "3.2285e-1", "1.5671e-3"}, Row{0.02, "8.2682e-2", "3.6842e-4"},
                         Row{0.01, "2.0801e-2", "9.1032e-5"}, Row{0.005, "5.2087e-3", "2.2697e-5"}}) {
    const State<double> x = run.after(row.h, std::lround(10 / row.h));
    EXPECT_TRUE(as_printed(global_error(x, reference), row.error)) << "h = " << row.h;
    EXPECT_TRUE(as_printed(std::abs(run.H(x) - run.H(run.x)), row.energy)) << "h = " << row.h;
  }
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

// ---- Jay 1996

TEST(DoublePendulum, EnergyRange) {
  ModelRun run("double-pendulum");
  EXPECT_TRUE(as_printed(run.H(run.x), "-2.598076211353316", 15));
  const EnergyDrift energy = run.energy(0.12, 5000);
  constexpr int digits = 13;
  EXPECT_TRUE(as_printed(energy.initial + energy.lowest, "-2.60499087931719", digits));
  EXPECT_TRUE(as_printed(energy.initial + energy.highest, "-2.59807609985947", digits));
  const EnergyDrift first = run.energy(0.12, 500);
  EXPECT_TRUE(as_printed(first.initial + first.lowest, "-2.60498887"));
  EXPECT_TRUE(as_printed(run.H(run.after(0.12, 5000)), "-2.59821970"));
}

TEST(DoublePendulum, ExactSolution) {
  const State<quad> x = exact("double-pendulum", 5, 200);
  expect_printed(x.q, {"0.29044054395820", "-0.95689304022198", "-0.22354703503284", "-1.81469066707981"}, 0, 14);
  expect_printed(x.p, {"-0.35725597033712", "-0.10843596305493", "0.16839231981372", "-0.42340150224053"}, 0, 14);
  expect_printed(x.lambda, {"1.5782289994728", "0.7176748812076"}, 0, 13);
}

// The Lobatto IIIA-IIIB pair with two stages is RATTLE for any H.
TEST(ChargedParticle, EnergyRange) {
  ModelRun run("charged-particle");
  EXPECT_TRUE(as_printed(run.H(run.x), "0.480833695337456", 15));
  for (const long steps : {500L, 5000L}) {
    const EnergyDrift energy = run.energy(0.12, steps);
    EXPECT_TRUE(as_printed(energy.initial + energy.lowest, "0.48083370"));
    EXPECT_TRUE(as_printed(energy.initial + energy.highest, "0.48520821"));
  }
  EXPECT_TRUE(as_printed(run.H(run.after(0.12, 5000)), "0.48519423"));
}

TEST(Multipliers, AtTheStart) {
  ModelRun particle("charged-particle"), pendulum("double-pendulum");
  ASSERT_TRUE(Manifold<double>(particle.sys).multipliers(particle.x).ok());
  ASSERT_TRUE(Manifold<double>(pendulum.sys).multipliers(pendulum.x).ok());
  EXPECT_TRUE(as_printed(particle.x.lambda[0], "2.8791663"));
  expect_printed(pendulum.x.lambda, {"0.98974332", "0.24743583"});
}

// ---- Reich 1996

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
  const auto largest = [&](double step, long steps) {
    const EnergyDrift energy = run.energy(step, steps);
    return std::max(-energy.lowest, energy.highest);
  };
  const double coarse = largest(h, 100), fine = largest(h / 10, 1000);
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

}  // namespace
}  // namespace holonom::contract
