// Models as systems: M(q), the three energy forms, velocities and momenta.
#include "holonom/model/model_system.hpp"

#include "models.hpp"

namespace holonom::test {
namespace {

using std::vector;
using Form = CompiledModel::Form;

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
  const ModelSystem<quad> sys(compiled);
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
  const ModelSystem<quad> sys(compiled);
  const ModelSystem<Dual<quad>> dual = sys.rebind<Dual<quad>>();
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

void expect_second_derivatives(const ModelSystem<quad>& sys) {
  using D = Dual<quad>;
  const ModelSystem<D> dual = sys.rebind<D>();
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
    expect_second_derivatives(ModelSystem<quad>(load(model)));
  }
}
// Terms over index tables in the energy and in the constraints.
TEST(SecondDerivatives, AgreeWithDualsOverTables) {
  expect_second_derivatives(ModelSystem<quad>(from_text(R"toml(
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
  expect_second_derivatives(ModelSystem<quad>(from_text(R"toml(
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
  expect_second_derivatives(ModelSystem<quad>(from_text(R"toml(
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
  const ModelSystem<double> sys(compiled);
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
    const ModelSystem<double> sys(compiled);
    const auto view = sys.as<SeparableView<double>>();
    EXPECT_FALSE(view);
    EXPECT_EQ(view.reason, compiled->not_separable());
  }
}

TEST(EnergyForms, BadMassesAreRefused) {
  const auto complaint = [](const std::string& energy) {
    return message_of<InputError>([&] {
      const ModelSystem<double> sys(from_text("[coordinates]\nnames = [\"x\", \"y\"]\n[energy]\n" + energy +
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

// ---- observables

TEST(Observables, OfAModelThatHasNoneAreNone) {
  const ModelSystem<double> sys(from_text(pendulum("mass = [1, 1]\npotential = \"y\"")));
  State<double> state(2, 1);
  Vec<double> none(0);
  sys.observables(state, none);
  EXPECT_EQ(none.size(), 0);
}

// ---- velocities and momenta

TEST(Velocities, BecomeMomentaInEveryForm) {
  const auto momenta = [](const std::string& energy) {
    const ModelSystem<quad> sys(
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
  const ModelSystem<double> sys(from_text(R"toml(
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

}  // namespace
}  // namespace holonom::test
