// Jay (1996), section 5: the numbers of independent programs, and the orders that the theorems promise.
#include <gtest/gtest.h>

#include <cmath>

#include "holonom/analysis/reference_flow.hpp"
#include "model_run.hpp"
#include "printed.hpp"

namespace holonom::contract {
namespace {

constexpr const char* example_1 = "charged-particle";
constexpr const char* example_2 = "double-pendulum";
constexpr double h = 0.12;

// Λ_s where the method has it, the exact λ(q, p) otherwise.
Vec<double> multipliers_after(const char* model, const char* key, long steps, bool of_stage) {
  const ModelSystem<double> sys = system_under_test(model);
  const auto method = method_under_test(key, sys);
  State<double> x = initial_state(sys).state;
  EXPECT_TRUE(method->begin(x, h).ok());
  for (long k = 0; k < steps; ++k) EXPECT_TRUE(method->step(x, h).ok());
  if (of_stage) return *method->stage_multipliers();
  EXPECT_TRUE(Manifold<double>(sys).multipliers(x).ok());
  return x.lambda;
}

TEST(JayExample1, States) {
  ModelRun run(example_1, "lobatto-3");
  EXPECT_TRUE(as_printed(run.H(run.x), "0.480833695337456"));
  const State<double> one = run.after(h, 1), hundred = run.after(h, 100);
  expect_printed(one.q, {"3.20146088392148e-01", "3.75123537141011e-02", "9.46625219084108e-01"});
  expect_printed(one.p, {"7.47229050732971e-01", "-1.16187482224623e+00", "-2.06668694724630e-01"});
  expect_printed(hundred.q, {"-6.82183118895272e-01", "-5.17623387339364e-01", "5.16422521946557e-01"});
  expect_printed(hundred.p, {"-4.85151263791947e-01", "2.18232253687436e-01", "-4.22134733914140e-01"});
  expect_printed(multipliers_after(example_1, "lobatto-3", 1, false), {"2.793740830698"});
  expect_printed(multipliers_after(example_1, "lobatto-3", 100, false), {"0.2443095420054"});
  const State<double> radau = ModelRun(example_1, "radau-2a-2").after(h, 1);
  expect_printed(radau.q, {"3.20052213624418e-01", "3.74846000096503e-02", "9.46658061454201e-01"});
  expect_printed(radau.p, {"7.46603621777095e-01", "-1.16167522007514e+00", "-2.08168820639200e-01"});
  expect_printed(multipliers_after(example_1, "radau-2a-2", 1, true), {"2.880863529866"});
}

TEST(JayExample2, States) {
  ModelRun run(example_2, "lobatto-3");
  const State<double> one = run.after(h, 1), hundred = run.after(h, 100);
  expect_printed(one.q,
                 {"4.95531980822454e-01", "-8.68589693688668e-01", "8.98266230434582e-04", "-1.73769123458530e+00"});
  expect_printed(one.p,
                 {"-7.47033201972592e-02", "-4.26183783900968e-02", "1.50959880057806e-02", "-9.37260606275928e-02"});
  expect_printed(hundred.q,
                 {"-1.62965540699030e-01", "-9.86631761370306e-01", "-1.39813433648987e-01", "-1.98636371541556e+00"});
  expect_printed(hundred.p,
                 {"7.82959604956043e-01", "-1.29324273110716e-01", "-3.10122200446199e-01", "-1.54638205380987e-01"});
  expect_printed(multipliers_after(example_2, "lobatto-3", 1, false), {"1.009940253850", "0.2627645640922"});
  const State<double> radau = ModelRun(example_2, "radau-2a-2").after(h, 1);
  expect_printed(radau.q,
                 {"4.95530805818719e-01", "-8.68590364029357e-01", "8.98229890257e-04", "-1.73769255297515e+00"});
  expect_printed(radau.p,
                 {"-7.44737551036614e-02", "-4.26851888478270e-02", "1.50005122393136e-02", "-9.38930417262905e-02"});
  expect_printed(multipliers_after(example_2, "radau-2a-2", 1, true), {"0.9979997914925", "0.2542384519132"});
  const State<double> gauss = ModelRun(example_2, "gauss-2+jay").after(h, 1);
  expect_printed(gauss.q,
                 {"4.95532003903501e-01", "-8.68589680520890e-01", "8.98254603328e-04", "-1.73769120166399e+00"});
  expect_printed(gauss.p,
                 {"-7.47029195491287e-02", "-4.26181524507894e-02", "1.50957826339986e-02", "-9.37254945305835e-02"});
}

// The numerical Hamiltonian over 5000 steps: its range over the first 500 and over all, its last value, and the slope
// of the line of least squares.
struct Hamiltonian {
  double lowest_500, highest_500, lowest, highest, last, slope;
};
Hamiltonian hamiltonian(const char* model, const char* key) {
  ModelRun run(model, key);
  const double H0 = run.H(run.x);
  Hamiltonian r{H0, H0, H0, H0, H0, 0};
  Slope slope(h);
  slope.add(0);
  State<double> x = run.x;
  long k = 0;
  run.map(x, h, 5000, [&](const State<double>& z) {
    const double H = run.H(z);
    r.lowest = std::min(r.lowest, H);
    r.highest = std::max(r.highest, H);
    if (++k <= 500) {
      r.lowest_500 = r.lowest;
      r.highest_500 = r.highest;
    }
    r.last = H;
    slope.add(H - H0);
  });
  r.slope = slope();
  return r;
}
void expect_hamiltonian(const char* model, const char* key, const char* low_500, const char* high_500, const char* low,
                        const char* high, const char* last) {
  const Hamiltonian r = hamiltonian(model, key);
  EXPECT_TRUE(as_printed(r.lowest_500, low_500)) << key;
  EXPECT_TRUE(as_printed(r.highest_500, high_500)) << key;
  EXPECT_TRUE(as_printed(r.lowest, low)) << key;
  EXPECT_TRUE(as_printed(r.highest, high)) << key;
  EXPECT_TRUE(as_printed(r.last, last)) << key;
}
double drift(const char* model, const char* key) { return hamiltonian(model, key).slope; }

TEST(JayExample1, HamiltonianOver5000Steps) {
  const char* H0 = "0.48083370";
  expect_hamiltonian(example_1, "lobatto-3", "0.48082876", H0, "0.48082876", H0, "0.48082884");
  expect_hamiltonian(example_1, "lobatto-2", H0, "0.48520821", H0, "0.48520821", "0.48519423");
  expect_hamiltonian(example_1, "radau-2a-2", "0.33803365", H0, "-0.41482381", H0, "-0.41482381");
  expect_hamiltonian(example_1, "radau-2a-2+jay", "0.33507331", H0, "-0.42874292", H0, "-0.42874292");
  EXPECT_LE(std::abs(drift(example_1, "lobatto-3")), 1e-11);
  EXPECT_TRUE(as_printed(drift(example_1, "radau-2a-2"), "-1.456e-3"));
  EXPECT_TRUE(as_printed(drift(example_1, "radau-2a-2+jay"), "-1.478e-3"));
}

TEST(JayExample2, HamiltonianOver5000Steps) {
  const char* H0 = "-2.59807621";
  expect_hamiltonian(example_2, "lobatto-3", "-2.59808347", "-2.59806660", "-2.59808349", "-2.59806660", "-2.59807628");
  expect_hamiltonian(example_2, "lobatto-2", "-2.60498887", H0, "-2.60499088", "-2.59807610", "-2.59821970");
  expect_hamiltonian(example_2, "gauss-2+jay", "-2.60908777", H0, "-2.68362967", H0, "-2.68306784");
  expect_hamiltonian(example_2, "radau-2a-2", "-2.61934150", H0, "-2.75218960", H0, "-2.75218960");
  expect_hamiltonian(example_2, "radau-2a-2+jay", "-2.63321324", H0, "-2.80948778", H0, "-2.80948778");
  EXPECT_LE(std::abs(drift(example_2, "lobatto-3")), 1e-11);
  EXPECT_TRUE(as_printed(drift(example_2, "gauss-2+jay"), "-1.41e-4"));
  EXPECT_TRUE(as_printed(drift(example_2, "radau-2a-2"), "-2.53e-4"));
  EXPECT_TRUE(as_printed(drift(example_2, "radau-2a-2+jay"), "-3.41e-4"));
}

// The unprojected Gauss method diverges: the step that fails is reported, or the multipliers have grown without bound.
TEST(JayExample2, UnprojectedGaussDiverges) {
  const ModelSystem<double> sys = system_under_test(example_2);
  const auto method = method_under_test("gauss-2", sys);
  State<double> x = initial_state(sys).state;
  ASSERT_TRUE(method->begin(x, h).ok());
  double multiplier = 0;
  Status status;
  for (int k = 0; k < 100 && status.ok(); ++k) {
    const State<double> last = x;
    status = method->step(x, h);
    if (!status.ok()) {
      EXPECT_EQ(largest_difference(x.q, last.q), 0);  // the last good state is kept
      break;
    }
    if (k < 10) multiplier = std::max(multiplier, std::abs((*method->stage_multipliers())[0]));
  }
  EXPECT_FALSE(status.ok());
  EXPECT_GT(multiplier, 10);  // from 0.99
}

// ---- orders

// Errors of q, p and λ at t = 5, Euclidean.
struct Errors {
  double q, p, lambda;
};
class Example2Orders : public testing::Test {
 protected:
  Example2Orders() : sys(system_under_test(example_2)), exact(initial_state(sys).state) {
    const ModelSystem<quad> wide(load(example_2));
    ReferenceFlow<quad> flow(wide);
    State<quad> y = flow(initial_state(wide).state, quad(5), 200);
    EXPECT_TRUE(Manifold<quad>(wide).multipliers(y).ok());
    for (int i = 0; i < 4; ++i) exact.q[i] = to_double(y.q[i]), exact.p[i] = to_double(y.p[i]);
    for (int k = 0; k < 2; ++k) exact.lambda[k] = to_double(y.lambda[k]);
  }
  Errors errors(const char* key, long steps, bool of_stage = false) {
    const auto method = method_under_test(key, sys);
    State<double> x = initial_state(sys).state;
    const double step = 5.0 / static_cast<double>(steps);
    EXPECT_TRUE(method->begin(x, step).ok());
    for (long k = 0; k < steps; ++k) EXPECT_TRUE(method->step(x, step).ok());
    if (of_stage)
      x.lambda = *method->stage_multipliers();
    else
      EXPECT_TRUE(Manifold<double>(sys).multipliers(x).ok());
    const auto norm = [](const Vec<double>& a, const Vec<double>& b) {
      double sum = 0;
      for (int i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
      return std::sqrt(sum);
    };
    return {norm(x.q, exact.q), norm(x.p, exact.p), norm(x.lambda, exact.lambda)};
  }
  void expect_orders(const char* key, long steps, bool of_stage, double q, double p, double lambda) {
    const Errors coarse = errors(key, steps / 2, of_stage), fine = errors(key, steps, of_stage);
    EXPECT_NEAR(std::log2(coarse.q / fine.q), q, 0.02) << key;
    EXPECT_NEAR(std::log2(coarse.p / fine.p), p, 0.02) << key;
    EXPECT_NEAR(std::log2(coarse.lambda / fine.lambda), lambda, 0.02) << key;
  }

  ModelSystem<double> sys;
  State<double> exact;
};

TEST_F(Example2Orders, ExactSolution) {
  expect_printed(exact.q, {"0.29044054395820", "-0.95689304022198", "-0.22354703503284", "-1.81469066707981"});
  expect_printed(exact.p, {"-0.35725597033712", "-0.10843596305493", "0.16839231981372", "-0.42340150224053"});
  expect_printed(exact.lambda, {"1.5782289994728", "0.7176748812076"});
}

TEST_F(Example2Orders, FinestPairs) {
  expect_orders("lobatto-2", 1600, false, 2, 2, 2);
  expect_orders("lobatto-3", 400, false, 4, 4, 4);
  expect_orders("lobatto-4", 200, false, 6, 6, 6);
  expect_orders("radau-2a-2", 1600, true, 3.00, 1.98, 0.99);
  expect_orders("radau-2a-2+jay", 1600, false, 3, 3, 3);
  expect_orders("gauss-2+jay", 1600, false, 1.94, 1.98, 1.96);
}

TEST_F(Example2Orders, ErrorsAtATenth) {
  const auto expect = [&](const char* key, bool of_stage, const char* q, const char* p, const char* lambda) {
    const Errors e = errors(key, 50, of_stage);
    EXPECT_TRUE(as_printed(e.q, q)) << key << " q";
    EXPECT_TRUE(as_printed(e.p, p)) << key << " p";
    EXPECT_TRUE(as_printed(e.lambda, lambda)) << key << " lambda";
  };
  expect("lobatto-3", false, "8.5355e-6", "1.3049e-5", "4.8404e-5");
  expect("lobatto-4", false, "1.9953e-8", "3.1816e-8", "1.1531e-7");
  expect("radau-2a-2", true, "1.3552e-3", "1.4960e-3", "1.4588e-1");
  expect("radau-2a-2+jay", false, "2.4706e-3", "1.9624e-3", "1.0484e-2");
  expect("gauss-2+jay", false, "1.5860e-4", "6.9226e-4", "5.7968e-4");
}

// The pendulum of Reich's paper at t = 2, in a hundred digits: order 2s − 2 in q, p and λ by (3.3e).
class HundredDigits : public testing::TestWithParam<int> {
 protected:
  HundredDigits() : sys(load("pendulum")), start(initial_state(sys).state), exact(solution()) {}
  static const State<mp100>& solution() {
    static const State<mp100> x = [] {
      const ModelSystem<mp100> pendulum(load("pendulum"));
      const State<mp100> begin = initial_state(pendulum).state;
      ReferenceFlow<mp100> flow(pendulum, reference_columns<mp100>());
      State<mp100> end = flow(begin, mp100(2), 64);
      // Errors of the methods below are 8e-39 at least.
      EXPECT_LT(to_double(largest_difference(end.q, flow(begin, mp100(2), 32).q)), 1e-42);
      EXPECT_TRUE(Manifold<mp100>(pendulum).multipliers(end).ok());
      return end;
    }();
    return x;
  }
  static double norm(const Vec<mp100>& a, const Vec<mp100>& b) {
    mp100 sum(0);
    for (int i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return to_double(mp100(sqrt(sum)));
  }
  struct Error {
    double q, p, lambda, stage;
  };
  Error error(int s, long steps) {
    const auto method = methods().find("lobatto-" + std::to_string(s)).make<mp100>(sys);
    State<mp100> x = start;
    const mp100 step = mp100(2) / mp100(steps);
    EXPECT_TRUE(method->begin(x, step).ok());
    for (long k = 0; k < steps; ++k) EXPECT_TRUE(method->step(x, step).ok());
    const double stage = norm(*method->stage_multipliers(), exact.lambda);
    EXPECT_TRUE(Manifold<mp100>(sys).multipliers(x).ok());
    return {norm(x.q, exact.q), norm(x.p, exact.p), norm(x.lambda, exact.lambda), stage};
  }

  ModelSystem<mp100> sys;
  State<mp100> start;
  const State<mp100>& exact;
};

TEST_P(HundredDigits, OrderIsTwiceTheStagesLessTwo) {
  const int s = GetParam();
  const Error coarse = error(s, 16), fine = error(s, 32);
  const auto order = [](double a, double b) { return std::log2(a / b); };
  EXPECT_NEAR(order(coarse.q, fine.q), 2 * s - 2, 0.02);
  EXPECT_NEAR(order(coarse.p, fine.p), 2 * s - 2, 0.02);
  EXPECT_NEAR(order(coarse.lambda, fine.lambda), 2 * s - 2, 0.02);
  constexpr const char* printed[] = {"1.699e-3",  "2.467e-7",  "4.121e-11", "5.162e-15", "6.846e-19",
                                     "7.319e-23", "8.377e-27", "8.285e-31", "8.612e-35", "8.105e-39"};
  EXPECT_TRUE(as_printed(fine.q, printed[s - 2]));
  RecordProperty("order_q", std::to_string(order(coarse.q, fine.q)));
  // λ = Λ_s, which costs nothing, has order s − 1 only, and this settles late if s is even: see LastStage.
  constexpr const char* of_stage[] = {"1.04", "2.01", "2.75", "4.04", "", "6.08", "", "8.13", "", "10.2"};
  const double stage = order(coarse.stage, fine.stage);
  if (*of_stage[s - 2]) {
    EXPECT_TRUE(as_printed(stage, of_stage[s - 2]));
  }
}

// The limit of that order.
class LastStage : public HundredDigits {};

TEST_P(LastStage, MultipliersAreOfLowOrder) {
  const int s = GetParam();
  EXPECT_NEAR(std::log2(error(s, 128).stage / error(s, 256).stage), s - 1, 0.06);
}

INSTANTIATE_TEST_SUITE_P(Stages, HundredDigits, testing::Range(2, 12));
INSTANTIATE_TEST_SUITE_P(Stages, LastStage, testing::Range(2, 12));

}  // namespace
}  // namespace holonom::contract
