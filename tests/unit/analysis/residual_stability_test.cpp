// The linearisation of residuals off the manifold: the examples of Leimkuhler and Reich, sections 3.5 and 3.6, and the
// growth that is foreseen against the growth that is measured.
#include "holonom/analysis/residual_stability.hpp"

#include "formulations/near_start.hpp"
#include "holonom/analysis/eigenvalues.hpp"
#include "holonom/methods/any_method.hpp"

namespace holonom::test {
namespace {

Square<double> matrix_at_start(const ModelSystem<double>& sys, const char* formulation) {
  const State<double> x = initial_state(sys).state;
  Square<double> L(2 * sys.m());
  EXPECT_TRUE(ResidualMatrix(sys, Formulation::parse(formulation))(x.q, x.p, L).ok());
  return L;
}

// A centre of frequency 2|p| for Dirac's Hamiltonian, a saddle for H_M
TEST(ResidualStability, CentreAndSaddleOfSection36) {
  const ModelSystem<double> sys = circle();
  const double pp = 1.5 * 1.5;
  const auto expect = [](const Square<double>& L, double a, double b, double c, double d) {
    EXPECT_NEAR(L(0, 0), a, 1e-13);
    EXPECT_NEAR(L(0, 1), b, 1e-13);
    EXPECT_NEAR(L(1, 0), c, 1e-13);
    EXPECT_NEAR(L(1, 1), d, 1e-13);
  };
  expect(matrix_at_start(sys, "dirac"), 0, -1, 4 * pp, 0);
  expect(matrix_at_start(sys, "h-m"), 0, 1, 4 * pp, 0);
  expect(matrix_at_start(sys, "underlying"), 0, 1, 0, 0);
  expect(matrix_at_start(sys, "weak:-0.5"), -0.5, 0, 0, 0);
  expect(matrix_at_start(sys, "baumgarte:3"), 0, 1, -9, -6);
  expect(matrix_at_start(sys, "baumgarte-twice:3"), -3, 1, 0, -3);
}

// The α of section 3.4: λ² = α² − 4 p·p. Eigenvalues come in pairs ±λ, so that no α damps a Hamiltonian.
TEST(ResidualStability, AlphaDoesNotDampDirac) {
  const ModelSystem<double> sys = circle();
  for (const double alpha : {-2.0, 0.0, 1.0, 5.0}) {
    const auto found = eigenvalues(matrix_at_start(sys, ("dirac:" + std::to_string(alpha)).c_str()));
    ASSERT_EQ(found.size(), 2u);
    EXPECT_NEAR(std::abs(found[0] + found[1]), 0, 1e-12);
    const std::complex<double> square = found[0] * found[0];
    EXPECT_NEAR(square.real(), alpha * alpha - 4 * 1.5 * 1.5, 1e-11) << alpha;
    EXPECT_NEAR(square.imag(), 0, 1e-11);
  }
}

// Linear constraints and a quadratic potential (section 3.5): with B = n·F''n/n·n, residuals obey
//   h-m r' = s, s' = B r;   dirac r' = −s, s' = B r;   weak r' = s' = 0;   underlying r' = s, s' = 0.
TEST(ResidualStability, LinearSystemsOfSection35) {
  const ModelSystem<double> sys(from_text(R"(
[coordinates]
names = ["x", "y"]
[energy]
mass = [1, 1]
potential = "x^2 + 3*x*y + 4*y^2"
[constraints]
g = "x + 2*y"
[initial]
q = { x = 2, y = -1 }
v = { x = 4, y = -2 }
)"));
  const double B = (2 * 1 + 3 * 2 * 2 + 8 * 4) / 5.0;
  const struct {
    const char* name;
    double b, c;
  } rows[] = {{"h-m", 1, B}, {"dirac", -1, B}, {"weak", 0, 0}, {"underlying", 1, 0}, {"linear", 1, 0}};
  for (const auto& row : rows) {
    const Square<double> L = matrix_at_start(sys, row.name);
    EXPECT_NEAR(L(0, 0), 0, 1e-13) << row.name;
    EXPECT_NEAR(L(0, 1), row.b, 1e-13) << row.name;
    EXPECT_NEAR(L(1, 0), row.c, 1e-12) << row.name;
    EXPECT_NEAR(L(1, 1), 0, 1e-13) << row.name;
  }
}

// For several constraints the terms with {ψ, ψ} matter (the paper's (3.17)-(3.18) lack them): what is foreseen with
// them is what happens.
TEST(ResidualStability, GrowthIsWhatIsForeseen) {
  for (const char* model : {"double-pendulum", "charged-particle", "slider-crank"}) {
    const ModelSystem<double> sys(load(model));
    const Start<double> start = initial_state(sys);
    const double h = *start.step / 4;
    for (const char* name : {"dirac", "h-m", "weak:-0.3", "baumgarte:2", "underlying"}) {
      const StabilityReport report = residual_stability(sys, Formulation::parse(name), start.state, h, 40, 10, 1e-8);
      ASSERT_EQ(report.failure, "");
      ASSERT_EQ(report.rows.size(), 5u);
      for (const StabilityRow& row : report.rows)
        EXPECT_NEAR(row.measured / row.expected, 1, 2e-3) << model << " " << name << " t = " << row.t;
    }
  }
  // No centre: a real part, as the errata have it
  const ModelSystem<double> sys(load("double-pendulum"));
  const StabilityReport report =
      residual_stability(sys, Formulation::parse("dirac"), initial_state(sys).state, 0.01, 300, 1);
  double largest = 0;
  for (const StabilityRow& row : report.rows) largest = std::max(largest, row.fastest.real());
  EXPECT_GT(largest, 0.1);
}

TEST(ResidualStability, NeedsTheFormulation) {
  const ModelSystem<double> sys(load("pendulum"));
  EXPECT_THROW(ResidualMatrix(sys, Formulation::parse("linear")), Unsuitable);
}

}  // namespace
}  // namespace holonom::test
