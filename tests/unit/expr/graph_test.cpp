// The expression graph: one node for equal expressions, exact constants, and simplifications that
// never change a value.
#include <random>

#include "holonom/expr/magnitude.hpp"
#include "support.hpp"

namespace holonom::test {
namespace {

// ---- hash-consing

TEST(Graph, EqualExpressionsAreOneNode) {
  Playground p;
  const NodeId first = p.parse("sin(x*y + 2)^2/(1 + exp(-z))");
  const std::size_t size = p.graph.size();
  EXPECT_EQ(p.parse("sin(x*y + 2)^2/(1 + exp(-z))"), first);
  EXPECT_EQ(p.graph.size(), size) << "parsing it again must not add nodes";
  EXPECT_EQ(p.parse("x + y"), p.parse("y + x"));
  EXPECT_EQ(p.parse("x*y"), p.parse("y*x"));
  EXPECT_NE(p.parse("x - y"), p.parse("y - x"));
  EXPECT_NE(p.parse("x/y"), p.parse("y/x"));
  EXPECT_NE(p.parse("atan2(x, y)"), p.parse("atan2(y, x)"));
  EXPECT_NE(p.graph.input(), p.graph.input()) << "every input is a new variable";
}

TEST(Graph, ArgumentsComeBeforeTheirUsers) {
  Playground p;
  const NodeId y = p.parse("if(x < y, sin(x)*y^3, sqrt(y)/z)");
  for (const NodeId i : p.graph.reachable(std::vector{y})) {
    const Node& n = p.graph[i];
    const NodeId arguments[] = {n.a, n.b, n.c};
    for (int k = 0; k < arity(n.op); ++k) EXPECT_LT(arguments[k], i);
  }
}

TEST(Graph, SubstitutionReplacesInputsAndSimplifiesAgain) {
  Playground p;
  const std::vector<NodeId> y{p.parse("x*sin(y) + z^2"), p.parse("x")};
  const auto by_zero = p.graph.substitute(y, {{p.x, Graph::zero}});
  EXPECT_EQ(by_zero[0], p.parse("z^2"));
  EXPECT_EQ(by_zero[1], Graph::zero);
  const auto exchanged = p.graph.substitute(y, {{p.x, p.y}, {p.y, p.x}});
  EXPECT_EQ(exchanged[0], p.parse("y*sin(x) + z^2"));
}

// ---- exact constants

TEST(Constants, AreKeptAsWritten) {
  Graph g;
  const NodeId tenth = g.number("0.1");
  EXPECT_EQ(g.number_text(tenth), "1/10");
  EXPECT_EQ(g.number("1e-1"), tenth);
  EXPECT_EQ(g.number("+0.10"), tenth);
  EXPECT_EQ(g.number("1_0e-2"), tenth);
  EXPECT_EQ(g.div(g.number(1LL), g.number("10")), tenth);
  EXPECT_NE(g.number(0.1), tenth) << "a double stands for its binary value, which is not one tenth";
  EXPECT_EQ(g.number(0.5), g.number("0.5"));
  EXPECT_EQ(g.add(tenth, g.number("0.2")), g.number("0.3")) << "exact, unlike in double";
  EXPECT_EQ(g.add(g.number("0.1"), g.div(g.one, g.number(3LL))), g.div(g.number(13LL), g.number(30LL)));
  EXPECT_EQ(g.number_text(g.number("-1.5e-3")), "-3/2000");
  EXPECT_EQ(g.number("0"), Graph::zero);
  EXPECT_EQ(g.number("1.000"), Graph::one);
}

TEST(Constants, NonsenseIsRefused) {
  Graph g;
  for (const char* text : {"", "-", ".", "e5", "1e", "1e5x", "1.2.3", "x", "0x10", " 1", "--1", "1e+-5"})
    EXPECT_THROW(g.number(text), std::invalid_argument) << text;
  for (const char* text : {"1e99999", "1e-99999", "1e99999999999999999999"})
    EXPECT_THROW(g.number(text), std::out_of_range) << text;
  EXPECT_THROW(g.number(std::string(100000, '7')), std::out_of_range);
  EXPECT_THROW(g.number(std::numeric_limits<double>::infinity()), std::invalid_argument);
  EXPECT_THROW(g.number(std::nan("")), std::invalid_argument);
}

TEST(Constants, AreRoundedOnceInEveryScalar) {
  Graph g;
  const NodeId tenth = g.number("0.1"), third = g.div(g.one, g.number(3LL));
  EXPECT_EQ(value_of<double>(g, tenth), 0.1);
  EXPECT_EQ(value_of<long double>(g, tenth), 0.1L);
  EXPECT_EQ(value_of<quad>(g, tenth), quad("0.1"));
  EXPECT_EQ(value_of<mp100>(g, tenth), mp100("0.1"));
  EXPECT_EQ(value_of<Dual<double>>(g, tenth).v, 0.1);
  EXPECT_EQ(value_of<Dual<double>>(g, tenth).d, 0.0);
  EXPECT_EQ(value_of<Dual<quad>>(g, tenth).v, quad("0.1"));
  EXPECT_NE(value_of<quad>(g, tenth), quad(0.1)) << "a tenth in quad is not a tenth in double";
  EXPECT_EQ(value_of<quad>(g, third), quad(1) / quad(3));
  EXPECT_EQ(value_of<mp100>(g, third), mp100(1) / mp100(3));
  EXPECT_EQ(value_of<double>(g, g.number("5e-324")), 5e-324) << "the smallest double";
  EXPECT_EQ(value_of<double>(g, g.number("1.7976931348623157e308")), std::numeric_limits<double>::max());
  EXPECT_TRUE(std::isinf(value_of<double>(g, g.number("1e400"))));
  EXPECT_TRUE(is_finite(value_of<quad>(g, g.number("1e400"))));
}

TEST(Constants, RandomDecimalsAgreeWithTheCLibrary) {
  std::mt19937_64 random(5);
  for (int k = 0; k < 2000; ++k) {
    const std::string text = std::to_string(random()) + "." + std::to_string(random()) + "e" +
                             std::to_string(static_cast<int>(random() % 560) - 320);
    Graph g;
    const std::string exact = g.number_text(g.number(text));
    EXPECT_EQ(exact_number<double>(exact), std::strtod(text.c_str(), nullptr)) << text;
    EXPECT_EQ(exact_number<long double>(exact), std::strtold(text.c_str(), nullptr)) << text;
    EXPECT_EQ(exact_number<quad>(exact), quad(text)) << text;
  }
}

TEST(Constants, PiHasAllDigitsOfItsScalar) {
  const std::string digits =
      "3."
      "14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798214808651";
  Graph g;
  EXPECT_EQ(value_of<double>(g, g.pi()), std::strtod(digits.c_str(), nullptr));
  EXPECT_EQ(value_of<long double>(g, g.pi()), std::strtold(digits.c_str(), nullptr));
  EXPECT_TRUE(agree(value_of<quad>(g, g.pi()), quad(digits), 1));
  EXPECT_TRUE(agree(value_of<mp100>(g, g.pi()), mp100(digits), 1));
  EXPECT_EQ(value_of<Dual<double>>(g, g.pi()).d, 0.0);
}

TEST(Constants, TextReadsBackWithoutLoss) {
  const auto survives = [](const auto& x, auto read) { return read(to_text(x)) == x; };
  std::mt19937 random(9);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int k = 0; k < 200; ++k) {
    const double x = uniform(random);
    EXPECT_TRUE(survives(std::exp(30 * x), [](const std::string& s) { return std::strtod(s.c_str(), nullptr); }));
    EXPECT_TRUE(survives(std::exp(30 * static_cast<long double>(x)),
                         [](const std::string& s) { return std::strtold(s.c_str(), nullptr); }));
    EXPECT_TRUE(survives(quad(exp(30 * quad(x))), [](const std::string& s) { return quad(s); }));
    EXPECT_TRUE(survives(mp100(exp(30 * mp100(x))), [](const std::string& s) { return mp100(s); }));
  }
}

// ---- simplifications

TEST(Simplify, WhatMustHappen) {
  Playground p;
  // clang-format off
  const std::vector<std::pair<const char*, const char*>> equal{
      {"x + 0", "x"},           {"0 + x", "x"},         {"x - 0", "x"},          {"0 - x", "-x"},
      {"x*1", "x"},             {"x*0", "0"},           {"x/1", "x"},            {"0/x", "0"},
      {"x - x", "0"},           {"x + x", "2*x"},       {"-(-x)", "x"},          {"-(x - y)", "y - x"},
      {"x + (-y)", "x - y"},    {"x - (-y)", "x + y"},  {"(-x)*y", "-(x*y)"},    {"(-x)*(-y)", "x*y"},
      {"2*(3*x)", "6*x"},       {"(2*x)*(3*y)", "6*(x*y)"}, {"x/2", "0.5*x"},    {"2*x + 2*y", "2*(x + y)"},
      {"(2*x)/y", "2*(x/y)"},   {"x*x", "x^2"},         {"x^2*x^3", "x^5"},      {"x*x^2", "x^3"},
      {"(x^2)^3", "x^6"},       {"(2*x)^3", "8*x^3"},   {"(-x)^2", "x^2"},       {"(-x)^3", "-(x^3)"},
      {"x^1", "x"},             {"x^0", "1"},           {"1/x^2", "x^-2"},       {"x^-1", "1/x"},
      {"sqrt(x)^2", "x"},       {"sqrt(x)^6", "x^3"},   {"1/3 + 1/6", "1/2"},    {"2^10", "1024"},
      {"(2/3)^-2", "9/4"},      {"sin(0)", "0"},        {"cos(0)", "1"},         {"exp(0)", "1"},
      {"log(1)", "0"},          {"sqrt(0)", "0"},       {"sqrt(1)", "1"},        {"if(1, x, y)", "x"},
      {"if(0, x, y)", "y"},     {"if(x < y, z, z)", "z"}, {"min(x, x)", "x"},    {"max(y, y)", "y"},
      {"x^(1/2)", "sqrt(x)"},   {"x^1.5", "x*sqrt(x)"}, {"x^-0.5", "1/sqrt(x)"}, {"pow(x, 3)", "x^3"},
  };
  // clang-format on
  for (const auto& [left, right] : equal) EXPECT_EQ(p.parse(left), p.parse(right)) << left << " is not " << right;
}

TEST(Simplify, WhatMustNotHappen) {
  Playground p;
  EXPECT_NE(p.parse("sqrt(x^2)"), p.x);
  EXPECT_EQ(p.evaluate("sqrt(x^2)", -3.0), 3.0);
  EXPECT_EQ(p.evaluate("(x^2)^0.5", -3.0), 3.0);
  EXPECT_EQ(p.evaluate("(x^2)^1.5", -2.0), 8.0);
  EXPECT_NE(p.parse("0/0"), Graph::zero);
  EXPECT_TRUE(std::isnan(p.evaluate("0/0")));
  EXPECT_TRUE(std::isinf(p.evaluate("1/0")));
  EXPECT_TRUE(std::isinf(p.evaluate("0^-1")));
  EXPECT_TRUE(std::isinf(p.evaluate("0^-2")));
  EXPECT_TRUE(std::isnan(p.evaluate("x/x", 0.0))) << "a quotient keeps its singularity";
  EXPECT_TRUE(std::isnan(p.evaluate("sqrt(x)", -1.0)));
  EXPECT_NE(p.parse("abs(x)"), p.x);
  EXPECT_NE(p.parse("(x^3)^(1/3)"), p.x);
  EXPECT_NE(p.parse("log(exp(x))"), p.x);
  EXPECT_NE(p.parse("x - 0.1"), p.graph.sub(p.x, p.graph.number(0.1)));
  EXPECT_NE(p.parse("min(x, y)"), p.parse("max(x, y)"));
  EXPECT_EQ(p.evaluate("-x^2", 3.0), -9.0);
}

TEST(Simplify, NeverChangesAValue) {
  // Each formula against the same computed without a graph.
  Playground p;
  const double x = 1.7, y = -0.6, z = 2.3;
  const std::vector<std::pair<const char*, double>> cases{
      {"(2*x)*(3*y)/(4*z)", 2 * x * 3 * y / (4 * z)},
      {"-(x - y)*(-z)", (x - y) * z},
      {"(-x)^3*(-y)^2/(-z)", x * x * x * y * y / z},
      {"2*x + 2*y - (2*z - 2*x)", 4 * x + 2 * y - 2 * z},
      {"x^5/x^3*x^-4", std::pow(x, -2)},
      {"(x^2)^-3*x", std::pow(x, -5)},
      {"z^2.5*z^-1.5", z},
      {"z^-2.5", std::pow(z, -2.5)},
      {"z^-3.5", std::pow(z, -3.5)},
      {"z^3.5", std::pow(z, 3.5)},
      {"x/(2*y)/(3/z)", x / (2 * y) / (3 / z)},
      {"1/(1/x)", x},
      {"(x*y)^2/(x*y)", x * y},
      {"3*(x + 2*(y + 5*(z - x)))", 3 * (x + 2 * (y + 5 * (z - x)))},
  };
  for (const auto& [formula, expected] : cases) EXPECT_TRUE(agree(p.evaluate(formula, x, y, z), expected)) << formula;
}

TEST(Simplify, HugeNumbersAndPowersStayFinite) {
  // Too large to be folded into one number: must neither loop nor overflow an exponent.
  Playground p;
  EXPECT_TRUE(std::isinf(p.evaluate("1e3000*(1e3000*x)", 1.0)));
  EXPECT_TRUE(agree(p.evaluate<mp100>("1e3000*(1e3000*x)/1e3000", mp100(2)), mp100("2e3000")));
  EXPECT_EQ(p.evaluate("(x^1000000)^1000000", 1.0), 1.0);
  EXPECT_EQ(p.evaluate("(x^1000000)^1000000", 0.5), 0.0);
  EXPECT_EQ(p.evaluate("((x^1000000)^1000)*((x^1000000)^1000)*((x^1000000)^1000)", 0.5), 0.0);
  EXPECT_EQ(p.evaluate("((x^1000000)^1000)*((x^1000000)^1000)*((x^1000000)^1000)", -1.0), 1.0);
  EXPECT_TRUE(std::isinf(p.evaluate("9^9^9^9")));
  EXPECT_EQ(p.evaluate("x^1000001", -1.0), -1.0);
}

TEST(Simplify, HalfIntegerPowersUseOneSquareRoot) {
  Playground p;
  for (const NodeId y : {p.parse("x^1.5"), p.parse("x^-2.5"), p.parse("x^(7/2)")}) {
    int roots = 0;
    for (const NodeId i : p.graph.reachable(std::vector{y})) {
      EXPECT_NE(p.graph[i].op, Op::pow);
      roots += p.graph[i].op == Op::sqrt;
    }
    EXPECT_EQ(roots, 1);
  }
  EXPECT_TRUE(agree(p.evaluate<mp100>("x^-2.5", mp100(3)), mp100(1) / (9 * sqrt(mp100(3)))));
}

// ---- the size of terms: what rounding errors of a value are measured against

TEST(MagnitudeOfTerms, DoesNotCancel) {
  const double x = 3, y = -4;
  const std::vector<std::pair<const char*, double>> cases{
      {"x - y", 7},
      {"x + y", 7},
      {"-x", 3},
      {"x^2 + y^2 - 25", 50},
      {"sqrt(x^2 + y^2) - 5", 10},
      {"x*y + 12", 24},
      {"(x + y)*(x - 2)", 7},
      {"(x + y)^3", 7},
      {"x/y", 0.75},
      {"(x + y)/2", 3.5},
      {"(x + y)^2", 7},
      {"(x + y)^-2", 1},
      {"1/(x + y)^2", 1},
      {"if(x < y, x, x - y)", 7},
      {"cos(0*x) - 1", 0},
      {"exp(x - 3) - 1", 2},
      {"abs(x + y)", 1},
  };
  for (const auto& [formula, expected] : cases) {
    Playground p;
    const NodeId f = p.parse(formula);
    EXPECT_DOUBLE_EQ(p.evaluate(magnitude_of_terms(p.graph, std::span(&f, 1))[0], x, y), expected) << formula;
  }
}

TEST(Expressions, OfTwoModelsCannotBeMixed) {
  Graph one, two;
  const Expr x{&one, one.input()}, y{&two, two.input()};
  EXPECT_TRUE(contains(message_of<std::invalid_argument>([&] { (void)(x + y); }), "two different models"));
}

TEST(Expressions, ReadLikeFormulas) {
  Playground p;
  const Expr x{&p.graph, p.x}, y{&p.graph, p.y}, z{&p.graph, p.z};
  EXPECT_EQ((2 * x - y / 3 + pow(x, 2)).node, p.parse("2*x - y/3 + x^2"));
  EXPECT_EQ((0.5 * sin(x) * cosh(y)).node, p.parse("0.5*sin(x)*cosh(y)"));
  EXPECT_EQ(select(x < y, x, y).node, p.parse("if(x < y, x, y)"));
  EXPECT_EQ(select(x > y, x, y).node, p.parse("if(x > y, x, y)"));
  EXPECT_EQ(dot({x, y}, {y, z}).node, p.parse("dot([x, y], [y, z])"));
  EXPECT_EQ(norm({x, y, z}).node, p.parse("norm(w)"));
  EXPECT_EQ(cross({x, y, z}, {z, x, y})[2].node, p.parse("cross(w, [z, x, y]).z"));
  EXPECT_THROW(cross({x, y}, {x, y}), std::invalid_argument);
  EXPECT_THROW(dot({x}, {x, y}), std::invalid_argument);
}

}  // namespace
}  // namespace holonom::test
