// The analyses and the start on C++ types of one's own, against the same problem as a text model.
#include "holonom/adapt.hpp"
#include "holonom/analysis/certificate.hpp"
#include "holonom/analysis/comparison.hpp"
#include "holonom/analysis/symmetry.hpp"
#include "holonom/model/start.hpp"
#include "models.hpp"

namespace holonom::test {
namespace {

// A mass 1 on a sphere of radius 1, under gravity 1.
template <class T>
struct Sphere {
  using Scalar = T;
  static constexpr int N = 3, M = 1;
  using Q = Vec<T, 3>;

  T V(const Q& q) const { return q[2]; }
  void V_q(const Q&, Q& out) const { out = Q{T(0), T(0), T(1)}; }
  const DiagonalMass<T, 3>& mass() const { return mass_; }
  void g(const Q& q, Vec<T, 1>& out) const { out[0] = (dot(q, q) - T(1)) / T(2); }
  void G(const Q& q, Jacobian<T, 3, 1>& out) const {
    for (int j = 0; j < 3; ++j) out(0, j) = q[j];
  }
  void g_qq(const Q&, const Q& u, const Q& v, Vec<T, 1>& out) const { out[0] = dot(u, v); }
  void invariants(const Q& q, const Q& p, Vec<T>& out) const {
    out[0] = q[0] * p[1] - q[1] * p[0];
    out[1] = q[0] * p[2] - q[2] * p[0];  // no, it is not
  }

  DiagonalMass<T, 3> mass_{Q{T(1), T(1), T(1)}};
};
template <class T>
struct ReboundSphere : Sphere<T> {
  template <class U>
  ReboundSphere<U> rebind() const {
    ReboundSphere<U> other;
    other.length = U(length);
    return other;
  }
  T length{1};  // does nothing, but for being a parameter
};

const char* const sphere_text = R"toml(
[coordinates]
names = ["x", "y", "z"]
[energy]
mass = [1, 1, 1]
potential = "z"
[constraints]
rod = "(x^2 + y^2 + z^2 - 1)/2"
[invariants]
Lz = "x*p_y - y*p_x"
Ly = "x*p_z - z*p_x"
[initial]
q = { x = "0.6", y = 0, z = "-0.8" }
p = { x = "0.4", y = "0.5", z = "0.3" }
[integrate]
step = "0.05"
)toml";

Labels labels() {
  Labels names;
  names.model = "my sphere";
  names.coordinates = {"x", "y", "z"};
  names.constraints = {"rod"};
  names.invariants = {"Lz", "Ly"};
  return names;
}
State<double> start() {
  State<double> x(3, 1);
  x.q = Vec<double>{0.6, 0, -0.8};
  x.p = Vec<double>{0.4, 0.5, 0.3};
  return x;
}

TEST(OwnSystem, IsTheSameInAllScalars) {
  const auto own = adapt(ReboundSphere<double>{}, labels());
  const auto wide = own.in<quad>();
  ASSERT_NE(wide, nullptr);
  EXPECT_EQ(wide->labels().constraints, own.labels().constraints);
  EXPECT_EQ(wide->H(Vec<quad>{quad(0), quad(0), quad(2)}, Vec<quad>{quad(2), quad(0), quad(0)}), quad(4));
  EXPECT_NE(own.in<Dual<double>>(), nullptr);
  EXPECT_EQ(own.in<double>().get(), &own) << "in its own scalar it is itself";
  EXPECT_EQ(wide->in<double>()->labels().model, "my sphere") << "and back";
  EXPECT_EQ(own.in<Dual<double>>()->in<quad>(), nullptr) << "a tangent would be lost";
  const auto alone = adapt(Sphere<double>{}, labels());
  EXPECT_EQ(alone.in<quad>(), nullptr);

  const ModelSystem<double> text(from_text(sphere_text), Engine::interpreter);
  EXPECT_EQ(text.in<double>().get(), &text);
  EXPECT_EQ(text.in<long double>()->labels().coordinates, text.labels().coordinates);
  EXPECT_EQ(text.in<mp100>()->m(), 1);
}

// The same numbers, up to rounding errors.
TEST(OwnSystem, HasTheCertificateOfTheTextModel) {
  const auto own = adapt(ReboundSphere<double>{}, labels());
  const ModelSystem<double> text(from_text(sphere_text), Engine::interpreter);
  for (const char* key : {"rattle", "lobatto-3", "radau-2a-2"}) {
    const MethodEntry entry = methods().find(key);
    const Certificate mine = certify<double>(entry, own, start(), 0.05),
                      its = certify<double>(entry, text, start(), 0.05);
    ASSERT_EQ(mine.claims.size(), its.claims.size());
    EXPECT_EQ(mine.failure, "");
    for (std::size_t k = 0; k < its.claims.size(); ++k) {
      const Claim &a = mine.claims[k], &b = its.claims[k];
      EXPECT_EQ(a.property, b.property);
      EXPECT_EQ(a.verdict, b.verdict) << key << ", " << a.property << ": " << a.remark;
      if (a.property == "order") {
        EXPECT_NEAR(a.measured, b.measured, 1e-3);
      }
      if (a.property == "momentum map Ly") {
        EXPECT_EQ(a.remark, "the exact flow does not conserve it");
      }
    }
  }
}

TEST(OwnSystem, IsCertifiedByLoopsIfThereAreNoDuals) {
  const auto own = adapt(Sphere<double>{}, labels());
  const Certificate result = certify<double>(methods().find("rattle"), own, start(), 0.05);
  bool found = false;
  for (const Claim& c : result.claims) {
    if (c.property != "symplecticity") continue;
    found = true;
    EXPECT_EQ(c.verdict, Claim::Verdict::holds) << c.measured;
    EXPECT_TRUE(contains(c.remark, "loop"));
  }
  EXPECT_TRUE(found);
}

// Neither duals nor second derivatives of g: what cannot be measured says why.
struct Bare {
  using Scalar = double;
  static constexpr int N = 3, M = 1;
  using Q = Vec<double, 3>;

  double V(const Q& q) const { return sphere.V(q); }
  void V_q(const Q& q, Q& out) const { sphere.V_q(q, out); }
  const DiagonalMass<double, 3>& mass() const { return sphere.mass(); }
  void g(const Q& q, Vec<double, 1>& out) const { sphere.g(q, out); }
  void G(const Q& q, Jacobian<double, 3, 1>& out) const { sphere.G(q, out); }
  void invariants(const Q& q, const Q& p, Vec<double>& out) const { sphere.invariants(q, p, out); }

  Sphere<double> sphere;
};

TEST(OwnSystem, IsToldWhatCannotBeMeasured) {
  const Certificate result = certify<double>(methods().find("rattle"), adapt(Bare{}, labels()), start(), 0.05);
  EXPECT_EQ(result.failure, "");
  for (const Claim& c : result.claims) {
    if (c.property == "symplecticity") {
      EXPECT_EQ(c.remark, "it lacks the member g_qq or rebind of my sphere");
    } else if (c.property == "order") {
      EXPECT_EQ(c.remark, "my sphere: no exact multipliers on the reference solution");
    } else if (c.property.starts_with("momentum map")) {
      EXPECT_EQ(c.remark, "whether the exact flow conserves it is not known");
    } else {
      EXPECT_EQ(c.verdict, Claim::Verdict::holds) << c.property << ": " << c.remark;
      continue;
    }
    EXPECT_EQ(c.verdict, Claim::Verdict::not_measured) << c.property;
  }
}

ComparisonPlan<double> plan() {
  ComparisonPlan<double> plan;
  plan.methods = {methods().find("rattle"), methods().find("lobatto-3")};
  plan.runs = {{0.1, 20}, {0.05, 40}};
  plan.until = 2;
  return plan;
}

TEST(OwnSystem, IsComparedLikeTheTextModel) {
  const auto own = adapt(ReboundSphere<double>{}, labels());
  const ModelSystem<double> text(from_text(sphere_text), Engine::interpreter);
  const Comparison mine = compare<double>(own, start(), plan()), its = compare<double>(text, start(), plan());
  EXPECT_EQ(mine.reference, its.reference);
  ASSERT_EQ(mine.rows.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(mine.rows[k].error.q / its.rows[k].error.q, 1, 1e-6) << k;
  }
  EXPECT_NEAR(mine.rows[1].order.q, 2, 0.1);
  EXPECT_NEAR(mine.rows[3].order.q, 4, 0.2);
}

TEST(OwnSystem, NeedsAReferenceThatExists) {
  const auto own = adapt(Sphere<double>{}, labels());
  EXPECT_EQ(message_of<NoReference>([&] { (void)compare<double>(own, start(), plan()); }),
            "the exact flow needs the system in long precision (a member rebind)");
  ComparisonPlan<double> with_method = plan();
  with_method.reference = {methods().find("kahan-li-8"), {0.02, 100}};
  EXPECT_NEAR(compare<double>(own, start(), with_method).rows[1].order.q, 2, 0.1);
}

TEST(OwnSystem, StartsOnItsManifold) {
  const auto own = adapt(ReboundSphere<double>{}, labels());
  const Start<double> good = initial_state<double>(own, start());
  EXPECT_EQ(good.moved, 0);
  EXPECT_EQ(good.state.q[0], 0.6);
  State<double> off = start();
  off.q[2] = -0.9;
  EXPECT_EQ(message_of<InputError>([&] { (void)initial_state<double>(own, off); }),
            "the initial position does not satisfy g(q) = 0; residuals: 'rod' (0.085). Correct the initial values, or "
            "ask to have them projected");
  const Start<double> projected = initial_state<double>(own, off, true);
  EXPECT_NEAR(dot(projected.state.q, projected.state.q), 1, 1e-15);
  EXPECT_NEAR(dot(projected.state.q, projected.state.p), 0, 1e-15);
  EXPECT_GT(projected.moved, 0.01);
  off.q[2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(message_of<InputError>([&] { (void)initial_state<double>(own, off); }),
            "the initial value of 'z' or of its momentum is not finite");
  EXPECT_EQ(message_of<InputError>([&] { (void)initial_state<double>(own, State<double>(2, 1)); }),
            "the start has 2 positions and 2 momenta, and my sphere 3 coordinates");
}

TEST(OwnSystem, HasTheRatesOfItsInvariants) {
  const auto own = adapt(ReboundSphere<double>{}, labels());
  const ModelSystem<double> text(from_text(sphere_text), Engine::interpreter);
  const std::vector<double> mine = invariant_rates(own, start()), its = invariant_rates(text, start());
  EXPECT_LT(mine[0], 1e-14);
  EXPECT_NEAR(mine[1], its[1], 1e-12);
  EXPECT_GT(mine[1], 0.1);
  EXPECT_TRUE(std::isnan(invariant_rates(adapt(Sphere<double>{}, labels()), start())[0]));
  EXPECT_LT(reversal_defect(own, start()), 1e-14);
}

// A charge in a magnetic field: momenta alone do not reverse it.
struct Charge {
  using Scalar = double;
  static constexpr int N = 2, M = 0;
  using Q = Vec<double, 2>;

  double H(const Q& q, const Q& p) const { return ((p[0] + q[1]) * (p[0] + q[1]) + p[1] * p[1]) / 2; }
  void H_q(const Q& q, const Q& p, Q& out) const { out = Q{0, p[0] + q[1]}; }
  void H_p(const Q& q, const Q& p, Q& out) const { out = Q{p[0] + q[1], p[1]}; }
  void g(const Q&, Vec<double, 0>&) const {}
  void G(const Q&, Jacobian<double, 2, 0>&) const {}
  void H_pp(const Q&, const Q&, const Q& u, Q& out) const { out = u; }
  void H_pq(const Q&, const Q&, const Q& u, Q& out) const { out = Q{u[1], 0}; }
};
struct ReversibleCharge : Charge {
  Involution reversal() const { return {{true, false}, {false, true}}; }
};

TEST(OwnSystem, SaysHowItIsReversed) {
  State<double> x(2, 0);
  x.q = Vec<double>{0.3, 0.4};
  x.p = Vec<double>{0.5, 0.6};
  EXPECT_GT(reversal_defect(adapt(Charge{}), x), 0.1);
  EXPECT_LT(reversal_defect(adapt(ReversibleCharge{}), x), 1e-14);
}

}  // namespace
}  // namespace holonom::test
