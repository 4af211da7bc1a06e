// Invariants that are sums over tables, or meet such sums: proofs kernel by kernel, and what they must not prove.
#include "invariant_reports.hpp"

namespace holonom::test {
namespace {

// Vector coordinates: N items with masses of their own, links, and forces between neighbours but one
std::string chain(int N, const std::string& invariants) {
  return "[parameters]\nN = " + std::to_string(N) + R"toml(
[coordinates]
names = ["h"]
r = { count = "N", dim = 3 }
[energy]
mass = { r = "1 + i/N", h = 2 }
potential = "h^2"
[[energy.sum]]
over = { i = "0..N-3" }
term = "0.1*(d^-12 - 2*d^-6)"
where = { d = "norm(r[i] - r[i+2])" }
[[energy.sum]]
over = { i = "0..N-1" }
term = "r[i].z"
[[constraints.stack]]
name = "link"
over = { i = "0..N-2" }
zero = "(dot(r[i+1] - r[i], r[i+1] - r[i]) - 1)/2"
[initial]
q = { h = 0, r = ["i", "0", "0"] }
v.r = ["0", "0.1", "0"]
)toml" + invariants;
}
std::string sum(const std::string& name, const std::string& term, const std::string& over = "0..N-1") {
  return "[[invariants.sum]]\nname = \"" + name + "\"\nover = { i = \"" + over + "\" }\nterm = \"" + term + "\"\n";
}

TEST(Invariants, OfSumsAreProvedKernelByKernel) {
  const Reports reports = reports_of(from_text(
      chain(8,
            "[invariants]\nph = \"p_h\"\nfirst = \"p_r[0].x\"\nmixed = \"p_h + p_r[0].x + p_r[1].x\"\noscillator = "
            "\"p_h^2/4 + h^2\"\n" +
                sum("Px", "p_r[i].x") + sum("Py", "p_r[i].y - 0*h") + sum("Pz", "p_r[i].z") +
                sum("Lz", "r[i].x*p_r[i].y - r[i].y*p_r[i].x") + sum("Lx", "r[i].y*p_r[i].z - r[i].z*p_r[i].y") +
                sum("most", "p_r[i].x", "0..N-2") + sum("twice", "p_r[i].x + p_r[i+1].x", "0..N-2") +
                sum("weighted", "i*p_r[i].x") + sum("almost", "r[i].x*p_r[i].y - (1 + 1e-9)*r[i].y*p_r[i].x") +
                sum("length", "dot(r[i+1] - r[i], r[i+1] - r[i])", "0..N-2"))));
  for (const char* name : {"Px", "Py", "Lz"}) {
    expect_proved(reports, name);
    EXPECT_EQ(reports.at(name).evidence, "proved: {I, H} = 0 and {I, g} = 0, kernel by kernel");
  }
  for (const char* name : {"ph", "first", "mixed", "Pz", "Lx", "most", "twice", "weighted", "almost"})
    expect_tested(reports, name, Conservation::none);
  expect_tested(reports, "length", Conservation::weak);
  expect_tested(reports, "oscillator", Conservation::strong);  // the kernels cancel each other
  EXPECT_GE(reports.at("almost").largest, 1e-13);
}

// Angular momentum needs one mass for all components, and that about the centre equal masses.
TEST(Invariants, OfSumsNeedTheRightMasses) {
  const auto plane = [](const std::string& masses) {
    return reports_of(from_text(R"toml(
[coordinates]
names = ["x", "y"]
r = { count = 4, dim = 2 }
[energy]
mass = )toml" + masses + R"toml(
[[energy.sum]]
over = { pairs = "r" }
term = "norm(r[i] - r[j])^3"
[[energy.sum]]
over = { i = "0..3" }
term = "(r[i].x - x)^2 + (r[i].y - y)^2"
[invariants]
lone = "x*p_y - y*p_x"
[[invariants.sum]]
name = "pairs"
over = { pairs = "r" }
term = "(r[i].x - r[j].x)*(p_r[i].y - p_r[j].y) - (r[i].y - r[j].y)*(p_r[i].x - p_r[j].x)"
[[invariants.sum]]
name = "L"
over = { i = "0..3" }
term = "r[i].x*p_r[i].y - r[i].y*p_r[i].x + (x*p_y - y*p_x)/4"
[initial]
q = { x = 0, y = "0.3", r = ["i", "i^2/5"] }
p = { x = 1, r = ["i", "0.2"] }
)toml"));
  };
  const Reports equal = plane("{ r = \"1 + i\", x = 2, y = 2 }"), different = plane("{ r = \"1 + i\", x = 2, y = 3 }");
  expect_proved(equal, "L");
  expect_tested(equal, "lone", Conservation::none);
  expect_tested(equal, "pairs", Conservation::none);
  expect_tested(different, "L", Conservation::none);
  // that about the centre, which the springs to (x, y) do not turn; in sums over all rows only
  expect_tested(plane("{ r = 1, x = 2, y = 2 }"), "pairs", Conservation::strong);
}

// Rows that read the same kernels in different ways must not pass for each other.
TEST(Invariants, OfSumsAreProvedForEveryKindOfRow) {
  const auto six_items = [](const std::string& mass, const std::string& term, const std::string& rows,
                            const std::string& invariant) {
    return reports_of(from_text("[coordinates]\nr = { count = 6, dim = 2 }\n[energy]\nmass = { r = \"" + mass +
                                "\" }\n[[energy.sum]]\nover = { i = \"0..1\" }\nterm = \"" + term + "\"\n" +
                                sum("I", invariant, rows) +
                                "[initial]\nq.r = [\"i\", \"i^2/5\"]\np.r = [\"1 + i\", \"0.2\"]\n"));
  };
  // I reads the momenta of items 0 and 1 in one row; those of item 2 in two rows, and of item 3 in none.
  const std::string spring = "(r[2*i].x - r[2*i + 1].x)^2";
  expect_proved(six_items("1", spring, "0..1", "p_r[2*i].x + p_r[2*i + 1].x"), "I");
  expect_tested(six_items("1", spring, "0..2", "p_r[2*i + floor(i/2)].x + p_r[1 + 3*i - 5*i*(i - 1)/2].x"), "I",
                Conservation::none);
  // r_a × p_b + r_b × p_a of pairs: of (0, 1) and (2, 3); then of (0, 1), (2, 5) and (4, 3)
  const auto turned = [](const std::string& b) {
    return "r[2*i].x*p_r[" + b + "].y - r[2*i].y*p_r[" + b + "].x + r[" + b + "].x*p_r[2*i].y - r[" + b +
           "].y*p_r[2*i].x";
  };
  const std::string central = "dot(r[2*i], r[2*i]) + dot(r[2*i + 1], r[2*i + 1])";
  expect_proved(six_items("3", central, "0..1", turned("2*i + 1")), "I");
  expect_tested(six_items("3", central, "0..2", turned("1 + 4*i - 3*i*(i - 1)")), "I", Conservation::none);
  expect_tested(six_items("3 + i", central, "0..1", turned("2*i + 1")), "I", Conservation::none);
}

TEST(Invariants, OfSumsMeetConstraints) {
  const Reports reports = reports_of(from_text(R"toml(
[coordinates]
names = ["h", "k"]
r = { count = 3, dim = 2 }
[energy]
mass = { r = 1, h = 1, k = 2 }
potential = "k"
[constraints]
peg = "h - 2*k"
[[constraints.stack]]
name = "link"
over = { i = "0..1" }
zero = "(dot(r[i+1] - r[i], r[i+1] - r[i]) - 1)/2"
[invariants]
ph = "p_h"
first = "p_r[0].x"
all = "p_r[0].x + p_r[1].x + p_r[2].x"
[initial]
q = { h = 0, k = 0, r = ["i", "0"] }
v.r = ["0", "i^2"]
)toml"));
  expect_tested(reports, "ph", Conservation::none);
  expect_tested(reports, "first", Conservation::none);
  expect_proved(reports, "all");
}

TEST(Invariants, OfLargeModelsAreTestedAtFewerPoints) {
  const std::string invariants =
      sum("Px", "p_r[i].x") + sum("Pz", "p_r[i].z") + sum("almost", "r[i].x*p_r[i].y - (1 + 1e-9)*r[i].y*p_r[i].x");
  const Reports large = reports_of(from_text(chain(1000, invariants)));
  expect_proved(large, "Px");
  expect_tested(large, "almost", Conservation::none);
  EXPECT_EQ(large.at("almost").precision, "100");
  EXPECT_TRUE(large.at("Pz").points >= 1 && large.at("Pz").points < 20) << large.at("Pz").points;
  const Reports huge = reports_of(from_text(chain(20000, invariants)));
  expect_proved(huge, "Px");
  expect_tested(huge, "Pz", Conservation::none);
  EXPECT_TRUE(contains(huge.at("Pz").evidence, "tested at 3 random points in double: largest rate "));
}

}  // namespace
}  // namespace holonom::test
