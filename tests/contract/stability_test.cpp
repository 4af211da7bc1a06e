// Linear stability: on the manifold of a linear constraint RATTLE is Verlet, with the same limit h ω < 2.
#include <gtest/gtest.h>

#include "holonom/analysis/numerical_map.hpp"
#include "holonom/model/start.hpp"

namespace holonom::contract {
namespace {

constexpr double omega = 3;

// x'' = −ω² x
std::shared_ptr<const CompiledModel> oscillator() {
  Model model("oscillator");
  const Expr x = model.coordinate("x");
  model.set_mass({1}).set_potential(model.number("4.5") * x * x).start_at({1}, {0});
  return compile(std::move(model));
}

// Frequencies √5 and 5, tied by x = 2y: with q = (2s, s), ½·5 s'² + ½ (4·5 + 25) s², so ω² = 45/5.
std::shared_ptr<const CompiledModel> tied_oscillators() {
  Model model("tied oscillators");
  const Expr x = model.coordinate("x"), y = model.coordinate("y");
  model.set_mass({1, 1})
      .set_potential(model.number("2.5") * x * x + model.number("12.5") * y * y)
      .add_constraint("tie", x - model.number("2") * y)
      .start_at({2, 1}, {0, 0});
  return compile(std::move(model));
}

// The largest |q| in units of the start.
double amplitude(const std::shared_ptr<const CompiledModel>& compiled, const char* key, double h, long steps) {
  const ModelSystem<double> sys(compiled);
  NumericalMap<double> map(methods().find(key), sys);
  State<double> x = initial_state(sys).state;
  const double start = x.q[0];
  double most = 0;
  map(x, h, steps, [&](const State<double>& y) { keep_largest(most, std::abs(y.q[0] / start)); });
  return most;
}

TEST(LinearStability, LimitOfRattleIsThatOfVerlet) {
  for (const bool tied : {false, true}) {
    const auto model = tied ? tied_oscillators() : oscillator();
    const double below = amplitude(model, "rattle", 1.99 / omega, 100000),
                 above = amplitude(model, "rattle", 2.01 / omega, 200);
    std::printf("%s: largest |q| %.6f at h omega = 1.99 (100000 steps), %.1e at 2.01 (200 steps)\n",
                tied ? "tied by a constraint" : "unconstrained", below, above);
    // From rest, q_n = q₀ cos nθ for h ω < 2, and q₀ cosh nκ (−1)ⁿ with sinh κ/2 = √((hω/2)² − 1) beyond.
    EXPECT_LE(below, 1 + 1e-9);
    EXPECT_GE(above, 1e15);
  }
}

TEST(LinearStability, WithAndWithoutConstraintGrowAlike) {
  for (const double h_omega : {0.5, 1.99, 2.01, 2.1}) {
    const double one = amplitude(oscillator(), "rattle", h_omega / omega, 50),
                 two = amplitude(tied_oscillators(), "rattle", h_omega / omega, 50);
    EXPECT_NEAR(two / one, 1, 1e-10) << "h omega = " << h_omega;
  }
}

TEST(LinearStability, MidpointHasNoLimit) {
  for (const double h_omega : {2.01, 20.0, 2000.0}) {
    const double a = amplitude(tied_oscillators(), "midpoint", h_omega / omega, 10000);
    std::printf("midpoint: largest |q| %.9f at h omega = %g\n", a, h_omega);
    EXPECT_LE(a, 1 + 1e-6) << "h omega = " << h_omega;
  }
}

}  // namespace
}  // namespace holonom::contract
