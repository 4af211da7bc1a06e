// Strong and weak invariants of models: what is proved, what is tested, and what is neither.
#include <filesystem>

#include "invariant_reports.hpp"

namespace holonom::test {
namespace {

// A particle on a sphere, with different masses for its three directions so that nothing is conserved by chance.
Reports on_sphere(const std::string& invariants, const std::string& potential = "z + 0.1*x*y") {
  return reports_of(from_text(R"toml(
[coordinates]
names = ["x", "y", "z"]
[energy]
mass = [1, 2, 3]
potential = ")toml" + potential +
                              R"toml("
[constraints]
sphere = "(x^2 + y^2 + z^2 - 1)/2"
[initial]
q = { x = "0.6", y = 0, z = "0.8" }
p = { x = 0, y = 1, z = 0 }
[invariants]
)toml" + invariants));
}

TEST(Invariants, OfAllModelsAreProved) {
  int count = 0;
  for (const auto& file : std::filesystem::directory_iterator(HOLONOM_MODELS))
    for (const auto& [name, report] : reports_of(compile(load_model(file.path().string())))) {
      ++count;
      EXPECT_TRUE(report.proved) << file.path() << " " << name;
      EXPECT_EQ(report.conservation, Conservation::strong);
      EXPECT_TRUE(report.evidence.starts_with("proved: {I, H} = 0") || report.evidence == "proved: dI/dt = 0")
          << report.evidence;
    }
  EXPECT_GE(count, 19);
}

TEST(Invariants, AreWeakIfTheyAreConservedOnTheManifoldOnly) {
  const Reports reports = on_sphere(R"toml(
E = "p_x^2/2 + p_y^2/4 + p_z^2/6 + z + 0.1*x*y"
radius = "x^2 + y^2 + z^2"
with_g = "x*p_x + y*p_y/2 + z*p_z/3 + (x^2 + y^2 + z^2 - 1)*p_y"
edge = "sqrt(1e-4 - (x^2 + y^2 + z^2 - 1)^2)"
)toml");
  for (const char* name : {"E", "radius", "with_g", "edge"}) {
    expect_tested(reports, name, Conservation::weak);
    EXPECT_EQ(reports.at(name).points, 20);
    EXPECT_EQ(reports.at(name).points_off, 20);
    EXPECT_EQ(reports.at(name).precision, "100");
    EXPECT_LE(reports.at(name).largest, 1e-95);
  }
  EXPECT_GE(reports.at("E").largest_off, 1e-3);
  EXPECT_TRUE(contains(reports.at("E").evidence, "tested at 20 random points in 100 digits: largest rate "));
  EXPECT_TRUE(contains(reports.at("edge").evidence, "on the manifold, not finite off it"));
}

// ψ = G H_p, whose rate is what λ is made to cancel, at all states
TEST(Invariants, AreStrongOfTheUnderlyingEquationToo) {
  const Reports reports = on_sphere(R"toml(
psi = "x*p_x + y*p_y/2 + z*p_z/3"
of_psi = "sin(x*p_x + y*p_y/2 + z*p_z/3)"
)toml");
  for (const char* name : {"psi", "of_psi"}) {
    expect_tested(reports, name, Conservation::strong);
    EXPECT_LE(reports.at(name).largest_off, 1e-95);
  }
}

TEST(Invariants, ThatAreWrongByLittleAreFound) {
  const Reports reports = on_sphere(R"toml(
ninth_digit = "p_x^2/2 + p_y^2/4 + p_z^2/6 + z + (0.1 + 1e-10)*x*y"
sixtieth = "p_x^2/2 + p_y^2/4 + p_z^2/6 + z + (0.1 + 1e-60)*x*y"
Lz = "x*p_y - y*p_x"
)toml");
  for (const char* name : {"ninth_digit", "sixtieth", "Lz"}) expect_tested(reports, name, Conservation::none);
  EXPECT_LE(reports.at("ninth_digit").largest, 1e-9);
  EXPECT_GE(reports.at("sixtieth").largest, 1e-63);
  EXPECT_EQ(reports.at("Lz").points_off, 0);
}

TEST(Invariants, WithoutAValueAreUnknown) {
  const Reports reports = on_sphere(R"toml(
kink = "sqrt((x - 0.6)^2)"
half = "sqrt(z - 0.8)*p_x"
one = "(sqrt(y) + 1)^2 - y - 2*sqrt(y)"
)toml");
  for (const char* name : {"kink", "half", "one"}) {  // one is 1 by algebra, but nothing where y < 0
    expect_tested(reports, name, Conservation::unknown);
    EXPECT_EQ(reports.at(name).evidence, "dI/dt is not finite at states near the start");
  }
}

TEST(Invariants, ThatJumpSaySo) {
  const Reports reports = on_sphere("step = \"floor(x)\"\nconstant = \"floor(2.5)\"\nhop = \"if(x < y, 1, 2)\"");
  for (const char* name : {"step", "hop"})
    EXPECT_TRUE(contains(reports.at(name).evidence, "; as long as its floors, signs and comparisons do not change"));
  EXPECT_EQ(reports.at("constant").evidence, "proved: {I, H} = 0 and {I, g} = 0");
}

// Forces that cancel leave nothing but rounding errors: their own size says nothing, that of the forces does.
TEST(Invariants, AreMeasuredByForcesThatCancel) {
  const Reports reports = reports_of(from_text(R"toml(
[coordinates]
names = ["x", "y"]
[energy]
mass = [1, 1]
potential = "5*x + (exp(2*y) - exp(y)^2)*x"
[constraints]
wall = "x"
[invariants]
push = "p_x"
slide = "p_y"
[initial]
q = { x = 0, y = 1 }
p = { x = 0, y = 1 }
)toml"));
  expect_tested(reports, "push", Conservation::strong);
  expect_tested(reports, "slide", Conservation::strong);  // the graph does not know that there is no force
  expect_tested(reports_of(from_text(R"toml(
[coordinates]
names = ["x", "y", "z"]
[energy]
mass = [1, 2, 3]
potential = "0"
[constraints]
circle = "x^2 + 3*y^2 + z - 1"
table = "z"
[invariants]
up = "p_z"
[initial]
q = { x = 1, y = 0, z = 0 }
v = { y = 1 }
)toml")),
                "up", Conservation::strong);
}

TEST(Invariants, OfMassMatricesAreProved) {
  const auto in_polar_coordinates = [](const std::string& V) {
    return reports_of(from_text(R"toml(
[coordinates]
names = ["r", "phi"]
[energy]
kinetic = "(v_r^2 + r^2*v_phi^2)/2 + cos(r)*v_r*v_phi/9"
potential = ")toml" + V + R"toml("
[invariants]
p = "p_phi"
square = "exp(p_phi^2)"
other = "p_r"
[initial]
q = { r = 1, phi = "0.3" }
v = { phi = 1 }
)toml"));
  };
  const Reports free = in_polar_coordinates("exp(-r)/r"), not_free = in_polar_coordinates("exp(-r)/r + 1e-30*phi");
  expect_proved(free, "p");
  expect_proved(free, "square");
  expect_tested(free, "other", Conservation::none);
  expect_tested(not_free, "p", Conservation::none);
  EXPECT_EQ(free.at("p").evidence, "proved: {I, H} = 0");
  EXPECT_EQ(not_free.at("p").points, 20);
}

// Straight lines in polar coordinates
TEST(Invariants, OfMassMatricesNeedAllOfTheKineticEnergy) {
  const Reports reports = reports_of(from_text(R"toml(
[coordinates]
names = ["r", "phi"]
[energy]
kinetic = "(v_r^2 + r^2*v_phi^2)/2"
potential = "0"
[invariants]
Px = "p_r*cos(phi) - p_phi*sin(phi)/r"
E = "p_r^2/2 + p_phi^2/(2*r^2)"
wrong = "p_r*cos(phi) + p_phi*sin(phi)/r"
[initial]
q = { r = 1, phi = "0.3" }
v = { phi = 1 }
)toml"));
  expect_proved(reports, "Px");
  expect_proved(reports, "E");
  expect_tested(reports, "wrong", Conservation::none);
}

TEST(Invariants, OfFullMassesAreProved) {
  const Reports reports = reports_of(from_text(R"toml(
[coordinates]
names = ["x", "y"]
[energy]
mass = [[2, 1], [1, 3]]
potential = "cos(x - y)"
[invariants]
P = "p_x + p_y"
centre = "(2*x + y + x + 3*y)*0 + p_x + p_y"
Q = "p_x - p_y"
boost = "x*(p_x + p_y) - y*(p_x + p_y)"
[initial]
q = { x = 0, y = 1 }
p = { x = 1, y = 1 }
)toml"));
  expect_proved(reports, "P");
  expect_proved(reports, "centre");
  expect_tested(reports, "Q", Conservation::none);
  expect_tested(reports, "boost", Conservation::none);
}

// The potential has a part in rows, which a proof by formulas alone would not see.
TEST(Invariants, OfSumsOverNamedCoordinatesAreTested) {
  const Reports reports = reports_of(from_text(R"toml(
[coordinates]
names = ["x", "y"]
[energy]
mass = [1, 1]
potential = "0"
[[energy.sum]]
over = { i = "0..2" }
term = "(1 + i)*x^2"
[invariants]
px = "p_x"
py = "p_y"
[initial]
q = { x = 1, y = 0 }
p = { x = 0, y = 1 }
)toml"));
  expect_tested(reports, "px", Conservation::none);
  expect_tested(reports, "py", Conservation::strong);
}

// Bennett's linkage moves because of its lengths. These are rounded, so that in 100 digits it does not.
TEST(Invariants, OfRoundedLinkagesAreTestedInDouble) {
  Model model = load_model(HOLONOM_MODELS "/../tests/models/bennett.toml");
  model.invariants.push_back({"first", model.constraints.front().node});
  const Reports reports = reports_of(compile(std::move(model)));
  expect_tested(reports, "first", Conservation::weak);
  EXPECT_EQ(reports.at("first").precision, "double");
}

TEST(Invariants, AreReportedAlikeEachTime) {
  const std::string formulas = "E = \"p_x^2/2 + p_y^2/4 + p_z^2/6 + z + 0.1*x*y\"\nLz = \"x*p_y - y*p_x\"";
  const Reports once = on_sphere(formulas), again = on_sphere(formulas);
  for (const char* name : {"E", "Lz"}) EXPECT_EQ(once.at(name).evidence, again.at(name).evidence);
}

}  // namespace
}  // namespace holonom::test
