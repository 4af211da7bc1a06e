// Models from C++ expressions, and what is asked of models.
#include "holonom/model/model.hpp"

#include "holonom/run/driver.hpp"
#include "models.hpp"

namespace holonom::test {
namespace {

using std::vector;

// ---- C++ expressions

Model pendulum_in_ten_lines() {
  Model pendulum("pendulum");
  const Expr x = pendulum.coordinate("x"), y = pendulum.coordinate("y");
  pendulum.set_mass({1, 1}).set_potential(y).add_constraint("rod", sqrt(x * x + y * y) - 1);
  pendulum.add_invariant("Lz", x * pendulum.momentum(y) - y * pendulum.momentum(x)).start_at({1, 0});
  return pendulum;
}

TEST(CppModels, EqualTheTextModel) {
  const auto by_cpp = compile(pendulum_in_ten_lines()), by_text = load("pendulum");
  EXPECT_EQ(by_cpp->labels().coordinates, by_text->labels().coordinates);
  EXPECT_EQ(by_cpp->labels().constraints, by_text->labels().constraints);
  EXPECT_EQ(trajectory<double>(by_cpp, 0.1, 300), trajectory<double>(by_text, 0.1, 300)) << "bit for bit";
}

TEST(CppModels, KineticAndHamiltonianForms) {
  Model kinetic("k");
  const Expr a = kinetic.coordinate("a");
  kinetic.set_kinetic((2 + cos(a)) * pow(kinetic.velocity(a), 2) / 2).set_potential(sin(a)).start_moving({0.5}, {1});
  Model hamiltonian("h");
  const Expr b = hamiltonian.coordinate("b");
  hamiltonian.set_hamiltonian(pow(hamiltonian.momentum(b), 2) / (2 * (2 + cos(b))) + sin(b))
      .start_at({0.5}, {2 + std::cos(0.5)});
  const auto x = trajectory<double>(compile(kinetic), 0.01, 100),
             y = trajectory<double>(compile(hamiltonian), 0.01, 100);
  EXPECT_LE(largest_difference(x, y), 1e-12);
}

TEST(CppModels, MistakesAreNamed) {
  const auto complaint = [](const std::function<void(Model&, Expr, Expr)>& spoil) {
    return message_of<InputError>([&] {
      Model m("wrong");
      const Expr x = m.coordinate("x"), y = m.coordinate("y");
      m.set_mass({1, 1}).set_potential(x).start_at({1, 0});
      spoil(m, x, y);
      (void)compile(m);
    });
  };
  EXPECT_TRUE(contains(complaint([](Model& m, Expr, Expr) { m.set_mass({1}); }),
                       "wrong: mass needs one number for each of the 2 coordinates"));
  EXPECT_TRUE(
      contains(complaint([](Model& m, Expr x, Expr) { m.set_kinetic(pow(m.velocity(x), 2)); }), "exactly one form"));
  EXPECT_TRUE(
      contains(complaint([](Model& m, Expr x, Expr) { m.set_potential(m.momentum(x)); }), "the potential uses p_x"));
  EXPECT_TRUE(contains(complaint([](Model& m, Expr x, Expr) { m.add_constraint("c", m.velocity(x)); }),
                       "constraint 'c' uses v_x"));
  EXPECT_TRUE(contains(complaint([](Model& m, Expr, Expr) { m.add_constraint("c", m.number("3")); }),
                       "constraint 'c' does not depend on any coordinate"));
  EXPECT_TRUE(contains(complaint([](Model& m, Expr x, Expr) { m.add_constraint("c", x).add_constraint("c", x); }),
                       "constraint 'c' is declared twice"));
  EXPECT_TRUE(contains(complaint([](Model& m, Expr x, Expr) { m.add_invariant("p_y", x); }),
                       "wrong: the invariant 'p_y' needs another name: outputs have a column 'p_y' already, that of "
                       "the coordinate 'y'"));
  EXPECT_TRUE(
      contains(complaint([](Model& m, Expr, Expr) { m.coordinate("x"); }), "the coordinate 'x' is declared twice"));
  EXPECT_TRUE(contains(complaint([](Model& m, Expr, Expr) {
                         m.start_at({1, 2, 3});
                       }),
                       "one number for each of the 2 coordinates"));
  EXPECT_TRUE(contains(complaint([](Model& m, Expr x, Expr y) { (void)m.momentum(x + y); }),
                       "momentum and velocity are those of a coordinate"));
  EXPECT_TRUE(
      contains(message_of<InputError>([] { (void)compile(Model("empty")); }), "a model needs at least one coordinate"));
}

// Roots of constants, of initial values and in potentials are none.
TEST(Models, SayWhetherConstraintsHaveRoots) {
  EXPECT_TRUE(has_roots(load("double-pendulum")->model()));
  for (const char* model : {"pendulum-quadratic", "spring-chain", "stiff-pendulum-chain", "henon-heiles"})
    EXPECT_FALSE(has_roots(load(model)->model())) << model;
}

TEST(Observables, FromExpressions) {
  Model model("pendulum");
  const Expr x = model.coordinate("x"), y = model.coordinate("y");
  model.set_mass({2, 2}).set_potential(y).add_constraint("rod", x * x + y * y - 1).start_moving({1, 0}, {0, 3});
  model.add_observable("speed", sqrt(pow(model.velocity(x), 2) + pow(model.velocity(y), 2)));
  model.add_observable("turning", x * model.momentum(y) - y * model.momentum(x));
  const ModelSystem<double> sys(compile(std::move(model)));
  EXPECT_EQ(sys.labels().observables, (vector<std::string>{"speed", "turning"}));
  EXPECT_FALSE(sys.observables_use_multipliers());
  Vec<double> out(2);
  sys.observables(initial_state(sys).state, out);
  EXPECT_DOUBLE_EQ(out[0], 3);
  EXPECT_DOUBLE_EQ(out[1], 6);
}

}  // namespace
}  // namespace holonom::test
