// What a certificate ends with: each number of the advice against something that is known without it.
#include "holonom/analysis/advice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "holonom/adapt.hpp"
#include "holonom/analysis/certificate.hpp"
#include "holonom/analysis/frequencies.hpp"
#include "holonom/analysis/horizon.hpp"
#include "holonom/analysis/lyapunov.hpp"
#include "model_run.hpp"
#include "problem.hpp"

namespace holonom::contract {
namespace {

const double pi = std::acos(-1.0);

// A model of models/, or from text, and its start
struct On {
  explicit On(const char* model) : On(load(model)) {}
  explicit On(std::shared_ptr<const CompiledModel> made)
      : compiled(std::move(made)), sys(compiled), dual(compiled), start(initial_state(sys).state) {}

  std::shared_ptr<const CompiledModel> compiled;
  ModelSystem<double> sys;
  ModelSystem<Dual<double>> dual;
  State<double> start;
};

std::shared_ptr<const CompiledModel> from_text(const std::string& text) {
  return compile(parse_model("format = 1\nname = \"test\"\n" + text, "test.toml"));
}

const Advice* find(const std::vector<Advice>& advice, const std::string& topic) {
  const auto found = std::find_if(advice.begin(), advice.end(), [&](const Advice& a) { return a.topic == topic; });
  return found == advice.end() ? nullptr : &*found;
}
double number(const Advice& advice, const std::string& name) {
  for (const auto& [key, value] : advice.numbers)
    if (key == name) return value;
  return std::nan("");
}

// ---- Lyapunov exponents

// Those of a symplectic map come in pairs ±λ, and those along the flow and across energies are 0.
TEST(Lyapunov, ExponentsComeInPairs) {
  // Henon-Heiles at the energy 1/6, where almost all is chaotic
  const On on("henon-heiles");
  State<double> x = on.start;
  x.q[0] = 0, x.q[1] = -0.25;
  x.p[1] = 0.1;
  x.p[0] = std::sqrt(2 * (1.0 / 6 - (x.q[1] * x.q[1] / 2 - x.q[1] * x.q[1] * x.q[1] / 3)) - x.p[1] * x.p[1]);
  const MethodEntry rattle = methods().find("rattle");
  const Lyapunov found = lyapunov_exponents<double>(rattle, on.sys, on.dual, x, {1, 1}, 0.05, 400000, 4);
  ASSERT_EQ(found.exponents.size(), 4U);
  EXPECT_TRUE(found.is_chaotic());
  EXPECT_NEAR(found.exponents[0], 0.13, 0.015);
  EXPECT_NEAR(found.exponents[0] + found.exponents[3], 0, 1e-3);
  EXPECT_NEAR(found.exponents[1] + found.exponents[2], 0, 1e-3);
  EXPECT_LT(std::abs(found.exponents[1]), 0.01);
}

TEST(Lyapunov, RegularMotionsHaveNone) {
  const MethodEntry rattle = methods().find("rattle");
  for (const char* model : {"pendulum", "kepler", "toda", "spherical-pendulum", "rigid-body-free"}) {
    const On on(model);
    const Problem problem(case_of(model));
    const Lyapunov found =
        lyapunov_exponents<double>(rattle, on.sys, on.dual, on.start, problem.size, problem.h, 5000, 1);
    EXPECT_FALSE(found.is_chaotic()) << model << ": " << found.largest() << ", power "
                                     << found.power(found.times.back());
  }
}

// ---- The horizon

// Two chaotic motions: of a double pendulum that falls from its highest position with rods stretched out, and of Henon
// and Heiles at the energy 1/6
constexpr const char* falling = R"(
[coordinates]
names = ["x1", "z1", "x2", "z2"]
[energy]
mass = [1, 1, 1, 1]
potential = "z1 + z2"
[constraints]
rod1 = "x1^2 + z1^2 - 1"
rod2 = "(x2 - x1)^2 + (z2 - z1)^2 - 1"
[initial]
q = { x1 = 1, z1 = 0, x2 = 2, z2 = 0 }
p = { x1 = 0, z1 = 0, x2 = 0, z2 = 0 }
)";
constexpr const char* escaping = R"toml(
[coordinates]
names = ["x", "y"]
[energy]
mass = [1, 1]
potential = "x^2/2 + y^2/2 + x^2*y - y^3/3"
[initial]
q = { x = 0, y = "-0.25" }
p = { x = "sqrt(1/3 - 0.0625 - 1/96 - 0.01)", y = "0.1" }
)toml";

// Positions in quad, by a composition of order 8, every `apart`
std::vector<Vec<quad>> exact_positions(const std::shared_ptr<const CompiledModel>& compiled, double apart, long count) {
  const ModelSystem<quad> sys(compiled);
  State<quad> x = initial_state(sys).state;
  NumericalMap<quad> map(methods().find("kahan-li-8"), sys);
  constexpr long parts = 4;
  std::vector<Vec<quad>> found{x.q};
  long done = 0;
  map(x, quad(apart) / parts, parts * count, [&](const State<quad>& y) {
    if (++done % parts == 0) found.push_back(y.q);
  });
  return found;
}

TEST(HorizonOfChaos, AgreesWithAReferenceInQuad) {
  constexpr double apart = 0.0625;
  constexpr long count = 2000;
  for (const char* model : {falling, escaping}) {
    const On on(from_text(model));
    const std::vector<Vec<quad>> exact = exact_positions(on.compiled, apart, count);
    for (const auto& run : {std::pair("rattle", 16), std::pair("lobatto-3", 2), std::pair("kahan-li-6", 1)}) {
      const char* key = run.first;
      const int parts = run.second;
      const double h = apart / parts;
      const MethodEntry entry = methods().find(key);
      const std::vector<Advice> advice = advise(entry, on.sys, on.start, h);
      const Advice* line = find(advice, "horizon");
      ASSERT_NE(line, nullptr) << key;
      EXPECT_GT(number(*line, "growth_rate"), 0) << line->text;
      NumericalMap<double> map(entry, on.sys);
      const double unit = motion_size(map, on.start, h / 4, 600).q;
      double until[] = {0, 0};
      const double accuracies[] = {1e-6, 1e-3};
      State<double> x = on.start;
      double largest = 0;
      long done = 0;
      map(x, h, parts * count, [&](const State<double>& y) {
        if (++done % parts != 0) return;
        const Vec<quad>& q = exact[static_cast<std::size_t>(done / parts)];
        for (int i = 0; i < on.sys.n(); ++i) keep_largest(largest, std::abs(static_cast<double>(quad(y.q[i]) - q[i])));
        for (int a = 0; a < 2; ++a)
          if (largest <= accuracies[a] * unit) until[a] = static_cast<double>(done) * h;
      });
      for (int a = 0; a < 2; ++a) {
        const double told = number(*line, a == 0 ? "until_1e-6" : "until_1e-3");
        EXPECT_LT(until[a], 0.9 * apart * count);
        RecordProperty(std::string(key) + (a == 0 ? " 1e-6" : " 1e-3"),
                       std::to_string(told) + " told, " + std::to_string(until[a]) + " in quad");
        EXPECT_LT(told, 2 * until[a] + apart) << key << ": " << line->text;
        EXPECT_GT(told, until[a] / 2 - apart) << key << ": " << line->text;
      }
    }
  }
}

// Within the runs it is read off, beyond them continued.
TEST(Horizon, IsContinuedByItsLaw) {
  ErrorHistory linear, exponential;
  for (double t = 1; t < 100; t *= 1.1) {
    linear.times.push_back(t);
    linear.errors.push_back(1e-9 * t);
    exponential.times.push_back(t);
    exponential.errors.push_back(1e-9 * std::exp(0.1 * t));
  }
  EXPECT_NEAR(linear.power(1), 1, 1e-10);
  EXPECT_NEAR(exponential.rate(), 0.1, 1e-10);
  const Horizon seen = horizon(linear, 5e-8, 0, 1), later = horizon(linear, 1e-6, 0, 1);
  EXPECT_TRUE(seen.measured);
  EXPECT_NEAR(seen.time, 50, 1e-9);
  EXPECT_FALSE(later.measured);
  EXPECT_NEAR(later.time, 1000, 1e-9);
  EXPECT_NEAR(horizon(linear, 1e-6, 0, 2).time, linear.times.back() * std::sqrt(1000 / linear.times.back()), 1e-9);
  EXPECT_NEAR(horizon(exponential, 1e-2, 0.1, 0).time, std::log(1e7) / 0.1, 1e-9);
  exponential.failed = true;  // a step: nothing is known beyond
  EXPECT_EQ(horizon(exponential, 1e-2, 0.1, 0).time, exponential.times.back());
}

// Theorem 5.5 of Hairer, Lubich and Wanner (2003), and its remarks
TEST(ErrorGrowth, IsLinearForSymplecticAndSymmetricMethodsQuadraticForOthers) {
  const auto power = [](const char* model, const char* key, double h, double time) {
    const On on(model);
    const long steps = std::lround(time / h);
    const MethodEntry entry = methods().find(key);
    return error_history(entry, entry, on.sys, on.start, h, steps, 1).power(time / 9);
  };
  const double T = 2 * pi;
  EXPECT_NEAR(power("kepler", "rattle", T / 4000, 100 * T), 1, 0.1);
  EXPECT_NEAR(power("kepler", "kahan-li-6", T / 200, 100 * T), 1, 0.1);
  EXPECT_NEAR(power("pendulum", "rattle", 0.01, 1000), 1, 0.1);
  EXPECT_NEAR(power("toda", "rattle", 0.02, 400), 1, 0.1);
  EXPECT_NEAR(power("kepler", "rk-4", T / 400, 100 * T), 2, 0.15);
  EXPECT_NEAR(power("toda", "rk-4", 0.05, 2000), 2, 0.15);
}

// ---- Frequencies

TEST(Frequencies, AreThoseOfSmallVibrations) {
  // A pendulum that hangs, and three masses on springs: ω² of the last from the
  // matrix with 2 in the diagonal and −1 beside it
  const On pendulum(from_text(R"(
[coordinates]
names = ["x", "y"]
[energy]
mass = [3, 3]
potential = "3*4*y"
[constraints]
rod = "x^2 + y^2 - 1"
[initial]
q = { x = 0, y = -1 }
p = { x = 0, y = 0 }
)"));
  const auto one = linear_frequencies(pendulum.sys, pendulum.dual, pendulum.start, {1, 1});
  ASSERT_EQ(one.size(), 1U);
  EXPECT_NEAR(one[0], 2, 1e-12);
  const On chain(from_text(R"(
[coordinates]
names = ["x", "y", "z"]
[energy]
mass = [1, 1, 1]
potential = "50*x^2 + 50*(y - x)^2 + 50*(z - y)^2 + 50*z^2"
[initial]
q = { x = 0, y = 0, z = 0 }
p = { x = 0, y = 0, z = 0 }
)"));
  const auto three = linear_frequencies(chain.sys, chain.dual, chain.start, {1, 5});
  ASSERT_EQ(three.size(), 3U);
  for (int k = 1; k <= 3; ++k) EXPECT_NEAR(three[static_cast<std::size_t>(k) - 1], 20 * std::sin(k * pi / 8), 1e-11);
}

// sin(h ω̃/2) = h ω/2 for Verlet's method, tan(h ω̃/2) = h ω/2 for the midpoint rule
TEST(Frequencies, OfAMethodOnAVibration) {
  for (const double h_omega : {0.1, 0.7, 1.9}) {
    for (const char* key : {"rattle", "position-verlet", "shake", "symplectic-euler", "lobatto-2"})
      EXPECT_NEAR(half_trace(methods().find(key), h_omega).value(), std::cos(2 * std::asin(h_omega / 2)), 1e-13) << key;
    EXPECT_NEAR(half_trace(methods().find("midpoint"), h_omega).value(), std::cos(2 * std::atan(h_omega / 2)), 1e-13);
    EXPECT_NEAR(half_trace(methods().find("respa-8"), h_omega).value(), std::cos(16 * std::asin(h_omega / 16)), 1e-12);
    EXPECT_NEAR(half_trace(methods().find("lobatto-6"), h_omega).value(), std::cos(h_omega), 2e-8);  // of order 10
  }
  EXPECT_LT(half_trace(methods().find("rattle"), 2.1).value(), -1);
}

// ---- Resonances of steps and periods

// A stiff spring that is not quite linear, beside a slow motion
constexpr double stiff = 100;
constexpr const char* stiff_spring = R"(
[coordinates]
names = ["x", "y"]
[energy]
mass = [1, 1]
potential = "5000*(y^2 + y^3 + y^4) + x^2/2 + x*y/2 + (x - y)^4/4"
[initial]
q = { x = 1, y = "0.01" }
p = { x = "0.5", y = 1 }
)";

// By Verlet's method, with so many steps of h ω = 2 sin(π/k) in nearly a period. Those steps do harm: the energy leaves
// its band within a time of 100, where with steps that are a little longer or shorter it stays.
TEST(Resonances, OfStepsAndPeriodsAreFlagged) {
  const MethodEntry rattle = methods().find("rattle");
  const On on(from_text(stiff_spring));
  const auto error = [&](double h) {
    NumericalMap<double> map(rattle, on.sys);
    State<double> x = on.start;
    const double H0 = on.sys.H(x.q, x.p);
    double largest = 0;
    try {
      map(x, h, std::lround(100 / h),
          [&](const State<double>& y) { largest = std::max(largest, std::abs(on.sys.H(y.q, y.p) - H0)); });
    } catch (const StepFailed&) {  // beyond all numbers
      largest = 1e300;
    }
    return largest;
  };
  struct Step {
    double h_omega;
    int k;  // 0: none
  };
  for (const Step& step :
       {Step{0.3, 0}, Step{0.8, 0}, Step{1.2, 0}, Step{1.28, 0}, Step{1.414, 4}, Step{1.55, 0}, Step{1.732, 3}}) {
    const double h = step.h_omega / stiff;
    const std::vector<Advice> advice = advise(rattle, on.sys, on.start, h);
    const Advice* line = find(advice, "resonance");
    if (step.k == 0) {
      EXPECT_EQ(line, nullptr) << step.h_omega << ": " << line->text;
      EXPECT_LT(error(h), 2) << step.h_omega;
    } else {
      EXPECT_GT(error(h), 100) << step.h_omega;
      if (line) {  // else the motion has been lost within 300 steps
        EXPECT_TRUE(line->flagged);
        EXPECT_EQ(number(*line, "k"), step.k) << line->text;
        EXPECT_NEAR(number(*line, "omega"), stiff, 0.05 * stiff);
      }
      const auto found = step_resonance(rattle, {stiff}, h, 0.5);
      ASSERT_TRUE(found.has_value()) << step.h_omega;
      EXPECT_EQ(found->k, step.k);
      EXPECT_FALSE(found->unstable);
    }
  }
}

TEST(Resonances, AreThoseOfTheMethod) {
  const auto flagged = [](const char* key, double h_omega) {
    return step_resonance(methods().find(key), {stiff}, h_omega / stiff, 1).has_value();
  };
  const auto found = step_resonance(methods().find("rattle"), {stiff}, 2.05 / stiff, 1);
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->unstable);
  // Impulses of respa once a period, and twice
  for (const double periods : {0.5, 1.0, 1.5}) EXPECT_TRUE(flagged("respa-32", periods * 2 * pi)) << periods;
  for (const double periods : {0.2, 0.42}) EXPECT_FALSE(flagged("respa-32", periods * 2 * pi)) << periods;
  // tan(h ω̃/2) = h ω/2 of the midpoint rule
  EXPECT_TRUE(flagged("midpoint", 2 * std::tan(pi / 4)));
  EXPECT_FALSE(flagged("midpoint", std::sqrt(2.0)));
}

// ---- What advice is for

// A run with a loose tolerance is flagged, and a run as advised is not.
TEST(Advice, OnToleranceRemovesTheFlag) {
  MethodOptions loose;
  loose.newton.tolerance = 1e-6;
  for (const auto& [key, model] :
       {std::pair("rattle", "double-pendulum"), std::pair("yoshida-4", "spherical-pendulum"),
        std::pair("lobatto-3", "double-pendulum"), std::pair("rattle", "charged-particle")}) {
    const On on(model);
    const MethodEntry entry = methods().find(key);
    const double h = Problem(case_of(model)).h / 2;
    EXPECT_FALSE(certify<double>(entry, on.sys, on.start, h, loose).all_hold()) << key << " on " << model;
    const std::vector<Advice> advice = advise(entry, on.sys, on.start, h, loose);
    const Advice* line = find(advice, "tolerance");
    ASSERT_NE(line, nullptr) << key << " on " << model;
    EXPECT_TRUE(line->flagged) << line->text;
    EXPECT_NE(line->text.find("give no tolerance"), std::string::npos) << line->text;
    EXPECT_EQ(find(advise(entry, on.sys, on.start, h), "tolerance"), nullptr);
    EXPECT_TRUE(certify<double>(entry, on.sys, on.start, h).all_hold()) << key << " on " << model;
  }
}

// The drift needs a tolerance of some 1e-10 on the double pendulum: ORACLE, section F.
TEST(Advice, KnowsTheToleranceThatTheDriftNeeds) {
  MethodOptions loose;
  loose.newton.tolerance = 1e-8;
  const On on("double-pendulum");
  const std::vector<Advice> advice = advise(methods().find("rattle"), on.sys, on.start, 0.06, loose);
  const Advice* line = find(advice, "tolerance");
  ASSERT_NE(line, nullptr);
  EXPECT_LE(number(*line, "needed_by_drift"), 1e-10) << line->text;
}

// The energy of Verlet's method on an oscillator is in a band of (h ω)²/4 of it. Where that is a fifth of ½ p·H_p + H,
// at most twice the energy, the step is too long.
TEST(Advice, LargestStep) {
  const On on(from_text(R"(
[coordinates]
names = ["x"]
[energy]
mass = [1]
potential = "8*x^2"
[initial]
q = { x = 1 }
p = { x = 0 }
)"));
  const double limit = std::sqrt(4 * 0.4) / 4;
  for (const double h : {0.01, 0.3, 0.6}) {
    const std::vector<Advice> advice = advise(methods().find("rattle"), on.sys, on.start, h);
    const Advice* line = find(advice, "step");
    ASSERT_NE(line, nullptr) << h;
    EXPECT_EQ(line->flagged, h > limit) << line->text;
    const double largest = number(*line, "largest_step");
    EXPECT_LT(largest, limit);
    EXPECT_GT(largest, limit / 1.5) << line->text;
  }
}

// Whether vibrations ring decides what they ask for.
TEST(Advice, OnFastMotion) {
  const On still("stiff-pendulum-chain");
  const std::vector<Advice> first = advise(methods().find("verlet-midpoint"), still.sys, still.start, 0.01);
  const Advice* line = find(first, "fast motion");
  ASSERT_NE(line, nullptr);
  EXPECT_LT(number(*line, "ringing"), 1e-6) << line->text;
  EXPECT_NE(line->text.find("midpoint steps over them"), std::string::npos) << line->text;
  const On ringing(from_text(stiff_spring));
  const std::vector<Advice> second = advise(methods().find("rattle"), ringing.sys, ringing.start, 0.002);
  line = find(second, "fast motion");
  ASSERT_NE(line, nullptr);
  EXPECT_GT(number(*line, "ringing"), 0.1) << line->text;
  EXPECT_NE(line->text.find("must be followed"), std::string::npos) << line->text;
  // A motion with one scale has none.
  const On pendulum("double-pendulum");
  EXPECT_EQ(find(advise(methods().find("rattle"), pendulum.sys, pendulum.start, 0.05), "fast motion"), nullptr);
}

// A type of one's own, on a sphere; without a `rebind` there are no dual numbers, and errors themselves tell how they
// grow.
template <class S>
struct Bead {
  using Scalar = S;
  static constexpr int N = 3, M = 1;

  S V(const Vec<S, N>& q) const { return q[2]; }
  void V_q(const Vec<S, N>&, Vec<S, N>& out) const { out = {S(0), S(0), S(1)}; }
  DiagonalMass<S, N> mass() const { return DiagonalMass<S, N>({S(1), S(1), S(1)}); }
  void g(const Vec<S, N>& q, Vec<S, M>& out) const { out[0] = (dot(q, q) - S(1)) / S(2); }
  void G(const Vec<S, N>& q, Jacobian<S, N, M>& out) const {
    for (int j = 0; j < N; ++j) out(0, j) = q[j];
  }
};

TEST(Advice, OnOwnTypesAndFormulations) {
  const auto own = adapt(Bead<double>{}, "bead");
  State<double> x(3, 1);
  x.q = {0.6, 0, -0.8};
  x.p = {0.24, 0.9, 0.18};
  for (const char* key : {"rattle", "lobatto-3"}) {
    const std::vector<Advice> advice = advise(methods().find(key), own, x, 0.05);
    ASSERT_NE(find(advice, "step"), nullptr) << key;
    EXPECT_FALSE(find(advice, "step")->flagged) << find(advice, "step")->text;
    ASSERT_NE(find(advice, "horizon"), nullptr) << key;
    EXPECT_NEAR(number(*find(advice, "horizon"), "growth_power"), 1, 0.1) << find(advice, "horizon")->text;
  }
  const On model("spherical-pendulum");
  const std::vector<Advice> advice = advise(methods().find("gauss-2@dirac+symplectic"), model.sys, model.start,
                                            Problem(case_of("spherical-pendulum")).h);
  ASSERT_NE(find(advice, "horizon"), nullptr);
  EXPECT_GT(number(*find(advice, "horizon"), "until_1e-6"), 1);
}

}  // namespace
}  // namespace holonom::contract
