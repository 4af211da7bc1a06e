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

}  // namespace
}  // namespace holonom::test
