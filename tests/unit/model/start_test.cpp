// Initial states: consistent, projected, or refused with the reason.
#include "holonom/model/start.hpp"

#include "holonom/solve/manifold.hpp"
#include "models.hpp"

namespace holonom::test {
namespace {

TEST(InitialState, InconsistentValuesAreNamed) {
  const auto complaint = [](const std::string& initial) {
    const ModelSystem<double> sys(
        from_text("[coordinates]\nnames = [\"x\", \"y\"]\n[energy]\nmass = [1, 1]\npotential = \"y\"\n"
                  "[constraints]\nrod = \"x^2 + y^2 - 1\"\n[initial]\n" +
                  initial));
    return message_of<InputError>([&] { (void)initial_state(sys); });
  };
  const std::string position = complaint("q = { x = \"1.1\", y = 0 }");
  EXPECT_TRUE(
      contains(position, "test.toml:11:5: the initial position does not satisfy g(q) = 0; residuals: 'rod' (0.21)"));
  EXPECT_TRUE(contains(position, "project = true"));
  const std::string motion = complaint("q = { x = 1, y = 0 }\np = { x = \"0.25\", y = 1 }");
  EXPECT_TRUE(contains(
      motion,
      "test.toml:12:5: the initial motion is not tangent to the constraints, G(q) H_p = 0; residuals: 'rod' (0.5)"));
  EXPECT_TRUE(contains(motion, "project = true"));
  EXPECT_TRUE(
      contains(complaint("q = { x = \"0/0\", y = 0 }"), "test.toml:11:11: the initial value of 'x' is not finite"));
  EXPECT_TRUE(contains(complaint("q = { x = 1, y = 0 }\nv = { y = \"log(-1)\" }"),
                       "test.toml:12:11: the initial velocity of 'y' is not finite"));
  EXPECT_TRUE(contains(complaint("q = { x = 0, y = 0 }\nproject = true"),
                       "the gradient of constraint 'rod' vanishes at the initial position"));
}

TEST(InitialState, ProjectionMovesAlongTheMasses) {
  // Onto x = 1 along M⁻¹Gᵀ: only x moves, and only the momentum of x.
  const ModelSystem<double> sys(from_text(R"toml(
[coordinates]
names = ["x", "y"]
[energy]
mass = [[2, 1], [1, 1]]
potential = "0"
[constraints]
wall = "x - 1"
[initial]
project = true
q = { x = "1.5", y = 7 }
p = { x = 3, y = 5 }
)toml"));
  const Start<double> start = initial_state(sys);
  // M⁻¹ = [[1, −1], [−1, 2]]: the step −½ along (1, −1)
  EXPECT_NEAR(start.state.q[0], 1, 1e-15);
  EXPECT_NEAR(start.state.q[1], 7.5, 1e-14);
  EXPECT_NEAR(start.moved, 0.5, 1e-15);
  EXPECT_NEAR(start.state.p[0], 5, 1e-14) << "v_x = p_x − p_y = 0";
  EXPECT_NEAR(start.state.p[1], 5, 1e-15);
}

TEST(InitialState, ContradictionsAreNamed) {
  const auto complaint = [](const std::string& constraints) {
    const ModelSystem<double> sys(
        from_text("[coordinates]\nnames = [\"x\", \"y\"]\n[energy]\nmass = [1, 1]\npotential = \"y\"\n[constraints]\n" +
                  constraints + "\n[initial]\nq = { x = 1, y = 0 }\n"));
    return message_of<InputError>([&] { (void)initial_state(sys); });
  };
  EXPECT_TRUE(contains(complaint("here = \"x - 1\"\nthere = \"x - 2\""),
                       "test.toml:10:9: the constraints 'here' and 'there' contradict each other"));
  EXPECT_TRUE(contains(complaint("short = \"x^2 + y^2 - 1\"\nlong = \"x^2 + y^2 - 4\""),
                       "the constraints 'short' and 'long' contradict each other"));
  EXPECT_TRUE(contains(complaint("nowhere = \"x^2 + y^2 + 1\""), "no position nearby was found"));
}

TEST(InitialState, KeepsAllDigits) {
  // A start that holds to quad precision, not only to double, and the defaults of [integrate].
  const ModelSystem<quad> sys(load("charged-particle"));
  const Start<quad> start = initial_state(sys);
  EXPECT_EQ(start.state.q[0], quad("0.2"));
  EXPECT_LE(to_double(Manifold<quad>(sys).position(start.state.q).absolute), 1e-33);
  ASSERT_TRUE(start.step && start.until);
  EXPECT_EQ(*start.step, quad("0.12"));
  EXPECT_EQ(*start.until, quad(600));
}

TEST(InitialState, HasNoTangentInDuals) {
  for (const char* name : {"slider-crank", "four-bar", "pendulum", "kepler-sphere", "charged-particle"}) {
    const ModelSystem<Dual<double>> sys(load(name));
    const auto start = initial_state(sys);
    for (const auto& x : start.state.q) EXPECT_TRUE(is_finite(x) && x.d == 0) << name;
    for (const auto& x : start.state.p) EXPECT_TRUE(is_finite(x) && x.d == 0) << name;
  }
}

}  // namespace
}  // namespace holonom::test
