// Involutions and invariants of models.
#include "holonom/analysis/symmetry.hpp"

#include "models.hpp"

namespace holonom::test {
namespace {

using std::vector;

TEST(Symmetry, ReversalNeedsTheRightInvolution) {
  const auto charged = load("charged-particle");
  const ModelSystem<double> sys(charged);
  EXPECT_LE(reversal_defect(sys, initial_state(sys).state), 1e-13);
  Model spoilt = charged->model();
  spoilt.flip_q.assign(3, false);
  spoilt.flip_p.assign(3, true);
  const ModelSystem<double> default_reversal(compile(spoilt));
  EXPECT_GE(reversal_defect(default_reversal, initial_state(default_reversal).state), 1e-3)
      << "a magnetic field is not reversed by p -> -p";
}

TEST(Symmetry, OnlyTrueInvariantsAreConserved) {
  const auto compiled = from_text(R"toml(
[coordinates]
names = ["x", "y", "z"]
[energy]
mass = [1, 1, 1]
potential = "z"
[constraints]
sphere = "(x^2 + y^2 + z^2 - 1)/2"
[invariants]
Lz = "x*p_y - y*p_x"
Lx = "y*p_z - z*p_y"
[initial]
q = { x = "0.6", y = 0, z = "0.8" }
p = { x = 0, y = 1, z = 0 }
)toml");
  const ModelSystem<double> sys(compiled);
  const vector<double> rates = invariant_rates(sys, initial_state(sys).state);
  ASSERT_EQ(rates.size(), 2U);
  EXPECT_LE(rates[0], 1e-13);
  EXPECT_GE(rates[1], 1e-3);
}

// A weight on a table: the table cancels the weight but for rounding errors, and on a tilted one not quite.
TEST(Symmetry, RatesAreMeasuredByForcesThatCancel) {
  const auto rate_on_table = [](const std::string& tilt) {
    const ModelSystem<double> sys(from_text(R"toml(
[coordinates]
names = ["x", "z"]
[energy]
mass = [0.3, 0.7]
potential = "9.81*z"
[constraints]
table = "0.9*(z - )toml" + tilt + R"toml(*x)"
[invariants]
up = "p_z"
[initial]
q = { x = 0, z = 0 }
)toml"));
    return invariant_rates(sys, initial_state(sys).state)[0];
  };
  EXPECT_LE(rate_on_table("0"), 1e-10);
  // two constraints whose forces on z cancel
  const ModelSystem<double> sys(from_text(R"toml(
[coordinates]
names = ["x", "y", "z"]
[energy]
mass = [0.3, 0.7, 1.1]
potential = "0"
[constraints]
circle = "x^2 + 3*y^2 + z - 1"
table = "0.9*z"
[invariants]
up = "p_z"
[initial]
q = { x = 1, y = 0, z = 0 }
v = { y = 1 }
)toml"));
  EXPECT_LE(invariant_rates(sys, initial_state(sys).state)[0], 1e-10);
  EXPECT_GE(rate_on_table("1e-5"), 1e-6);
}

}  // namespace
}  // namespace holonom::test
