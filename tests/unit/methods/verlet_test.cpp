// Stoermer-Verlet (A) and (B) of Hairer, Lubich and Wanner (2003), (1.24) and (1.25), and the explicit midpoint rule.
#include "holonom/analysis/conservation.hpp"
#include "holonom/analysis/convergence_order.hpp"
#include "holonom/analysis/reference_flow.hpp"
#include "holonom/analysis/reversal.hpp"
#include "models.hpp"

namespace holonom::test {
namespace {

// u' = u(v − 2), v' = v(1 − u)
double g(double u, double v) { return u * (v - 2); }
double f(double u, double v) { return v * (1 - u); }

State<double> one_step(const char* key, double h) {
  const ModelSystem<double> sys(load("lotka-volterra"));
  State<double> x = initial_state(sys).state;
  NumericalMap<double>(methods().find(key), sys)(x, h, 1);
  return x;
}

// The equations as they are printed, with what a step has found.
TEST(Verlet, SolvesItsEquations) {
  const double h = 0.1, u = 3, v = 1.5;
  const State<double> a = one_step("verlet-a", h);
  const double half_v = v / (1 - h / 2 * (1 - u));  // v½ = v + h/2 f(u, v½)
  EXPECT_NEAR(a.q[0], u + h / 2 * (g(u, half_v) + g(a.q[0], half_v)), 1e-15);
  EXPECT_NEAR(a.p[0], half_v + h / 2 * f(a.q[0], half_v), 1e-15);
  const State<double> b = one_step("verlet-b", h);
  const double half_u = u / (1 - h / 2 * (v - 2));  // u½ = u + h/2 g(u½, v)
  EXPECT_NEAR(b.p[0], v + h / 2 * (f(half_u, v) + f(half_u, b.p[0])), 1e-15);
  EXPECT_NEAR(b.q[0], half_u + h / 2 * g(half_u, b.p[0]), 1e-15);
  EXPECT_GT(std::abs(a.q[0] - b.q[0]), 1e-5) << "they are two methods";
  const State<double> runge = one_step("rk-2", h);
  EXPECT_NEAR(runge.q[0], u + h * g(u + h / 2 * g(u, v), v + h / 2 * f(u, v)), 1e-15);
  EXPECT_NEAR(runge.p[0], v + h * f(u + h / 2 * g(u, v), v + h / 2 * f(u, v)), 1e-15);
}

TEST(Verlet, HasOrderTwoOnFieldsAndItsCompositionsMore) {
  const ModelSystem<quad> sys(load("lotka-volterra"));
  const State<quad> x = initial_state(sys).state;
  const quad time(1);
  ReferenceFlow<quad> flow(sys, reference_columns<quad>());
  const State<quad> exact = flow(x, time, 32);
  for (const auto& [key, order, steps] : {std::tuple{"verlet-a", 2, 40L},
                                          {"verlet-b", 2, 40L},
                                          {"rk-2", 2, 80L},
                                          {"gauss-2", 4, 20L},
                                          {"symplectic-euler", 1, 400L},
                                          {"symplectic-euler-adjoint", 1, 400L},
                                          {"suzuki-4/verlet-a", 4, 40L},
                                          {"yoshida-6/verlet-b", 6, 40L}}) {
    const OrderFit fit =
        convergence_order<quad>(methods().find(key), sys, x, exact, time, {steps, 2 * steps, 4 * steps, 8 * steps});
    EXPECT_EQ(fit.used, 4) << key;
    EXPECT_NEAR(fit.slope_q, order, 0.1) << key;
    EXPECT_NEAR(fit.slope_p, order, 0.1) << key;
  }
}

TEST(Verlet, IsItsOwnAdjoint) {
  const ModelSystem<double> sys(load("lotka-volterra"));
  const State<double> x = initial_state(sys).state;
  const auto defect = [&](const char* key) {
    NumericalMap<double> map(methods().find(key), sys);
    return symmetry_defect(map, x, motion_size(map, x, 0.1, 60), 0.1, 10);
  };
  EXPECT_LT(defect("verlet-a"), 1e-14);
  EXPECT_LT(defect("verlet-b"), 1e-14);
  EXPECT_GT(defect("rk-2"), 1e-4);
  EXPECT_GT(defect("symplectic-euler"), 1e-4);
  // (SE1) forth and (SE2) back
  NumericalMap<double> first(methods().find("symplectic-euler"), sys),
      second(methods().find("symplectic-euler-adjoint"), sys);
  State<double> y = x;
  first(y, 0.1, 1);
  second(y, -0.1, 1);
  EXPECT_NEAR(y.q[0], x.q[0], 1e-15);
  EXPECT_NEAR(y.p[0], x.p[0], 1e-15);
}

// The curves of Lotka and Volterra are closed. Both Verlet methods stay near theirs, for 10^5 steps as for 10^4. The
// explicit midpoint rule leaves it: curves near the equilibrium spiral outwards, wide ones inwards, to a limit cycle
// that the equation does not have.
TEST(Verlet, KeepsTheInvariantOfLotkaAndVolterra) {
  const double h = 0.1;
  for (const Overrides& set : {Overrides{}, Overrides{{"u0", "1.2"}, {"v0", "2"}}}) {
    const ModelSystem<double> sys(load("lotka-volterra", set));
    const State<double> x = initial_state(sys).state;
    const auto drift = [&](const char* key, long steps) {
      NumericalMap<double> map(methods().find(key), sys);
      return energy_drift<double>(map, sys, x, h, steps);
    };
    for (const char* key : {"verlet-a", "verlet-b"}) {
      const EnergyDrift shorter = drift(key, 10000), longer = drift(key, 100000);
      EXPECT_LT(longer.band(), 1.001 * shorter.band()) << key;
      EXPECT_LT(longer.band(), set.empty() ? 0.015 : 2e-4) << key;
      EXPECT_LT(std::abs(longer.trend.change), 1e-3 * longer.band()) << key;
    }
    const EnergyDrift runge = drift("rk-2", 8000), longer = drift("rk-2", 16000);
    if (set.empty()) {
      EXPECT_LT(runge.trend.change, -0.05) << "inwards";
    } else {
      EXPECT_GT(runge.trend.change, 0.015) << "outwards";
      EXPECT_GT(longer.trend.change, 2 * runge.trend.change);
    }
  }
}

TEST(Verlet, IsRattleWithoutConstraints) {
  const ModelSystem<double> sys(load("kepler"));
  State<double> x = initial_state(sys).state, y = x;
  for (const auto& [key, other] : {std::pair{"verlet-a", "rattle"}, {"verlet-b", "position-verlet"}}) {
    NumericalMap<double> one(methods().find(key), sys), two(methods().find(other), sys);
    one(x, 0.01, 100);
    two(y, 0.01, 100);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(x.q[i], y.q[i]) << key;
      EXPECT_EQ(x.p[i], y.p[i]) << key;
    }
  }
}

// Angular momentum is p·(C q): Verlet keeps it on fields that no Hamiltonian belongs to as well, the explicit rule does
// not; Gauss methods keep all that is quadratic.
TEST(Verlet, KeepsBilinearInvariants) {
  const ModelSystem<double> sys(from_text(R"model(
[let]
r2 = "x^2 + y^2"
k = "1 + r2 + v^2 + w^2"
[field]
q.x = "v*k"
q.y = "w*k"
p.v = "-x*(1 + r2)"
p.w = "-y*(1 + r2)"
[invariants]
L = "x*w - y*v"
[initial]
x = "0.5"
y = "0.3"
v = "0.2"
w = -1
)model"));
  const State<double> x = initial_state(sys).state;
  const auto error = [&](const char* key) {
    NumericalMap<double> map(methods().find(key), sys);
    return invariant_errors<double>(map, sys, x, 0.05, 300)[0];
  };
  for (const char* key : {"verlet-a", "verlet-b", "symplectic-euler", "lobatto-3", "gauss-2", "suzuki-4/verlet-a"})
    EXPECT_LT(error(key), 1e-13) << key;
  EXPECT_GT(error("rk-2"), 1e-6);
}

TEST(Verlet, SaysWhatItIsNotFor) {
  const ModelSystem<double> pendulum(load("pendulum")), flow(load("abc-flow")), prey(load("lotka-volterra"));
  const auto reason = [](const char* key, const AnySystem<double>& sys) {
    EXPECT_FALSE(suits(methods().find(key), sys)) << key;
    return message_of<Unsuitable>([&] { (void)methods().find(key).make<double>(sys); });
  };
  EXPECT_EQ(reason("verlet-a", pendulum),
            "verlet-a is for systems without constraints: rattle is verlet-a with them, position-verlet is verlet-b");
  EXPECT_EQ(reason("verlet-b", flow),
            "verlet-b treats q and p differently, and the variables of ABC flow do not come in two parts: write them "
            "as q = { "
            "... } and p = { ... } in [field], or take a Runge-Kutta method such as gauss-2 or rk-4");
  EXPECT_EQ(
      reason("kahan-li-8", prey),
      "kahan-li-8 is for Hamiltonian systems, and Lotka-Volterra is a field y' = f(y): take kahan-li-8/verlet-a, or a "
      "Runge-Kutta method");
  EXPECT_NE(reason("position-verlet", prey).find("take verlet-b"), std::string::npos);
  EXPECT_NE(reason("shake", prey).find("take verlet-a or verlet-b, a Runge-Kutta method"), std::string::npos);
}

}  // namespace
}  // namespace holonom::test
