// Programs in all six scalars, and the arithmetic of dual numbers.
#include "holonom/expr/derivative.hpp"
#include "support.hpp"

namespace holonom::test {
namespace {

using Scalars = ::testing::Types<double, long double, quad, mp100, Dual<double>, Dual<quad>>;

template <class S>
class EveryScalar : public ::testing::Test {};
TYPED_TEST_SUITE(EveryScalar, Scalars);

// x as a variable: with tangent 1 where there is one
template <class S>
S variable(const char* text) {
  return exact_number<S>(text);
}
template <>
Dual<double> variable(const char* text) {
  return {exact_number<double>(text), 1.0};
}
template <>
Dual<quad> variable(const char* text) {
  return {exact_number<quad>(text), quad(1)};
}

template <class S>
S from_wide(const mp100& x) {
  return S(x.convert_to<Real<S>>());
}
template <>
long double from_wide(const mp100& x) {
  return x.convert_to<long double>();
}

const char* const formulas[] = {"x + 1/3",
                                "x - 0.1",
                                "x*0.7",
                                "x/3",
                                "1/x",
                                "-x",
                                "x^5",
                                "x^12 + x^11",
                                "x^-3",
                                "x^2.5",
                                "x^-1.5",
                                "x^0.3",
                                "1.7^x",
                                "x^x",
                                "sqrt(x)",
                                "exp(x)",
                                "log(x)",
                                "sin(x)",
                                "cos(x)",
                                "tan(x)",
                                "asin(x)",
                                "acos(x)",
                                "atan(x)",
                                "sinh(x)",
                                "cosh(x)",
                                "tanh(x)",
                                "abs(x - 1)",
                                "atan2(x, 0.3)",
                                "atan2(0.3, -x)",
                                "min(x, x^2)",
                                "max(x, x^2)",
                                "if(x < 0.5, x^3, cos(x))",
                                "if(x >= 0.5, x^3, cos(x))",
                                "if(x == 0.6, x, 1 - x)",
                                "if(x != 0.6, x, 1 - x)",
                                "pi*x",
                                "norm([x, 2*x, 0.5])",
                                "dot([x, 1], [x^2, 3])",
                                "cross([x, 1, 2], [3, x, 4]).z",
                                "sin(cos(exp(x)/2))^2/(1 + x^2)"};

// Against the same formula in 100 digits, which graph_test and derivative_test check by themselves.
TYPED_TEST(EveryScalar, GivesAllItsDigits) {
  using S = TypeParam;
  for (const char* formula : formulas) {
    Playground p;
    const NodeId f = p.parse(formula), slope = gradient(p.graph, f, std::span(&p.x, 1))[0];
    const mp100 wide("0.6");
    const S x = variable<S>("3/5");
    S expected = from_wide<S>(p.evaluate<mp100>(f, wide));
    if constexpr (!std::is_same_v<S, Real<S>>) expected.d = from_wide<Real<S>>(p.evaluate<mp100>(slope, wide));
    EXPECT_TRUE(agree(p.evaluate<S>(f, x), expected, 16)) << formula;
  }
}

TYPED_TEST(EveryScalar, OutsideADomainGivesNaN) {
  using S = TypeParam;
  for (const char* formula : {"sqrt(x)", "log(x)", "asin(x)", "acos(x)", "x^0.3", "0/0", "x/0 + 1/0"}) {
    Playground p;
    const S y = p.evaluate<S>(formula, S(-2));
    EXPECT_FALSE(is_finite(y)) << formula;
    EXPECT_FALSE(value(y) == value(y)) << formula;
  }
  Playground p;
  EXPECT_FALSE(is_finite(p.evaluate<S>("1/(x + 2)", S(-2))));
}

TYPED_TEST(EveryScalar, BlocksOfInputsAndOutputs) {
  using S = TypeParam;
  Graph g;
  const NodeId a = g.input(), b = g.input(), c = g.input();
  const Program::Block in1{a, b}, in2{c}, out1{g.add(a, c), b}, out2{}, out3{g.mul(b, c), g.number(7LL), a};
  Interpreter<S> evaluate(std::make_shared<Program>(g, std::vector{in1, in2}, std::vector{out1, out2, out3}));
  const S ab[] = {S(2), S(3)}, cc[] = {S(5)};
  S first[2], third[3];
  for (int repeat = 0; repeat < 2; ++repeat) {
    evaluate({ab, cc}, {first, nullptr, third});
    EXPECT_TRUE(first[0] == S(7) && first[1] == S(3) && third[0] == S(15) && third[1] == S(7) && third[2] == S(2));
  }
}

TYPED_TEST(EveryScalar, ConstantsAreComputedOnce) {
  using S = TypeParam;
  Playground p;
  const NodeId y = p.parse("x*sqrt(2)*exp(pi)");
  const Program program(p.graph, {p.inputs()}, {{y}});
  EXPECT_EQ(program.instructions(), 2U) << "two products; the root and the exponential are done beforehand";
  EXPECT_TRUE(agree(p.evaluate<S>(y, S(1)), S(p.evaluate<S>("sqrt(2)*exp(pi)"))));
}

TEST(Program, SharesPowers) {
  Playground p;
  const Program together(p.graph, {p.inputs()}, {{p.parse("x^12"), p.parse("x^11"), p.parse("x^8")}});
  EXPECT_LE(together.instructions(), 6U) << "x^2, x^4, x^8 serve all three";
}

TEST(Program, RefusesInputsThatItWasNotGiven) {
  Playground p;
  EXPECT_THROW(Program(p.graph, {{p.x}}, {{p.parse("x*y")}}), std::logic_error);
}

TEST(Program, ManyConstantsAndTermsTakeLinearTime) {
  // 30000 different constants: a search through all of them for each would take seconds.
  Playground p;
  NodeId sum = Graph::zero;
  for (long long k = 1; k <= 30000; ++k)
    sum = p.graph.add(sum, p.graph.apply(Op::sin, p.graph.mul(p.graph.number(k), p.x)));
  double expected = 0;
  for (int k = 1; k <= 30000; ++k) expected += std::sin(k * 0.001);
  EXPECT_NEAR(p.evaluate(sum, 0.001), expected, 1e-9);
}

// ---- dual numbers

template <class S>
class DualNumbers : public ::testing::Test {};
using Reals = ::testing::Types<double, quad>;
TYPED_TEST_SUITE(DualNumbers, Reals);

TYPED_TEST(DualNumbers, ArithmeticFollowsTheRulesOfDifferentiation) {
  using S = TypeParam;
  using D = Dual<S>;
  const S a(3), da(2), b(-4), db(5);
  const D x(a, da), y(b, db);
  const auto is = [](const D& z, const S& v, const S& d) { return z.v == v && z.d == d; };
  EXPECT_TRUE(is(x + y, a + b, da + db));
  EXPECT_TRUE(is(x - y, a - b, da - db));
  EXPECT_TRUE(is(-x, -a, -da));
  EXPECT_TRUE(is(x * y, a * b, da * b + a * db));
  EXPECT_TRUE(is(x / y, a / b, (da - a / b * db) / b));
  EXPECT_TRUE(is(x + 1, a + 1, da));
  EXPECT_TRUE(is(2 * x, 2 * a, 2 * da));
  EXPECT_TRUE(is(1.0 / y, 1 / b, -db / (b * b)));
  D z = x;
  z += y;
  z -= x;
  z *= x;
  z /= x;
  EXPECT_TRUE(is(z, b, db));
  z *= z;  // aliasing
  EXPECT_TRUE(is(z, b * b, 2 * b * db));
  EXPECT_TRUE(D(7).d == S(0) && D(S(7)).v == S(7) && D().v == S(0));
}

TYPED_TEST(DualNumbers, OrderIsThatOfTheValues) {
  using D = Dual<TypeParam>;
  const D small(1, 100), large(2, -100), twin(1, 0);
  EXPECT_TRUE(small < large && large > small && small <= twin && small >= twin && small == twin && !(small < twin));
}

TYPED_TEST(DualNumbers, MagnitudeAndFinitenessSeeTheTangent) {
  using S = TypeParam;
  using D = Dual<S>;
  EXPECT_EQ(magnitude(D(-2, 3)), S(3));
  EXPECT_EQ(magnitude(D(-5, 3)), S(5));
  EXPECT_TRUE(is_finite(D(1, 2)));
  EXPECT_FALSE(is_finite(D(1, std::numeric_limits<S>::infinity())));
  EXPECT_FALSE(is_finite(D(std::numeric_limits<S>::quiet_NaN(), 0)));
  EXPECT_EQ(value(D(4, 5)), S(4));
  EXPECT_EQ(epsilon<D>(), epsilon<S>());
}

TYPED_TEST(DualNumbers, FunctionsHaveTheirSlopes) {
  using S = TypeParam;
  using D = Dual<S>;
  using std::sqrt, std::exp, std::log, std::sin, std::cos, std::tan, std::asin, std::acos, std::atan, std::atan2,
      std::sinh, std::cosh, std::tanh, std::pow;
  const S x = S(5) / S(8), dx = S(7) / S(5);
  const D X(x, dx);
  const auto check = [&](const char* name, const D& y, const S& v, const S& slope) {
    EXPECT_TRUE(agree(y, D(v, S(slope * dx)), 4)) << name;
  };
  check("sqrt", sqrt(X), sqrt(x), 1 / (2 * sqrt(x)));
  check("exp", exp(X), exp(x), exp(x));
  check("log", log(X), log(x), 1 / x);
  check("sin", sin(X), sin(x), cos(x));
  check("cos", cos(X), cos(x), -sin(x));
  check("tan", tan(X), tan(x), 1 / (cos(x) * cos(x)));
  check("asin", asin(X), asin(x), 1 / sqrt(1 - x * x));
  check("acos", acos(X), acos(x), -1 / sqrt(1 - x * x));
  check("atan", atan(X), atan(x), 1 / (1 + x * x));
  check("sinh", sinh(X), sinh(x), cosh(x));
  check("cosh", cosh(X), cosh(x), sinh(x));
  check("tanh", tanh(X), tanh(x), 1 / (cosh(x) * cosh(x)));
  check("abs", abs(X), x, S(1));
  check("abs", abs(-X), x, S(1));
  check("atan2", atan2(X, D(S(-2))), atan2(x, S(-2)), S(-2) / (4 + x * x));
  check("atan2", atan2(D(S(-2)), X), atan2(S(-2), x), S(2) / (4 + x * x));
  check("pow", pow(X, D(S(3))), x * x * x, 3 * x * x);
  check("pow", pow(D(S(3)), X), pow(S(3), x), log(S(3)) * pow(S(3), x));
  check("pow", pow(X, X), pow(x, x), pow(x, x) * (1 + log(x)));
  EXPECT_EQ(pow(D(S(-2), S(1)), D(S(3))).d, S(12)) << "a negative base with a constant exponent needs no logarithm";
}

}  // namespace
}  // namespace holonom::test
