// Derivatives of every operation to third order against closed forms written here by hand, in quad;
// forward against reverse mode; sparsity; contractions of constraints.
#include "holonom/expr/derivative.hpp"

#include <functional>
#include <random>

#include "holonom/model/model_system.hpp"
#include "holonom/model/toml.hpp"
#include "support.hpp"

namespace holonom::test {
namespace {

using std::vector;

// Third derivatives lose some digits to cancellation in the closed forms, not in the graph.
constexpr double digits_lost = 1000;

::testing::AssertionResult close(const quad& a, const quad& b) {
  if (abs(a - b) <= quad(digits_lost) * epsilon<quad>()) return ::testing::AssertionSuccess();
  return agree(a, b, digits_lost);
}

NodeId forward(Graph& g, NodeId y, NodeId x) {
  const NodeId one = Graph::one;
  return along(g, std::span(&y, 1), std::span(&x, 1), std::span(&one, 1))[0];
}
NodeId reverse(Graph& g, NodeId y, NodeId x) { return gradient(g, y, std::span(&x, 1))[0]; }

// ---- functions of one variable

struct Unary {
  const char* formula;                      // in x
  std::function<quad(quad)> f, f1, f2, f3;  // value and derivatives
  quad at;
};

// (1 − x²)^(-k/2) and friends
quad root(const quad& x) { return sqrt(x); }
quad c(double x) { return quad(x); }

const vector<Unary>& unary_functions() {
  using Q = quad;
  static const auto zero = [](const Q&) { return Q(0); };
  static const vector<Unary> list{
      {"x", [](Q x) { return x; }, [](Q) { return Q(1); }, zero, zero, c(0.7)},
      {"-x", [](Q x) { return Q(-x); }, [](Q) { return Q(-1); }, zero, zero, c(0.7)},
      {"sqrt(x)", [](Q x) { return root(x); }, [](Q x) { return Q(1 / (2 * root(x))); },
       [](Q x) { return Q(-1 / (4 * x * root(x))); }, [](Q x) { return Q(3 / (8 * x * x * root(x))); }, c(0.7)},
      {"exp(x)", [](Q x) { return Q(exp(x)); }, [](Q x) { return Q(exp(x)); }, [](Q x) { return Q(exp(x)); },
       [](Q x) { return Q(exp(x)); }, c(0.7)},
      {"log(x)", [](Q x) { return Q(log(x)); }, [](Q x) { return Q(1 / x); }, [](Q x) { return Q(-1 / (x * x)); },
       [](Q x) { return Q(2 / (x * x * x)); }, c(0.7)},
      {"sin(x)", [](Q x) { return Q(sin(x)); }, [](Q x) { return Q(cos(x)); }, [](Q x) { return Q(-sin(x)); },
       [](Q x) { return Q(-cos(x)); }, c(0.7)},
      {"cos(x)", [](Q x) { return Q(cos(x)); }, [](Q x) { return Q(-sin(x)); }, [](Q x) { return Q(-cos(x)); },
       [](Q x) { return Q(sin(x)); }, c(0.7)},
      {"tan(x)", [](Q x) { return Q(sin(x) / cos(x)); }, [](Q x) { return Q(1 / (cos(x) * cos(x))); },
       [](Q x) { return Q(2 * sin(x) / (cos(x) * cos(x) * cos(x))); },
       [](Q x) { return Q(2 / pow(Q(cos(x)), 2) + 6 * sin(x) * sin(x) / pow(Q(cos(x)), 4)); }, c(0.7)},
      {"asin(x)", [](Q x) { return Q(asin(x)); }, [](Q x) { return Q(1 / root(1 - x * x)); },
       [](Q x) { return Q(x / pow(root(1 - x * x), 3)); },
       [](Q x) { return Q((1 + 2 * x * x) / pow(root(1 - x * x), 5)); }, c(0.7)},
      {"acos(x)", [](Q x) { return Q(acos(x)); }, [](Q x) { return Q(-1 / root(1 - x * x)); },
       [](Q x) { return Q(-x / pow(root(1 - x * x), 3)); },
       [](Q x) { return Q(-(1 + 2 * x * x) / pow(root(1 - x * x), 5)); }, c(0.7)},
      {"atan(x)", [](Q x) { return Q(atan(x)); }, [](Q x) { return Q(1 / (1 + x * x)); },
       [](Q x) { return Q(-2 * x / pow(1 + x * x, 2)); }, [](Q x) { return Q((6 * x * x - 2) / pow(1 + x * x, 3)); },
       c(0.7)},
      {"sinh(x)", [](Q x) { return Q(sinh(x)); }, [](Q x) { return Q(cosh(x)); }, [](Q x) { return Q(sinh(x)); },
       [](Q x) { return Q(cosh(x)); }, c(0.7)},
      {"cosh(x)", [](Q x) { return Q(cosh(x)); }, [](Q x) { return Q(sinh(x)); }, [](Q x) { return Q(cosh(x)); },
       [](Q x) { return Q(sinh(x)); }, c(0.7)},
      {"tanh(x)", [](Q x) { return Q(sinh(x) / cosh(x)); }, [](Q x) { return Q(1 / (cosh(x) * cosh(x))); },
       [](Q x) { return Q(-2 * sinh(x) / pow(Q(cosh(x)), 3)); },
       [](Q x) { return Q((4 * sinh(x) * sinh(x) - 2) / pow(Q(cosh(x)), 4)); }, c(0.7)},
      {"abs(x)", [](Q x) { return Q(x); }, [](Q) { return Q(1); }, zero, zero, c(0.7)},
      {"abs(x - 1)", [](Q x) { return Q(1 - x); }, [](Q) { return Q(-1); }, zero, zero, c(0.7)},
      {"x^2", [](Q x) { return Q(x * x); }, [](Q x) { return Q(2 * x); }, [](Q) { return Q(2); }, zero, c(0.7)},
      {"x^7", [](Q x) { return Q(pow(x, 7)); }, [](Q x) { return Q(7 * pow(x, 6)); },
       [](Q x) { return Q(42 * pow(x, 5)); }, [](Q x) { return Q(210 * pow(x, 4)); }, c(0.7)},
      {"x^-1", [](Q x) { return Q(1 / x); }, [](Q x) { return Q(-1 / (x * x)); }, [](Q x) { return Q(2 / pow(x, 3)); },
       [](Q x) { return Q(-6 / pow(x, 4)); }, c(0.7)},
      {"x^-3", [](Q x) { return Q(1 / pow(x, 3)); }, [](Q x) { return Q(-3 / pow(x, 4)); },
       [](Q x) { return Q(12 / pow(x, 5)); }, [](Q x) { return Q(-60 / pow(x, 6)); }, c(0.7)},
      {"x^2.5", [](Q x) { return Q(x * x * root(x)); }, [](Q x) { return Q(c(2.5) * x * root(x)); },
       [](Q x) { return Q(c(3.75) * root(x)); }, [](Q x) { return Q(c(1.875) / root(x)); }, c(0.7)},
      {"x^-0.5", [](Q x) { return Q(1 / root(x)); }, [](Q x) { return Q(c(-0.5) / (x * root(x))); },
       [](Q x) { return Q(c(0.75) / (x * x * root(x))); }, [](Q x) { return Q(c(-1.875) / (x * x * x * root(x))); },
       c(0.7)},
      {"x^0.3", [](Q x) { return Q(exp(Q("0.3") * log(x))); },
       [](Q x) { return Q(Q("0.3") * exp(Q("-0.7") * log(x))); },
       [](Q x) { return Q(Q("-0.21") * exp(Q("-1.7") * log(x))); },
       [](Q x) { return Q(Q("0.357") * exp(Q("-2.7") * log(x))); }, c(0.7)},
      {"2^x", [](Q x) { return Q(exp(x * log(Q(2)))); }, [](Q x) { return Q(log(Q(2)) * exp(x * log(Q(2)))); },
       [](Q x) { return Q(pow(Q(log(Q(2))), 2) * exp(x * log(Q(2)))); },
       [](Q x) { return Q(pow(Q(log(Q(2))), 3) * exp(x * log(Q(2)))); }, c(0.7)},
      {"x^x", [](Q x) { return Q(exp(x * log(x))); }, [](Q x) { return Q(exp(x * log(x)) * (1 + log(x))); },
       [](Q x) { return Q(exp(x * log(x)) * (pow(Q(1 + log(x)), 2) + 1 / x)); },
       [](Q x) { return Q(exp(x * log(x)) * (pow(Q(1 + log(x)), 3) + 3 * (1 + log(x)) / x - 1 / (x * x))); }, c(0.7)},
      {"if(x < 1, x^3, exp(x))", [](Q x) { return Q(x * x * x); }, [](Q x) { return Q(3 * x * x); },
       [](Q x) { return Q(6 * x); }, [](Q) { return Q(6); }, c(0.7)},
      {"if(x >= 1, x^3, exp(x))", [](Q x) { return Q(exp(x)); }, [](Q x) { return Q(exp(x)); },
       [](Q x) { return Q(exp(x)); }, [](Q x) { return Q(exp(x)); }, c(0.7)},
  };
  return list;
}

TEST(Derivative, OfOneVariableToThirdOrder) {
  for (const Unary& u : unary_functions()) {
    for (const bool backward : {false, true}) {
      Playground p;
      const auto d = [&](NodeId y) { return backward ? reverse(p.graph, y, p.x) : forward(p.graph, y, p.x); };
      const NodeId f0 = p.parse(u.formula), f1 = d(f0), f2 = d(f1), f3 = d(f2);
      EXPECT_TRUE(close(p.evaluate<quad>(f0, u.at), u.f(u.at))) << u.formula;
      EXPECT_TRUE(close(p.evaluate<quad>(f1, u.at), u.f1(u.at))) << u.formula << " first, reverse " << backward;
      EXPECT_TRUE(close(p.evaluate<quad>(f2, u.at), u.f2(u.at))) << u.formula << " second, reverse " << backward;
      EXPECT_TRUE(close(p.evaluate<quad>(f3, u.at), u.f3(u.at))) << u.formula << " third, reverse " << backward;
    }
  }
}

// f(s(x)) with s = 0.5 + 0.3 sin x: the chain rule to third order (Faà di Bruno) for every operation.
TEST(Derivative, ChainRuleToThirdOrder) {
  const quad x = c(0.4), s = quad("0.5") + quad("0.3") * sin(x), s1 = quad("0.3") * cos(x), s2 = -quad("0.3") * sin(x),
             s3 = -s1;
  for (const Unary& u : unary_functions()) {
    for (const bool backward : {false, true}) {
      Playground p;
      const NodeId inner = p.parse("0.5 + 0.3*sin(x)");
      const NodeId y = p.graph.substitute(vector{p.parse(u.formula)}, {{p.x, inner}})[0];
      const auto d = [&](NodeId i) { return backward ? reverse(p.graph, i, p.x) : forward(p.graph, i, p.x); };
      const NodeId y1 = d(y), y2 = d(y1), y3 = d(y2);
      EXPECT_TRUE(close(p.evaluate<quad>(y1, x), quad(u.f1(s) * s1))) << u.formula;
      EXPECT_TRUE(close(p.evaluate<quad>(y2, x), quad(u.f2(s) * s1 * s1 + u.f1(s) * s2))) << u.formula;
      EXPECT_TRUE(close(p.evaluate<quad>(y3, x), quad(u.f3(s) * s1 * s1 * s1 + 3 * u.f2(s) * s1 * s2 + u.f1(s) * s3)))
          << u.formula << ", reverse " << backward;
    }
  }
}

// ---- functions of two variables: all partial derivatives

struct Binary {
  const char* formula;
  quad x, y;
  // f; f_x, f_y; f_xx, f_xy, f_yy; f_xxx, f_xxy, f_xyy, f_yyy
  std::function<vector<quad>(quad, quad)> closed_form;
};

vector<quad> power(quad x, quad y) {  // xʸ, L = log x
  const quad L = log(x), f = exp(y * L);
  return {f,
          y * f / x,
          L * f,
          y * (y - 1) * f / (x * x),
          f / x * (1 + y * L),
          L * L * f,
          y * (y - 1) * (y - 2) * f / (x * x * x),
          f / (x * x) * (2 * y - 1 + y * (y - 1) * L),
          f / x * (2 * L + y * L * L),
          L * L * L * f};
}
vector<quad> angle(quad y, quad x) {  // atan2(y, x), called with (first, second) = (y, x)
  const quad r2 = x * x + y * y, r4 = r2 * r2, r6 = r4 * r2;
  const quad f_y = x / r2, f_x = -y / r2;
  const quad f_yy = -2 * x * y / r4, f_xy = (y * y - x * x) / r4, f_xx = 2 * x * y / r4;
  const quad odd_y = (2 * y * y * y - 6 * x * x * y) / r6, odd_x = (2 * x * x * x - 6 * x * y * y) / r6;
  const quad f_xxx = odd_y, f_xxy = odd_x, f_xyy = -odd_y, f_yyy = -odd_x;
  return {atan2(y, x), f_y, f_x, f_yy, f_xy, f_xx, f_yyy, f_xyy, f_xxy, f_xxx};
}
vector<quad> quotient(quad x, quad y) {
  return {x / y, 1 / y, -x / (y * y), 0, -1 / (y * y), 2 * x / pow(y, 3), 0, 0, 2 / pow(y, 3), -6 * x / pow(y, 4)};
}
vector<quad> cube_times_square(quad x, quad y) {  // x³y²
  return {x * x * x * y * y, 3 * x * x * y * y, 2 * x * x * x * y, 6 * x * y * y, 6 * x * x * y,
          2 * x * x * x,     6 * y * y,         12 * x * y,        6 * x * x,     0};
}
vector<quad> distance(quad x, quad y) {  // sqrt(x² + y²)
  const quad r = sqrt(x * x + y * y), r3 = r * r * r, r5 = r3 * r * r;
  return {r,
          x / r,
          y / r,
          y * y / r3,
          -x * y / r3,
          x * x / r3,
          -3 * x * y * y / r5,
          (2 * x * x * y - y * y * y) / r5,
          (2 * x * y * y - x * x * x) / r5,
          -3 * x * x * y / r5};
}

TEST(Derivative, OfTwoVariablesToThirdOrder) {
  const auto sum = [](quad x, quad y) { return vector<quad>{x + y, 1, 1, 0, 0, 0, 0, 0, 0, 0}; };
  const auto difference = [](quad x, quad y) { return vector<quad>{x - y, 1, -1, 0, 0, 0, 0, 0, 0, 0}; };
  const auto product = [](quad x, quad y) { return vector<quad>{x * y, y, x, 0, 1, 0, 0, 0, 0, 0}; };
  const auto x_cubed = [](quad x, quad) { return vector<quad>{x * x * x, 3 * x * x, 0, 6 * x, 0, 0, 6, 0, 0, 0}; };
  const auto y_squared = [](quad, quad y) { return vector<quad>{y * y, 0, 2 * y, 0, 0, 2, 0, 0, 0, 0}; };
  const vector<Binary> list{
      {"x + y", c(1.3), c(0.6), sum},
      {"x - y", c(1.3), c(0.6), difference},
      {"x*y", c(1.3), c(0.6), product},
      {"x/y", c(1.3), c(-0.6), quotient},
      {"x^y", c(1.3), c(-0.6), power},
      {"pow(x, y)", c(0.4), c(2.5), power},
      {"atan2(x, y)", c(1.3), c(-0.6), angle},
      {"atan2(x, y)", c(-0.4), c(-1.6), angle},
      {"atan2(x, y)", c(0.4), c(0), angle},
      {"x^3*y^2", c(1.3), c(-0.6), cube_times_square},
      {"norm([x, y])", c(1.3), c(-0.6), distance},
      {"min(x^3, y^2)", c(0.3), c(0.6), x_cubed},
      {"min(x^3, y^2)", c(1.3), c(0.6), y_squared},
      {"max(x^3, y^2)", c(1.3), c(0.6), x_cubed},
      {"max(x^3, y^2)", c(0.3), c(0.6), y_squared},
      {"if(x < y, x^3, y^2)", c(0.3), c(0.6), x_cubed},
      {"if(x < y, x^3, y^2)", c(0.7), c(0.6), y_squared},
      {"if(x == y, x/y, x^3*y^2)", c(0.7), c(0.6), cube_times_square},
      {"if(x != y, x/y, x^3*y^2)", c(0.7), c(0.6), quotient},
      {"if(x <= y, x/y, x^3*y^2)", c(0.6), c(0.6), quotient},
      {"(x < y)*x + (x > y)*(x^y)", c(0.7), c(0.6), power},
  };
  for (const Binary& b : list) {
    const vector<quad> expected = b.closed_form(b.x, b.y);
    for (const bool backward : {false, true}) {
      Playground p;
      const auto d = [&](NodeId i, NodeId by) { return backward ? reverse(p.graph, i, by) : forward(p.graph, i, by); };
      const NodeId f = p.parse(b.formula), fx = d(f, p.x), fy = d(f, p.y), fxx = d(fx, p.x), fxy = d(fx, p.y),
                   fyy = d(fy, p.y);
      const vector<NodeId> all{f, fx, fy, fxx, fxy, fyy, d(fxx, p.x), d(fxx, p.y), d(fxy, p.y), d(fyy, p.y)};
      const char* names[] = {"f", "f_x", "f_y", "f_xx", "f_xy", "f_yy", "f_xxx", "f_xxy", "f_xyy", "f_yyy"};
      const vector<quad> found = values<quad>(p.graph, all, p.inputs(), {b.x, b.y, 0});
      for (std::size_t k = 0; k < all.size(); ++k)
        EXPECT_TRUE(close(found[k], expected[k])) << names[k] << " of " << b.formula << ", reverse " << backward;
    }
  }
}

// The branch that is not taken may be singular: it must not come in, not even as 0 times infinity.
TEST(Derivative, BranchesThatAreNotTakenLeaveNoTrace) {
  const vector<std::pair<const char*, std::array<double, 3>>> cases{
      {"if(x > 0, sqrt(x), 0)", {0, 0, 0}},
      {"if(x > 0, log(x)*y, x^2)", {-2, 2, 0}},
      {"min(x, sqrt(x + 1))", {1, 0, 0}},
      {"x*if(x < 0, x, 1/(x + 1))", {-2, 2, 0}},
      {"max(sqrt(x + 1), y)", {0, 0, 0}},
      {"if(x > 5, if(x > 7, sqrt(x), log(x)), if(x > 0, 1/(x + 1), x^3))", {3, -6, 6}},
  };
  for (const auto& [formula, expected] : cases) {
    Playground p;
    NodeId by_forward = p.parse(formula), by_reverse = by_forward;
    for (const double slope : expected) {
      by_forward = forward(p.graph, by_forward, p.x);
      by_reverse = reverse(p.graph, by_reverse, p.x);
      EXPECT_EQ(p.evaluate(by_forward, -1.0, 1.0), slope) << formula;
      EXPECT_EQ(p.evaluate(by_reverse, -1.0, 1.0), slope) << formula;
    }
  }
}

// ---- forward against reverse, on random expressions

class RandomExpression {
 public:
  RandomExpression(Playground& p, unsigned seed) : p_(p), random_(seed) {}

  NodeId operator()(int depth) {
    Graph& g = p_.graph;
    if (depth == 0) {
      switch (pick(5)) {
        case 0: return p_.x;
        case 1: return p_.y;
        case 2: return p_.z;
        case 3: return g.number("0.7");
        default: return g.div(g.number(3LL), g.number(7LL));
      }
    }
    const auto sub = [&] { return (*this)(depth - 1); };
    const auto positive = [&] { return g.add(g.number("0.5"), g.powi(sub(), 2)); };
    const auto bounded = [&] { return g.mul(g.number("0.9"), g.apply(Op::sin, sub())); };
    switch (pick(16)) {
      case 0: return g.add(sub(), sub());
      case 1: return g.sub(sub(), sub());
      case 2: return g.mul(sub(), sub());
      case 3: return g.div(sub(), positive());
      case 4: return g.apply(Op::sqrt, positive());
      case 5: return g.apply(Op::log, positive());
      case 6: return g.apply(Op::exp, bounded());
      case 7: return g.apply(Op::asin, bounded());
      case 8: return g.apply(Op::atan, sub());
      case 9: return g.apply(Op::atan2, sub(), positive());
      case 10: return g.apply(Op::tanh, sub());
      case 11: return g.pow(positive(), bounded());
      case 12: return g.powi(positive(), -2);
      case 13: return g.select(g.apply(Op::less, sub(), sub()), sub(), sub());
      case 14: return g.apply(pick(2) ? Op::min : Op::max, sub(), sub());
      default: return g.neg(g.powi(bounded(), 3));
    }
  }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  Playground& p_;
  std::mt19937 random_;
};

TEST(Derivative, ForwardIsReverseOnRandomExpressions) {
  const vector<quad> at{quad("0.31"), quad("-0.83"), quad("1.17")};
  for (unsigned seed = 0; seed < 60; ++seed) {
    Playground p;
    const NodeId f = RandomExpression(p, seed)(4);
    const vector<NodeId> x = p.inputs();
    const vector<NodeId> back = gradient(p.graph, f, x);
    vector<NodeId> all;
    for (std::size_t i = 0; i < 3; ++i) {
      all.push_back(forward(p.graph, f, x[i]));
      all.push_back(back[i]);
      for (std::size_t j = 0; j < 3; ++j) {  // a Hessian in two ways: reverse of reverse, forward of forward
        all.push_back(gradient(p.graph, back[i], x)[j]);
        all.push_back(forward(p.graph, forward(p.graph, f, x[j]), x[i]));
      }
    }
    const vector<quad> v = values<quad>(p.graph, all, x, at);
    for (std::size_t k = 0; k < v.size(); k += 2)
      EXPECT_LE(to_double(abs(v[k] - v[k + 1])), 1e-28 * (1 + to_double(abs(v[k]))))
          << "seed " << seed << ", " << k / 2;
  }
}

TEST(Derivative, RateOfALongChainOfChoicesIsShared) {
  // Each choice uses the one before twice: without sharing, 2^40 nodes.
  Playground p;
  NodeId y = p.x;
  for (int k = 0; k < 40; ++k)
    y = p.graph.select(p.graph.apply(Op::less, y, p.y), p.graph.apply(Op::sin, y), p.graph.apply(Op::exp, y));
  const NodeId slope = reverse(p.graph, y, p.x);
  EXPECT_LT(p.graph.size(), 2000U);
  EXPECT_TRUE(agree(p.evaluate(slope, 0.3, 0.5), p.evaluate(forward(p.graph, y, p.x), 0.3, 0.5), 100));
}

// ---- sparsity

TEST(Sparsity, OfAJacobian) {
  Playground p;
  const vector<NodeId> y{p.parse("x^2 + 3"), p.parse("y*z"), p.parse("sin(x + z) - sin(z + x)"), p.parse("5"),
                         p.parse("x*y + z")};
  const SparseJacobian J = jacobian(p.graph, y, p.inputs());
  EXPECT_EQ(J.row_start, (vector<int>{0, 1, 3, 3, 3, 6}));
  EXPECT_EQ(J.column, (vector<int>{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(J.entry, (vector<NodeId>{p.parse("2*x"), p.z, p.y, p.y, p.x, Graph::one}));
}

TEST(Sparsity, OfAHessian) {
  Playground p;
  const vector<NodeId> slope = gradient(p.graph, p.parse("x^2*y + exp(z)"), p.inputs());
  const SparseJacobian H = jacobian(p.graph, slope, p.inputs());
  EXPECT_EQ(H.row_start, (vector<int>{0, 2, 3, 4}));
  EXPECT_EQ(H.column, (vector<int>{0, 1, 0, 2}));
}

TEST(Sparsity, DependsOn) {
  Playground p;
  const NodeId y = p.parse("sin(x)*z");
  EXPECT_TRUE(depends_on(p.graph, std::span(&y, 1), std::span(&p.x, 1)));
  EXPECT_FALSE(depends_on(p.graph, std::span(&y, 1), std::span(&p.y, 1)));
}

// ---- contractions

// g₁ = x²y + sin z − 1/5, g₂ = exp(x z) + y³, with hand-written derivatives along vectors.
struct Surface {
  std::shared_ptr<const CompiledModel> compiled = compile(parse_model(R"toml(
format = 1
[coordinates]
names = ["x", "y", "z"]
[energy]
mass = [1, 1, 1]
potential = "0"
[constraints]
first = "x^2*y + sin(z) - 1/5"
second = "exp(x*z) + y^3"
[initial]
q = { x = 1, y = 1, z = 1 }
)toml",
                                                                      "surface.toml"));
  ModelSystem<quad> sys{compiled};
};

using V = Vec<quad>;
const V q{quad("0.7"), quad("-1.1"), quad("0.4")}, u{quad("0.3"), quad("0.9"), quad("-0.5")},
    v{quad("-1.2"), quad("0.2"), quad("0.8")}, w{quad("0.6"), quad("-0.4"), quad("1.5")};

// ∂²/∂q² and ∂³/∂q³ of the two constraints, entry by entry
quad second(int k, int i, int j) {
  if (i > j) std::swap(i, j);
  const quad &x = q[0], &y = q[1], &z = q[2], e = exp(x * z);
  if (k == 0) {
    if (i == 0 && j == 0) return 2 * y;
    if (i == 0 && j == 1) return 2 * x;
    if (i == 2 && j == 2) return -sin(z);
    return 0;
  }
  if (i == 0 && j == 0) return z * z * e;
  if (i == 0 && j == 2) return (1 + x * z) * e;
  if (i == 1 && j == 1) return 6 * y;
  if (i == 2 && j == 2) return x * x * e;
  return 0;
}
quad third(int k, int i, int j, int l) {
  const int zs = (i == 2) + (j == 2) + (l == 2), ys = (i == 1) + (j == 1) + (l == 1), xs = 3 - zs - ys;
  const quad &x = q[0], &z = q[2], e = exp(x * z);
  if (k == 0) return xs == 2 && ys == 1 ? quad(2) : zs == 3 ? quad(-cos(z)) : quad(0);
  if (ys == 3) return 6;
  if (ys > 0) return 0;
  if (xs == 3) return z * z * z * e;
  if (xs == 2) return (2 * z + x * z * z) * e;  // ∂z of z² e
  if (xs == 1) return (2 * x + x * x * z) * e;
  return x * x * x * e;
}

TEST(Contractions, SecondAndThirdDerivativesOfConstraints) {
  const Surface s;
  V out(2), expected(2);
  s.sys.g_qq(q, u, v, out);
  for (int k = 0; k < 2; ++k) {
    quad sum(0);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) sum += second(k, i, j) * u[i] * v[j];
    EXPECT_TRUE(close(out[k], sum)) << "g_qq(u, v), constraint " << k;
  }
  s.sys.g_qq(q, u, u, out);  // has a program of its own
  for (int k = 0; k < 2; ++k) {
    quad sum(0);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) sum += second(k, i, j) * u[i] * u[j];
    EXPECT_TRUE(close(out[k], sum)) << "g_qq(u, u), constraint " << k;
  }
  s.sys.g_qqq(q, u, v, w, out);
  for (int k = 0; k < 2; ++k) {
    quad sum(0);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        for (int l = 0; l < 3; ++l) sum += third(k, i, j, l) * u[i] * v[j] * w[l];
    EXPECT_TRUE(close(out[k], sum)) << "g_qqq(u, v, w), constraint " << k;
  }
}

TEST(Contractions, WithMultipliers) {
  const Surface s;
  const V lambda{quad("1.3"), quad("-0.7")};
  V out(3);
  s.sys.lambda_g_qq(q, lambda, u, out);
  for (int i = 0; i < 3; ++i) {
    quad sum(0);
    for (int k = 0; k < 2; ++k)
      for (int j = 0; j < 3; ++j) sum += lambda[k] * second(k, i, j) * u[j];
    EXPECT_TRUE(close(out[i], sum)) << "(lambda.g)_qq u, component " << i;
  }
  s.sys.lambda_g_qqq(q, lambda, u, v, out);
  for (int i = 0; i < 3; ++i) {
    quad sum(0);
    for (int k = 0; k < 2; ++k)
      for (int j = 0; j < 3; ++j)
        for (int l = 0; l < 3; ++l) sum += lambda[k] * third(k, i, j, l) * u[j] * v[l];
    EXPECT_TRUE(close(out[i], sum)) << "(lambda.g)_qqq(u, v), component " << i;
  }
}

TEST(Contractions, TheJacobianIsTheHandWrittenOne) {
  const Surface s;
  EXPECT_EQ(s.sys.pattern().column, (vector<int>{0, 1, 2, 0, 1, 2}));
  Jacobian<quad> G(s.sys.pattern());
  s.sys.G(q, G);
  const quad e = exp(q[0] * q[2]);
  const vector<quad> expected{2 * q[0] * q[1], q[0] * q[0], cos(q[2]), q[2] * e, 3 * q[1] * q[1], q[0] * e};
  for (int i = 0; i < 6; ++i) EXPECT_TRUE(close(G.values()[i], expected[static_cast<std::size_t>(i)])) << i;
}

}  // namespace
}  // namespace holonom::test
