// Steps of methods as power series on the graph.
#include "holonom/analysis/taylor_map.hpp"

#include "graph_formulas.hpp"

namespace holonom::test {
namespace {

// D₂ and D₃ as they are printed before (4.8)
TEST(TaylorMap, OfVerletAsPrinted) {
  const Model model = model_of(newton);
  Graph& g = *model.graph;
  const GraphField field = graph_field(model);
  const TaylorMap map = taylor_map(g, field, methods().find("verlet-a").info, 3);
  const Nodes &f = model.field->p_rate, &q = model.q, &v = model.p;
  const Nodes f_v = along(g, f, q, v), f_f = along(g, f, q, f), f_vv = along(g, f_v, q, v);
  EXPECT_TRUE(proved_equal(g, map.d[0], field.F));
  EXPECT_TRUE(proved_equal(g, map.d[1], over(g, 2, joined(f, f_v))));
  EXPECT_TRUE(proved_equal(g, map.d[2], over(g, 4, joined({Graph::zero, Graph::zero}, sum(g, f_f, f_vv)))));
  EXPECT_FALSE(proved_equal(g, map.d[2], over(g, 4, joined({Graph::zero, Graph::zero}, f_vv))));
}

// (A) is half a step of (SE1) and half a step of (SE2), and these are adjoint.
TEST(TaylorMap, VerletIsTwoEulerSteps) {
  const Model model = model_of(not_separable);
  Graph& g = *model.graph;
  const GraphField field = graph_field(model);
  const auto half = [&](const char* key) {
    return with_step(g, taylor_map(g, field, methods().find(key).info, 4), g.number("0.5"));
  };
  const TaylorMap first = half("symplectic-euler"), second = half("symplectic-euler-adjoint");
  const TaylorMap a = taylor_map(g, field, methods().find("verlet-a").info, 4),
                  b = taylor_map(g, field, methods().find("verlet-b").info, 4);
  for (std::size_t j = 0; j < 4; ++j) {
    EXPECT_TRUE(proved_equal(g, compose(g, first, second).d[j], a.d[j])) << j;
    EXPECT_TRUE(proved_equal(g, compose(g, second, first).d[j], b.d[j])) << j;
  }
  EXPECT_FALSE(proved_equal(g, a.d[2], b.d[2]));
  const GraphPair euler{{{Graph::zero}}, {{Graph::one}}, {Graph::one}, {Graph::one}}, back = adjoint(g, euler);
  EXPECT_EQ(back.A[0][0], Graph::one);
  EXPECT_EQ(back.A_hat[0][0], Graph::zero);
}

// Φ_h and then Φ_{−h} of the adjoint is the identity.
TEST(TaylorMap, AdjointIsTheInverseWithTheStepReversed) {
  const Model model = model_of(not_separable);
  Graph& g = *model.graph;
  const GraphField field = graph_field(model);
  const auto number = [&](const char* x) { return g.number(x); };
  const GraphPair pair{{{number("0.25"), Graph::zero}, {number("0.5"), number("-0.125")}},
                       {{Graph::zero, number("0.375")}, {Graph::one, Graph::zero}},
                       {number("0.25"), number("0.75")},
                       {number("0.5"), number("0.5")}};
  const TaylorMap there = taylor_map(g, field, pair, 4),
                  back = with_step(g, taylor_map(g, field, adjoint(g, pair), 4), number("-1")),
                  itself = with_step(g, there, number("-1"));
  const TaylorMap identity = compose(g, there, back), other = compose(g, there, itself);
  for (std::size_t j = 0; j < 4; ++j) EXPECT_LT(largest_value(g, identity.d[j], field.y), round_off) << j;
  EXPECT_GT(largest_value(g, other.d[1], field.y), 1e-3);
}

}  // namespace
}  // namespace holonom::test
