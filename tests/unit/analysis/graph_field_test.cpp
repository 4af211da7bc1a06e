// Forms of models as fields on the graph.
#include "holonom/analysis/graph_field.hpp"

#include "graph_formulas.hpp"

namespace holonom::test {
namespace {

// M(q) by elimination: two angles, against H as it is known
TEST(GraphHamiltonian, OfAMassMatrixOfThePosition) {
  const Model given = model_of(R"model([coordinates]
names = ["a", "b"]
[energy]
kinetic = "v_a^2 + v_b^2/2 + v_a*v_b*cos(a - b)"
potential = "-2*cos(a) - cos(b)"
[initial]
q = { a = 1, b = "0.5" }
v = { a = "0.3", b = "-0.2" }
)model");
  Graph& g = *given.graph;
  const Expr a{&g, given.q[0]}, b{&g, given.q[1]}, u{&g, given.p[0]}, w{&g, given.p[1]};
  const Expr c = cos(a - b), H = (u * u - 2 * u * w * c + 2 * w * w) / (2 * (2 - c * c)) - 2 * cos(a) - cos(b);
  EXPECT_TRUE(proved_zero(g, g.sub(graph_hamiltonian(given), H.node)));
}

// M H_p = p, with three coordinates
TEST(GraphHamiltonian, OfAFullMassMatrix) {
  const Model model = model_of(R"model([coordinates]
names = ["a", "b", "c"]
[energy]
mass = [[2, 1, "1/3"], [1, 3, -1], ["1/3", -1, 4]]
potential = "a*b*c"
[initial]
q = { a = 1, b = 0, c = 0 }
p = { a = 0, b = 0, c = 0 }
)model");
  Graph& g = *model.graph;
  const GraphField field = graph_field(model);
  for (std::size_t i = 0; i < 3; ++i) {
    const Nodes row(model.mass.begin() + static_cast<std::ptrdiff_t>(3 * i),
                    model.mass.begin() + static_cast<std::ptrdiff_t>(3 * i + 3));
    EXPECT_TRUE(proved_zero(g, g.sub(weighted_sum(g, row, Nodes(field.F.begin(), field.F.begin() + 3)), model.p[i])));
    EXPECT_EQ(field.F[3 + i], g.neg(gradient(g, *model.potential, model.q)[i]));
  }
  // z' = p·H_p − H = T − V
  const NodeId H = graph_hamiltonian(model);
  const NodeId lagrangian = g.sub(g.sub(H, *model.potential), *model.potential);
  EXPECT_TRUE(proved_zero(g, g.sub(with_action(g, field, H).F.back(), lagrangian)));
}

}  // namespace
}  // namespace holonom::test
