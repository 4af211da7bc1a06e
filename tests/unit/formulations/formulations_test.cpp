// Formulations: gradients against dual numbers, Hessians on the manifold, and what happens to the residuals.
#include <algorithm>

#include "formulations/near_start.hpp"
#include "holonom/errors.hpp"
#include "holonom/formulations/constrained_energy.hpp"
#include "holonom/formulations/formulation.hpp"
#include "holonom/formulations/linear.hpp"
#include "holonom/formulations/penalty.hpp"
#include "holonom/formulations/residual_field.hpp"
#include "holonom/solve/underlying_field.hpp"

namespace holonom::test {
namespace {

using D = Dual<double>;

const char* const hamiltonian[] = {"h-m", "dirac", "dirac:0.7", "penalty:0.1"};

// dH along (u, w) = H_q·u + H_p·w, off the manifold too
TEST(Formulations, GradientsAreThoseOfDualNumbers) {
  std::mt19937 random(21);
  for (const std::string& model : formulation_models())
    for (const char* name : hamiltonian) {
      SCOPED_TRACE(model + " " + name);
      const auto compiled = load(model);
      const ModelSystem<double> sys(compiled);
      const ModelSystem<D> dual(compiled);
      const auto here = formulate<double>(Formulation::parse(name), sys);
      const auto in_duals = formulate<D>(Formulation::parse(name), dual);
      for (int trial = 0; trial < 3; ++trial) {
        const NearStart at(sys, random, 0.05);
        Vec<double> a(sys.n()), b(sys.n());
        here->system().H_q(at.q, at.p, a);
        here->system().H_p(at.q, at.p, b);
        const double size = std::sqrt(dot(a, a) + dot(b, b)) * std::sqrt(2.0 * sys.n());
        EXPECT_NEAR(along(a, b, at), in_duals->system().H(at.dq, at.dp).d, 1e-11 * std::max(1.0, size));
      }
    }
}

// On the manifold, as dual numbers have it of the gradient
TEST(Formulations, HessiansAreExactOnTheManifold) {
  std::mt19937 random(22);
  for (const std::string& model : formulation_models())
    for (const char* name : {"h-m", "dirac", "dirac:0.7", "penalty:0.1", "weak", "weak:-1", "baumgarte:3",
                             "baumgarte-twice:2", "underlying"}) {
      SCOPED_TRACE(model + " " + name);
      const auto compiled = load(model);
      const ModelSystem<double> sys(compiled);
      const ModelSystem<D> dual(compiled);
      const auto here = formulate<double>(Formulation::parse(name), sys);
      const auto in_duals = formulate<D>(Formulation::parse(name), dual);
      const int n = sys.n();
      const NearStart at(sys, random, 0);
      Vec<double> a(n), b(n), q_row(n), p_row(n);
      Vec<D> dq(n), dp(n);
      const AnySystem<double>& K = here->system();
      K.H_qq(at.q, at.p, at.u, q_row);
      K.H_qp(at.q, at.p, at.w, a);
      K.H_pq(at.q, at.p, at.u, p_row);
      K.H_pp(at.q, at.p, at.w, b);
      axpy(1.0, a, q_row);
      axpy(1.0, b, p_row);
      in_duals->system().H_q(at.dq, at.dp, dq);
      in_duals->system().H_p(at.dq, at.dp, dp);
      double size = 1;
      for (int i = 0; i < n; ++i) size = std::max({size, std::abs(q_row[i]), std::abs(p_row[i])});
      for (int i = 0; i < n; ++i) {
        EXPECT_NEAR(q_row[i], dq[i].d, 1e-10 * size);
        EXPECT_NEAR(p_row[i], dp[i].d, 1e-10 * size);
      }
    }
}

// On the manifold all have the motion of the underlying equation; the penalty has no force of constraints there.
TEST(Formulations, AgreeOnTheManifold) {
  for (const std::string& model : formulation_models()) {
    const ModelSystem<double> sys(load(model));
    const int n = sys.n();
    State<double> x = initial_state(sys).state;
    Vec<double> a(n), b(n), q_rate(n), p_rate(n);
    ASSERT_TRUE(UnderlyingField<double>(sys).slopes(x, q_rate, p_rate).ok());
    double size = 1;
    for (int i = 0; i < n; ++i) size = std::max({size, std::abs(q_rate[i]), std::abs(p_rate[i])});
    for (const char* name : {"h-m", "dirac", "dirac:0.7", "weak", "baumgarte:3", "baumgarte-twice:2", "index-1"}) {
      SCOPED_TRACE(model + " " + name);
      const auto K = formulate<double>(Formulation::parse(name), sys);
      K->system().H_p(x.q, x.p, a);
      K->system().H_q(x.q, x.p, b);
      for (int i = 0; i < n; ++i) {
        EXPECT_NEAR(a[i], q_rate[i], 1e-12 * size);
        EXPECT_NEAR(-b[i], p_rate[i], 1e-11 * size);
      }
    }
  }
}

// ResidualField: g' = a g + b ψ, ψ' = c g + d ψ, off the manifold and whatever H is. With a = b = c = d = 0 both are
// strong invariants: `weak` has them not on the pendulum alone.
TEST(Formulations, ResidualsOfFieldsObeyTheirLinearEquation) {
  std::mt19937 random(23);
  const ResidualRates<double> all[] = {ResidualRates<double>::underlying(),       ResidualRates<double>::weak(0),
                                       ResidualRates<double>::weak(-2),           ResidualRates<double>::baumgarte(3),
                                       ResidualRates<double>::baumgarte_twice(2), {0.3, -0.7, 1.1, 0.4}};
  for (const std::string& model : formulation_models()) {
    const ModelSystem<double> sys(load(model));
    for (const ResidualRates<double>& want : all) {
      const NearStart at(sys, random, 0.05);
      Vec<double> q_rate(sys.n()), p_rate(sys.n()), g_rate(sys.m()), psi_rate(sys.m());
      ResidualField<double>(sys, want).rates(at.q, at.p, q_rate, p_rate);
      Brackets<double> here(sys);
      ASSERT_TRUE(here.at(at.q, at.p).ok());
      multiply(here.G(), q_rate, g_rate);
      here.psi_along(q_rate, p_rate, psi_rate);
      for (int k = 0; k < sys.m(); ++k) {
        const double g = here.g()[k], psi = here.psi()[k];
        EXPECT_NEAR(g_rate[k], want.a * g + want.b * psi, 1e-10) << model;
        EXPECT_NEAR(psi_rate[k], want.c * g + want.d * psi, 1e-9) << model;
      }
    }
  }
}

TEST(Formulations, DiracsHamiltonianOfSection36) {
  const ModelSystem<double> sys = circle();
  const auto K = formulate<double>(Formulation::parse("dirac"), sys);
  const Vec<double> q{1.1, 0.3}, p{-0.4, 0.9};
  const double qq = dot(q, q), pp = dot(p, p), qp = dot(q, p);
  EXPECT_NEAR(K->system().H(q, p), pp / 2 + pp / qq * (qq - 1) / 2 - qp * qp / qq, 1e-14);
  Vec<double> a(2), b(2);
  K->system().H_p(q, p, a);
  K->system().H_q(q, p, b);
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(a[i], (2 * qq - 1) / qq * p[i] - 2 / qq * q[i] * qp, 1e-14);
    EXPECT_NEAR(-b[i], -pp / (qq * qq) * q[i] + 2 * qp / qq * p[i] - 2 * qp * qp / (qq * qq) * q[i], 1e-14);
  }
}

const char* const plane = R"(
[coordinates]
names = ["x", "y", "z"]
[energy]
mass = [1, 2, 3]
potential = "x^4 + y^2 + z^2*x + x*y"
[constraints]
g = "x + 2*y - z - 1"
[initial]
q = { x = 1, y = "0.5", z = 1 }
v = { x = 1, y = 0, z = 1 }
)";

// Linear constraints: V of the projected position, its gradient and its Hessian; forces have no part along G.
TEST(Formulations, LinearConstraints) {
  const auto compiled = from_text(plane);
  const ModelSystem<double> sys(compiled);
  const ModelSystem<D> dual(compiled);
  const LinearlyConstrained<double> K(sys);
  const LinearlyConstrained<D> in_duals(dual);
  std::mt19937 random(24);
  for (int trial = 0; trial < 3; ++trial) {
    const NearStart at(sys, random, 0.5);
    Vec<double> f(3), a(3), product(3);
    Vec<D> df(3);
    K.V_q(at.q, f);
    in_duals.V_q(at.dq, df);
    K.H_qq(at.q, at.p, at.u, product);
    EXPECT_NEAR(dot(f, at.u), in_duals.V(at.dq).d, 1e-12);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(product[i], df[i].d, 1e-12);
    sys.H_pp(at.q, at.p, f, a);
    EXPECT_NEAR(a[0] + 2 * a[1] - a[2], 0, 1e-13);
    const State<double> start = initial_state(sys).state;
    EXPECT_NEAR(K.H(start.q, start.p), sys.H(start.q, start.p), 1e-14);
  }
  EXPECT_EQ(lacks_formulation(Formulation::parse("linear"), sys), "");
  EXPECT_EQ(lacks_formulation(Formulation::parse("linear"), ModelSystem<double>(load("pendulum"))),
            "its constraints are not linear");
}

TEST(Formulations, NamesAndNumbers) {
  EXPECT_FALSE(Formulation::parse("direct"));
  EXPECT_EQ(Formulation::parse("simplified").key(), "h-m");
  EXPECT_EQ(Formulation::parse("index-1").key(), "underlying");
  EXPECT_EQ(Formulation::parse("dirac:0").key(), "dirac");
  EXPECT_EQ(Formulation::parse("penalty:1e-4").key(), "penalty:1e-4");
  const auto message = [](const std::string& text) {
    try {
      Formulation::parse(text);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(message("penalty"), "the formulation 'penalty' needs a number: penalty:eps, such as penalty:1e-4");
  EXPECT_EQ(message("h-m:2"), "the formulation 'h-m' takes no number");
  EXPECT_EQ(message("dirac:x"), "'dirac:x': what is behind the colon must be a number, alpha");
  EXPECT_EQ(message("dirac:nan"), "'dirac:nan': what is behind the colon must be a number, alpha");
  EXPECT_EQ(message("penalty:-1"), "'penalty:-1': eps must be positive");
  EXPECT_NE(message("dirca").find("dirac"), std::string::npos);
}

}  // namespace
}  // namespace holonom::test
