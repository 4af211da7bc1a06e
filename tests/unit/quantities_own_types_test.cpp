// The quantities of own types, from members or by rebind, and of views: those of the text model of the same system.
#include "holonom/adapt.hpp"
#include "quantity_models.hpp"

namespace {

using namespace holonom;
using namespace holonom::test;
using std::string;

// The system `general` of quantity_models.hpp: H with its gradient, and nothing else.
template <class S>
struct OwnGeneral {
  using Scalar = S;
  static constexpr int N = 3, M = 2;
  using Q = Vec<S, 3>;

  // H = r f + x p_x p_y p_z/5 with r = sqrt(2 + k·k)
  static Q k(const Q& q, const Q& p) {
    using std::sin;
    return {p[0] + q[1] * q[2] * q[2], p[1] - q[0] * q[0] * q[2], p[2] + sin(q[0] * q[1])};
  }
  static S r(const Q& q, const Q& p) {
    using std::sqrt;
    return sqrt(S(2) + dot(k(q, p), k(q, p)));
  }
  static S f(const Q& q) { return S(2) + q[0] * q[1] + q[2] * q[2]; }

  S H(const Q& q, const Q& p) const { return r(q, p) * f(q) + p[0] * p[1] * p[2] * q[0] / S(5); }
  void H_p(const Q& q, const Q& p, Q& out) const {
    const Q a = k(q, p);
    const S b = f(q) / r(q, p), c = q[0] / S(5);
    out = {b * a[0] + c * p[1] * p[2], b * a[1] + c * p[0] * p[2], b * a[2] + c * p[0] * p[1]};
  }
  void H_q(const Q& q, const Q& p, Q& out) const {
    using std::cos;
    const Q a = k(q, p);
    const S b = f(q) / r(q, p), d = r(q, p), e = cos(q[0] * q[1]);
    out[0] = b * (S(-2) * a[1] * q[0] * q[2] + a[2] * e * q[1]) + d * q[1] + p[0] * p[1] * p[2] / S(5);
    out[1] = b * (a[0] * q[2] * q[2] + a[2] * e * q[0]) + d * q[0];
    out[2] = b * (S(2) * a[0] * q[1] * q[2] - a[1] * q[0] * q[0]) + S(2) * d * q[2];
  }
  void g(const Q& q, Vec<S, 2>& out) const {
    using std::exp, std::sin;
    out = {q[0] * q[0] * q[1] + sin(q[2]) + q[0] * q[1] * q[2], exp(q[0] * q[2]) + q[1] * q[1] * q[1] - q[0]};
  }
  void G(const Q& q, Jacobian<S, 3, 2>& out) const {
    using std::cos, std::exp;
    const S e = exp(q[0] * q[2]);
    out(0, 0) = S(2) * q[0] * q[1] + q[1] * q[2];
    out(0, 1) = q[0] * q[0] + q[0] * q[2];
    out(0, 2) = cos(q[2]) + q[0] * q[1];
    out(1, 0) = q[2] * e - S(1);
    out(1, 1) = S(3) * q[1] * q[1];
    out(1, 2) = q[0] * e;
  }
};
template <class S>
struct ReboundGeneral : OwnGeneral<S> {
  template <class T>
  ReboundGeneral<T> rebind() const {
    return {};
  }
};

// The system `separable` of it, in its two parts.
template <class S>
struct OwnSeparable {
  using Scalar = S;
  static constexpr int N = 3, M = 2;
  using Q = Vec<S, 3>;

  S V(const Q& q) const {
    using std::exp, std::sin;
    return q[0] * q[0] * q[0] * q[1] + exp(q[2]) * q[0] * q[1] + sin(q[0] * q[1] * q[2]) +
           q[1] * q[1] * q[1] / (S(2) + q[2]);
  }
  void V_slow_q(const Q& q, Q& out) const {
    using std::exp;
    const S e = exp(q[2]);
    out = {S(3) * q[0] * q[0] * q[1] + e * q[1], q[0] * q[0] * q[0] + e * q[0], e * q[0] * q[1]};
  }
  void V_fast_q(const Q& q, Q& out) const {
    using std::cos;
    const S c = cos(q[0] * q[1] * q[2]), d = S(2) + q[2];
    out = {c * q[1] * q[2], c * q[0] * q[2] + S(3) * q[1] * q[1] / d, c * q[0] * q[1] - q[1] * q[1] * q[1] / (d * d)};
  }
  void V_q(const Q& q, Q& out) const {
    Q fast;
    V_slow_q(q, out);
    V_fast_q(q, fast);
    axpy(S(1), fast, out);
  }
  DiagonalMass<S, 3> mass() const { return DiagonalMass<S, 3>({S(1), S(2), S(3)}); }
  void g(const Q& q, Vec<S, 2>& out) const { OwnGeneral<S>{}.g(q, out); }
  void G(const Q& q, Jacobian<S, 3, 2>& out) const { OwnGeneral<S>{}.G(q, out); }
};
template <class S>
struct ReboundSeparable : OwnSeparable<S> {
  template <class T>
  ReboundSeparable<T> rebind() const {
    return {};
  }
};

// Second derivatives as members; third ones are then derivatives of these.
template <class S>
struct ReboundWithMembers : OwnSeparable<S> {
  using Q = Vec<S, 3>;
  template <class T>
  ReboundWithMembers<T> rebind() const {
    return {};
  }
  // Of the slow part alone: not what V_q says, so that one can see who was asked
  void V_qq(Part, const Q& q, const Q& u, Q& out) const {
    using std::exp;
    const S e = exp(q[2]), a = S(3) * q[0] * q[0] + e;
    out = {S(6) * q[0] * q[1] * u[0] + a * u[1] + e * q[1] * u[2], a * u[0] + e * q[0] * u[2],
           e * (q[1] * u[0] + q[0] * u[1] + q[0] * q[1] * u[2])};
  }
};

const Place<double>& own_place() {
  static const Place<double> place(ModelSystem<double>{from_text(general)});
  return place;
}

void expect_same(const AnySystem<double>& own, const AnySystem<double>& text, Part part = Part::all) {
  const Place<double>& at = own_place();
  for (const Quantity f : all_quantities) {
    if (!knows(text, f)) continue;
    EXPECT_EQ(own.lacks(f), "");
    const Vec<double> a = evaluate(own, f, at(f, part)), b = evaluate(text, f, at(f, part));
    double size = 0;
    for (const double y : b) size = std::max(size, std::abs(y));
    for (int i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-13 * size) << name_of(f) << ", component " << i;
  }
}

TEST(Quantities, OfOwnTypesWithRebindAlone) {
  const ModelSystem<double> any(from_text(general)), parts(from_text(separable));
  expect_same(adapt(ReboundGeneral<double>{}), any);
  for (const Part part : {Part::all, Part::slow, Part::fast})
    expect_same(adapt(ReboundSeparable<double>{}), parts, part);
}

TEST(Quantities, ThirdDerivativesAreThoseOfTheMembers) {
  const auto own = adapt(ReboundWithMembers<double>{});
  const ModelSystem<double> slow(
      from_text(names + "mass = [1, 2, 3]\npotential = \"x^3*y + exp(z)*x*y\"" + constraints));
  expect_same(own, slow);
}

// A number for each argument and each quantity: what comes out tells which member was called, and with what.
struct Witness {
  using Scalar = double;
  static constexpr int N = 3, M = 2;
  using Q = Vec<double, 3>;
  using L = Vec<double, 2>;

  static constexpr double digits[] = {1, 1e-2, 1e-4, 1e-6, 1e-8};
  template <class Out, class... In>
  static void tell(Quantity f, Out& out, const In&... in) {
    fill(out, static_cast<double>(f) * 100);
    int k = 0;
    ((out[0] += digits[k] * in[0], out[1] += digits[k] * in[1], ++k), ...);
  }
  double H(const Q&, const Q&) const { return 0; }
  void H_p(const Q&, const Q&, Q&) const {}
  void H_q(const Q&, const Q&, Q&) const {}
  double V(const Q&) const { return 0; }
  void V_q(const Q&, Q&) const {}
  UnitMass mass() const { return {}; }
  void g(const Q&, L&) const {}
  void G(const Q&, Jacobian<double, 3, 2>&) const {}

  void V_qq(Part part, const Q& q, const Q& u, Q& out) const {
    tell(Quantity::V_qq, out, q, u);
    out[2] += static_cast<double>(part);
  }
  void H_pp(const Q& q, const Q& p, const Q& u, Q& out) const { tell(Quantity::H_pp, out, q, p, u); }
  void H_pq(const Q& q, const Q& p, const Q& u, Q& out) const { tell(Quantity::H_pq, out, q, p, u); }
  void H_qp(const Q& q, const Q& p, const Q& u, Q& out) const { tell(Quantity::H_qp, out, q, p, u); }
  void H_qq(const Q& q, const Q& p, const Q& u, Q& out) const { tell(Quantity::H_qq, out, q, p, u); }
  void H_qqq(const Q& q, const Q& p, const Q& u, const Q& v, Q& out) const { tell(Quantity::H_qqq, out, q, p, u, v); }
  void H_qqp(const Q& q, const Q& p, const Q& u, const Q& v, Q& out) const { tell(Quantity::H_qqp, out, q, p, u, v); }
  void H_qpp(const Q& q, const Q& p, const Q& u, const Q& v, Q& out) const { tell(Quantity::H_qpp, out, q, p, u, v); }
  void H_pqq(const Q& q, const Q& p, const Q& u, const Q& v, Q& out) const { tell(Quantity::H_pqq, out, q, p, u, v); }
  void H_pqp(const Q& q, const Q& p, const Q& u, const Q& v, Q& out) const { tell(Quantity::H_pqp, out, q, p, u, v); }
  void H_ppp(const Q& q, const Q& p, const Q& u, const Q& v, Q& out) const { tell(Quantity::H_ppp, out, q, p, u, v); }
  void g_qq(const Q& q, const Q& u, const Q& v, L& out) const { tell(Quantity::g_qq, out, q, u, v); }
  void g_qqq(const Q& q, const Q& u, const Q& v, const Q& w, L& out) const { tell(Quantity::g_qqq, out, q, u, v, w); }
  void lambda_g_qq(const Q& q, const L& l, const Q& u, Q& out) const { tell(Quantity::lambda_g_qq, out, q, l, u); }
  void lambda_g_qqq(const Q& q, const L& l, const Q& u, const Q& v, Q& out) const {
    tell(Quantity::lambda_g_qqq, out, q, l, u, v);
  }
};

TEST(Quantities, OfOwnTypesAreTheirMembers) {
  const auto own = adapt(Witness{});
  const Place<double>& at = own_place();
  for (const Quantity f : all_quantities) {
    EXPECT_EQ(own.lacks(f), "");
    const Arguments<double> x = at(f, Part::fast);
    const Vec<double> found = evaluate(own, f, x);
    Vec<double> called(found.size());  // own.H_pp(q, p, u, called), ...
    with_quantity(f, [&]<Quantity member>() { Member<member>::evaluate(own, x, called); });
    for (int i = 0; i < found.size(); ++i) EXPECT_EQ(called[i], found[i]) << name_of(f);
    for (int i = 0; i < 2; ++i) {
      double expected = static_cast<double>(f) * 100;
      int k = 0;
      for (const Vec<double>* y : {x.q, x.p, x.lambda, x.u, x.v, x.w})
        if (y) expected += Witness::digits[k++] * (*y)[i];
      EXPECT_EQ(found[i], expected) << name_of(f);
    }
    if (!is_per_constraint(f)) {
      EXPECT_EQ(found[2], static_cast<double>(f) * 100 + (f == Quantity::V_qq ? 2 : 0));
    }
  }
}

TEST(Quantities, OwnTypesSayWhatTheyLack) {
  const auto own = adapt(OwnGeneral<double>{}, "my system");
  const Place<double>& at = own_place();
  EXPECT_EQ(own.lacks(Quantity::V), "it lacks the members V, V_q and mass of my system");
  EXPECT_EQ(own.lacks(Quantity::V_parts), "it lacks the members V_slow_q and V_fast_q of my system");
  EXPECT_EQ(own.lacks(Quantity::V_fast), "it lacks the member V_fast of my system");
  EXPECT_EQ(own.lacks(Quantity::V_qq), own.lacks(Quantity::V));
  for (const Quantity f : all_quantities) {
    if (f != Quantity::V_qq) {
      EXPECT_EQ(own.lacks(f), "it lacks the member " + string(name_of(f)) + " or rebind of my system");
    }
    EXPECT_EQ(message_of<std::logic_error>([&] { evaluate(own, f, at(f)); }), own.lacks(f));
  }
  // The mass says more, without any members.
  const auto simple = adapt(OwnSeparable<double>{}, "my system");
  const ModelSystem<double> text(from_text(separable));
  for (const Quantity f : all_quantities) {
    if (!is_of_H(f) || f == Quantity::H_qq || f == Quantity::H_qqq) {
      EXPECT_EQ(simple.lacks(f), "it lacks the member " + string(name_of(f)) + " or rebind of my system");
      continue;
    }
    EXPECT_EQ(simple.lacks(f), "");
    const Vec<double> a = evaluate(simple, f, at(f)), b = evaluate(text, f, at(f));
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(a[i], b[i], 1e-15) << name_of(f);
  }
}

// ---- views

TEST(Quantities, OfViewsAreThoseOfTheSystem) {
  const ModelSystem<double> sys(compile(load_model(HOLONOM_MODELS "/double-pendulum.toml")));
  const Place<double> at(sys);
  const HamiltonianView<double> any(sys);
  const auto small = sys.as<SmallView<4, 2>>();
  ASSERT_TRUE(small) << small.reason;
  const auto fixed = [](const auto& from, auto& to) {
    std::copy(from.begin(), from.end(), to.begin());
    return &to;
  };
  Vec<double, 4> q, p, u, v, w, row;
  Vec<double, 2> lambda, g;
  const Arguments<double, 4, 2> all{.q = fixed(at.q, q),
                                    .p = fixed(at.p, p),
                                    .lambda = fixed(at.lambda, lambda),
                                    .u = fixed(at.u, u),
                                    .v = fixed(at.v, v),
                                    .w = fixed(at.w, w)};
  for (const Quantity f : all_quantities) {
    EXPECT_EQ(any.lacks(f), sys.lacks(f));
    EXPECT_EQ(small.view->lacks(f), sys.lacks(f));
    const Arguments<double> x = at(f);
    const Vec<double> expected = evaluate<double>(sys, f, x);
    Vec<double> found(expected.size());
    any.evaluate(f, x, found);
    Arguments<double, 4, 2> y = all;
    if (!x.p) y.p = nullptr;
    if (!x.lambda) y.lambda = nullptr;
    if (!x.v) y.v = nullptr;
    if (!x.w) y.w = nullptr;
    is_per_constraint(f) ? small.view->evaluate(f, y, g) : small.view->evaluate(f, y, row);
    for (int i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i], expected[i]) << name_of(f);
      EXPECT_EQ(is_per_constraint(f) ? g[i] : row[i], expected[i]) << name_of(f);
    }
  }
  // Members hand on their arguments, whatever the sizes.
  Vec<double> expected(2);
  sys.g_qqq(at.q, at.u, at.v, at.w, expected);
  small.view->g_qqq(q, u, v, w, g);
  for (int k = 0; k < 2; ++k) EXPECT_EQ(g[k], expected[k]);
  sys.g_qq(at.q, at.u, at.u, expected);
  small.view->g_qq(q, u, u, g);
  for (int k = 0; k < 2; ++k) EXPECT_EQ(g[k], expected[k]);
}

}  // namespace
