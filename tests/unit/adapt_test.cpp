// C++ types of one's own as systems.
#include "holonom/adapt.hpp"

#include "holonom/methods/rattle.hpp"
#include "holonom/methods/rattle_general.hpp"
#include "holonom/run/driver.hpp"
#include "models.hpp"

namespace holonom::test {
namespace {

using std::vector;

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
  const ModelSystem<double> text(compiled);
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
  const ModelSystem<Dual<double>> text(compiled);
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
  const ModelSystem<double> text(from_text(double_pendulum_text));
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
  const ModelSystem<double> text(from_text(double_pendulum_text));
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
  const ModelSystem<double> text(from_text(R"toml(
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
  const ModelSystem<double> text(from_text(R"toml(
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
  RunPlan plan;
  plan.steps = 100;
  const auto result = run<double>(own, *method, x, 0.02, plan);
  EXPECT_EQ(result.status, RunStatus::done);
  EXPECT_LE(result.position, 1e-14);
  EXPECT_LE(result.energy_error, 1e-2);
  EXPECT_NE(result.state.lambda[0], 0.0) << "multipliers by duals";
}

}  // namespace
}  // namespace holonom::test
