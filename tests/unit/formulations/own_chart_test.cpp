// State space forms by a parametrisation of one's own: H̃ in closed form, its derivatives against dual numbers, both
// forms against each other, and the way from states to coordinates and back.
#include "holonom/formulations/own_chart.hpp"

#include <random>

#include "holonom/model/start.hpp"
#include "holonom/model/toml.hpp"
#include "holonom/solve/manifold.hpp"
#include "models.hpp"
#include "support.hpp"

namespace holonom::test {
namespace {

using D = Dual<double>;

// An electron in a magnetic field, on an ellipsoid: H is neither even nor quadratic in p.
constexpr const char* relativistic = R"toml(format = 1
[coordinates]
names = ["x", "y", "z"]
[energy]
hamiltonian = "sqrt(1 + (p_x + y/2)^2 + (p_y - x/2)^2 + p_z^2) + x*z/3"
[constraints]
ellipsoid = "x^2 + y^2/2 + z^2/3 - 1"
[chart]
names = ["u", "w"]
q = { x = "cos(w)*cos(u)", y = "sqrt(2)*cos(w)*sin(u)", z = "sqrt(3)*sin(w)" }
[initial]
q = { x = "cos(0.4)*cos(0.7)", y = "sqrt(2)*cos(0.4)*sin(0.7)", z = "sqrt(3)*sin(0.4)" }
p = { x = 0.3, y = -0.5, z = 0.8 }
project = true
)toml";
// One constraint twice, which is allowed: none is evaluated.
constexpr const char* redundant = R"toml(format = 1
[coordinates]
names = ["x", "y"]
[energy]
mass = [2, 3]
potential = "x*y + y"
[constraints]
ellipse = "x^2 + 4*y^2 - 4"
again = "log(x^2/4 + y^2)"
[chart]
names = ["s"]
q = { x = "2*cos(s)", y = "sin(s)" }
[initial]
q = { x = "2*cos(1)", y = "sin(1)" }
v = { x = "-2*sin(1)", y = "cos(1)" }
)toml";

std::vector<std::shared_ptr<const CompiledModel>> charted_models() {
  return {load("pendulum"), load("geodesic-torus"), load("slider-crank"),
          compile(parse_model(relativistic, "relativistic.toml")), compile(parse_model(redundant, "redundant.toml"))};
}

template <class S>
struct Forms {
  explicit Forms(const std::shared_ptr<const CompiledModel>& compiled)
      : sys(compiled), canonical(sys, *parametrisation_of<S>(sys)), velocities(sys, *parametrisation_of<S>(sys)) {}
  ModelSystem<S> sys;
  ChartSystem<S> canonical;
  ChartField<S> velocities;
};

// (δ, θ) of the start, moved a little, and a direction
struct Near {
  Near(Forms<double>& forms, std::mt19937& random) {
    State<double> y(forms.canonical.n(), 0);
    EXPECT_TRUE(forms.canonical.enter(initial_state(forms.sys).state, y).ok());
    std::normal_distribution<double> normal;
    const int d = forms.canonical.n();
    delta = y.q;
    theta = y.p;
    a = b = Vec<double>(d);
    for (int j = 0; j < d; ++j) {
      delta[j] += 0.1 * normal(random);
      theta[j] *= 1 + 0.1 * normal(random);
      theta[j] += 0.01 * normal(random);
      a[j] = normal(random);
      b[j] = normal(random) * std::max(0.01, std::abs(theta[j]));
    }
    dual_delta = Vec<D>(d);
    dual_theta = Vec<D>(d);
    for (int j = 0; j < d; ++j) {
      dual_delta[j] = D(delta[j], a[j]);
      dual_theta[j] = D(theta[j], b[j]);
    }
  }
  Vec<double> delta, theta, a, b;
  Vec<D> dual_delta, dual_theta;
};

double size_of(const Vec<double>& x) { return std::sqrt(dot(x, x)); }

TEST(OwnChart, HamiltoniansInClosedForm) {
  Forms<double> pendulum(load("pendulum")), torus(load("geodesic-torus"));
  Vec<double> delta{0.7}, theta{-1.3}, out(1);
  EXPECT_NEAR(pendulum.canonical.H(delta, theta), 1.3 * 1.3 / 2 - std::cos(0.7), 1e-15);
  pendulum.canonical.H_q(delta, theta, out);
  EXPECT_NEAR(out[0], std::sin(0.7), 1e-15);
  pendulum.canonical.H_p(delta, theta, out);
  EXPECT_NEAR(out[0], -1.3, 1e-15);
  delta = {0.7, 1.9};
  theta = {-1.3, 0.4};
  out = Vec<double>(2);
  const double rho = 2 + 0.8 * std::cos(1.9), H = 1.3 * 1.3 / (2 * rho * rho) + 0.4 * 0.4 / (2 * 0.8 * 0.8);
  EXPECT_NEAR(torus.canonical.H(delta, theta), H, 1e-15);
  torus.canonical.H_q(delta, theta, out);
  EXPECT_NEAR(out[0], 0, 1e-15);
  EXPECT_NEAR(out[1], 1.3 * 1.3 / (rho * rho * rho) * 0.8 * std::sin(1.9), 1e-15);
  torus.canonical.H_p(delta, theta, out);
  EXPECT_NEAR(out[0], -1.3 / (rho * rho), 1e-15);
  EXPECT_NEAR(out[1], 0.4 / (0.8 * 0.8), 1e-15);
}

TEST(OwnChart, DerivativesAreThoseOfDualNumbers) {
  std::mt19937 random(31);
  for (const auto& compiled : charted_models()) {
    SCOPED_TRACE(compiled->model().name);
    Forms<double> here(compiled);
    Forms<D> in_duals(compiled);
    for (int trial = 0; trial < 3; ++trial) {
      const Near at(here, random);
      const int d = at.delta.size();
      const ChartSystem<double>& H = here.canonical;
      Vec<double> H_q(d), H_p(d), q_row(d), p_row(d), more(d);
      H.H_q(at.delta, at.theta, H_q);
      H.H_p(at.delta, at.theta, H_p);
      EXPECT_NEAR(dot(H_q, at.a) + dot(H_p, at.b), in_duals.canonical.H(at.dual_delta, at.dual_theta).d,
                  1e-12 * (size_of(H_q) * size_of(at.a) + size_of(H_p) * size_of(at.b)));
      H.H_qq(at.delta, at.theta, at.a, q_row);
      H.H_qp(at.delta, at.theta, at.b, more);
      axpy(1.0, more, q_row);
      H.H_pq(at.delta, at.theta, at.a, p_row);
      H.H_pp(at.delta, at.theta, at.b, more);
      axpy(1.0, more, p_row);
      Vec<D> dq(d), dp(d);
      in_duals.canonical.H_q(at.dual_delta, at.dual_theta, dq);
      in_duals.canonical.H_p(at.dual_delta, at.dual_theta, dp);
      for (int j = 0; j < d; ++j) {
        EXPECT_NEAR(q_row[j], dq[j].d, 1e-11 * std::max(size_of(q_row), size_of(H_q)));
        EXPECT_NEAR(p_row[j], dp[j].d, 1e-11 * std::max(size_of(p_row), size_of(H_p)));
      }
    }
  }
}

// The w' of the field is the rate of δ' = H̃_θ along the canonical motion.
TEST(OwnChart, BothFormsAreTheSameMotion) {
  std::mt19937 random(32);
  for (const auto& compiled : charted_models()) {
    SCOPED_TRACE(compiled->model().name);
    Forms<double> forms(compiled);
    const Near at(forms, random);
    const int d = at.delta.size();
    Vec<double> w(d), force(d), expected(d), more(d), delta_rate(d), w_rate(d);
    forms.canonical.H_p(at.delta, at.theta, w);
    forms.canonical.H_q(at.delta, at.theta, force);
    for (double& x : force) x = -x;
    forms.canonical.H_pq(at.delta, at.theta, w, expected);
    forms.canonical.H_pp(at.delta, at.theta, force, more);
    axpy(1.0, more, expected);
    forms.velocities.rates(at.delta, w, delta_rate, w_rate);
    for (int j = 0; j < d; ++j) {
      EXPECT_EQ(delta_rate[j], w[j]);
      EXPECT_NEAR(w_rate[j], expected[j], 1e-11 * (size_of(expected) + size_of(more)));
    }
  }
}

// There and back, and on the manifold to round-off
TEST(OwnChart, StatesAndCoordinates) {
  std::mt19937 random(33);
  for (const auto& compiled : charted_models()) {
    SCOPED_TRACE(compiled->model().name);
    Forms<double> forms(compiled);
    const auto round_trip = [&](auto& form, const Vec<double>& delta, const Vec<double>& motion) {
      State<double> y(delta.size(), 0), x(forms.sys.n(), forms.sys.m()), again(delta.size(), 0), back = x;
      y.q = delta;
      y.p = motion;
      ASSERT_TRUE(form.leave(y, x).ok());
      Manifold<double> manifold(forms.sys);
      EXPECT_LE(manifold.position(x.q).relative, 1e-15);
      EXPECT_LE(manifold.hidden(x.q, x.p).relative, 1e-14);
      ASSERT_TRUE(form.enter(x, again).ok());
      ASSERT_TRUE(form.leave(again, back).ok());  // angles may be others
      EXPECT_LE(largest_difference(x.q, back.q), 1e-13 * largest(x.q));
      EXPECT_LE(largest_difference(x.p, back.p), 1e-13 * largest(x.p));
    };
    for (int trial = 0; trial < 5; ++trial) {
      Near at(forms, random);
      for (double& x : at.delta) x += 1.3 * trial;
      round_trip(forms.canonical, at.delta, at.theta);
      Vec<double> w(at.delta.size());
      forms.canonical.H_p(at.delta, at.theta, w);
      round_trip(forms.velocities, at.delta, w);
    }
  }
}

// A position that the constraints do not allow has no coordinates.
TEST(OwnChart, PositionsWithoutCoordinates) {
  Forms<double> forms(load("pendulum"));
  State<double> x(2, 1), y(1, 0);
  x.q = Vec<double>{1, 0.1};
  EXPECT_EQ(forms.canonical.enter(x, y).failure, Failure::chart_ends);
  EXPECT_EQ(lacks_own_chart<double>(ModelSystem<double>(load("kepler-sphere"))).find("it has no parametrisation"), 0u);
}

// The same from C++ expressions
TEST(OwnChart, FromExpressions) {
  Model model("bead");
  const Expr x = model.coordinate("x"), y = model.coordinate("y"), s = model.chart_coordinate("s", 0.5);
  model.set_mass({1, 1}).set_potential(y).add_constraint("wire", y - x * x).set_chart({s, s * s}).start_at({1, 1});
  Forms<double> forms(compile(model));
  const Vec<double> delta{0.6}, theta{0.9};
  EXPECT_NEAR(forms.canonical.H(delta, theta), 0.81 / (2 * (1 + 4 * 0.36)) + 0.36, 1e-15);
  Model wrong = model;
  wrong.set_chart({s});
  EXPECT_TRUE(
      contains(message_of<InputError>([&] { (void)compile(wrong); }), "a formula for each of the 2 coordinates"));
  wrong.set_chart({s, x * s});
  EXPECT_TRUE(contains(message_of<InputError>([&] { (void)compile(wrong); }), "the chart's formula of 'y' uses x"));
}

}  // namespace
}  // namespace holonom::test
