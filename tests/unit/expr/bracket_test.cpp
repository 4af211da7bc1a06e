// Poisson brackets of vectors of expressions, and their identities (Leimkuhler and Reich 1994, section 3.1): as nodes,
// by the algebra of ZeroProver, and in 100 digits at random points.
#include "holonom/expr/bracket.hpp"

#include <random>

#include "holonom/expr/zero_prover.hpp"
#include "support.hpp"

namespace holonom::test {
namespace {

using std::vector;

// Three coordinates and their momenta, for formulas.
struct PhaseSpace {
  Graph graph;
  vector<NodeId> q, p;
  Scope scope{&graph, {}, {}, {}};

  PhaseSpace() {
    for (const char* name : {"x", "y", "z"}) {
      scope.names.emplace(name, Expr{&graph, q.emplace_back(graph.input())});
      scope.names.emplace(std::string("p_") + name, Expr{&graph, p.emplace_back(graph.input())});
    }
  }
  NodeId parse(std::string_view formula) { return std::get<Expr>(parse_formula(formula, scope)).node; }
  vector<NodeId> parse(std::initializer_list<const char*> formulas) {
    vector<NodeId> nodes;
    for (const char* formula : formulas) nodes.push_back(parse(formula));
    return nodes;
  }
  NodeId bracket(NodeId f, NodeId g) { return poisson_bracket(graph, f, g, q, p); }
  NodeId bracket(std::string_view f, std::string_view g) { return bracket(parse(f), parse(g)); }
  BracketMatrix bracket(const vector<NodeId>& F, const vector<NodeId>& G) { return poisson_bracket(graph, F, G, q, p); }
  bool is_zero(NodeId y) { return ZeroProver(graph).is_zero(y); }

  // The largest |a − b|/(|a| + |b|) at random points, in 100 digits.
  double largest_difference(const vector<NodeId>& a, const vector<NodeId>& b) {
    vector<NodeId> inputs = q, both = a;
    inputs.insert(inputs.end(), p.begin(), p.end());
    both.insert(both.end(), b.begin(), b.end());
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(0.25, 2);
    mp100 largest = 0;
    for (int trial = 0; trial < 20; ++trial) {
      vector<mp100> at;
      for (std::size_t i = 0; i < inputs.size(); ++i) at.emplace_back(uniform(random));
      const vector<mp100> value = values<mp100>(graph, both, inputs, at);
      for (std::size_t i = 0; i < a.size(); ++i) {
        const mp100 difference = abs(value[i] - value[a.size() + i]), size = abs(value[i]) + abs(value[a.size() + i]);
        keep_largest(largest, size > 0 ? mp100(difference / size) : difference);
      }
    }
    return to_double(largest);
  }
};

constexpr double round_off = 1e-95;
const std::initializer_list<const char*> wild{"sin(x*p_y) + z", "exp(x - p_x)*atan2(y, p_z)", "sqrt(x^2 + p_x^2)/z"},
    tame{"x^2*p_y - z", "log(x*y + 1)*p_z", "tanh(p_x + z)", "x^(1/3) + p_y^2"};

TEST(Bracket, IsCanonical) {
  PhaseSpace s;
  const BracketMatrix qp = s.bracket(s.q, s.p), qq = s.bracket(s.q, s.q), pp = s.bracket(s.p, s.p);
  ASSERT_EQ(qp.rows, 3U);
  ASSERT_EQ(qp.columns, 3U);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_EQ(qp(i, j), i == j ? Graph::one : Graph::zero);
      EXPECT_EQ(qq(i, j), Graph::zero);
      EXPECT_EQ(pp(i, j), Graph::zero);
    }
}

TEST(Bracket, NeedsAMomentumForEachCoordinate) {
  PhaseSpace s;
  EXPECT_EQ(message_of<std::invalid_argument>(
                [&] { (void)poisson_bracket(s.graph, s.q[0], s.p[0], s.q, std::span(s.p).first(2)); }),
            "a Poisson bracket needs one momentum for each coordinate");
}

TEST(Bracket, IsTheRateAlongTheMotion) {
  PhaseSpace s;
  const NodeId H = s.parse("(p_x^2 + p_y^2)/(2*3) + cos(x)*y"), I = s.parse("x^2*p_x");
  // I' = 2 x x' p_x + x² p_x',  x' = p_x/3,  p_x' = sin(x) y
  EXPECT_LE(s.largest_difference({s.bracket(I, H)}, {s.parse("2*x*p_x*p_x/3 + x^2*sin(x)*y")}), round_off);
}

// {F, G} = −{G, F}ᵀ: with three functions and four
TEST(Bracket, IsAntisymmetric) {
  PhaseSpace s;
  const vector<NodeId> F = s.parse(wild), G = s.parse(tame);
  const BracketMatrix FG = s.bracket(F, G), GF = s.bracket(G, F);
  ASSERT_EQ(FG.rows, 3U);
  ASSERT_EQ(FG.columns, 4U);
  ASSERT_EQ(GF.rows, 4U);
  vector<NodeId> minus_transposed;
  for (std::size_t i = 0; i < FG.rows; ++i)
    for (std::size_t j = 0; j < FG.columns; ++j) {
      minus_transposed.push_back(s.graph.neg(GF(j, i)));
      EXPECT_TRUE(s.is_zero(s.graph.add(FG(i, j), GF(j, i)))) << i << " " << j;
    }
  EXPECT_LE(s.largest_difference(FG.entry, minus_transposed), round_off);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(s.is_zero(s.bracket(F, F)(i, i)));
}

// {F, g h} = {F, g} h + {F, h} g, and proposition 3.2, {F, λᵀG} = {F, G} λ + {F, λ} G
TEST(Bracket, ObeysLeibniz) {
  PhaseSpace s;
  Graph& graph = s.graph;
  const vector<NodeId> F = s.parse(wild), G = s.parse(tame),
                       lambda = s.parse({"x*p_z", "cos(y)", "p_y/(1 + z^2)", "y - p_x"});
  const NodeId sum = weighted_sum(graph, lambda, G);
  const BracketMatrix left = s.bracket(F, vector{sum}), FG = s.bracket(F, G), Fl = s.bracket(F, lambda);
  vector<NodeId> right;
  for (std::size_t i = 0; i < F.size(); ++i) {
    NodeId row = Graph::zero;
    for (std::size_t k = 0; k < G.size(); ++k)
      row = graph.add(row, graph.add(graph.mul(FG(i, k), lambda[k]), graph.mul(Fl(i, k), G[k])));
    right.push_back(row);
    EXPECT_TRUE(s.is_zero(graph.sub(left(i, 0), row))) << i;
  }
  EXPECT_LE(s.largest_difference(left.entry, right), round_off);
}

// {f, {g, h}} = −{g, {h, f}} − {h, {f, g}}
TEST(Bracket, ObeysJacobi) {
  PhaseSpace s;
  const vector<NodeId> F = s.parse(wild), G = s.parse(tame);
  for (const NodeId f : F)
    for (const NodeId g : G)
      for (const NodeId h : s.parse({"x*y*p_z^2 + p_y", "cos(x - p_x)*z*p_y"})) {
        const NodeId first = s.bracket(f, s.bracket(g, h)),
                     others = s.graph.add(s.bracket(g, s.bracket(h, f)), s.bracket(h, s.bracket(f, g)));
        EXPECT_LE(s.largest_difference({first}, {s.graph.neg(others)}), round_off);
      }
  const NodeId f = s.parse("x^2*p_y - z"), g = s.parse("(x*y + p_z^3)/(1 + p_x^2)"), h = s.parse("sqrt(x*y)*p_y");
  const NodeId jacobi = s.graph.add(s.bracket(f, s.bracket(g, h)),
                                    s.graph.add(s.bracket(g, s.bracket(h, f)), s.bracket(h, s.bracket(f, g))));
  EXPECT_NE(jacobi, Graph::zero) << "so there is something to prove";
  EXPECT_TRUE(s.is_zero(jacobi));
}

TEST(Bracket, OfAngularMomenta) {
  PhaseSpace s;
  const vector<NodeId> L = s.parse({"y*p_z - z*p_y", "z*p_x - x*p_z", "x*p_y - y*p_x"});
  const BracketMatrix LL = s.bracket(L, L);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    EXPECT_EQ(LL(i, i), Graph::zero);
    EXPECT_TRUE(s.is_zero(s.graph.sub(LL(i, j), L[k])));
    EXPECT_TRUE(s.is_zero(s.graph.add(LL(j, i), L[k])));
    EXPECT_FALSE(s.is_zero(s.graph.sub(LL(j, i), L[k])));
    EXPECT_TRUE(s.is_zero(s.bracket(L[i], s.parse("(p_x^2 + p_y^2 + p_z^2)/2 + exp(-sqrt(x^2 + y^2 + z^2))/3"))));
  }
}

// Kepler's problem keeps the vector A = p × L − r/|r|; with another power of |r|, or another factor, it does not.
TEST(Bracket, OfTheRungeLenzVector) {
  PhaseSpace s;
  const NodeId A = s.parse("p_y*(x*p_y - y*p_x) - p_z*(z*p_x - x*p_z) - x/sqrt(x^2 + y^2 + z^2)");
  EXPECT_TRUE(s.is_zero(s.bracket(A, s.parse("(p_x^2 + p_y^2 + p_z^2)/2 - 1/sqrt(x^2 + y^2 + z^2)"))));
  EXPECT_FALSE(s.is_zero(s.bracket(A, s.parse("(p_x^2 + p_y^2 + p_z^2)/2 - 1/(x^2 + y^2 + z^2)"))));
  EXPECT_FALSE(s.is_zero(s.bracket(A, s.parse("(p_x^2 + p_y^2 + p_z^2)/2 - (1 + 1e-30)/sqrt(x^2 + y^2 + z^2)"))));
}

}  // namespace
}  // namespace holonom::test
