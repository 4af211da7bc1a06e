// Models as systems: the three energy forms, M(q), velocities and momenta, C++ expressions and own C++
// types; initial states, rank, symmetries.
#include "holonom/adapt.hpp"
#include "holonom/analysis/symmetry.hpp"
#include "holonom/methods/rattle.hpp"
#include "holonom/methods/rattle_general.hpp"
#include "holonom/methods/registry.hpp"
#include "holonom/model/start.hpp"
#include "holonom/model/toml.hpp"
#include "holonom/run/driver.hpp"
#include "holonom/solve/constraint_rank.hpp"
#include "support.hpp"

namespace holonom::test {
namespace {

using std::vector;
using Form = CompiledModel::Form;

std::shared_ptr<const CompiledModel> load(const std::string& name, const Overrides& set = {}) {
  return compile(load_model(HOLONOM_MODELS "/" + name + ".toml", set));
}
std::shared_ptr<const CompiledModel> from_text(const std::string& text) {
  return compile(parse_model("format = 1\nname = \"test\"\n" + text, "test.toml"));
}

// All states of a RATTLE run, q and p in one list.
template <class S>
vector<S> trajectory(const AnySystem<S>& sys, State<S> x, const S& h, int steps) {
  const auto method = methods().find("rattle").make<S>(sys);
  EXPECT_TRUE(method->begin(x, h).ok());
  vector<S> all;
  for (int k = 0; k < steps; ++k) {
    EXPECT_TRUE(method->step(x, h).ok()) << "step " << k;
    all.insert(all.end(), x.q.begin(), x.q.end());
    all.insert(all.end(), x.p.begin(), x.p.end());
  }
  return all;
}
template <class S>
vector<S> trajectory(const std::shared_ptr<const CompiledModel>& compiled, const S& h, int steps) {
  const GraphSystem<S> sys(compiled);
  return trajectory<S>(sys, initial_state(sys).state, h, steps);
}

double largest_difference(const vector<double>& a, const vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

// ---- M(q): the slider-crank, with its mass matrix written by hand

struct HandWrittenCrank {
  quad r{"0.1"}, c{"0.12"}, J_crank{"0.004"}, m_rod{"0.5"}, J_rod{"0.004"}, m_slider{"0.4"}, g{"9.81"};

  // M⁻¹p: a 2 × 2 block for the angles, and the slider
  Vec<quad> H_p(const Vec<quad>& q, const Vec<quad>& p) const {
    const quad a = J_crank + m_rod * r * r, b = m_rod * r * c * cos(q[0] - q[1]), d = m_rod * c * c + J_rod,
               det = a * d - b * b;
    return {(d * p[0] - b * p[1]) / det, (a * p[1] - b * p[0]) / det, p[2] / m_slider};
  }
  quad H(const Vec<quad>& q, const Vec<quad>& p) const {
    return dot(p, H_p(q, p)) / 2 + m_rod * g * (r * sin(q[0]) + c * sin(q[1]));
  }
};

const Vec<quad> crank_q{quad("0.7"), quad("-0.3"), quad("0.35")}, crank_p{quad("0.11"), quad("-0.05"), quad("0.4")},
    crank_u{quad("0.6"), quad("-1.3"), quad("0.8")};

TEST(MassMatrix, AgainstHandWrittenDerivativesAndDifferences) {
  const auto compiled = load("slider-crank");
  ASSERT_EQ(compiled->form(), Form::mass_matrix);
  const GraphSystem<quad> sys(compiled);
  const HandWrittenCrank crank;
  const Vec<quad>&q = crank_q, &p = crank_p, &u = crank_u;
  const quad step("1e-11");  // differences of order two leave some 1e-22
  const double close = 1e-19;
  const auto shifted = [&](const Vec<quad>& x, int i, const quad& by) {
    Vec<quad> y = x;
    y[i] += by;
    return y;
  };
  EXPECT_NEAR(to_double(quad(sys.H(q, p) - crank.H(q, p))), 0, 1e-32);
  Vec<quad> out(3), plus(3), minus(3);
  const Vec<quad> velocity = crank.H_p(q, p);
  sys.H_p(q, p, out);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(to_double(quad(out[i] - velocity[i])), 0, 1e-30) << "H_p " << i;
  sys.H_q(q, p, out);
  for (int i = 0; i < 3; ++i) {
    const quad slope = (crank.H(shifted(q, i, step), p) - crank.H(shifted(q, i, -step), p)) / (2 * step);
    EXPECT_NEAR(to_double(quad(out[i] - slope)), 0, close) << "H_q " << i;
  }
  sys.H_pp(q, p, u, out);
  const Vec<quad> image = crank.H_p(q, u);  // H_p is linear in p
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(to_double(quad(out[i] - image[i])), 0, 1e-30) << "H_pp u " << i;
  sys.H_pq(q, p, u, out);
  Vec<quad> ahead = q, behind = q;
  axpy(step, u, ahead);
  axpy(quad(-step), u, behind);
  plus = crank.H_p(ahead, p);
  minus = crank.H_p(behind, p);
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(to_double(quad(out[i] - (plus[i] - minus[i]) / (2 * step))), 0, 1e3 * close) << "H_pq u " << i;
}

TEST(MassMatrix, AgainstDuals) {
  const auto compiled = load("slider-crank");
  const GraphSystem<quad> sys(compiled);
  const GraphSystem<Dual<quad>> dual = sys.rebind<Dual<quad>>();
  using D = Dual<quad>;
  const auto seeded = [](const Vec<quad>& x, const Vec<quad>& u) {
    Vec<D> y(x.size());
    for (int i = 0; i < x.size(); ++i) y[i] = D(x[i], u[i]);
    return y;
  };
  const Vec<quad> none(3);
  const Vec<quad>&q = crank_q, &p = crank_p, &u = crank_u;
  Vec<quad> H_q(3), H_p(3), product(3);
  sys.H_q(q, p, H_q);
  sys.H_p(q, p, H_p);
  EXPECT_TRUE(agree(dual.H(seeded(q, u), seeded(p, none)).d, dot(H_q, u), 100));
  EXPECT_TRUE(agree(dual.H(seeded(q, none), seeded(p, u)).d, dot(H_p, u), 100));
  Vec<D> out(3);
  dual.H_p(seeded(q, u), seeded(p, none), out);
  sys.H_pq(q, p, u, product);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(agree(out[i].d, product[i], 1000)) << "H_pq u " << i;
  // The same position with other tangents: a factorisation kept by value alone would be the wrong one.
  dual.H_p(seeded(q, none), seeded(p, u), out);
  sys.H_pp(q, p, u, product);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(agree(out[i].d, product[i], 1000)) << "H_pp u " << i;
}

// ---- H_qq u and (λ·g)_qq u, in every form of the energy, against duals

void expect_second_derivatives(const GraphSystem<quad>& sys) {
  using D = Dual<quad>;
  const GraphSystem<D> dual = sys.rebind<D>();
  const int n = sys.n(), m = sys.m();
  // Any state will do, on the manifold or not: the start, shaken.
  State<quad> x = initial_state(sys).state;
  Vec<quad> u(n), lambda(m), out(n);
  Vec<D> q(n), p(n), H_q(n);
  for (int i = 0; i < n; ++i) {
    x.q[i] += quad((i * 7) % 5 - 2) / 40;
    x.p[i] += quad((i * 3) % 7 - 3) / 5;
    u[i] = quad((i * 5) % 11 - 4) / 3;
    q[i] = D(x.q[i], u[i]);
    p[i] = D(x.p[i]);
  }
  for (int k = 0; k < m; ++k) lambda[k] = quad(2 * k + 1) / 3 - m;
  const auto expect = [&](const Vec<quad>& exact, const char* what) {
    quad size(0);
    for (const quad& y : exact) size = std::max(size, quad(abs(y)));
    for (int i = 0; i < n; ++i)
      EXPECT_LE(abs(quad(out[i] - exact[i])), size * 1000 * epsilon<quad>()) << what << " " << i;
  };
  ASSERT_EQ(first_lack(sys, Quantity::H_qq, Quantity::lambda_g_qq), "");
  Vec<quad> exact(n);
  dual.H_q(q, p, H_q);
  for (int i = 0; i < n; ++i) exact[i] = H_q[i].d;
  sys.H_qq(x.q, x.p, u, out);
  expect(exact, "H_qq u");
  Jacobian<D> G(sys.pattern());
  dual.G(q, G);
  fill(exact, quad(0));
  for (int k = 0; k < m; ++k) G.row(k, [&](int j, const D& a) { exact[j] += lambda[k] * a.d; });
  sys.lambda_g_qq(x.q, lambda, u, out);
  expect(exact, "lambda.g_qq u");
}

TEST(SecondDerivatives, AgreeWithDuals) {
  for (const char* model :
       {"double-pendulum", "lj-chain", "henon-heiles", "elastic-double-pendulum", "rigid-body-heavy", "four-bar",
        "charged-particle", "slider-crank", "hanging-chain", "stiff-pendulum-chain"}) {
    SCOPED_TRACE(model);
    expect_second_derivatives(GraphSystem<quad>(load(model)));
  }
}
// Terms over index tables in the energy and in the constraints.
TEST(SecondDerivatives, AgreeWithDualsOverTables) {
  expect_second_derivatives(GraphSystem<quad>(from_text(R"toml(
[parameters]
N = 6
[coordinates]
r = { count = "N", dim = 2 }
[energy]
mass = { r = "1 + i" }
potential = "exp(r[0].x*r[1].y)"
[[energy.sum]]
over = { pairs = "r" }
term = "1/(1 + dot(r[i] - r[j], r[i] - r[j]))"
[[constraints.stack]]
name = "link"
over = { i = "0..N-2" }
zero = "sin(r[i+1].x - r[i].x) + (r[i+1].y - r[i].y)^3 - sin(1)"
[initial]
q.r = ["i", "0"]
)toml")));
}
// A full mass matrix, the kinetic energy of which depends on all coordinates, and a potential as well.
TEST(SecondDerivatives, AgreeWithDualsWhereAllDependsOnAll) {
  expect_second_derivatives(GraphSystem<quad>(from_text(R"toml(
[coordinates]
names = ["a", "b", "c"]
[energy]
kinetic = "((2 + cos(a*b))*v_a^2 + (3 + c^2)*v_b^2 + v_c^2 + v_a*v_b*sin(c) + v_b*v_c*a/5)/2"
potential = "exp(a*c) + b^4/4"
[constraints]
surface = "a^2*b + sin(c)"
[initial]
q = { a = 1, b = 0, c = 0 }
)toml")));
  expect_second_derivatives(GraphSystem<quad>(from_text(R"toml(
[coordinates]
names = ["a", "b"]
[energy]
hamiltonian = "exp(a*p_b) + (1 + a^2*b^2)*p_a^4/4 + p_b^2*cos(a) + a^3*b"
[constraints]
[initial]
q = { a = 1, b = 0 }
)toml")));
}

TEST(MassMatrix, AnIndefiniteOneGivesNaNAndADiagnosis) {
  const auto compiled = from_text(R"toml(
[coordinates]
names = ["x"]
[energy]
kinetic = "x*v_x^2/2"
potential = "0"
[initial]
q = { x = 1 }
)toml");
  const GraphSystem<double> sys(compiled);
  EXPECT_TRUE(is_finite(sys.H({1.0}, {2.0})));
  EXPECT_FALSE(is_finite(sys.H({-1.0}, {2.0})));
  EXPECT_TRUE(contains(sys.diagnose({-1.0}, {2.0}), "the mass matrix is not positive definite"));
  EXPECT_EQ(sys.diagnose({1.0}, {2.0}), "");
}

// ---- energy forms

// The pendulum of mass 0.7 in several forms
std::string pendulum(const std::string& energy) {
  return "[parameters]\nm = \"0.7\"\n[coordinates]\nnames = [\"x\", \"y\"]\n[energy]\n" + energy +
         "\n[constraints]\nrod = \"sqrt(x^2 + y^2) - 1\"\n[initial]\nq = { x = \"0.6\", y = \"-0.8\" }\nv = { x = "
         "\"0.8\", y = \"0.6\" }\n";
}

TEST(EnergyForms, ASeparableHamiltonianIsRecognised) {
  const auto by_mass = from_text(pendulum("mass = [\"m\", \"m\"]\npotential = \"9.81*m*y\""));
  const vector<double> expected = trajectory<double>(by_mass, 0.01, 200);
  for (const char* energy : {"hamiltonian = \"(p_x^2 + p_y^2)/(2*m) + 9.81*m*y\"",
                             "hamiltonian = \"9.81*m*y + p_y^2/m/2 + 0.5*(p_x*p_x)/m\"",
                             "kinetic = \"m*(v_x^2 + v_y^2)/2\"\npotential = \"9.81*m*y\"",
                             "mass = [[\"m\", 0], [0, \"m\"]]\npotential = \"9.81*m*y\""}) {
    const auto compiled = from_text(pendulum(energy));
    EXPECT_EQ(compiled->form(), Form::separable) << energy;
    EXPECT_TRUE(compiled->mass_is_diagonal()) << energy;
    EXPECT_LE(largest_difference(trajectory<double>(compiled, 0.01, 200), expected), 1e-12) << energy;
  }
}

TEST(EnergyForms, TheSameNumbersGiveTheSameBits) {
  // With m = 1 the reciprocal of the reciprocal is exact.
  const auto text = [](const std::string& energy) {
    return from_text("[coordinates]\nnames = [\"x\", \"y\"]\n[energy]\n" + energy +
                     "\n[constraints]\nrod = \"sqrt(x^2 + y^2) - 1\"\n[initial]\nq = { x = 1, y = 0 }\n");
  };
  const auto by_mass = text("mass = [1, 1]\npotential = \"y\""),
             by_hamiltonian = text("hamiltonian = \"(p_x^2 + p_y^2)/2 + y\"");
  EXPECT_EQ(trajectory<double>(by_mass, 0.05, 300), trajectory<double>(by_hamiltonian, 0.05, 300));
}

TEST(EnergyForms, AFullMassMatrixIsTheSameAsItsInverseInTheHamiltonian) {
  // M = [[2, 1], [1, 3]]: M⁻¹ = [[3, −1], [−1, 2]]/5
  const std::string rest = "\n[initial]\nq = { x = 1, y = 0 }\np = { x = \"0.3\", y = \"-0.4\" }\n",
                    start = "[coordinates]\nnames = [\"x\", \"y\"]\n[energy]\n";
  const std::string V = "(x^2 + 2*y^2 + x*y)/2 + x^4";
  const auto by_mass = from_text(start + "mass = [[2, 1], [1, 3]]\npotential = \"" + V + "\"" + rest);
  const auto by_kinetic =
      from_text(start + "kinetic = \"v_x^2 + v_x*v_y + 3*v_y^2/2\"\npotential = \"" + V + "\"" + rest);
  const auto by_hamiltonian =
      from_text(start + "hamiltonian = \"(3*p_x^2 - 2*p_x*p_y + 2*p_y^2)/10 + " + V + "\"" + rest);
  const vector<double> expected = trajectory<double>(by_mass, 0.02, 300);
  for (const auto& compiled : {by_kinetic, by_hamiltonian}) {
    EXPECT_EQ(compiled->form(), Form::separable);
    EXPECT_FALSE(compiled->mass_is_diagonal());
    EXPECT_LE(largest_difference(trajectory<double>(compiled, 0.02, 300), expected), 1e-12);
  }
}

TEST(EnergyForms, WhatIsNotSeparableSaysWhy) {
  const auto form = [](const std::string& hamiltonian) {
    return from_text("[coordinates]\nnames = [\"x\", \"y\"]\n[energy]\nhamiltonian = \"" + hamiltonian +
                     "\"\n[initial]\nq = { x = 1, y = 2 }\n");
  };
  const vector<std::pair<std::string, std::string>> cases{
      {"(p_x + y)^2/2 + p_y^2/2", "mixes positions and momenta"},
      {"p_x^2/(2*x) + p_y^2/2", "mixes positions and momenta"},
      {"p_x^2/2 + p_y^2/2 + 3*p_x", "terms linear in the momenta"},
      {"sqrt(1 + p_x^2 + p_y^2)", "not quadratic in the momenta"},
      {"p_x^4 + p_y^2", "not quadratic in the momenta"},
  };
  for (const auto& [hamiltonian, reason] : cases) {
    const auto compiled = form(hamiltonian);
    EXPECT_EQ(compiled->form(), Form::general) << hamiltonian;
    EXPECT_TRUE(contains(compiled->not_separable(), reason)) << hamiltonian;
    const GraphSystem<double> sys(compiled);
    const auto view = sys.as<SeparableView<double>>();
    EXPECT_FALSE(view);
    EXPECT_EQ(view.reason, compiled->not_separable());
  }
}

TEST(EnergyForms, BadMassesAreRefused) {
  const auto complaint = [](const std::string& energy) {
    return message_of<InputError>([&] {
      const GraphSystem<double> sys(from_text("[coordinates]\nnames = [\"x\", \"y\"]\n[energy]\n" + energy +
                                              "\n[initial]\nq = { x = 1, y = 2 }\n"));
    });
  };
  EXPECT_TRUE(contains(complaint("mass = [1, 0]\npotential = \"0\""),
                       "test.toml:6:12: the mass of coordinate 'y' is 0; a mass must be a positive number"));
  EXPECT_TRUE(contains(complaint("mass = [\"-2/3\", 1]\npotential = \"0\""),
                       "test.toml:6:9: the mass of coordinate 'x' is -0.666667"));
  EXPECT_TRUE(contains(complaint("mass = [[1, 2], [3, 9]]\npotential = \"0\""),
                       "not symmetric: entries (1, 2) and (2, 1) differ"));
  EXPECT_TRUE(contains(complaint("mass = [[1, 2], [2, 1]]\npotential = \"0\""), "not positive definite"));
  EXPECT_TRUE(contains(complaint("kinetic = \"v_x^2\"\npotential = \"0\""),
                       "gives coordinate 'y' the mass 0; it needs a positive term in v_y^2"));
  EXPECT_TRUE(contains(complaint("hamiltonian = \"p_x^2 - p_y^2\""), "gives coordinate 'y' the inverse mass -2"));
  EXPECT_TRUE(contains(complaint("kinetic = \"v_x^2 + v_y\"\npotential = \"0\""),
                       "test.toml:6:11: the kinetic energy is not quadratic in the velocities"));
  EXPECT_TRUE(
      contains(complaint("kinetic = \"v_x^2 + v_y^2 + x\"\npotential = \"0\""), "not quadratic in the velocities"));
  EXPECT_TRUE(
      contains(complaint("kinetic = \"sqrt(v_x^4 + v_y^4)\"\npotential = \"0\""), "not quadratic in the velocities"));
}

// ---- velocities and momenta

TEST(Velocities, BecomeMomentaInEveryForm) {
  const auto momenta = [](const std::string& energy) {
    const GraphSystem<quad> sys(
        from_text("[coordinates]\nnames = [\"x\", \"y\"]\n[energy]\n" + energy +
                  "\n[initial]\nq = { x = \"0.6\", y = \"-0.8\" }\nv = { x = \"0.5\", y = \"0.25\" }\n"));
    return initial_state(sys).state.p;
  };
  const auto is = [](const Vec<quad>& p, const quad& x, const quad& y) {
    return abs(p[0] - x) < quad("1e-31") && abs(p[1] - y) < quad("1e-31");
  };
  EXPECT_TRUE(is(momenta("mass = [2, 4]\npotential = \"0\""), 1, 1));
  EXPECT_TRUE(is(momenta("mass = [[2, 1], [1, 4]]\npotential = \"0\""), quad("1.25"), quad("1.5")));
  EXPECT_TRUE(is(momenta("kinetic = \"v_x^2 + v_x*v_y + 2*v_y^2\"\npotential = \"0\""), quad("1.25"), quad("1.5")));
  EXPECT_TRUE(is(momenta("kinetic = \"(1 + x^2)*v_x^2/2 + v_y^2/2 + x*y*v_x*v_y/2\"\npotential = \"0\""),
                 quad("1.36") / 2 - quad("0.24") / 4, quad("0.25") - quad("0.24") / 2));
  EXPECT_TRUE(is(momenta("hamiltonian = \"p_x^2/4 + p_y^2/8 + x^2\""), 1, 1));
  EXPECT_TRUE(is(momenta("hamiltonian = \"((p_x + y)^2 + (p_y - x)^2)/2\""), quad("1.3"), quad("0.85")))
      << "v_x = p_x + y";
  const quad gamma = 1 / sqrt(1 - quad("0.3125"));  // v² = 5/16
  EXPECT_TRUE(is(momenta("hamiltonian = \"sqrt(1 + p_x^2 + p_y^2)\""), gamma / 2, gamma / 4)) << "relativistic";
}

TEST(Velocities, ThatNoMomentumHasAreRefused) {
  const GraphSystem<double> sys(from_text(R"toml(
[coordinates]
names = ["x"]
[energy]
hamiltonian = "sqrt(1 + p_x^2)"
[initial]
q = { x = 0 }
v = { x = 2 }
)toml"));
  EXPECT_TRUE(contains(message_of<InputError>([&] { (void)initial_state(sys); }),
                       "no momenta were found that belong to the initial velocities"));
}

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

// ---- own C++ types

// The double pendulum with masses 1 and 2, sizes known at compile time, in any scalar.
template <class T>
struct OwnDoublePendulum {
  using Scalar = T;
  static constexpr int N = 4, M = 2;
  using Q = Vec<T, 4>;

  T V(const Q& q) const { return q[1] + T(2) * q[3]; }
  void V_q(const Q&, Q& out) const { out = Q{T(0), T(1), T(0), T(2)}; }
  const DiagonalMass<T, 4>& mass() const { return mass_; }
  void g(const Q& q, Vec<T, 2>& out) const {
    const T dx = q[2] - q[0], dz = q[3] - q[1];
    out[0] = (q[0] * q[0] + q[1] * q[1] - T(1)) / T(2);
    out[1] = (dx * dx + dz * dz - T(1)) / T(2);
  }
  void G(const Q& q, Jacobian<T, 4, 2>& out) const {
    const T dx = q[2] - q[0], dz = q[3] - q[1];
    out(0, 0) = q[0];
    out(0, 1) = q[1];
    out(0, 2) = out(0, 3) = T(0);
    out(1, 0) = -dx;
    out(1, 1) = -dz;
    out(1, 2) = dx;
    out(1, 3) = dz;
  }
  template <class U>
  OwnDoublePendulum<U> rebind() const {
    return {};
  }
  DiagonalMass<T, 4> mass_{Q{T(1), T(1), T(2), T(2)}};
};
static_assert(Separable<OwnDoublePendulum<double>> && RebindsTo<OwnDoublePendulum<double>, Dual<double>>);

const char* const double_pendulum_text = R"toml(
[coordinates]
names = ["x1", "z1", "x2", "z2"]
[energy]
mass = [1, 1, 2, 2]
potential = "z1 + 2*z2"
[constraints]
rod1 = "(x1^2 + z1^2 - 1)/2"
rod2 = "((x2 - x1)^2 + (z2 - z1)^2 - 1)/2"
[initial]
q = { x1 = "0.6", z1 = "-0.8", x2 = "0.6", z2 = "-1.8" }
)toml";

TEST(OwnTypes, GiveTheTrajectoryOfTheTextModel) {
  const auto compiled = from_text(double_pendulum_text);
  const GraphSystem<double> text(compiled);
  const State<double> start = initial_state(text).state;
  const vector<double> expected = trajectory<double>(text, start, 0.02, 300);

  const OwnDoublePendulum<double> own;
  const auto adapted = adapt(own, "own double pendulum");
  EXPECT_EQ(adapted.labels().model, "own double pendulum");
  EXPECT_EQ(adapted.n(), 4);
  EXPECT_EQ(adapted.m(), 2);
  EXPECT_LE(largest_difference(trajectory<double>(adapted, start, 0.02, 300), expected), 1e-11);

  // The same template without anything in between.
  Rattle<OwnDoublePendulum<double>> rattle(own);
  State<double, 4, 2> x;
  for (int i = 0; i < 4; ++i) x.q[i] = start.q[i];
  ASSERT_TRUE(rattle.begin(own, x, 0.02).ok());
  vector<double> direct;
  for (int k = 0; k < 300; ++k) {
    ASSERT_TRUE(rattle.step(own, x, 0.02).ok());
    direct.insert(direct.end(), x.q.begin(), x.q.end());
    direct.insert(direct.end(), x.p.begin(), x.p.end());
  }
  EXPECT_LE(largest_difference(direct, expected), 1e-11);
}

TEST(OwnTypes, GetTangentMapsByRebinding) {
  const auto compiled = from_text(double_pendulum_text);
  const GraphSystem<Dual<double>> text(compiled);
  State<Dual<double>> start = initial_state(text).state;
  start.p[0].d = 0.8;  // tangent to the first rod; the second bob moves along
  start.p[1].d = 0.6;
  start.p[2].d = 1.6;
  start.p[3].d = 1.2;
  const auto own = adapt(OwnDoublePendulum<double>{}.rebind<Dual<double>>());
  const auto a = trajectory<Dual<double>>(own, start, 0.02, 100), b = trajectory<Dual<double>>(text, start, 0.02, 100);
  ASSERT_EQ(a.size(), b.size());
  double moved = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(a[i].v, b[i].v, 1e-11);
    EXPECT_NEAR(a[i].d, b[i].d, 1e-10);
    moved = std::max(moved, std::abs(a[i].d));
  }
  EXPECT_GT(moved, 0.5) << "there is a tangent to speak of";
}

TEST(OwnTypes, GetCurvatureByDuals) {
  const GraphSystem<double> text(from_text(double_pendulum_text));
  const auto own = adapt(OwnDoublePendulum<double>{});
  EXPECT_EQ(own.lacks(Quantity::g_qq), "");
  const Vec<double> q{0.6, -0.8, 0.5, -1.7}, u{0.3, -0.2, 0.7, 0.1}, v{-0.4, 0.9, 0.2, 0.5};
  Vec<double> a(2), b(2);
  own.g_qq(q, u, v, a);
  text.g_qq(q, u, v, b);
  for (int k = 0; k < 2; ++k) EXPECT_NEAR(a[k], b[k], 1e-15);
  State<double> x(4, 2), y(4, 2);
  x.q = y.q = Vec<double>{0.6, -0.8, 0.6, -1.8};
  x.p = y.p = Vec<double>{0.8, 0.6, 1.6, 1.2};
  ASSERT_TRUE(Manifold<double>(own).multipliers(x).ok());
  ASSERT_TRUE(Manifold<double>(text).multipliers(y).ok());
  for (int k = 0; k < 2; ++k) EXPECT_NEAR(x.lambda[k], y.lambda[k], 1e-13);
}

TEST(OwnTypes, GetSecondDerivativesByDuals) {
  const GraphSystem<double> text(from_text(double_pendulum_text));
  const auto own = adapt(OwnDoublePendulum<double>{});
  EXPECT_EQ(first_lack(own, Quantity::H_qq, Quantity::lambda_g_qq), "");
  const Vec<double> q{0.6, -0.8, 0.5, -1.7}, p{0.1, 0.2, 0.3, 0.4}, u{0.3, -0.2, 0.7, 0.1}, lambda{1.25, -0.75};
  Vec<double> a(4), b(4);
  own.H_qq(q, p, u, a);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(a[i], 0);
  own.lambda_g_qq(q, lambda, u, a);
  text.lambda_g_qq(q, lambda, u, b);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(a[i], b[i], 1e-15);
}

// A bead on a parabola with V = x² y, H_qq and g_qq written out; there is no rebind.
struct OwnBead {
  using Scalar = double;
  static constexpr int N = 2, M = 1;
  using Q = Vec<double, 2>;
  double H(const Q& q, const Q& p) const { return dot(p, p) / 2 + q[0] * q[0] * q[1]; }
  void H_q(const Q& q, const Q&, Q& out) const { out = {2 * q[0] * q[1], q[0] * q[0]}; }
  void H_p(const Q&, const Q& p, Q& out) const { out = p; }
  void H_pp(const Q&, const Q&, const Q& u, Q& out) const { out = u; }
  void H_pq(const Q&, const Q&, const Q&, Q& out) const { out = {0.0, 0.0}; }
  void H_qq(const Q& q, const Q&, const Q& u, Q& out) const {
    out = {2 * (q[1] * u[0] + q[0] * u[1]), 2 * q[0] * u[0]};
  }
  void g(const Q& q, Vec<double, 1>& out) const { out[0] = q[1] - q[0] * q[0]; }
  void G(const Q& q, Jacobian<double, 2, 1>& out) const { out(0, 0) = -2 * q[0], out(0, 1) = 1; }
  void lambda_g_qq(const Q&, const Vec<double, 1>& lambda, const Q& u, Q& out) const {
    out = {-2 * lambda[0] * u[0], 0.0};
  }
};
static_assert(HasHqq<OwnBead> && !RebindsTo<OwnBead, Dual<double>>);

TEST(OwnTypes, WithSecondDerivativesOfTheirOwn) {
  const GraphSystem<double> text(from_text(R"toml(
[coordinates]
names = ["x", "y"]
[energy]
mass = [1, 1]
potential = "x^2*y"
[constraints]
parabola = "y - x^2"
[initial]
q = { x = 1, y = 1 }
)toml"));
  const auto own = adapt(OwnBead{});
  EXPECT_EQ(first_lack(own, Quantity::H_qq, Quantity::lambda_g_qq), "");
  const Vec<double> q{0.6, -0.8}, p{0.1, 0.2}, u{0.3, -0.2}, lambda{1.25};
  Vec<double> a(2), b(2);
  own.H_qq(q, p, u, a), text.H_qq(q, p, u, b);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(a[i], b[i], 1e-15);
  own.lambda_g_qq(q, lambda, u, a), text.lambda_g_qq(q, lambda, u, b);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(a[i], b[i], 1e-15);
  // They are what the full Newton matrix is made of.
  MethodOptions options;
  options.newton.matrix = StageMatrix::full;
  State<double> x = initial_state(text).state, y = x;
  const auto one = methods().find("lobatto-3").make<double>(own, options),
             other = methods().find("lobatto-3").make<double>(text);
  ASSERT_TRUE(one->begin(x, 0.1).ok() && other->begin(y, 0.1).ok());
  for (int k = 0; k < 50; ++k) ASSERT_TRUE(one->step(x, 0.1).ok() && other->step(y, 0.1).ok());
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(x.q[i], y.q[i], 1e-12);
  EXPECT_GT(one->counters().hessian, 0U);
}

// A charged particle on the unit sphere, H = ((p_x + y)² + (p_y − x)² + p_z²)/2 − z
struct OwnCharge {
  using Scalar = double;
  static constexpr int N = 3, M = 1;
  using Q = Vec<double, 3>;
  static Q velocity(const Q& q, const Q& p) { return {p[0] + q[1], p[1] - q[0], p[2]}; }
  double H(const Q& q, const Q& p) const {
    const Q v = velocity(q, p);
    return dot(v, v) / 2 - q[2];
  }
  void H_p(const Q& q, const Q& p, Q& out) const { out = velocity(q, p); }
  void H_q(const Q& q, const Q& p, Q& out) const {
    const Q v = velocity(q, p);
    out = {-v[1], v[0], -1.0};
  }
  void g(const Q& q, Vec<double, 1>& out) const { out[0] = (dot(q, q) - 1) / 2; }
  void G(const Q& q, Jacobian<double, 3, 1>& out) const {
    for (int j = 0; j < 3; ++j) out(0, j) = q[j];
  }
};
struct OwnChargeWithProducts : OwnCharge {
  void H_pp(const Q&, const Q&, const Q& u, Q& out) const { out = u; }
  void H_pq(const Q&, const Q&, const Q& u, Q& out) const { out = {u[1], -u[0], 0.0}; }
  void g_qq(const Q&, const Q& u, const Q& v, Vec<double, 1>& out) const { out[0] = dot(u, v); }
};

TEST(OwnTypes, WithAnyHamiltonian) {
  const GraphSystem<double> text(from_text(R"toml(
[coordinates]
names = ["x", "y", "z"]
[energy]
hamiltonian = "((p_x + y)^2 + (p_y - x)^2 + p_z^2)/2 - z"
[constraints]
sphere = "(x^2 + y^2 + z^2 - 1)/2"
[initial]
q = { x = "0.6", y = 0, z = "0.8" }
p = { x = 0, y = 1, z = 0 }
)toml"));
  const State<double> start = initial_state(text).state;
  const auto own = adapt(OwnChargeWithProducts{});
  const vector<double> expected = trajectory<double>(text, start, 0.02, 200);
  EXPECT_LE(largest_difference(trajectory<double>(own, start, 0.02, 200), expected), 1e-11);

  const OwnChargeWithProducts sys;
  RattleGeneral<OwnChargeWithProducts> rattle(sys);
  State<double, 3, 1> x;
  for (int i = 0; i < 3; ++i) {
    x.q[i] = start.q[i];
    x.p[i] = start.p[i];
  }
  ASSERT_TRUE(rattle.begin(sys, x, 0.02).ok());
  for (int k = 0; k < 200; ++k) ASSERT_TRUE(rattle.step(sys, x, 0.02).ok());
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(x.q[i], expected[expected.size() - 6 + static_cast<std::size_t>(i)], 1e-11);
}

TEST(OwnTypes, AreToldWhatTheyMiss) {
  const auto own = adapt(OwnCharge{}, "my charge");
  EXPECT_EQ(own.lacks(Quantity::V), "it lacks the members V, V_q and mass of my charge");
  EXPECT_EQ(HamiltonianView<double>::missing(own), "it lacks the member H_pp or rebind of my charge");
  EXPECT_EQ(message_of<Unsuitable>([&] { (void)methods().find("rattle").make<double>(own); }),
            "rattle does not suit this system: it lacks the member H_pp or rebind of my charge");
}

// The full Newton matrix cannot be had; the other ones can.
TEST(OwnTypes, AreToldWhatTheFullNewtonMatrixMisses) {
  const auto own = adapt(OwnChargeWithProducts{}, "my charge");
  MethodOptions options;
  EXPECT_NO_THROW((void)methods().find("lobatto-3").make<double>(own, options));
  options.newton.matrix = StageMatrix::full;
  EXPECT_TRUE(contains(message_of<Unsuitable>([&] { (void)methods().find("lobatto-3").make<double>(own, options); }),
                       "lobatto-3 with the full Newton matrix: it lacks the member H_qq or rebind of my charge"));
}

TEST(OwnTypes, RunWithTheDriver) {
  const auto own = adapt(OwnDoublePendulum<double>{}, "own");
  State<double> x(4, 2);
  x.q = Vec<double>{0.6, -0.8, 0.6, -1.8};
  const auto method = methods().find("rattle").make<double>(own);
  const auto result =
      run<double>(own, *method, x, 0.02, {.steps = 100, .every = 1, .interrupt = nullptr, .progress = {}});
  EXPECT_EQ(result.status, RunStatus::done);
  EXPECT_LE(result.position, 1e-14);
  EXPECT_LE(result.energy_error, 1e-2);
  EXPECT_NE(result.state.lambda[0], 0.0) << "multipliers by duals";
}

// ---- initial states

TEST(InitialState, InconsistentValuesAreNamed) {
  const auto complaint = [](const std::string& initial) {
    const GraphSystem<double> sys(
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
  const GraphSystem<double> sys(from_text(R"toml(
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
    const GraphSystem<double> sys(
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
  const GraphSystem<quad> sys(load("charged-particle"));
  const Start<quad> start = initial_state(sys);
  EXPECT_EQ(start.state.q[0], quad("0.2"));
  EXPECT_LE(to_double(Manifold<quad>(sys).position(start.state.q).absolute), 1e-33);
  ASSERT_TRUE(start.step && start.until);
  EXPECT_EQ(*start.step, quad("0.12"));
  EXPECT_EQ(*start.until, quad(600));
}

TEST(InitialState, HasNoTangentInDuals) {
  for (const char* name : {"slider-crank", "four-bar", "pendulum", "kepler-sphere", "charged-particle"}) {
    const GraphSystem<Dual<double>> sys(load(name));
    const auto start = initial_state(sys);
    for (const auto& x : start.state.q) EXPECT_TRUE(is_finite(x) && x.d == 0) << name;
    for (const auto& x : start.state.p) EXPECT_TRUE(is_finite(x) && x.d == 0) << name;
  }
}

// ---- rank

ConstraintRank rank_of(const std::shared_ptr<const CompiledModel>& compiled) {
  const GraphSystem<double> sys(compiled);
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
    const GraphSystem<double> sys(load("locomotive", {{"phi0", angle}}));
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

// Roots of constants, of initial values and in potentials are none.
TEST(Models, SayWhetherConstraintsHaveRoots) {
  EXPECT_TRUE(has_roots(load("double-pendulum")->model()));
  for (const char* model : {"pendulum-quadratic", "spring-chain", "stiff-pendulum-chain", "henon-heiles"})
    EXPECT_FALSE(has_roots(load(model)->model())) << model;
}

// The motion of one constraint is no measure for another.
TEST(HiddenConstraints, AreMeasuredOneByOne) {
  const GraphSystem<double> sys(from_text(R"toml(
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

// ---- symmetries

TEST(Symmetry, ReversalNeedsTheRightInvolution) {
  const auto charged = load("charged-particle");
  const GraphSystem<double> sys(charged);
  EXPECT_LE(reversal_defect(sys, initial_state(sys).state), 1e-13);
  Model spoilt = charged->model();
  spoilt.flip_q.assign(3, false);
  spoilt.flip_p.assign(3, true);
  const GraphSystem<double> default_reversal(compile(spoilt));
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
  const GraphSystem<double> sys(compiled);
  const vector<double> rates = invariant_rates(sys, initial_state(sys).state);
  ASSERT_EQ(rates.size(), 2U);
  EXPECT_LE(rates[0], 1e-13);
  EXPECT_GE(rates[1], 1e-3);
}

TEST(Observables, FromExpressions) {
  Model model("pendulum");
  const Expr x = model.coordinate("x"), y = model.coordinate("y");
  model.set_mass({2, 2}).set_potential(y).add_constraint("rod", x * x + y * y - 1).start_moving({1, 0}, {0, 3});
  model.add_observable("speed", sqrt(pow(model.velocity(x), 2) + pow(model.velocity(y), 2)));
  model.add_observable("turning", x * model.momentum(y) - y * model.momentum(x));
  const GraphSystem<double> sys(compile(std::move(model)));
  EXPECT_EQ(sys.labels().observables, (vector<std::string>{"speed", "turning"}));
  EXPECT_FALSE(sys.observables_use_multipliers());
  Vec<double> out(2);
  sys.observables(initial_state(sys).state, out);
  EXPECT_DOUBLE_EQ(out[0], 3);
  EXPECT_DOUBLE_EQ(out[1], 6);
}

}  // namespace
}  // namespace holonom::test
