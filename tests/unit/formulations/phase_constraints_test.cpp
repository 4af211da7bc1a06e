// Constraints on positions and momenta: Dirac's Hamiltonian, on the graph.
#include "holonom/model/phase_constraints.hpp"

#include "formulations/near_start.hpp"
#include "holonom/errors.hpp"
#include "holonom/formulations/formulation.hpp"
#include "holonom/methods/registry.hpp"

namespace holonom::test {
namespace {

// L = B/2 (x y' − y x') − V: φ = (p_x + B y/2, p_y − B x/2), {φ, φ} = B J, and x' = −V_y/B, y' = V_x/B on φ = 0.
TEST(PhaseConstraints, GuidingCentresDriftAlongLinesOfThePotential) {
  const auto compiled = load("guiding-centre");
  const ModelSystem<double> sys(compiled);
  ASSERT_EQ(sys.m(), 0);
  EXPECT_EQ(sys.labels().observables, (std::vector<std::string>{"along_x", "along_y"}));
  const double B = 2;
  State<double> x(2, 0);
  for (const auto& [qx, qy] : {std::pair(1.0, 0.5), std::pair(-0.3, 0.7), std::pair(0.2, -1.1)}) {
    x.q = Vec<double>{qx, qy};
    x.p = Vec<double>{-B * qy / 2, B * qx / 2};
    Vec<double> v(2), f(2);
    sys.H_p(x.q, x.p, v);
    sys.H_q(x.q, x.p, f);
    EXPECT_NEAR(v[0], -2 * qy / B, 1e-15);
    EXPECT_NEAR(v[1], (qx + qx * qx * qx) / B, 1e-15);
    EXPECT_NEAR(-f[0] + B * v[1] / 2, 0, 1e-15) << "p' belongs to q'";
    EXPECT_NEAR(-f[1] - B * v[0] / 2, 0, 1e-15);
  }
  // Constraints that are linear are kept by all stages of a Gauss method. The energy shows its order.
  double before = 0;
  for (const double h : {0.1, 0.05, 0.025}) {
    const auto method = methods().find("gauss-2").make<double>(sys);
    State<double> y = initial_state(sys).state;
    const double H = sys.H(y.q, y.p);
    ASSERT_TRUE(method->begin(y, h).ok());
    double error = 0;
    for (int k = 0; k < static_cast<int>(10 / h); ++k) {
      ASSERT_TRUE(method->step(y, h).ok());
      error = std::max(error, std::abs(sys.H(y.q, y.p) - H));
    }
    EXPECT_LT(std::hypot(y.p[0] + B * y.q[1] / 2, y.p[1] - B * y.q[0] / 2), 1e-14);
    if (before > 0) {
      EXPECT_NEAR(std::log2(before / error), 4, 0.2) << h;
    }
    before = error;
  }
}

// Constraints on positions, whose hidden ones are found: H_T of the formulation `dirac`, which has it by contractions.
TEST(PhaseConstraints, OfPositionsGiveTheFormulationDirac) {
  const char* const in_both[] = {R"(
[coordinates]
names = ["x", "y"]
[energy]
mass = [1, 2]
potential = "y"
[%s]
rod = "sqrt(x^2 + y^2) - 1"
[initial]
q = { x = "0.6", y = "0.8" }
p = { x = "-0.8", y = "1.2" }
)",
                                 R"(
[coordinates]
names = ["x", "y", "u", "v"]
[energy]
hamiltonian = "(p_x - y)^2/2 + p_y^2/2 + p_u^2/4 + p_v^2/4 + y + 2*v + x*p_u/3"
[%s]
one = "(x^2 + y^2 - 1)/2"
two = "sqrt((u - x)^2 + (v - y)^2) - 1"
[initial]
q = { x = 1, y = 0, u = 1, v = 1 }
p = { x = 0, y = 0.3, u = "-1/3", v = 0.6 }
)"};
  std::mt19937 random(3);
  for (const char* text : in_both) {
    const auto with = [&](const char* table) {
      std::string whole = text;
      return ModelSystem<double>(from_text(whole.replace(whole.find("%s"), 2, table)));
    };
    const ModelSystem<double> direct = with("constraints"), reduced = with("phase_constraints");
    EXPECT_EQ(reduced.labels().observables.size(), 2 * static_cast<std::size_t>(direct.m()));
    const auto dirac = formulate<double>(Formulation::parse("dirac"), direct);
    const int n = direct.n();
    for (int trial = 0; trial < 10; ++trial) {
      const NearStart at(direct, random, 0.1);
      EXPECT_NEAR(reduced.H(at.q, at.p), dirac->system().H(at.q, at.p), 1e-13);
      Vec<double> a(n), b(n);
      reduced.H_q(at.q, at.p, a);
      dirac->system().H_q(at.q, at.p, b);
      EXPECT_LT(largest_difference(a, b), 1e-12);
      reduced.H_p(at.q, at.p, a);
      dirac->system().H_p(at.q, at.p, b);
      EXPECT_LT(largest_difference(a, b), 1e-12);
    }
  }
}

TEST(PhaseConstraints, MistakesAreNamed) {
  const auto complaint = [](const std::string& rest) {
    return message_of<InputError>([&] { (void)from_text("[coordinates]\nnames = [\"x\", \"y\"]\n" + rest); });
  };
  const std::string energy = "[energy]\nhamiltonian = \"p_x^2/2 + x*y\"\n", start = "[initial]\nq = { x = 1, y = 2 }\n";
  EXPECT_TRUE(contains(complaint(energy + "[phase_constraints]\na = \"p_x + y\"\nb = \"p_y - x\"\n" + start),
                       "the constraint 'a' is 2 at the initial values, not 0"));
  EXPECT_TRUE(contains(complaint(energy + "[phase_constraints]\na = \"p_y\"\n" + start),
                       "the hidden constraint {a, H} is -1 at the initial values, not 0"));
  EXPECT_TRUE(contains(complaint("[energy]\nhamiltonian = \"p_x^2/2\"\n[phase_constraints]\na = \"p_y\"\n" + start),
                       "leave the motion undetermined, or depend on each other"));
  EXPECT_TRUE(contains(complaint(energy + "[constraints]\nc = \"x - 1\"\n[phase_constraints]\na = \"p_y\"\n" + start),
                       "put the constraints on positions there too"));
  EXPECT_TRUE(
      contains(complaint(energy + "[phase_constraints]\na = \"v_y\"\n" + start), "uses v_y: write it with momenta"));
  EXPECT_TRUE(contains(
      complaint("[energy]\nkinetic = \"v_x^2 + v_y^2\"\npotential = \"0\"\n[phase_constraints]\na = \"p_y\"\n" + start),
      "give the energy as hamiltonian"));
  EXPECT_TRUE(contains(complaint(energy + "[phase_constraints]\na = \"p_y\"\n" + start + "v = { x = 1, y = 0 }\n"),
                       "give the initial momenta p"));
  EXPECT_TRUE(contains(complaint(energy + "[constraints]\na = \"p_y\"\n" + start),
                       "of momenta there are [phase_constraints], which are something else"));
}

}  // namespace
}  // namespace holonom::test
