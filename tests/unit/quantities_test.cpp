// Every quantity of quantities.hpp is the derivative of the one before it: text models in quad precision against
// differences, own types against the text model of the same system. Where a value would vanish by chance, a wrong sign
// would go unnoticed: models below are made so that it does not.
#include "holonom/quantities.hpp"

#include <filesystem>
#include <set>

#include "holonom/adapt.hpp"
#include "holonom/model/start.hpp"
#include "holonom/model/toml.hpp"
#include "holonom/solve/manifold.hpp"
#include "support.hpp"

namespace {

using namespace holonom;
using namespace holonom::test;
using std::string;
using Form = CompiledModel::Form;

std::shared_ptr<const CompiledModel> from_text(const string& text) {
  return compile(parse_model("format = 1\n" + text, "model.toml"));
}

// Any state and any directions will do, on the manifold or not: the start, shaken.
template <class S>
struct Place {
  Vec<S> q, p, lambda, u, v, w;

  explicit Place(const GraphSystem<S>& sys) : Place(sys.n(), sys.m()) {
    const State<S> start = initial_state(sys).state;
    for (int i = 0; i < sys.n(); ++i) {
      q[i] += start.q[i];
      p[i] += start.p[i];
    }
  }
  Place(int n, int m) : q(n), p(n), lambda(m), u(n), v(n), w(n) {
    for (int i = 0; i < n; ++i) {
      q[i] = S((i * 7) % 5 - 2) / S(40) + S(1) / S(111);
      p[i] = S((i * 3) % 7 - 3) / S(5) + S(1) / S(13);
      u[i] = S((i * 5) % 11 - 4) / S(3) + S(1) / S(7);
      v[i] = S((i * 4) % 13 - 5) / S(4) + S(1) / S(9);
      w[i] = S((i * 8) % 9 - 3) / S(2) + S(1) / S(5);
    }
    for (int k = 0; k < m; ++k) lambda[k] = S(2 * k + 1) / S(3) - S(m) + S(1) / S(17);
  }
  // What a quantity depends on
  Arguments<S> operator()(Quantity f, Part part = Part::all) const {
    Arguments<S> x{.q = &q, .u = &u, .part = part};
    if (is_of_H(f)) x.p = &p;
    if (is_of_multipliers(f)) x.lambda = &lambda;
    if (lower(f) || is_per_constraint(f)) x.v = &v;
    if (f == Quantity::g_qqq) x.w = &w;
    return x;
  }
};

template <class S>
Vec<S> evaluate(const AnySystem<S>& sys, Quantity f, const Arguments<S>& x) {
  Vec<S> out(is_per_constraint(f) ? sys.m() : sys.n());
  fill(out, std::numeric_limits<S>::quiet_NaN());
  sys.evaluate(f, x, out);
  return out;
}

// What a quantity is the derivative of, at the same place: a quantity of the list, or a gradient.
Vec<quad> one_before(const AnySystem<quad>& sys, Quantity f, Arguments<quad> x) {
  (x.w ? x.w : x.v ? x.v : x.u) = nullptr;
  if (lower(f)) return evaluate(sys, *lower(f), x);
  Vec<quad> out(is_per_constraint(f) ? sys.m() : sys.n());
  if (f == Quantity::V_qq && x.part == Part::slow) {
    sys.V_slow_q(*x.q, out);
  } else if (f == Quantity::V_qq && x.part == Part::fast) {
    sys.V_fast_q(*x.q, out);
  } else if (f == Quantity::V_qq) {
    sys.V_q(*x.q, out);
  } else if (f == Quantity::H_pp || f == Quantity::H_pq) {
    sys.H_p(*x.q, *x.p, out);
  } else if (f == Quantity::H_qp || f == Quantity::H_qq) {
    sys.H_q(*x.q, *x.p, out);
  } else {
    Jacobian<quad> G(sys.pattern());
    sys.G(*x.q, G);
    if (f == Quantity::g_qq) {
      multiply(G, *x.u, out);
    } else {
      EXPECT_EQ(f, Quantity::lambda_g_qq);
      subtract_force(G, *x.lambda, out);
      for (quad& y : out) y = -y;
    }
  }
  return out;
}

quad size_of(const Vec<quad>& x) {
  quad size(0);
  for (const quad& y : x) size = std::max(size, quad(abs(y)));
  return size;
}

// By differences of order four: 1e-24 of the derivatives is left out, and 1e-34/1e-6 rounded away.
Vec<quad> difference(const AnySystem<quad>& sys, Quantity f, const Arguments<quad>& x) {
  const quad h("1e-6");
  const Vec<quad>& direction = *last_direction(x);
  Vec<quad> out(is_per_constraint(f) ? sys.m() : sys.n());
  for (const auto& [steps, weight] : {std::pair{-2, 1}, {-1, -8}, {1, 8}, {2, -1}}) {
    Vec<quad> moved = last_letter(f) == 'q' ? *x.q : *x.p;
    axpy(quad(steps * h), direction, moved);
    Arguments<quad> y = x;
    (last_letter(f) == 'q' ? y.q : y.p) = &moved;
    axpy(quad(quad(weight) / (12 * h)), one_before(sys, f, y), out);
  }
  return out;
}

// Returns the size of the values.
quad expect_derivative(const AnySystem<quad>& sys, Quantity f, const Arguments<quad>& x) {
  const Vec<quad> exact = difference(sys, f, x), found = evaluate(sys, f, x);
  const quad size = size_of(exact), noise = size_of(one_before(sys, f, x));
  for (int i = 0; i < found.size(); ++i)
    EXPECT_LE(to_double(quad(abs(quad(found[i] - exact[i])))), to_double(quad((size + noise) * quad(1e-18))))
        << name_of(f) << ", component " << i << ": " << to_double(found[i]) << ", not " << to_double(exact[i]);
  return size;
}

// All of them; returns those that do not vanish.
std::set<Quantity> expect_derivatives(const GraphSystem<quad>& sys) {
  const Place<quad> place(sys);
  std::set<Quantity> seen;
  for (const Quantity f : all_quantities) {
    if (!knows(sys, f)) {
      EXPECT_TRUE(f == Quantity::V_qq && sys.compiled().form() == Form::general) << sys.lacks(f);
      continue;
    }
    if (expect_derivative(sys, f, place(f)) > quad(1e-6)) seen.insert(f);
  }
  if (knows(sys, Quantity::V_parts))
    for (const Part part : {Part::slow, Part::fast})
      expect_derivative(sys, Quantity::V_qq, place(Quantity::V_qq, part));
  return seen;
}

void expect_symmetries(const AnySystem<quad>& sys, const Place<quad>& at) {
  const auto& [q, p, lambda, u, v, w] = at;
  const int n = sys.n(), m = sys.m();
  const auto equal = [](const quad& a, const quad& b, const quad& size, const char* what) {
    EXPECT_LE(to_double(quad(abs(quad(a - b)))), to_double(quad(size * quad(1e-28)))) << what;
  };
  // a·f(b, c), and the sizes of its terms
  quad size(0);
  const auto form = [&](Quantity f, const Vec<quad>& a, const Vec<quad>& b, const Vec<quad>& c) {
    Arguments<quad> x = at(f);
    x.u = &b;
    if (x.v) x.v = &c;
    const Vec<quad> y = evaluate(sys, f, x);
    size += 1 + size_of(y) * size_of(a) * n;
    return dot(a, y);
  };
  using enum Quantity;
  equal(form(H_pp, u, v, w), form(H_pp, v, u, w), size, "H_pp is symmetric");
  equal(form(H_qq, u, v, w), form(H_qq, v, u, w), size, "H_qq is symmetric");
  equal(form(H_pq, u, v, w), form(H_qp, v, u, w), size, "H_qp is the transpose of H_pq");
  equal(form(lambda_g_qq, u, v, w), form(lambda_g_qq, v, u, w), size, "(lambda.g)_qq is symmetric");
  for (const Quantity f : {H_qqq, H_ppp, lambda_g_qqq}) {
    equal(form(f, u, v, w), form(f, v, u, w), size, "the row and the first direction");
    equal(form(f, u, v, w), form(f, u, w, v), size, "both directions");
  }
  // One in p: w
  equal(form(H_qqp, u, v, w), form(H_qqp, v, u, w), size, "H_qqp is symmetric in q");
  equal(form(H_qqp, u, v, w), form(H_pqq, w, u, v), size, "H_pqq is H_qqp with other rows");
  equal(form(H_pqq, w, u, v), form(H_pqq, w, v, u), size, "H_pqq is symmetric in q");
  // Two in p: v and w
  equal(form(H_qpp, u, v, w), form(H_qpp, u, w, v), size, "H_qpp is symmetric in p");
  equal(form(H_qpp, u, v, w), form(H_pqp, v, u, w), size, "H_pqp is H_qpp with other rows");
  equal(form(H_pqp, v, u, w), form(H_pqp, w, u, v), size, "H_pqp is symmetric in p");

  Vec<quad> a(m), b(m);
  sys.g_qq(q, u, v, a), sys.g_qq(q, v, u, b);
  for (int k = 0; k < m; ++k) equal(a[k], b[k], size, "g_qq is symmetric");
  equal(dot(lambda, a), form(lambda_g_qq, v, u, w), size, "lambda.g_qq(u, v) = v.(lambda.g)_qq u");
  const Vec<quad> copy = u;  // g_qq(u, u) has a formula of its own
  sys.g_qq(q, u, u, a), sys.g_qq(q, u, copy, b);
  for (int k = 0; k < m; ++k) equal(a[k], b[k], size, "g_qq(u, u)");
  sys.g_qqq(q, u, v, w, a), sys.g_qqq(q, w, u, v, b);
  for (int k = 0; k < m; ++k) equal(a[k], b[k], size, "g_qqq is symmetric");
  sys.g_qqq(q, v, u, w, b);
  for (int k = 0; k < m; ++k) equal(a[k], b[k], size, "g_qqq is symmetric");
  equal(dot(lambda, a), form(lambda_g_qqq, w, u, v), size, "lambda.g_qqq(u, v, w) = w.(lambda.g)_qqq(u, v)");
}

TEST(Quantities, OfEveryModelAreTheDerivativesTheyAreSaidToBe) {
  int models = 0;
  for (const auto& file : std::filesystem::directory_iterator(HOLONOM_MODELS)) {
    if (file.path().extension() != ".toml") continue;
    SCOPED_TRACE(file.path().filename().string());
    const GraphSystem<quad> sys(compile(load_model(file.path().string())));
    expect_derivatives(sys);
    expect_symmetries(sys, Place<quad>(sys));
    ++models;
  }
  EXPECT_GE(models, 21);
}

// ---- models where nothing vanishes that can be different from zero

const string constraints = R"toml(
[constraints]
one = "x^2*y + sin(z) + x*y*z"
two = "exp(x*z) + y^3 - x"
[initial]
project = true
q = { x = "0.5", y = "-0.4", z = "0.7" }
)toml";
const string names = R"toml(
[coordinates]
names = ["x", "y", "z"]
[energy]
)toml";

const string separable = names + R"toml(
mass = [1, 2, 3]
potential = { slow = "x^3*y + exp(z)*x*y", fast = "sin(x*y*z) + y^3/(2 + z)" }
)toml" + constraints;
const string full_mass = names + R"toml(
mass = [[4, 1, 0], [1, 5, 2], [0, 2, 6]]
potential = "x^3*y + exp(z)*x*y + sin(x*y*z)"
)toml" + constraints;
const string mass_matrix = names + R"toml(
kinetic = "((3 + sin(x*y))*v_x^2 + (2 + z^2 + x^4)*v_y^2 + exp(x + y)*v_z^2)/2 + x*z*v_x*v_z/3 + cos(y)*v_x*v_y/2"
potential = "x^3*y + exp(z)*x*y"
)toml" + constraints;
const string general = names + R"toml(
hamiltonian = "sqrt(2 + (p_x + y*z^2)^2 + (p_y - x^2*z)^2 + (p_z + sin(x*y))^2)*(2 + x*y + z^2) + p_x*p_y*p_z*x/5"
)toml" + constraints;
const string table = R"toml(
[coordinates]
names = ["s"]
r = { count = 4, dim = 2 }
[energy]
mass = { s = 2, r = "1 + i" }
potential = "s^4"
[[energy.sum]]
over = { i = "0..2" }
term = "1/(1 + dot(r[i+1] - r[i], r[i+1] - r[i])) + s^2*r[i].x*r[i+1].y^2"
[[energy.sum]]
over = { i = "0..3" }
part = "fast"
term = "exp(r[i].x*r[i].y)*(i + 1)"
[constraints]
[[constraints.stack]]
name = "link"
over = { i = "0..2" }
zero = "sqrt(1 + dot(r[i+1] - r[i], r[i+1] - r[i]) + s*r[i].x*r[i].y) - 1.5"
[initial]
project = true
q = { s = "0.3", r = ["i", "0.2*i^2"] }
)toml";

std::set<Quantity> all_but(std::initializer_list<Quantity> absent) {
  std::set<Quantity> all(all_quantities.begin(), all_quantities.end());
  for (const Quantity f : absent) all.erase(f);
  return all;
}

TEST(Quantities, OfEveryFormOfTheEnergy) {
  using enum Quantity;
  // With V and a constant mass
  const auto simple = all_but({H_pq, H_qp, H_qqp, H_qpp, H_pqq, H_pqp, H_ppp});
  const struct {
    const char* what;
    const string& text;
    Form form;
    std::set<Quantity> different_from_zero;
  } cases[] = {{"separable", separable, Form::separable, simple},
               {"a full mass", full_mass, Form::separable, simple},
               {"M(q)", mass_matrix, Form::mass_matrix, all_but({H_ppp})},
               {"any H", general, Form::general, all_but({V_qq})},
               {"tables", table, Form::separable, simple}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    const GraphSystem<quad> sys(from_text(c.text));
    ASSERT_EQ(sys.compiled().form(), c.form);
    EXPECT_EQ(expect_derivatives(sys), c.different_from_zero);
    expect_symmetries(sys, Place<quad>(sys));
  }
}

TEST(Quantities, TextModelsSayWhatTheyLack) {
  const GraphSystem<double> any(from_text(general)), crank(from_text(mass_matrix)), simple(from_text(full_mass)),
      parts(from_text(separable));
  EXPECT_EQ(any.lacks(Quantity::V), "the hamiltonian mixes positions and momenta");
  EXPECT_EQ(any.lacks(Quantity::V_qq), "the hamiltonian mixes positions and momenta");
  const Place<double> at(any);
  EXPECT_EQ(message_of<std::logic_error>([&] { evaluate(any, Quantity::V_qq, at(Quantity::V_qq)); }),
            any.lacks(Quantity::V_qq));
  EXPECT_EQ(crank.lacks(Quantity::V), "the mass matrix depends on the position");
  EXPECT_EQ(crank.lacks(Quantity::V_qq), "");
  EXPECT_EQ(simple.lacks(Quantity::V), "");
  EXPECT_TRUE(contains(simple.lacks(Quantity::V_parts), "does not come in two parts"));
  EXPECT_EQ(parts.lacks(Quantity::V_parts), "");
}

// ---- what reformulations need: the gradient of λ(q, p), from the list alone

struct Multipliers {
  const AnySystem<quad>& sys;
  int n = sys.n(), m = sys.m();

  Vec<quad> product(Quantity f, const Vec<quad>& q, const Vec<quad>& p, const Vec<quad>& u) const {
    return evaluate(sys, f, {.q = &q, .p = &p, .u = &u});
  }
  Vec<quad> third(Quantity f, const Vec<quad>& q, const Vec<quad>& p, const Vec<quad>& u, const Vec<quad>& v) const {
    return evaluate(sys, f, {.q = &q, .p = &p, .u = &u, .v = &v});
  }
  Vec<quad> force(const Vec<quad>& q, const Vec<quad>& lambda) const {  // Gᵀλ
    Jacobian<quad> G(sys.pattern());
    Vec<quad> out(n);
    sys.G(q, G);
    for (int k = 0; k < m; ++k) G.row(k, [&](int j, const quad& a) { out[j] += a * lambda[k]; });
    return out;
  }
  // G H_pp Gᵀ
  Square<quad> gram(const Vec<quad>& q, const Vec<quad>& p) const {
    Jacobian<quad> G(sys.pattern());
    sys.G(q, G);
    Square<quad> K(m);
    Vec<quad> unit(m), column(m);
    for (int k = 0; k < m; ++k) {
      fill(unit, quad(0));
      unit[k] = quad(1);
      multiply(G, product(Quantity::H_pp, q, p, force(q, unit)), column);
      for (int i = 0; i < m; ++i) K(i, k) = column[i];
    }
    factor_lu(K);
    return K;
  }
  // G H_pp Gᵀ λ = g_qq(v, v) + G (H_pq v − H_pp H_q),   v = H_p
  Vec<quad> operator()(const Vec<quad>& q, const Vec<quad>& p) const {
    Vec<quad> v(n), F(n), curvature(m), out(m);
    sys.H_p(q, p, v), sys.H_q(q, p, F), sys.g_qq(q, v, v, curvature);
    Vec<quad> a = product(Quantity::H_pq, q, p, v);
    axpy(quad(-1), product(Quantity::H_pp, q, p, F), a);
    Jacobian<quad> G(sys.pattern());
    sys.G(q, G);
    multiply(G, a, out);
    axpy(quad(1), curvature, out);
    solve_lu(gram(q, p), out);
    return out;
  }
  // Of c·λ(q, p). With μ = (G H_pp Gᵀ)⁻¹c, a = Gᵀμ and s = H_q + Gᵀλ, it is that of
  //   μ·g_qq(v, v) + a·H_pq v − a·H_pp s   with fixed μ and λ.
  std::pair<Vec<quad>, Vec<quad>> gradient(const Vec<quad>& q, const Vec<quad>& p, const Vec<quad>& c) const {
    using enum Quantity;
    const Vec<quad> lambda = (*this)(q, p);
    Vec<quad> mu = c, v(n), s(n);
    solve_lu(gram(q, p), mu);
    sys.H_p(q, p, v), sys.H_q(q, p, s);
    axpy(quad(1), force(q, lambda), s);
    const Vec<quad> a = force(q, mu);
    const auto curvature = [&](const Vec<quad>& l, const Vec<quad>& u) {
      return evaluate(sys, lambda_g_qq, {.q = &q, .lambda = &l, .u = &u});
    };
    const Vec<quad> bent = curvature(mu, v), turned = product(H_qp, q, p, a), pushed = product(H_pp, q, p, a);
    Vec<quad> along_q = evaluate(sys, lambda_g_qqq, {.q = &q, .lambda = &mu, .u = &v, .v = &v});
    axpy(quad(2), product(H_qp, q, p, bent), along_q);
    axpy(quad(1), curvature(mu, product(H_pq, q, p, v)), along_q);
    axpy(quad(1), third(H_qqp, q, p, v, a), along_q);
    axpy(quad(1), product(H_qp, q, p, turned), along_q);
    axpy(quad(-1), curvature(mu, product(H_pp, q, p, s)), along_q);
    axpy(quad(-1), third(H_qpp, q, p, a, s), along_q);
    axpy(quad(-1), curvature(lambda, pushed), along_q);
    axpy(quad(-1), product(H_qq, q, p, pushed), along_q);
    Vec<quad> along_p = third(H_pqp, q, p, v, a);
    axpy(quad(2), product(H_pp, q, p, bent), along_p);
    axpy(quad(1), product(H_pp, q, p, turned), along_p);
    axpy(quad(-1), third(H_ppp, q, p, a, s), along_p);
    axpy(quad(-1), product(H_pq, q, p, pushed), along_p);
    return {along_q, along_p};
  }
};

TEST(Quantities, AreEnoughForTheGradientOfTheMultipliers) {
  for (const string& text : {separable, full_mass, mass_matrix, general, table}) {
    const GraphSystem<quad> sys(from_text(text));
    const Place<quad> at(sys);
    const Multipliers multipliers{sys};
    const auto [along_q, along_p] = multipliers.gradient(at.q, at.p, at.lambda);
    State<quad> x(sys.n(), sys.m());
    x.q = at.q, x.p = at.p;
    ASSERT_TRUE(Manifold<quad>(sys).multipliers(x).ok());
    const Vec<quad> lambda = multipliers(at.q, at.p);
    for (int k = 0; k < sys.m(); ++k) EXPECT_TRUE(agree(lambda[k], x.lambda[k], 1e6));
    const quad h("1e-6");
    quad slope(0);
    for (const auto& [steps, weight] : {std::pair{-2, 1}, {-1, -8}, {1, 8}, {2, -1}}) {
      Vec<quad> q = at.q, p = at.p;
      axpy(quad(steps * h), at.u, q);
      axpy(quad(steps * h), at.w, p);
      slope += quad(weight) / (12 * h) * dot(at.lambda, multipliers(q, p));
    }
    EXPECT_GT(to_double(quad(abs(slope))), 1e-3);
    EXPECT_NEAR(to_double(quad((dot(along_q, at.u) + dot(along_p, at.w)) / slope)), 1, 1e-15);
  }
}

// ---- own types

// The system `general` above: H with its gradient, and nothing else.
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

// The system `separable` above, in its two parts.
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
  static const Place<double> place(GraphSystem<double>{from_text(general)});
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
  const GraphSystem<double> any(from_text(general)), parts(from_text(separable));
  expect_same(adapt(ReboundGeneral<double>{}), any);
  for (const Part part : {Part::all, Part::slow, Part::fast})
    expect_same(adapt(ReboundSeparable<double>{}), parts, part);
}

TEST(Quantities, ThirdDerivativesAreThoseOfTheMembers) {
  const auto own = adapt(ReboundWithMembers<double>{});
  const GraphSystem<double> slow(
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
  EXPECT_EQ(own.lacks(Quantity::V_qq), own.lacks(Quantity::V));
  for (const Quantity f : all_quantities) {
    if (f != Quantity::V_qq) {
      EXPECT_EQ(own.lacks(f), "it lacks the member " + string(name_of(f)) + " or rebind of my system");
    }
    EXPECT_EQ(message_of<std::logic_error>([&] { evaluate(own, f, at(f)); }), own.lacks(f));
  }
  // The mass says more, without any members.
  const auto simple = adapt(OwnSeparable<double>{}, "my system");
  const GraphSystem<double> text(from_text(separable));
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
  const GraphSystem<double> sys(compile(load_model(HOLONOM_MODELS "/double-pendulum.toml")));
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
