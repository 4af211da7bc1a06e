// Modified equations: section 4 of Hairer, Lubich and Wanner (2003), by the algebra of ZeroProver, in 100 digits, and
// against steps of the methods themselves.
#include "holonom/analysis/modified_equation.hpp"

#include <cmath>

#include "graph_formulas.hpp"
#include "holonom/analysis/reference_flow.hpp"
#include "holonom/analysis/shadow_energy.hpp"

namespace holonom::test {
namespace {

// ---- Section 4.2

TEST(ModifiedEquation, OfVerletAsPrinted) {
  const Model model = model_of(newton);
  Graph& g = *model.graph;
  const Nodes &f = model.field->p_rate, &q = model.q, &v = model.p;
  const Nodes f_v = along(g, f, q, v), f_f = along(g, f, q, f), f_vv = along(g, f_v, q, v);
  const ModifiedEquation a = modified_equation(model, "verlet-a", 4), b = modified_equation(model, "verlet-b", 4);
  const Nodes as_4_8 = over(g, 12, joined(multiple(g, "-2", f_v), sum(g, f_f, f_vv)));
  const Nodes as_4_9 =
      over(g, 24, joined(multiple(g, "2", f_v), sum(g, multiple(g, "-4", f_f), multiple(g, "-1", f_vv))));
  EXPECT_TRUE(proved_equal(g, a.F[2], as_4_8));
  EXPECT_TRUE(proved_equal(g, b.F[2], as_4_9));
  EXPECT_FALSE(proved_equal(g, a.F[2], as_4_9));
  for (const ModifiedEquation* equation : {&a, &b}) {
    EXPECT_TRUE(is_zero(equation->F[1]));
    EXPECT_TRUE(is_zero(equation->F[3]));
    EXPECT_TRUE(equation->H.empty()) << "a field has no Hamiltonian";
  }
}

// H₃ = V''(M⁻¹p, M⁻¹p)/12 − ∇VᵀM⁻¹∇V/24 of (A), and −1/24 and 1/12 of (B); the paper prints 1/24 and −1/6 for the last
// ones.
TEST(ModifiedEquation, HamiltoniansOfVerlet) {
  const Model model = model_of(two_masses);
  Graph& g = *model.graph;
  const Nodes V_q = gradient(g, *model.potential, model.q);
  Nodes v, force;
  for (std::size_t i = 0; i < 2; ++i) {
    v.push_back(g.div(model.p[i], model.mass[i]));
    force.push_back(g.div(V_q[i], model.mass[i]));
  }
  const NodeId V_vv = weighted_sum(g, along(g, V_q, model.q, v), v), V_q2 = weighted_sum(g, V_q, force);
  const auto H_3 = [&](long long a, long long b) { return g.add(g.div(V_vv, g.number(a)), g.div(V_q2, g.number(b))); };
  const auto is = [&](const char* key, NodeId formula) {
    return proved_zero(g, g.sub(modified_equation(model, key, 3).H[2], formula));
  };
  EXPECT_TRUE(is("verlet-a", H_3(12, -24)));
  EXPECT_TRUE(is("verlet-b", H_3(-24, 12)));
  EXPECT_FALSE(is("verlet-a", H_3(12, 24)));
  EXPECT_FALSE(is("verlet-b", H_3(-24, -6)));
  // One step of symplectic Euler: H₂ = −½ {T, V} = −½ V_q·v
  EXPECT_TRUE(proved_zero(
      g, g.add(modified_equation(model, "symplectic-euler", 2).H[1], g.div(weighted_sum(g, V_q, v), g.number(2LL)))));
}

// ---- Section 4.3

// F_j = 0 for j = 2, ..., r, and F_{r+1} ≠ 0; (4.10): F_2j = 0 of symmetric methods.
TEST(ModifiedEquation, OrderAndSymmetry) {
  const Model model = model_of(not_separable);
  for (const auto& [key, terms] : {std::pair{"symplectic-euler", 4},
                                   {"symplectic-euler-adjoint", 4},
                                   {"verlet-a", 6},
                                   {"verlet-b", 6},
                                   {"rattle", 4},
                                   {"position-verlet", 4},
                                   {"midpoint", 6},
                                   {"gauss-1", 4},
                                   {"gauss-2", 6},
                                   {"lobatto-2", 4},
                                   {"lobatto-3", 6},
                                   {"rk-2", 5},
                                   {"rk-4", 6}}) {
    const MethodInfo info = methods().find(key).info;
    const ModifiedEquation equation = modified_equation(model, key, terms);
    for (int j = 2; j <= terms; ++j) {
      const bool vanishes = j <= info.order || (info.symmetric && j % 2 == 0);
      EXPECT_EQ(is_zero(equation.F[static_cast<std::size_t>(j - 1)]), vanishes) << key << ": F_" << j;
    }
  }
}

// With coefficients of 110 decimals what should vanish is as small as these say.
TEST(ModifiedEquation, OfCompositions) {
  const Model model = model_of(not_separable);
  Graph& g = *model.graph;
  for (const char* key : {"suzuki-4/verlet-a", "yoshida-4/midpoint", "mclachlan-4-adjoint/symplectic-euler"}) {
    const ModifiedEquation equation = modified_equation(model, key, 6);
    for (std::size_t j = 2; j <= 6; ++j)
      if (j == 5)
        EXPECT_GT(largest_value(g, equation.F[j - 1], equation.y), 1e-3) << key;
      else
        EXPECT_LT(largest_value(g, equation.F[j - 1], equation.y), of_decimals) << key << ": F_" << j;
  }
}

// The modified equation of a method that preserves volume has no divergence.
TEST(ModifiedEquation, OfTheVolumeSplitting) {
  const Model model = model_of(R"model([field]
x = "sin(z) + cos(y)"
y = "x^2 + 2*cos(z)"
z = "sin(y) + x"
[initial]
x = 1
y = 0
z = 0
)model");
  Graph& g = *model.graph;
  const auto divergence = [&](const Nodes& F) {
    NodeId sum = Graph::zero;
    for (std::size_t i = 0; i < model.q.size(); ++i) sum = g.add(sum, gradient(g, F[i], model.q)[i]);
    return sum;
  };
  const ModifiedEquation splitting = modified_equation(model, "volume-splitting", 4);
  EXPECT_TRUE(is_zero(splitting.F[1]));
  EXPECT_TRUE(is_zero(splitting.F[3]));
  EXPECT_FALSE(is_zero(splitting.F[2]));
  EXPECT_TRUE(proved_zero(g, divergence(splitting.F[2])));
  EXPECT_FALSE(proved_zero(g, divergence(modified_equation(model, "rk-2", 4).F[3])));
  const ModifiedEquation fourth = modified_equation(model, "yoshida-4/volume-splitting", 4);
  for (const std::size_t j : {1, 2, 3}) EXPECT_LT(largest_value(g, fourth.F[j], fourth.y), of_decimals);
  // One step against the flow of F + h² F₃: order 5
  const auto difference = [&](double h) {
    const ModelSystem<double> sys(compile(model)), modified(compile(truncated(model, splitting, 3, g.number(h))));
    State<double> x = initial_state(sys).state, y = ReferenceFlow<double>(modified)(x, h, 4);
    NumericalMap<double>(methods().find("volume-splitting"), sys)(x, h, 1);
    return largest_difference(x.q, y.q);
  };
  EXPECT_NEAR(std::log2(difference(0.1) / difference(0.05)), 5, 0.3);
  const auto complaint = [](const char* text) {
    return message_of<InputError>([&] { (void)modified_equation(model_of(text), "volume-splitting", 2); });
  };
  EXPECT_EQ(complaint(two_masses), "volume-splitting is for fields, and test has a Hamiltonian: take verlet-b");
  EXPECT_NE(
      complaint("[field]\nx = \"x*y\"\ny = \"x\"\n[initial]\nx = 1\ny = 1\n").find("the rate of 'x' depends on 'x'"),
      std::string::npos);
}

// F(ρy) = −ρF(y) for ρ(q, p) = (q, −p)
bool is_reversible(Graph& g, const Nodes& F, const Nodes& q, const Nodes& p) {
  std::unordered_map<NodeId, NodeId> flip;
  for (const NodeId x : p) flip[x] = g.neg(x);
  const Nodes flipped = g.substitute(F, flip);
  for (std::size_t i = 0; i < F.size(); ++i)
    if (!proved_zero(g, i < q.size() ? g.add(flipped[i], F[i]) : g.sub(flipped[i], F[i]))) return false;
  return true;
}

TEST(ModifiedEquation, IsReversibleTheorem42) {
  const Model model = model_of(newton);
  Graph& g = *model.graph;
  for (const char* key : {"verlet-a", "verlet-b"})
    for (const Nodes& F : modified_equation(model, key, 5).F) EXPECT_TRUE(is_reversible(g, F, model.q, model.p)) << key;
  EXPECT_FALSE(is_reversible(g, modified_equation(model, "symplectic-euler", 2).F[1], model.q, model.p));
  EXPECT_FALSE(is_reversible(g, modified_equation(model, "rk-2", 4).F[3], model.q, model.p));
}

// (4.11): J F_j' is symmetric, and F_j = J⁻¹∇H_j.
bool is_hamiltonian(Graph& g, const Nodes& F, const Nodes& q, const Nodes& p) {
  const std::size_t n = q.size();
  Nodes y = joined(q, p), JF(F.begin() + static_cast<std::ptrdiff_t>(n), F.end());
  for (std::size_t i = 0; i < n; ++i) JF.push_back(g.neg(F[i]));
  for (std::size_t i = 0; i < 2 * n; ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (!proved_zero(g, g.sub(gradient(g, JF[i], y)[k], gradient(g, JF[k], y)[i]))) return false;
  return true;
}
Nodes field_of(Graph& g, NodeId H, const Nodes& q, const Nodes& p) {
  Nodes F = gradient(g, H, p);
  for (const NodeId x : gradient(g, H, q)) F.push_back(g.neg(x));
  return F;
}

TEST(ModifiedEquation, IsHamiltonianTheorem43) {
  for (const char* text : {two_masses, not_separable})
    for (const auto& [key, terms] : {std::pair{"verlet-a", 5},
                                     {"verlet-b", 5},
                                     {"symplectic-euler", 4},
                                     {"symplectic-euler-adjoint", 4},
                                     {"midpoint", 5},
                                     {"gauss-2", 5},
                                     {"lobatto-3", 5}}) {
      const Model model = model_of(text);
      Graph& g = *model.graph;
      const ModifiedEquation equation = modified_equation(model, key, terms);
      ASSERT_EQ(equation.H.size(), equation.F.size());
      for (std::size_t j = 0; j < equation.F.size(); ++j) {
        EXPECT_TRUE(is_hamiltonian(g, equation.F[j], model.q, model.p)) << key << ": F_" << j + 1;
        EXPECT_TRUE(proved_equal(g, equation.F[j], field_of(g, equation.H[j], model.q, model.p)))
            << key << ": H_" << j + 1;
      }
    }
  // Where algebra ends, in 100 digits
  const Model kepler = load_model(HOLONOM_MODELS "/kepler.toml");
  const ModifiedEquation far = modified_equation(kepler, "verlet-b", 7);
  const Nodes F_7 = far.F[6], of_H = field_of(*kepler.graph, far.H[6], kepler.q, kepler.p);
  EXPECT_GT(largest_value(*kepler.graph, F_7, far.y), 1e-3);
  EXPECT_LT(largest_value(*kepler.graph, sum(*kepler.graph, F_7, multiple(*kepler.graph, "-1", of_H)), far.y),
            of_decimals);

  const Model model = model_of(not_separable);
  const ModifiedEquation runge = modified_equation(model, "rk-2", 3);
  EXPECT_TRUE(runge.H.empty());
  EXPECT_TRUE(is_hamiltonian(*model.graph, runge.F[0], model.q, model.p));
  EXPECT_FALSE(is_hamiltonian(*model.graph, runge.F[2], model.q, model.p));
}

NodeId divergence(Graph& g, const Nodes& F, const Nodes& y) {
  NodeId trace = Graph::zero;
  for (std::size_t i = 0; i < y.size(); ++i) trace = g.add(trace, gradient(g, F[i], y)[i]);
  return trace;
}

// q' = g(v), v' = f(q) (2.19), neither of them a gradient
TEST(ModifiedEquation, IsFreeOfDivergenceTheorem44) {
  const Model model = model_of(R"model([field]
q.x = "sin(w) + v^2"
q.y = "v*w^2 - w"
p.v = "y^3 - x"
p.w = "x*y + cos(x)"
[initial]
x = 0
y = 0
v = 0
w = 0
)model");
  Graph& g = *model.graph;
  for (const char* key : {"verlet-a", "verlet-b", "symplectic-euler"}) {
    const ModifiedEquation equation = modified_equation(model, key, 5);
    EXPECT_FALSE(is_hamiltonian(g, equation.F[0], model.q, model.p));
    for (const Nodes& F : equation.F) EXPECT_TRUE(proved_zero(g, divergence(g, F, equation.y))) << key;
  }
  const ModifiedEquation runge = modified_equation(model, "rk-2", 4);
  EXPECT_FALSE(proved_zero(g, divergence(g, runge.F[3], runge.y)));
}

// I = vᵀ C q: angular momentum, on a field that no Hamiltonian belongs to
TEST(ModifiedEquation, HasBilinearFirstIntegralsTheorem45) {
  const Model model = model_of(R"model([let]
k = "1 + x^2 + y^2 + v^2 + w^2"
[field]
q.x = "v*k"
q.y = "w*k"
p.v = "-x*(1 + x^2 + y^2)"
p.w = "-y*(1 + x^2 + y^2)"
[invariants]
L = "x*w - y*v"
[initial]
x = 0
y = 0
v = 0
w = 0
)model");
  Graph& g = *model.graph;
  const NodeId L = model.invariants[0].node;
  const auto keeps = [&](const ModifiedEquation& equation, std::size_t j) {
    return proved_zero(g, along(g, Nodes{L}, equation.y, equation.F[j])[0]);
  };
  for (const char* key : {"verlet-a", "verlet-b", "symplectic-euler", "gauss-1"}) {
    const ModifiedEquation equation = modified_equation(model, key, 4);
    for (std::size_t j = 0; j < equation.F.size(); ++j) EXPECT_TRUE(keeps(equation, j)) << key << ": F_" << j + 1;
  }
  const ModifiedEquation runge = modified_equation(model, "rk-2", 4);
  EXPECT_TRUE(keeps(runge, 0));
  EXPECT_FALSE(keeps(runge, 3));
}

// ---- Theorem 4.1, with the steps of the methods themselves

// log₂ of the ratio of the differences between a step, in quad, and the flow of the truncated equation, for h and h/2
double order_of_difference(const Model& model, const ModifiedEquation& equation, int terms, const char* longest) {
  const ModelSystem<quad> sys(compile(model));
  const State<quad> x = initial_state(sys).state;
  NumericalMap<quad> map(methods().find(equation.method), sys);
  double differences[2];
  for (int k = 0; k < 2; ++k) {
    const NodeId h = model.graph->div(model.graph->number(longest), model.graph->number(k + 1LL));
    const quad step = value_of<quad>(*model.graph, h);
    const ModelSystem<quad> modified(compile(truncated(model, equation, terms, h)));
    ReferenceFlow<quad> flow(modified, reference_columns<quad>());
    State<quad> y = x;
    map(y, step, 1);
    const State<quad> exact = flow(initial_state(modified).state, step, 2);
    quad largest = 0;
    for (int i = 0; i < x.q.size(); ++i) {
      keep_largest(largest, quad(abs(quad(y.q[i] - exact.q[i]))));
      keep_largest(largest, quad(abs(quad(y.p[i] - exact.p[i]))));
    }
    differences[k] = to_double(largest);
  }
  return std::log2(differences[0] / differences[1]);
}

TEST(ModifiedEquation, ItsFlowIsTheMethodTheorem41) {
  const Model model = model_of(not_separable);
  for (const char* key :
       {"symplectic-euler", "symplectic-euler-adjoint", "verlet-a", "verlet-b", "rattle", "position-verlet", "midpoint",
        "gauss-1", "gauss-2", "gauss-3", "lobatto-2", "lobatto-3", "rk-2", "rk-4", "rkf-78", "suzuki-4/verlet-a",
        "suzuki-4", "yoshida-4/midpoint", "mclachlan-4-adjoint/symplectic-euler"}) {
    const MethodInfo info = methods().find(key).info;
    const ModifiedEquation equation = modified_equation(model, key, 5);
    for (const int terms : {1, 2, 3, 4, 5}) {
      int expected = std::max(terms, info.order) + 1;
      if (info.symmetric && expected % 2 == 0) ++expected;
      const char* longest = expected > 7 ? "0.04" : "0.002";  // differences must be seen beside rounding errors of quad
      EXPECT_NEAR(order_of_difference(model, equation, terms, longest), expected, 0.1) << key << ", " << terms;
    }
  }
}

// H + h² H₃ + h⁴ H₅ is the shadow energy, which is measured along steps, up to h⁶.
TEST(ModifiedEquation, ItsHamiltonianIsTheShadowEnergy) {
  const Model model = model_of(not_separable);
  const ModelSystem<quad> sys(compile(model));
  const State<quad> x = initial_state(sys).state;
  for (const char* key : {"verlet-a", "position-verlet", "midpoint"}) {
    const ModifiedEquation equation = modified_equation(model, key, 5);
    const auto difference = [&](const char* h) {
      const ModelSystem<quad> modified(compile(truncated(model, equation, 5, model.graph->number(h))));
      const double measured = shadow_energy<quad>(methods().find(key), sys, x, quad(h), 1, 12).initial;
      return std::abs(measured - to_double(modified.H(x.q, x.p)));
    };
    EXPECT_NEAR(std::log2(difference("0.04") / difference("0.02")), 6, 0.1) << key;
  }
}

// ---- The truncated equation, and what is refused

TEST(ModifiedEquation, EnergyOfTheTruncatedModelIsKeptByItsFlow) {
  const Model model = model_of(not_separable);
  const ModifiedEquation equation = modified_equation(model, "verlet-a", 5);
  const ModelSystem<double> sys(compile(truncated(model, equation, 5, model.graph->number("0.3"))));
  State<double> x = initial_state(sys).state;
  const double before = sys.H(x.q, x.p);
  ReferenceFlow<double> flow(sys);
  x = flow(x, 3.0, 60);
  EXPECT_NEAR(sys.H(x.q, x.p), before, 1e-13);
  const ModelSystem<double> original(compile(model));
  EXPECT_GT(std::abs(before - original.H(initial_state(original).state.q, initial_state(original).state.p)), 1e-3);
}

// Of velocities, the momenta that belong to them; without further terms it is the old motion.
TEST(ModifiedEquation, TheTruncatedModelHasTheSameStart) {
  for (const char* energy : {"kinetic = \"v_a^2 + v_b^2/2 + v_a*v_b*cos(a - b)\"", "mass = [2, 3]"}) {
    const Model given = model_of(std::string(R"model([coordinates]
names = ["a", "b"]
[initial]
q = { a = 1, b = "0.5" }
v = { a = "0.3", b = "-0.2" }
[energy]
potential = "-2*cos(a) - cos(b)"
)model") + energy + "\n");
    const ModelSystem<double> sys(compile(given)),
        same(compile(truncated(given, modified_equation(given, "verlet-a", 1), 1, Graph::zero)));
    const State<double> x = initial_state(sys).state, y = initial_state(same).state;
    Vec<double> slope(2), other(2);
    sys.H_p(x.q, x.p, slope);
    same.H_p(y.q, y.p, other);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(y.q[i], x.q[i]);
      EXPECT_NEAR(y.p[i], x.p[i], 1e-15) << energy;
      EXPECT_NEAR(other[i], slope[i], 1e-15) << energy;
    }
  }
}

TEST(ModifiedEquation, SaysWhatItIsNotFor) {
  const auto refused = [](const Model& model, const char* key, int terms = 3) {
    return message_of<InputError>([&] { (void)modified_equation(model, key, terms); });
  };
  const auto file = [](const char* name) { return load_model(HOLONOM_MODELS "/" + std::string(name) + ".toml"); };
  EXPECT_TRUE(contains(refused(file("pendulum"), "rattle"), "with constraints"));
  EXPECT_TRUE(contains(refused(file("kepler"), "bdf-2"), "bdf-2 has no expansion on the graph. There are those of"));
  EXPECT_TRUE(contains(refused(file("kepler"), "gauss-4"), "gauss-4 has no expansion"));
  EXPECT_TRUE(contains(refused(file("kepler"), "verlet"), "verlet-a"));
  EXPECT_TRUE(contains(refused(file("kepler"), "rattle", 0), "at least one term"));
  EXPECT_TRUE(contains(refused(file("lotka-volterra"), "rattle"), "is for Hamiltonian systems"));
  EXPECT_TRUE(contains(refused(file("rigid-body-euler"), "verlet-a"), "do not come in two parts"));
  const Model model = file("kepler");
  const ModifiedEquation equation = modified_equation(model, "rattle", 2);
  EXPECT_TRUE(contains(message_of<InputError>([&] { (void)truncated(model, equation, 3, Graph::one); }), "2 terms"));
}

}  // namespace
}  // namespace holonom::test
