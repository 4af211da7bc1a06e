// Redundant constraints and singular positions.
#include "holonom/solve/constraint_rank.hpp"

#include "holonom/solve/manifold.hpp"
#include "models.hpp"

namespace holonom::test {
namespace {

using std::vector;

ConstraintRank rank_of(const std::shared_ptr<const CompiledModel>& compiled) {
  const ModelSystem<double> sys(compiled);
  return constraint_rank(sys, initial_state(sys).state);
}

TEST(ConstraintRank, RedundantOnesAreNotSingular) {
  const ConstraintRank independent = rank_of(load("four-bar")), redundant = rank_of(load("four-bar-redundant"));
  EXPECT_EQ(independent.rank, 3);
  EXPECT_TRUE(independent.dependent.empty());
  EXPECT_FALSE(independent.singular_position);
  EXPECT_EQ(redundant.rank, 3);
  EXPECT_FALSE(redundant.singular_position);
  ASSERT_EQ(redundant.dependent.size(), 1U);
  EXPECT_EQ(redundant.dependent[0], (vector<int>{0, 1, 2, 3}));
}

TEST(ConstraintRank, ALocomotiveIsRedundantAlsoInADeadCentreOfOneRod) {
  for (const char* angle : {"0.5", "0", "pi/2", "pi"}) {
    const ConstraintRank rank = rank_of(load("locomotive", {{"phi0", angle}}));
    EXPECT_EQ(rank.rank, 1) << angle;
    EXPECT_FALSE(rank.singular_position) << angle;
    ASSERT_EQ(rank.dependent.size(), 1U) << angle;
    EXPECT_EQ(rank.dependent[0], (vector<int>{0, 1})) << angle;
  }
}

TEST(ConstraintRank, SingularPositions) {
  // A slider-crank with equal bars, folded: the crank may turn with the rod, or the slider may leave.
  const auto folded = from_text(R"toml(
[parameters]
theta0 = "pi/2"
[coordinates]
names = ["theta", "phi", "s"]
[energy]
mass = [1, 1, 1]
potential = "0"
[constraints]
pin_x = "cos(theta) + cos(phi) - s"
pin_y = "sin(theta) + sin(phi)"
[initial]
q = { theta = "theta0", phi = "-theta0", s = "2*cos(theta0)" }
)toml");
  const ConstraintRank rank = rank_of(folded);
  EXPECT_EQ(rank.rank, 1);
  EXPECT_TRUE(rank.singular_position);
  // A parallelogram stretched along its base.
  const auto flat = from_text(R"toml(
[coordinates]
names = ["x1", "y1", "x2", "y2"]
[energy]
mass = [1, 1, 1, 1]
potential = "0"
[constraints]
left = "(x1^2 + y1^2 - 1)/2"
top = "((x2 - x1)^2 + (y2 - y1)^2 - 4)/2"
right = "((x2 - 2)^2 + y2^2 - 1)/2"
[initial]
q = { x1 = 1, y1 = 0, x2 = 3, y2 = 0 }
)toml");
  const ConstraintRank stretched = rank_of(flat);
  EXPECT_EQ(stretched.rank, 2);
  EXPECT_TRUE(stretched.singular_position);
  ASSERT_EQ(stretched.dependent.size(), 1U);
  EXPECT_EQ(quoted_list({"left", "top", "right"}, stretched.dependent[0]), "'left', 'top' and 'right'");
}

TEST(ConstraintRank, NoFreedomLeftIsNotSingular) {
  const auto fixed = from_text(R"toml(
[coordinates]
names = ["x", "y"]
[energy]
mass = [1, 1]
potential = "0"
[constraints]
a = "x - 1"
b = "y"
c = "x + y - 1"
[initial]
q = { x = 1, y = 0 }
)toml");
  const ConstraintRank rank = rank_of(fixed);
  EXPECT_EQ(rank.rank, 2);
  EXPECT_FALSE(rank.singular_position);
}

TEST(RedundantModels, MoveLikeTheirIndependentTwins) {
  const auto redundant = trajectory<double>(load("four-bar-redundant"), 0.001, 500),
             independent = trajectory<double>(load("four-bar"), 0.001, 500);
  EXPECT_LE(largest_difference(redundant, independent), 1e-9);
}

// After many turns the two rods of a locomotive disagree by the rounding errors of angles: not more is forgiven, nor
// less.
TEST(RedundantModels, MayDisagreeByRoundingErrorsOfPositions) {
  const auto run = [](const char* angle, double push) {
    const ModelSystem<double> sys(load("locomotive", {{"phi0", angle}}));
    State<double> x = initial_state(sys).state;
    const auto method = methods().find("kahan-li-8").make<double>(sys);
    EXPECT_TRUE(method->begin(x, 0.01).ok());
    Manifold<double> manifold(sys);
    for (int k = 0; k < 2000; ++k) {
      if (!method->step(x, 0.01).ok()) return -1.0;
      (void)manifold.hidden(x.q, x.p);
    }
    x.q[0] += push * x.q[0];
    (void)manifold.hidden(x.q, x.p);
    return manifold.largest_hidden();
  };
  for (const char* angle : {"0.5", "1e3", "1e6", "1e9"}) {
    const double residual = run(angle, 0);
    EXPECT_GE(residual, 0) << angle << ": failed";
    EXPECT_LE(residual, 1e-14) << angle;
    EXPECT_GE(run(angle, 1e-12), 1e-13) << angle;
  }
}

}  // namespace
}  // namespace holonom::test
