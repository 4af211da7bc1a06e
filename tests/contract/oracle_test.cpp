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

// The second component of the Runge-Lenz-Pauli vector drifts: the ellipse turns, by O(h²).
TEST(Kepler, VerletTurnsTheEllipse) {
  ModelRun run("kepler");
  const auto slope = [&](double h, long steps) {
    Slope line(h);
    Vec<double> invariants(2);
    const auto add = [&](const State<double>& y) {
      run.sys.invariants(y.q, y.p, invariants);
      line.add(invariants[1]);
    };
    State<double> x = run.x;
    add(x);
    run.map(x, h, steps, add);
    return line();
  };
  EXPECT_TRUE(as_printed(slope(0.02, 2500), "-2.4510e-4"));
  EXPECT_TRUE(as_printed(slope(0.01, 5000), "-6.1357e-5"));
}

// The bodies come so close to each other that a step of the length of the paper's example has no real multiplier.
TEST(TwoBodiesOnTheSphere, StepsThatFail) {
  const auto fails_at = [](double h) {
    ModelRun run("two-body-sphere");
    State<double> x = run.x;
    long done = 0;
    try {
      run.map(x, h, 1000, [&](const State<double>&) { ++done; });
    } catch (const StepFailed&) {
      return done + 1;
    }
    return 0L;
  };
  EXPECT_EQ(fails_at(0.07), 56);
  EXPECT_EQ(fails_at(0.035), 222);
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

}  // namespace
}  // namespace holonom::contract
