// Mapped kernels: a model over index tables must be the model that is written out term by term.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "holonom/methods/registry.hpp"
#include "holonom/model/start.hpp"
#include "holonom/model/toml.hpp"
#include "holonom/solve/manifold.hpp"

namespace holonom {
namespace {

// Seven atoms as in models/lj-chain.toml, by tables.
constexpr const char* lennard_jones = R"toml(
format = 1
[parameters]
N = 7
eps = "0.1"
[coordinates]
r = { count = "N", dim = 2 }
[energy]
mass = { r = 1 }
[[energy.sum]]
over = { pairs = "r" }
term = "eps*(s^2 - 2*s)"
where = { s = "1/dot(r[i] - r[j], r[i] - r[j])^3" }
[[constraints.stack]]
name = "bond"
over = { i = "0..N-2" }
zero = "(dot(r[i+1] - r[i], r[i+1] - r[i]) - 1)/2"
[[invariants.sum]]
name = "Px"
over = { i = "0..N-1" }
term = "p_r[i].x"
[initial]
q.r = ["i", "0"]
)toml";

constexpr const char* chain = R"toml(
format = 1
[parameters]
N = 20
[coordinates]
r = { count = "N", dim = 2 }
[energy]
mass = { r = "1 + i/N" }
[[energy.sum]]
over = { i = "0..N-1" }
term = "r[i].y + r[i].x^2/10"
[constraints]
hook = "(dot(r[0], r[0]) - 1)/2"
[[constraints.stack]]
name = "link"
over = { i = "0..N-2" }
zero = "(dot(r[i+1] - r[i], r[i+1] - r[i]) - 1)/2"
[initial]
q.r = ["(1 - cos(pi*(i + 1)))/2*sin(pi/6)", "-(i + 1)*cos(pi/6)"]
)toml";

State<double> random_state(int n, int m, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-0.1, 0.1);
  State<double> x(n, m);
  for (int i = 0; i < n; ++i) {
    x.q[i] = (i % 2 == 0 ? i / 2 : 0.3 * i) + uniform(random);
    x.p[i] = uniform(random);
  }
  return x;
}

TEST(Map, LennardJonesOverPairsIsTheSumWrittenOut) {
  const ModelSystem<double> flat(compile(load_model(HOLONOM_MODELS "/lj-chain.toml"))),
      mapped(compile(parse_model(lennard_jones, "lj")));
  ASSERT_EQ(flat.n(), mapped.n());
  ASSERT_EQ(flat.m(), mapped.m());
  const State<double> x = random_state(flat.n(), flat.m(), 1), u = random_state(flat.n(), flat.m(), 2);
  EXPECT_NEAR(flat.V(x.q), mapped.V(x.q), 1e-13 * std::abs(flat.V(x.q)));
  Vec<double> a(14), b(14), ga(6), gb(6);
  const auto near = [](const Vec<double>& x1, const Vec<double>& x2) {
    double size = 0;
    for (const double y : x1) size = std::max(size, std::abs(y));
    for (int i = 0; i < x1.size(); ++i) EXPECT_NEAR(x1[i], x2[i], 1e-13 * size) << i;
  };
  flat.V_q(x.q, a), mapped.V_q(x.q, b);
  near(a, b);
  flat.V_qq(Part::all, x.q, u.p, a), mapped.V_qq(Part::all, x.q, u.p, b);
  near(a, b);
  flat.g(x.q, ga), mapped.g(x.q, gb);
  near(ga, gb);
  flat.g_qq(x.q, u.p, x.p, ga), mapped.g_qq(x.q, u.p, x.p, gb);
  near(ga, gb);
  const Vec<double> same = u.p;  // equal numbers elsewhere: g_qq(u, v), not g_qq(u, u)
  flat.g_qq(x.q, u.p, same, ga), mapped.g_qq(x.q, u.p, u.p, gb);
  near(ga, gb);
  Vec<double> lambda{1, -2, 3, -4, 5, -6};
  flat.lambda_g_qq(x.q, lambda, u.p, a), mapped.lambda_g_qq(x.q, lambda, u.p, b);
  near(a, b);
  Jacobian<double> Ga(flat.pattern()), Gb(mapped.pattern());
  flat.G(x.q, Ga), mapped.G(x.q, Gb);
  multiply(Ga, u.p, ga), multiply(Gb, u.p, gb);
  near(ga, gb);
  Vec<double> total(1);
  mapped.invariants(x.q, x.p, total);
  double Px = 0;
  for (int i = 0; i < 14; i += 2) Px += x.p[i];
  EXPECT_DOUBLE_EQ(total[0], Px);
}

TEST(Map, NativeKernelsGiveTheSameBits) {
  const auto compiled = compile(parse_model(lennard_jones, "lj"));
  if (!native_available()) GTEST_SKIP() << why_not_native();
  const ModelSystem<double> interpreted(compiled), native(compiled, Engine::native);
  const State<double> x = random_state(14, 6, 3);
  Vec<double> a(14), b(14);
  interpreted.V_q(x.q, a), native.V_q(x.q, b);
  for (int i = 0; i < 14; ++i) EXPECT_EQ(a[i], b[i]);
  EXPECT_EQ(interpreted.V(x.q), native.V(x.q));
}

TEST(Map, ATableMayBeReplaced) {
  ModelSystem<double> sys(compile(parse_model(lennard_jones, "lj")));
  const State<double> x = random_state(14, 6, 4);
  sys.replace_table(0, {{0, 2}, {4, 12}});  // the pairs (0, 2) and (1, 6)
  double expected = 0;
  for (const auto& [i, j] : {std::pair{0, 4}, std::pair{2, 12}}) {
    const double d2 = std::pow(x.q[i] - x.q[j], 2) + std::pow(x.q[i + 1] - x.q[j + 1], 2), s = 1 / (d2 * d2 * d2);
    expected += 0.1 * (s * s - 2 * s);
  }
  EXPECT_NEAR(sys.V(x.q), expected, 1e-14 * std::abs(expected));
  EXPECT_THROW(sys.replace_table(0, {{0}, {99}}), std::invalid_argument);
  EXPECT_THROW(sys.replace_table(1, {{0}, {2}}), std::invalid_argument);
}

// A thousand links.
Model long_chain() { return parse_model(chain, "chain", {{"N", "1000"}}); }

template <class S>
State<S> run_chain(int steps) {
  const ModelSystem<S> sys(compile(long_chain()));
  State<S> x = initial_state(sys).state;
  const auto method = methods().find("rattle").make<S>(sys);
  const S h = S(1) / S(128);
  EXPECT_TRUE(method->begin(x, h).ok());
  for (int i = 0; i < steps; ++i) EXPECT_TRUE(method->step(x, h).ok());
  return x;
}

TEST(Map, TheSparseSolverAgreesWithItselfInQuad) {
  const State<double> x = run_chain<double>(50);
  const State<quad> y = run_chain<quad>(50);
  for (int i = 0; i < x.q.size(); ++i) {
    EXPECT_NEAR(x.q[i], to_double(y.q[i]), 1e-12);
    EXPECT_NEAR(x.p[i], to_double(y.p[i]), 1e-12);
  }
}

TEST(Map, ADualRunIsTheExactTangent) {
  const ModelSystem<double> sys(compile(long_chain()));
  const ModelSystem<Dual<double>> dual = sys.rebind<Dual<double>>();
  State<Dual<double>> x = initial_state(dual).state;
  const ModelSystem<quad> wide = sys.rebind<quad>();
  const State<quad> start = initial_state(wide).state;
  State<quad> plus = start, minus = start;
  Manifold<quad> manifold(wide);
  // A tangent of the manifold: the direction in which momenta of the start may change.
  const quad eps("1e-10");
  for (int i = 0; i < x.q.size(); ++i) {
    plus.p[i] += eps * quad(i % 3);
    minus.p[i] -= eps * quad(i % 3);
  }
  ASSERT_TRUE(manifold.project_momentum(plus).ok() && manifold.project_momentum(minus).ok());
  for (int i = 0; i < x.q.size(); ++i) x.p[i].d = to_double(quad((plus.p[i] - minus.p[i]) / (2 * eps)));
  const auto rattle = methods().find("rattle").make<Dual<double>>(dual);
  const auto wide_plus = methods().find("rattle").make<quad>(wide),
             wide_minus = methods().find("rattle").make<quad>(wide);
  const double h = 1.0 / 128;
  ASSERT_TRUE(rattle->begin(x, h).ok() && wide_plus->begin(plus, h).ok() && wide_minus->begin(minus, h).ok());
  for (int k = 0; k < 10; ++k)
    ASSERT_TRUE(rattle->step(x, h).ok() && wide_plus->step(plus, h).ok() && wide_minus->step(minus, h).ok());
  for (int i = 0; i < x.q.size(); ++i) {
    EXPECT_NEAR(x.q[i].d, to_double(quad((plus.q[i] - minus.q[i]) / (2 * eps))), 1e-12) << i;
    EXPECT_NEAR(x.p[i].d, to_double(quad((plus.p[i] - minus.p[i]) / (2 * eps))), 1e-12) << i;
  }
}

// Links that are there twice, the second with a factor: how a force is shared out must not depend on how many there
// are.
TEST(Map, MultipliersOfManyRedundantConstraintsHaveMinimalNorm) {
  const auto multipliers = [](int count, const std::string& again) {
    std::string text = chain;
    text.replace(text.find("N = 20"), 6, "N = " + std::to_string(count));
    text.insert(text.find("[initial]"), again);
    const ModelSystem<double> sys(compile(parse_model(text, "chain")));
    State<double> x = initial_state(sys).state;
    EXPECT_TRUE(Manifold<double>(sys).multipliers(x).ok());
    return x.lambda;
  };
  const std::string again = R"toml([[constraints.stack]]
name = "again"
over = { i = "0..N-2" }
zero = "4*(dot(r[i+1] - r[i], r[i+1] - r[i]) - 1)"
)toml";
  for (const int count : {20, 200, 700}) {  // dense algebra, sparse with exchanges, sparse without
    const Vec<double> once = multipliers(count, ""), twice = multipliers(count, again);
    for (int k = 1; k < count; ++k) {
      EXPECT_NEAR(twice[k] + 8 * twice[k + count - 1], once[k], 1e-10 * once[0]) << count << " " << k;
      // Each of two equal links carries half of the force, whatever the factor that it is written with.
      EXPECT_NEAR(twice[k], once[k] / 2, 1e-10 * once[0]) << count << " " << k;
    }
  }
}

// Each mistake, and a part of what is said of it.
TEST(Map, MistakesInTablesAreNamed) {
  const auto message = [](const std::string& was, const std::string& is) {
    std::string text = chain;
    const auto at = text.find(was);
    EXPECT_NE(at, std::string::npos) << was;
    text.replace(at, was.size(), is);
    try {
      const ModelSystem<double> sys(compile(parse_model(text, "chain.toml")));
      (void)initial_state(sys);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  const std::vector<std::array<std::string, 3>> mistakes{
      {"0..N-2", "0..N-1", "asks for r[20], but r has the items 0 to 19"},
      {"r[i+1] - r[i], r[i+1]", "r[i+1] - r[i+0.5], r[i+1]", "asks for r[0.5]"},
      {"\"0..N-2\"", "\"N-2\"", "a range is written"},
      {"count = \"N\"", "count = \"N + 1/2\"", "whole number"},
      {"dim = 2", "dim = 4", "dim must be 1, 2 or 3"},
      {"term = \"r[i].y", "term = \"r.y", "write r[i]"},
      {"term = \"r[i].y", "term = \"p_r[i].y", "coordinates alone"},
      {"mass = { r = \"1 + i/N\" }", "mass = { s = 1 }", "unknown key 's'"},
      {"zero =", "term =", "unknown key 'term'"},
      {"name = \"link\"", "", "needs a name"},
      {"q.r = [", "q.r = [\"0\", ", "needs 2 formulas"},
      {"(1 - cos(pi*(i + 1)))/2*sin(pi/6)", "r[0].x", "must be a formula of parameters and i"},
  };
  for (const auto& [was, is, expected] : mistakes)
    EXPECT_NE(message(was, is).find(expected), std::string::npos) << message(was, is);
}

}  // namespace
}  // namespace holonom
