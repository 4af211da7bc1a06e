// Numbers of an independent program for the examples of Hairer, Lubich and Wanner (2003) without constraints, and what
// theorem 5.5 says of the growth of errors. Modified equations are those of section 4.2.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "holonom/analysis/modified_equation.hpp"
#include "model_run.hpp"
#include "printed.hpp"

namespace holonom::contract {
namespace {

Model model_of(const std::string& text) { return parse_model("format = 1\nname = \"test\"\n" + text, "test.toml"); }

// The exponent of t in values at t, 2t, 4t, ...: least squares on logarithms
double exponent(const std::vector<double>& at_doubled_times) {
  Slope line(1);
  for (const double x : at_doubled_times) line.add(std::log2(x));
  return line();
}

// ---- Kepler's problem

// The explicit midpoint rule begins like Verlet, and keeps neither energy nor angular momentum.
TEST(Survey, KeplerWithTheExplicitMidpointRule) {
  ModelRun verlet("kepler"), runge("kepler", "rk-2");
  const State<double> one = verlet.after(0.05, 1), other = runge.after(0.05, 1);
  double velocity = 0;
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(one.q[i], other.q[i], 1e-16);
    velocity = std::hypot(velocity, one.p[i] - other.p[i]);
  }
  EXPECT_TRUE(as_printed(velocity, "1.3e-3"));
  const State<double> end = runge.after(0.02, 2500);
  Vec<double> before(2), after(2);
  runge.sys.invariants(runge.x.q, runge.x.p, before);
  runge.sys.invariants(end.q, end.p, after);
  EXPECT_TRUE(as_printed(runge.H(end) - runge.H(runge.x), "1.79e-3"));
  EXPECT_TRUE(as_printed(after[0] - before[0], "-2.8e-4"));
}

// ---- The Toda lattice, example 5.4

// a_k = −p_k/2, b_k = ½ exp(½(q_k − q_{k+1})); or with a_k of one's own
std::array<double, 3> eigenvalues(const std::array<double, 3>& a, const Vec<double>& q) {
  double b[3];
  for (int k = 0; k < 3; ++k) b[k] = std::exp((q[k] - q[(k + 1) % 3]) / 2) / 2;
  // λ³ − tr λ² + minors λ − det, with three real roots
  const double trace = a[0] + a[1] + a[2];
  const double minors = a[0] * a[1] + a[1] * a[2] + a[2] * a[0] - b[0] * b[0] - b[1] * b[1] - b[2] * b[2];
  const double det =
      a[0] * a[1] * a[2] + 2 * b[0] * b[1] * b[2] - a[0] * b[1] * b[1] - a[1] * b[2] * b[2] - a[2] * b[0] * b[0];
  const double mean = trace / 3, r = 2 * std::sqrt(mean * mean - minors / 3);
  const double cosine = 4 * (2 * mean * mean * mean - mean * minors + det) / (r * r * r);
  const double angle = std::acos(std::clamp(cosine, -1.0, 1.0)) / 3, third = 2 * std::acos(-1.0) / 3;
  return {mean + r * std::cos(angle + third), mean + r * std::cos(angle - third), mean + r * std::cos(angle)};
}
std::array<double, 3> eigenvalues(const State<double>& x) {
  return eigenvalues({-x.p[0] / 2, -x.p[1] / 2, -x.p[2] / 2}, x.q);
}

// From the start of the paper
struct Toda : ModelRun {
  explicit Toda(const char* key = "rattle") : ModelRun("toda", key) {
    x.q = Vec<double>{1, 2, -1};
    x.p = Vec<double>{-1.5, 1, 0.5};
  }
  // The largest change of each eigenvalue
  std::array<double, 3> deviation(double h, long steps) {
    const std::array<double, 3> before = eigenvalues(x);
    std::array<double, 3> largest{};
    State<double> y = x;
    map(y, h, steps, [&](const State<double>& z) {
      const std::array<double, 3> now = eigenvalues(z);
      for (std::size_t k = 0; k < 3; ++k) keep_largest(largest[k], std::abs(now[k] - before[k]));
    });
    return largest;
  }
  // see(x) after each step
  template <class See>
  State<double> exact(double time, long steps, See&& see) {
    return ReferenceFlow<double>(sys)(x, time, steps, see);
  }
  State<double> exact(double time, long steps) {
    return exact(time, steps, [](const State<double>&) {});
  }
};
double distance(const State<double>& x, const State<double>& y) {
  double sum = 0;
  for (int i = 0; i < x.q.size(); ++i) sum += std::pow(x.q[i] - y.q[i], 2) + std::pow(x.p[i] - y.p[i], 2);
  return std::sqrt(sum);
}

TEST(Survey, TodaEigenvalues) {
  Toda run;
  EXPECT_TRUE(as_printed(run.H(run.x), "22.338751647596"));
  expect_printed(eigenvalues(run.x), {"-2.62196573", "0.6562618", "1.96570394"});
  // Constant along the exact flow; with a_k = −p_k²/2, as the paper prints it, they are not.
  const std::array<double, 3> before = eigenvalues(run.x);
  double largest = 0, low[3] = {1e9, 1e9, 1e9}, high[3] = {-1e9, -1e9, -1e9};
  (void)run.exact(50, 1000, [&](const State<double>& y) {
    const std::array<double, 3> now = eigenvalues(y),
                                other = eigenvalues({-y.p[0] * y.p[0] / 2, -y.p[1] * y.p[1] / 2, -y.p[2] * y.p[2] / 2},
                                                    y.q);
    for (std::size_t k = 0; k < 3; ++k) {
      keep_largest(largest, std::abs(now[k] - before[k]));
      low[k] = std::min(low[k], other[k]);
      high[k] = std::max(high[k], other[k]);
    }
  });
  EXPECT_LT(largest, 7e-12);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_GT(high[k] - low[k], 4.5);
  expect_printed(run.deviation(0.1, 500), {".0376", ".0172", ".0318"});
  expect_printed(run.deviation(0.05, 1000), {".00923", ".00427", ".00778"});
  const State<double> y = run.after(0.05, 100);
  expect_printed(y.q, {"-9.7579126451688e-01", "2.7683584249253", "2.0743283959153e-01"});
  expect_printed(y.p, {"-2.7402715018959", "7.3918202552634e-01", "2.0010894763695"});
}

TEST(Survey, TodaWithTheExplicitMidpointRule) {
  Toda run("rk-2");
  expect_printed(eigenvalues(run.after(0.05, 1000)), {"-3.154", ".880", "2.274"});
  // With the longer step it escapes, at t = 14.4.
  State<double> y = run.x;
  long finite = 0;
  try {
    run.map(y, 0.1, 500, [&](const State<double>& z) { finite += std::isfinite(run.H(z)) ? 1 : 0; });
  } catch (const StepFailed&) {
  }
  EXPECT_EQ(finite + 1, 144);
}

TEST(Survey, TodaGlobalErrors) {
  Toda run;
  const State<double> half = run.exact(25, 500), end = run.exact(50, 1000);
  EXPECT_TRUE(as_printed(distance(run.after(0.1, 250), half), ".573"));
  EXPECT_TRUE(as_printed(distance(run.after(0.1, 500), end), "1.352"));
  EXPECT_TRUE(as_printed(distance(run.after(0.05, 500), half), ".134"));
  EXPECT_TRUE(as_printed(distance(run.after(0.05, 1000), end), ".410"));
}

// ---- Modified equations of the pendulum, section 4.2

const char* const pendulum = R"model([coordinates]
names = ["x"]
[energy]
mass = [1]
potential = "-cos(x)"
[initial]
q = { x = "-1.2" }
p = { x = 1 }
)model";

struct Pendulum {
  explicit Pendulum(const char* key) : entry(methods().find(key)), equation(modified_equation(model, key, 3)) {}

  ModelSystem<double> modified(double h) const {
    return ModelSystem<double>(compile(truncated(model, equation, 3, model.graph->number(h))));
  }
  template <class See>
  State<double> run(double h, long steps, See&& see) const {
    const ModelSystem<double> sys(compile(model));
    State<double> x = initial_state(sys).state;
    see(x);
    NumericalMap<double>(entry, sys)(x, h, steps, see);
    return x;
  }
  State<double> after(double h, long steps) const {
    return run(h, steps, [](const State<double>&) {});
  }
  // max − min of a function for t ≤ 40
  template <class F>
  double range(double h, F&& f) const {
    double low = 1e9, high = -1e9;
    run(h, std::lround(40 / h), [&](const State<double>& x) {
      low = std::min(low, f(x));
      high = std::max(high, f(x));
    });
    return high - low;
  }
  // H + h² H₃
  double range(double h) const {
    const ModelSystem<double> sys = modified(h);
    return range(h, [&](const State<double>& x) { return sys.H(x.q, x.p); });
  }
  // H + h² (a V''(p, p) + b |∇V|²)
  double range(double h, double a, double b) const {
    return range(h, [&](const State<double>& x) {
      const double p = x.p[0], sine = std::sin(x.q[0]), cosine = std::cos(x.q[0]);
      return p * p / 2 - cosine + h * h * (a * cosine * p * p + b * sine * sine);
    });
  }
  // Between one step and the flow of F + h² F₃
  double difference(double h) const {
    const ModelSystem<double> sys = modified(h);
    const State<double> x = after(h, 1), y = ReferenceFlow<double>(sys)(initial_state(sys).state, h, 4);
    return std::hypot(x.q[0] - y.q[0], x.p[0] - y.p[0]);
  }

  Model model = model_of(pendulum);
  MethodEntry entry;
  ModifiedEquation equation;
};

TEST(Survey, PendulumWithLongSteps) {
  const State<double> a = Pendulum("verlet-a").after(0.9, 10), b = Pendulum("verlet-b").after(0.9, 10);
  EXPECT_TRUE(as_printed(a.q[0], ".9049904519555"));
  EXPECT_TRUE(as_printed(a.p[0], "1.1980887928575"));
  EXPECT_TRUE(as_printed(b.q[0], ".5694611020589"));
  EXPECT_TRUE(as_printed(b.p[0], "1.4601051292140"));
}

TEST(Survey, ModifiedHamiltoniansOfThePendulum) {
  const Pendulum a("verlet-a"), b("verlet-b");
  const double steps[] = {0.2, 0.1, 0.05};
  const char *of_a[] = {"8.3e-5", "5.1e-6", "3.2e-7"}, *of_b[] = {"5.2e-5", "3.2e-6", "2.0e-7"},
             *as_in_the_paper[] = {"3.4e-3", "8.4e-4", "2.1e-4"};
  for (int k = 0; k < 3; ++k) {
    EXPECT_TRUE(as_printed(a.range(steps[k]), of_a[k]));
    EXPECT_TRUE(as_printed(b.range(steps[k]), of_b[k]));
    EXPECT_TRUE(as_printed(a.range(steps[k], 1.0 / 12, 1.0 / 24), as_in_the_paper[k]));
  }
  EXPECT_TRUE(as_printed(b.range(0.2, -1.0 / 24, -1.0 / 6), "1.0e-2"));
}

// Order 5: F₄ = 0, and F₅ is left out.
TEST(Survey, OneStepAgainstTheModifiedPendulum) {
  for (const auto& [key, order] : {std::pair{"verlet-a", "5.13"}, {"verlet-b", "5.03"}}) {
    const Pendulum run(key);
    EXPECT_TRUE(as_printed(std::log2(run.difference(0.1) / run.difference(0.05)), order)) << key;
  }
}

// ---- The discrete virial theorem, (5.11): F = p q, {F, H} = p² − q⁴

TEST(Survey, DiscreteVirialTheorem) {
  const ModelSystem<double> sys(compile(model_of(R"model([coordinates]
names = ["x"]
[energy]
mass = [1]
potential = "x^4/4"
[initial]
q = { x = 1 }
p = { x = "0.5" }
)model")));
  const auto average = [&](double h) {
    const long N = std::lround(1e4 / h);
    const auto bracket = [](const State<double>& x) { return x.p[0] * x.p[0] - std::pow(x.q[0], 4); };
    State<double> x = initial_state(sys).state;
    double sum = bracket(x) / 2;
    NumericalMap<double>(methods().find("rattle"), sys)(x, h, N, [&](const State<double>& y) { sum += bracket(y); });
    return (sum - bracket(x) / 2) / static_cast<double>(N);
  };
  EXPECT_TRUE(as_printed(average(0.1), "-1.2577e-3"));
  EXPECT_TRUE(as_printed(average(0.05), "-3.472e-4"));
  EXPECT_TRUE(as_printed(average(0.025), "-1.302e-4"));
}

// ---- Theorem 5.5: errors grow linearly with time, and quadratically where actions drift

// After 2^first, ..., 2^last periods, when the exact solution is where it began
std::vector<double> errors_after_periods(ModelRun& run, double period, long steps_a_period, int first, int last) {
  State<double> x = run.x;
  std::vector<double> errors;
  long done = 0;
  for (int k = first; k <= last; ++k) {
    run.map(x, period / static_cast<double>(steps_a_period), ((1L << k) - done) * steps_a_period);
    done = 1L << k;
    errors.push_back(distance(x, run.x));
  }
  return errors;
}
struct Growth {
  const char* key;
  long steps_a_period;
  int first, last;
  int exponent;
};
void expect_growth(const char* model, double period, const Growth& of) {
  ModelRun run(model, of.key);
  const double found = exponent(errors_after_periods(run, period, of.steps_a_period, of.first, of.last));
  std::printf("%-20s %-12s errors grow like t^%.4f\n", model, of.key, found);
  EXPECT_NEAR(found, of.exponent, of.exponent == 1 ? 0.002 : 0.05) << model << ", " << of.key;
}

// Explicit methods of even order have a linear error as well, larger by 1/h: it takes many periods until the other one
// is seen alone. Errors are below 0.7.
TEST(Survey, GrowthOfErrorsOnKepler) {
  for (const Growth& of : {Growth{"verlet-a", 2000, 0, 5, 1},
                           {"verlet-b", 2000, 0, 5, 1},
                           {"suzuki-4", 400, 0, 7, 1},
                           {"gauss-2", 300, 0, 5, 1},
                           {"rk-4", 800, 7, 10, 2},
                           {"radau-2a-2", 1600, 3, 7, 2}})
    expect_growth("kepler", 2 * std::acos(-1.0), of);
}

// Where nothing is symplectic, symmetry is enough.
TEST(Survey, GrowthOfErrorsOnAReversibleSystem) {
  const ModelSystem<quad> sys(load("reversible-pendulum"));
  const State<quad> x = initial_state(sys).state;
  ReferenceFlow<quad> flow(sys);
  quad period(8), change;
  for (int k = 0; k < 8; ++k) {  // Newton's method on x(t) = x(0)
    const State<quad> y = flow(x, period, 100);
    change = (y.q[0] - x.q[0]) / y.p[0];
    period -= change;
    ASSERT_GT(y.p[0], 0);
  }
  ASSERT_LT(std::abs(to_double(change)), 1e-25);
  for (const Growth& of : {Growth{"verlet-a", 1000, 0, 5, 1},
                           {"verlet-b", 1000, 0, 5, 1},
                           {"gauss-2", 100, 0, 5, 1},
                           {"lobatto-3", 100, 0, 7, 1},
                           {"rk-4", 100, 7, 10, 2},
                           {"radau-2a-2", 200, 3, 7, 2}})
    expect_growth("reversible-pendulum", to_double(period), of);
}

// Two frequencies: the largest error within (T/2, T], for T = first, 2 first, ..., 1600
TEST(Survey, GrowthOfErrorsOnToda) {
  const struct {
    const char* key;
    double h, first, exponent, within;
  } rows[] = {{"rattle", 0.005, 25, 1, 0.05}, {"rk-4", 0.01, 200, 2, 0.1}};
  for (const auto& row : rows) {
    Toda run(row.key);
    ReferenceFlow<double> flow(run.sys);
    State<double> x = run.x, y = x;
    std::vector<double> errors;
    constexpr double between = 0.25;
    double t = 0;
    for (double T = row.first; T <= 1600; T *= 2) {
      double largest = 0;
      for (; t < T; t += between) {
        if (t > T / 2) keep_largest(largest, distance(x, y));
        y = flow(y, between, 5);
        run.map(x, row.h, std::lround(between / row.h));
      }
      errors.push_back(std::max(largest, distance(x, y)));
    }
    std::printf("%-20s %-12s errors grow like t^%.4f\n", "toda", row.key, exponent(errors));
    EXPECT_NEAR(exponent(errors), row.exponent, row.within) << row.key;
  }
}

}  // namespace
}  // namespace holonom::contract
