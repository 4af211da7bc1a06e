// How far a state is from the manifold.
#include "holonom/solve/manifold.hpp"

#include "models.hpp"

namespace holonom::test {
namespace {

// The motion of one constraint is no measure for another.
TEST(HiddenConstraints, AreMeasuredOneByOne) {
  const ModelSystem<double> sys(from_text(R"toml(
[coordinates]
names = ["x", "y", "u", "v"]
[energy]
mass = [1, 1, 1, 1]
potential = "0"
[constraints]
fast = "(x^2 + y^2 - 1)/2"
slow = "(u^2 + v^2 - 1)/2"
[initial]
q = { x = 1, y = 0, u = 1, v = 0 }
p = { x = 0, y = 0, u = 0, v = 0 }
)toml"));
  State<double> x = initial_state(sys).state;
  x.p[1] = 1e6;
  x.p[2] = 1e-8;
  x.p[3] = 1;
  Manifold<double> manifold(sys);
  EXPECT_NEAR(manifold.hidden(x.q, x.p).relative, 1e-8, 1e-12);
  x.p[2] = x.p[3] = 0;  // at a turning point nothing moves
  (void)manifold.hidden(x.q, x.p);
  EXPECT_NEAR(manifold.largest_hidden(), 1e-8, 1e-12);
}

// Two constraints of two coordinates: what is left of the impulses is a rounding error, and all that moves.
TEST(HiddenConstraints, AreMeasuredAgainstImpulsesWhereNothingCanMove) {
  const ModelSystem<double> sys(from_text(R"toml(
[coordinates]
names = ["x", "y"]
[energy]
mass = [1, 1]
potential = "x + y"
[constraints]
a = "x + 2*y"
b = "x^3 + y"
[initial]
q = { x = 0, y = 0 }
)toml"));
  const auto largest = [&](double p_y, double h) {
    State<double> x = initial_state(sys).state;
    Manifold<double> manifold(sys);
    if (h > 0) manifold.expect_impulses(x, h);
    x.p[1] = p_y;
    (void)manifold.hidden(x.q, x.p);
    return manifold.largest_hidden();
  };
  EXPECT_NEAR(largest(1e-17, 0), 1, 1e-12);
  EXPECT_NEAR(largest(1e-17, 0.1), 1e-16, 1e-28);
  EXPECT_NEAR(largest(1e-17, 1e-18), 1, 1e-12) << "faster than the impulses";
  EXPECT_NEAR(largest(1e-3, 1e5), 1, 1e-12) << "the impulses of a long step hide nothing";
}

}  // namespace
}  // namespace holonom::test
