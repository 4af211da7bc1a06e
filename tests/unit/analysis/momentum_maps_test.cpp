// Momentum maps that a model does not name: those of its symmetries, all of them, and no others.
#include "holonom/analysis/momentum_maps.hpp"

#include <filesystem>

#include "models.hpp"

namespace holonom::test {
namespace {

MomentumMaps maps_of(const std::shared_ptr<const CompiledModel>& compiled) {
  const ModelSystem<double> sys(compiled);
  return find_momentum_maps(sys, initial_state(sys).state);
}

// The model without its [invariants], so that all has to be found.
MomentumMaps maps_of_nameless(const std::string& file) {
  Model model = load_model(file);
  model.invariants.clear();
  std::erase_if(model.terms, [](const MappedTerm& term) { return term.role == MappedTerm::Role::invariant; });
  return maps_of(compile(std::move(model)));
}

std::vector<std::string> formulas(const MomentumMaps& maps) {
  std::vector<std::string> list;
  for (const MomentumMap& map : maps.found) {
    EXPECT_TRUE(map.proved) << map.formula << ": " << map.evidence;
    EXPECT_EQ(map.conservation, Conservation::strong) << map.formula;
    list.push_back(map.formula);
  }
  return list;
}

std::string of_pairs(int first, int last) {
  std::string text;
  for (int i = first; i <= last; ++i) {
    const std::string k = std::to_string(i);
    text += (text.empty() ? "x" : " + x") + k + "*p_y" + k + " - y" + k + "*p_x" + k;
  }
  return text;
}
std::string of_momenta(const std::string& name, int first, int last) {
  std::string text;
  for (int i = first; i <= last; ++i) text += (text.empty() ? "p_" : " + p_") + name + std::to_string(i);
  return text;
}

// By hand, of every file of models/
const std::map<std::string, std::vector<std::string>>& known() {
  using List = std::vector<std::string>;
  const List none;
  const std::string left = "Q11*p_Q21 - Q21*p_Q11 + Q12*p_Q22 - Q22*p_Q12 + Q13*p_Q23 - Q23*p_Q13";
  static const std::map<std::string, List> all{
      {"abc-flow", none},
      {"charged-particle", {"x*p_y - y*p_x"}},
      {"double-pendulum", none},
      {"elastic-double-pendulum", none},
      {"four-bar", none},
      {"four-bar-redundant", none},
      {"geodesic-torus", {"x*p_y - y*p_x"}},
      {"guiding-centre", none},
      {"hanging-chain", none},
      {"henon-heiles", none},
      {"kepler", {"x*p_y - y*p_x"}},
      {"kepler-sphere", {"az*x*p_y - az*y*p_x - ax*x*p_z + ax*z*p_x + ax*y*p_z - ax*z*p_y"}},
      {"lj-chain", {of_pairs(1, 7), of_momenta("x", 1, 7), of_momenta("y", 1, 7)}},
      {"locomotive", none},
      {"lotka-volterra", none},
      {"pendulum", none},
      {"pendulum-quadratic", none},
      {"reversible-pendulum", none},
      {"rigid-body-euler", none},
      {"rigid-body-free",
       {left, "Q11*p_Q31 - Q31*p_Q11 + Q12*p_Q32 - Q32*p_Q12 + Q13*p_Q33 - Q33*p_Q13",
        "Q21*p_Q31 - Q31*p_Q21 + Q22*p_Q32 - Q32*p_Q22 + Q23*p_Q33 - Q33*p_Q23"}},
      {"rigid-body-heavy", {left}},
      {"slider-crank", none},
      {"spherical-pendulum", {"x*p_y - y*p_x"}},
      {"spring-chain", {of_pairs(1, 6), of_momenta("x", 1, 6), of_momenta("y", 1, 6)}},
      {"stiff-pendulum-chain", none},
      {"toda", {"p_q1 + p_q2 + p_q3"}},
      {"two-body-sphere",
       {"x1*p_y1 - y1*p_x1 + x2*p_y2 - y2*p_x2", "x1*p_z1 - z1*p_x1 + x2*p_z2 - z2*p_x2",
        "y1*p_z1 - z1*p_y1 + y2*p_z2 - z2*p_y2"}},
      {"two-tops", {left + " + R11*p_R21 - R21*p_R11 + R12*p_R22 - R22*p_R12 + R13*p_R23 - R23*p_R13"}},
  };
  return all;
}

TEST(MomentumMaps, OfAllModels) {
  for (const auto& file : std::filesystem::directory_iterator(HOLONOM_MODELS)) {
    const auto expected = known().find(file.path().stem().string());
    ASSERT_NE(expected, known().end()) << file.path() << ": which symmetries has it?";
    EXPECT_EQ(formulas(maps_of_nameless(file.path().string())), expected->second) << file.path();
  }
}

TEST(MomentumMaps, ThatAreNamedAreNotRepeated) {
  for (const auto& [model, all] : known()) {
    const MomentumMaps maps = maps_of(load(model));
    EXPECT_TRUE(maps.found.empty()) << model << ": " << maps.found.front().formula;
    EXPECT_EQ(maps.named.size(), all.size()) << model;
  }
  // The names of two combinations leave the third.
  Model model = load_model(HOLONOM_MODELS "/two-body-sphere.toml");
  model.invariants = {{"sum", model.graph->add(model.invariants[0].node, model.invariants[1].node)},
                      {"difference", model.graph->sub(model.invariants[0].node, model.invariants[1].node)}};
  const MomentumMaps maps = maps_of(compile(std::move(model)));
  EXPECT_EQ(maps.named, (std::vector<std::string>{"sum", "difference"}));
  ASSERT_EQ(maps.found.size(), 1U);
  EXPECT_EQ(maps.found[0].formula, "x1*p_y1 - y1*p_x1 + x2*p_y2 - y2*p_x2");
}

std::string particle(const std::string& mass, const std::string& potential, const std::string& constraint = "") {
  return "[coordinates]\nnames = [\"x\", \"y\", \"z\"]\n[energy]\nmass = " + mass + "\npotential = \"" + potential +
         "\"\n" + constraint + "\n[initial]\nq = { x = 0.6, y = 0, z = 0.8 }\np = { x = 0.1, y = 1, z = 0.3 }\n";
}
std::vector<std::string> of_particle(const std::string& mass, const std::string& potential) {
  return formulas(maps_of(from_text(particle(mass, potential))));
}

TEST(MomentumMaps, OfParticles) {
  using List = std::vector<std::string>;
  EXPECT_EQ(of_particle("[1, 1, 1]", "z"), (List{"x*p_y - y*p_x", "p_x", "p_y"}));
  EXPECT_EQ(of_particle("[1, 2, 1]", "z"), (List{"x*p_y - 2*y*p_x", "p_x", "p_y"})) << "mass-weighted";
  EXPECT_EQ(of_particle("[1, 2, 1]", "z + x^2 + y^2"), List{}) << "V and T disagree";
  EXPECT_EQ(of_particle("[1, 1, 1]", "(x - 2)^2 + (y + 1/3)^2 + z^4"), (List{"3*x*p_y - 3*y*p_x - p_x - 6*p_y"}))
      << "not about the origin";
  EXPECT_EQ(of_particle("[1, 1, 1]", "cos(x - y) + z^4"), (List{"p_x + p_y"}));
  EXPECT_EQ(of_particle("[1, 1, 1]", "x^2 + y^2 + z^2 + 1e-5*x*y"), List{}) << "hardly broken";
  EXPECT_EQ(of_particle("[1, 1, 1]", "exp(-x^2 - y^2 - z^2)").size(), 3U);
  EXPECT_EQ(of_particle("[1, 1, 1]", "x*cos(z) + y*sin(z) + (x^2 + y^2)^2"), (List{"x*p_y - y*p_x + p_z"}))
      << "a screw";
  EXPECT_EQ(of_particle("[1, 1, 1]", "0").size(), 6U) << "all of Euclid's";
}

TEST(MomentumMaps, OfMassMatricesAndOtherEnergies) {
  const auto of = [](const std::string& energy) {
    return formulas(maps_of(from_text("[coordinates]\nnames = [\"r\", \"phi\"]\n[energy]\n" + energy +
                                      "\n[initial]\nq = { r = 1, phi = 0.2 }\np = { r = 0.1, phi = 0.7 }\n")));
  };
  using List = std::vector<std::string>;
  EXPECT_EQ(of("kinetic = \"(v_r^2 + r^2*v_phi^2)/2\"\npotential = \"-1/r\""), (List{"p_phi"})) << "an angle";
  EXPECT_EQ(of("kinetic = \"(v_r^2 + r^2*v_phi^2)/2\"\npotential = \"-1/r + cos(phi)\""), List{});
  EXPECT_EQ(of("hamiltonian = \"(p_r^2 + p_phi^2/r^2)/2 - 1/r\""), (List{"p_phi"}));
  EXPECT_EQ(of("hamiltonian = \"sin(r*p_r) + p_phi^2\""), (List{"p_phi", "r*p_r"})) << "a change of scale";
}

// What stands in tables is no formula: found, and not proved.
TEST(MomentumMaps, OfTables) {
  const auto of = [](const std::string& energy) {
    const MomentumMaps maps = maps_of(from_text("[coordinates]\nnames = [\"x\", \"y\"]\n[energy]\n" + energy +
                                                "\n[initial]\nq = { x = 1, y = 0.2 }\np = { x = 0.1, y = 0.7 }\n"));
    std::vector<std::string> list;
    for (const MomentumMap& map : maps.found) {
      EXPECT_FALSE(map.proved) << map.formula;
      EXPECT_EQ(map.conservation, Conservation::strong) << map.formula;
      list.push_back(map.formula);
    }
    return list;
  };
  using List = std::vector<std::string>;
  const std::string masses = "mass = { i = [0, 1, 1], j = [0, 1, 0], m = [2, 3, 0.5] }\n";
  EXPECT_EQ(of(masses + "potential = \"cos(x)\""), (List{"p_y"}));
  EXPECT_EQ(of(masses + "potential = \"x^2 + y^2\""), List{});
  EXPECT_EQ(of("mass = [1, 1]\npotential = \"0\"\n[[energy.sum]]\nover = { i = \"0..2\" }\nterm = \"(1 + i)*x^2\""),
            (List{"p_y"}));
}

// Coefficients that are neither small fractions nor parameters: found, not proved, and not added to a model.
TEST(MomentumMaps, WithStrangeCoefficients) {
  const auto maps = maps_of(from_text(particle("[1, 1, 1]", "cos(x - sqrt(2)*y) + z^2")));
  ASSERT_EQ(maps.found.size(), 1U);
  EXPECT_EQ(maps.found[0].formula, "p_x + 0.7071067812*p_y");
  EXPECT_FALSE(maps.found[0].proved);
  EXPECT_TRUE(contains(maps.found[0].evidence, "not proved, tested at 20 random points in double: largest rate "));
  EXPECT_TRUE(with_invariants(from_text(particle("[1, 1, 1]", "z"))->model(), maps, true).invariants.empty());
  // As a parameter it has a name.
  const auto named =
      maps_of(from_text("[parameters]\nk = \"sqrt(2)\"\n" + particle("[1, 1, 1]", "cos(x - k*y) + z^2")));
  EXPECT_EQ(formulas(named), (std::vector<std::string>{"k*p_x + p_y"}));
}

// A symmetric top as a matrix: turning it about its own axis mixes the columns, and the constraints with them. That
// holds on the manifold only.
TEST(MomentumMaps, AreWeakIfTheyMixConstraints) {
  Model model = load_model(HOLONOM_MODELS "/rigid-body-heavy.toml", {{"I1", "0.8"}, {"w1", "0.2"}});
  const MomentumMaps maps = maps_of(compile(std::move(model)));
  EXPECT_EQ(maps.named, (std::vector<std::string>{"Lz"}));
  ASSERT_EQ(maps.found.size(), 1U);
  EXPECT_EQ(maps.found[0].formula, "Q11*p_Q12 - Q12*p_Q11 + Q21*p_Q22 - Q22*p_Q21 + Q31*p_Q32 - Q32*p_Q31");
  EXPECT_EQ(maps.found[0].conservation, Conservation::weak);
  EXPECT_TRUE(maps.found[0].proved) << maps.found[0].evidence;
  EXPECT_EQ(maps.found[0].evidence, "proved: {J, H} = 0 and {J, g} = C g");
  // It is an invariant of the exact flow, weak as tested in 100 digits too.
  const auto with =
      compile(with_invariants(load_model(HOLONOM_MODELS "/rigid-body-heavy.toml", {{"I1", "0.8"}}), maps, false));
  EXPECT_EQ(with->model().invariants.size(), 1U);
}

std::string chain(int N, int dim, const std::string& more, const std::string& mass = "1 + i") {
  const std::string n = std::to_string(N);
  return "[coordinates]\nr = { count = " + n + ", dim = " + std::to_string(dim) + " }\n[energy]\nmass = { r = \"" +
         mass + "\" }\npotential = \"0\"\n" + more + "[[constraints.stack]]\nname = \"link\"\nover = { i = \"0.." +
         std::to_string(N - 2) +
         "\" }\nzero = \"(dot(r[i+1] - r[i], r[i+1] - r[i]) - 1)/2\"\n[initial]\nq.r = [\"i\", \"0\"" +
         (dim == 3 ? ", \"0\"" : "") + "]\n";
}
std::string weight(int N, const std::string& mass = "1 + i") {
  return "[[energy.sum]]\nover = { i = \"0.." + std::to_string(N - 1) + "\" }\nterm = \"(" + mass + ")*r[i].y\"\n";
}

TEST(MomentumMaps, OfVectorCoordinates) {
  using List = std::vector<std::string>;
  EXPECT_EQ(formulas(maps_of(from_text(chain(50, 2, "")))),
            (List{"sum over i of (r[i].x*p_r[i].y - r[i].y*p_r[i].x)", "sum over i of (p_r[i].x)",
                  "sum over i of (p_r[i].y)"}));
  EXPECT_EQ(formulas(maps_of(from_text(chain(50, 2, weight(50))))), (List{"sum over i of (p_r[i].x)"}));
  EXPECT_EQ(formulas(maps_of(from_text(chain(50, 3, weight(50))))),
            (List{"sum over i of (r[i].x*p_r[i].z - r[i].z*p_r[i].x)", "sum over i of (p_r[i].x)",
                  "sum over i of (p_r[i].z)"}));
  // Of few coordinates all affine motions are looked at. What falls freely also turns about its centre of mass: its
  // weights pull there together, and not row by row as a proof by kernels asks.
  for (const char* mass : {"1", "1 + i"}) {
    const MomentumMaps maps = maps_of(from_text(chain(3, 2, weight(3, mass), mass)));
    ASSERT_EQ(maps.found.size(), 2U);
    EXPECT_EQ(maps.found[1].formula, "p_r[0].x + p_r[1].x + p_r[2].x");
    EXPECT_FALSE(maps.found[0].proved);
    EXPECT_TRUE(contains(maps.found[0].evidence, "not proved, tested at 20 random points in double"));
  }
  EXPECT_EQ(formulas(maps_of(from_text(chain(3, 3, "")))).size(), 6U);
}

// Many coordinates with names of their own, in pairs
TEST(MomentumMaps, OfManyNamedCoordinates) {
  std::string names, masses, potential, q, p;
  constexpr int count = 15;
  for (int i = 0; i < count; ++i) {
    const std::string k = std::to_string(i), next = std::to_string((i + 1) % count), comma = i > 0 ? ", " : "";
    names += comma + "\"x" + k + "\", \"y" + k + "\"";
    masses += comma + "1, 1";
    potential += (i > 0 ? " + ((x" : "((x") + k + " - x" + next + ")^2 + (y" + k + " - y" + next + ")^2)^2";
    q += comma + "x" + k + " = " + std::to_string(i % 4) + ", y" + k + " = " + std::to_string(i % 3);
    p += comma + "x" + k + " = " + std::to_string(i % 5) + ", y" + k + " = 0";
  }
  const MomentumMaps maps =
      maps_of(from_text("[coordinates]\nnames = [" + names + "]\n[energy]\nmass = [" + masses + "]\npotential = \"" +
                        potential + "\"\n[initial]\nq = { " + q + " }\np = { " + p + " }\n"));
  const std::vector<std::string> list = formulas(maps);
  ASSERT_GE(list.size(), 3U);
  EXPECT_TRUE(list[0].starts_with("x0*p_y0 - y0*p_x0 + x1*p_y1 - y1*p_x1 + ")) << list[0];
  EXPECT_TRUE(list[0].ends_with(" + ... (30 terms)")) << list[0];
  EXPECT_TRUE(list[1].starts_with("p_x0 + p_x1 + ")) << list[1];
  EXPECT_TRUE(list[2].starts_with("p_y0 + p_y1 + ")) << list[2];
  EXPECT_EQ(list.size(), 3U);
}

}  // namespace
}  // namespace holonom::test
