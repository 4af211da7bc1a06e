// Expressions as text: brackets where they are needed, and back through the parser to the same bits.
#include "holonom/expr/formula_text.hpp"

#include <cstring>
#include <random>

#include "holonom/expr/derivative.hpp"
#include "holonom/expr/zero_prover.hpp"
#include "support.hpp"

namespace holonom::test {
namespace {

InputNames names_of(const Playground& p) { return {{p.x, "x"}, {p.y, "y"}, {p.z, "z"}}; }

std::string rewritten(const std::string& formula) {
  Playground p;
  return formula_text(p.graph, p.parse(formula), names_of(p));
}

TEST(FormulaText, HasNoMoreBracketsThanItNeeds) {
  for (const char* formula : {"x",
                              "-x",
                              "2*x",
                              "-2*x",
                              "x/3",
                              "-x/3",
                              "2*x/3",
                              "x + y",
                              "x - y",
                              "x - y + z",
                              "x - (y + z)",
                              "x*y",
                              "-x*y",
                              "x*(y + z)",
                              "(x + y)*(x - z)",
                              "x/y",
                              "x/y/z",
                              "x/(y*z)",
                              "x/(y + z)",
                              "x/y^2",
                              "1/x",
                              "1/x^2",
                              "x^2",
                              "-x^2",
                              "(x + y)^2",
                              "(x*y)^2",
                              "x^y",
                              "x^(1/3)",
                              "x^(-y)",
                              "(x^y)^z",
                              "x^(y + z)",
                              "sin(x + y)",
                              "cos(x)*y^2/12 - sin(x)^2/24",
                              "if(x < y, x, y^2)",
                              "if(x <= y, 1, 0)",
                              "z*(x < y)",
                              "z + (x == y)",
                              "min(x, y)",
                              "atan2(y, x)",
                              "x*pi",
                              "1/3",
                              "-1/3",
                              "x + 1/3",
                              "x - 2",
                              "x*sqrt(2)",
                              "exp(-x)",
                              "0.1234567890123*x"})
    EXPECT_EQ(rewritten(formula), formula);
}

TEST(FormulaText, WritesWhatIsSimpler) {
  EXPECT_EQ(rewritten("x*(1/2)"), "x/2");
  EXPECT_EQ(rewritten("0.1*x"), "x/10");
  EXPECT_EQ(rewritten("x - -2*y"), "x + 2*y");
  EXPECT_EQ(rewritten("-2*y + x"), "x - 2*y");
  EXPECT_EQ(rewritten("(y + z) + x"), "y + z + x");
  EXPECT_EQ(rewritten("x + (y + z)"), "y + z + x") << "a sum stands first: the same node";
  EXPECT_EQ(rewritten("y^-2*x"), "x/y^2");
}

TEST(FormulaText, SignIsAChoice) {
  Playground p;
  const NodeId slope = gradient(p.graph, p.parse("abs(x)"), p.inputs())[0];
  EXPECT_EQ(formula_text(p.graph, slope, names_of(p)), "if(x > 0, 1, if(x < 0, -1, 0))");
}

TEST(FormulaText, InputsNeedNames) {
  Playground p;
  EXPECT_THROW((void)formula_text(p.graph, p.parse("x + y"), {{p.x, "x"}}), std::invalid_argument);
}

// A random expression of all operations, built through the constructors of the graph and its derivatives.
class Random {
 public:
  Random(Playground& p, unsigned seed) : p_(p), random_(seed) {}
  NodeId operator()(int depth) {
    Graph& g = p_.graph;
    if (depth == 0) {
      switch (below(6)) {
        case 0:
          return g.div(g.number(static_cast<long long>(below(9)) - 4), g.number(static_cast<long long>(below(6)) + 1));
        case 1: return g.number("0.0625");
        default: return p_.inputs()[below(3)];
      }
    }
    const NodeId a = (*this)(depth - 1), b = (*this)(static_cast<int>(below(static_cast<unsigned>(depth))));
    switch (below(14)) {
      case 0:
      case 1: return g.add(a, b);
      case 2:
      case 3: return g.sub(a, b);
      case 4:
      case 5: return g.mul(a, b);
      case 6: return b == Graph::zero ? a : g.div(a, b);
      case 7: return g.neg(a);
      case 8: return a == Graph::zero ? b : g.powi(a, static_cast<int>(below(7)) - 3);
      case 9: return g.apply(below(2) ? Op::sin : Op::exp, a);
      case 10: return g.pow(g.apply(Op::abs, a), b);
      case 11: return g.select(g.apply(Op::less, a, b), b, a);
      case 12: return g.apply(below(2) ? Op::max : Op::atan2, a, b);
      default: return gradient(g, a, p_.inputs())[below(3)];
    }
  }
  double number() { return std::uniform_real_distribution<double>(-2, 2)(random_); }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  Playground& p_;
  std::mt19937 random_;
};

bool same_bits(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b) || (a == 0 && b == 0);
}

TEST(FormulaText, IsReadAsTheSameExpression) {
  int same_nodes = 0;
  constexpr int trials = 3000;
  for (unsigned seed = 0; seed < trials; ++seed) {
    Playground p;
    Random random(p, seed);
    const NodeId node = random(5);
    const std::string text = formula_text(p.graph, node, names_of(p));
    NodeId again = Graph::zero;
    ASSERT_NO_THROW(again = p.parse(text)) << text;
    same_nodes += again == node;
    for (int k = 0; k < 3; ++k) {
      const double x = random.number(), y = random.number(), z = random.number();
      EXPECT_TRUE(same_bits(p.evaluate(node, x, y, z), p.evaluate(again, x, y, z))) << text << " of seed " << seed;
    }
  }
  EXPECT_GT(same_nodes, trials * 3 / 4) << "but for signs in sums, and sign(x)";
}

TEST(FormulaText, AbbreviatesWhatIsRepeated) {
  Playground p;
  // Written out, it would have 2^60 terms.
  NodeId node = p.parse("sin(x + y*z)");
  for (int k = 0; k < 60; ++k) node = p.graph.add(p.graph.apply(Op::sin, node), p.graph.apply(Op::cos, node));
  const NodeId roots[] = {node, p.x};
  const FormulaTexts texts = formula_texts(p.graph, roots, names_of(p));
  ASSERT_EQ(texts.formulas.size(), 2U);
  EXPECT_EQ(texts.formulas[1], "x");
  EXPECT_GT(texts.let.size(), 10U);
  std::size_t length = 0;
  for (const auto& [name, formula] : texts.let) {
    length += formula.size();
    p.scope.names.emplace(name, Expr{&p.graph, p.parse(formula)});  // as [let] is read: in order
  }
  EXPECT_LT(length, 10000U);
  EXPECT_EQ(p.parse(texts.formulas[0]), node);
}

// A chain that is nested deeper than the parser goes has names within.
TEST(FormulaText, DeepFormulasCanBeRead) {
  Playground p;
  NodeId node = p.x;
  for (int k = 0; k < 2000; ++k) node = p.graph.apply(Op::sin, node);
  const FormulaTexts texts = formula_texts(p.graph, std::span(&node, 1), names_of(p));
  for (const auto& [name, formula] : texts.let) p.scope.names.emplace(name, Expr{&p.graph, p.parse(formula)});
  EXPECT_EQ(p.parse(texts.formulas[0]), node);
}

TEST(FormulaText, RoundsForPeople) {
  Playground p;
  FormulaStyle style;
  style.digits = 6;
  const NodeId roots[] = {p.parse("1.35120719195965763*x"), p.parse("x/12")};
  const FormulaTexts texts = formula_texts(p.graph, roots, names_of(p), style);
  EXPECT_EQ(texts.formulas, (std::vector<std::string>{"1.35121*x", "x/12"}));
}

std::string simplified(const std::string& formula) {
  Playground p;
  return formula_text(p.graph, ZeroProver(p.graph).simplified(p.parse(formula)), names_of(p));
}

TEST(FormulaText, OfNormalForms) {
  EXPECT_EQ(simplified("(x + y)*(x - y) + y*y"), "x^2");
  EXPECT_EQ(simplified("cos(x)*y*y/6 - (y*cos(x)*y)/12"), "cos(x)*y^2/12");
  EXPECT_EQ(simplified("sin(x)*sin(x) + cos(x)*cos(x)"), "1");
  EXPECT_EQ(simplified("(x + y)^5"), "(x + y)^5") << "the shorter one of both";
  EXPECT_EQ(simplified("x/(x + y) + y/(x + y) + x/(x + y)"), "y/(x + y) + 2*x/(x + y)");
  EXPECT_EQ(simplified("sqrt(x)*sqrt(x)*y + if(x < y, x, x)"), "x + x*y");
}

}  // namespace
}  // namespace holonom::test
