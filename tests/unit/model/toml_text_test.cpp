// Models as text: all files of models/ and tests/models, each kind of model, models of C++ expressions; and back.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "model/same_model.hpp"

namespace holonom::test {
namespace {

std::vector<std::string> all_files() {
  std::vector<std::string> files;
  for (const char* folder : {HOLONOM_MODELS, HOLONOM_MODELS "/../tests/models"})
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".toml") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

std::string content(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class TomlTextOfFile : public ::testing::TestWithParam<std::string> {};

TEST_P(TomlTextOfFile, IsReadAsTheSameModel) {
  const ModelAndView source = parse_model_and_view(content(GetParam()), GetParam());
  const std::string text = expect_same_model(source.model, source.view);
  const ModelAndView again = parse_model_and_view(text, "again.toml");
  EXPECT_EQ(again.view.points.size(), source.view.points.size());
  EXPECT_EQ(again.view.links, source.view.links);
  EXPECT_EQ(again.view.bodies.size(), source.view.bodies.size());
  EXPECT_EQ(again.view.constraints, source.view.constraints);
  EXPECT_EQ(again.view.colours, source.view.colours);
  EXPECT_EQ(again.view.trails, source.view.trails);
  EXPECT_EQ(again.view.plot, source.view.plot);
}

INSTANTIATE_TEST_SUITE_P(AllModels, TomlTextOfFile, ::testing::ValuesIn(all_files()), [](const auto& file) {
  std::string name = std::filesystem::path(file.param).stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

std::string expect_same_text_model(const std::string& text) {
  return expect_same_model(parse_model("format = 1" + text, "kind.toml"));
}

TEST(TomlText, OfFullMasses) {
  (void)expect_same_text_model(R"model(
[coordinates]
names = ["x", "y"]
[energy]
mass = [["2", "1/3"], ["1/3", "0.5"]]
potential = "x^4/4 + 0.1*x*y + y^2"
[initial]
q = { x = 1, y = "sqrt(2)" }
p = { y = "-1/7" }
)model");
}

TEST(TomlText, OfAHamiltonian) {
  (void)expect_same_text_model(R"model(
[parameters]
w = "2*pi/7"
[coordinates]
names = ["x", "y"]
[let]
r = "sqrt(x^2 + y^2 + 1)"
[energy]
hamiltonian = "(p_x - r)^2/2 + p_y^2/2*(1 + x^2) + w*r*exp(-r) + r*cos(r)*sqrt(r)"
[reversal]
flip = ["x", "p_y"]
[initial]
q = { x = 0.3, y = 0.2 }
[integrate]
method = "gauss-2"
step = "w/100"
until = "w"
every = 3
[units]
x = "m \"long\""
p_x = "kg m/s"
w = "1/s"
r = "m"
t = "s"
)model");
}

TEST(TomlText, OfObservablesEventsAndAChart) {
  const std::string text = expect_same_text_model(R"model(
[coordinates]
names = ["x", "y"]
[energy]
kinetic = "v_x^2/2 + v_y^2*(1 + x^2)/2"
potential = "y"
[constraints]
rod = "sqrt(x^2 + y^2) - 1"
[invariants]
E = "x*p_y - y*p_x"
[observables]
T = "kinetic"
tension = "lambda_rod"
twice = "sin(lambda_rod*(x + y + x*y)/(1 + potential^2)) + cos(lambda_rod*(x + y + x*y)/(1 + potential^2))^2"
slope = "rate(abs(x - y))"
last = "x*y"
[events]
bottom = "x"
"up" = { zero = "y + 1/2", direction = "up" }
down = { zero = "y + 1/4", direction = "down", stop = true }
end = { zero = "p_x - 100", stop = true }
[chart]
names = ["angle"]
q = { x = "sin(angle)", y = "-cos(angle)" }
near = { angle = "pi/2" }
[initial]
q = { x = 0.9, y = -0.4 }
v = { x = 0.1 }
project = { keep = ["x", "v_x"] }
[integrate]
step = 0.01
)model");
  EXPECT_TRUE(contains(text, "[[observables.sum]]\nname = \"twice\"\nwhere.w1 = "))
      << "what is repeated, and depends on multipliers";
}

TEST(TomlText, OfItems) {
  const std::string text = expect_same_text_model(R"model(
[parameters]
N = 6
[coordinates]
names = ["s"]
r = { count = "N", dim = 2 }
u = { count = 3, dim = 1 }
[energy]
mass = { s = 2, r = "1 + i/N", u = "1/3" }
potential = { slow = "s^2/2 + r[0].x*s", fast = "r[1].y^2*50" }
[[energy.sum]]
over = { i = "1..N-1" }
term = "r[i].y + dot(r[i] - r[i-1], r[i] - r[i-1])/2 + i*r[i].x/10"
[[energy.sum]]
over = { pairs = "r", beyond = 1 }
term = "0.01/d + s*d^2"
where = { d = "norm(r[i] - r[j])" }
[[energy.sum]]
over = { a = "0..2", b = "0..1" }
part = "fast"
term = "10*(r[2*a + b].x - a)^2*(1 + b)*u[a].x^2"
[[energy.sum]]
over = { i = "0..N-1" }
term = "(r[i + 1 - N*floor((i + 1)/N)].x - r[i].x)^2/2"
[[energy.sum]]
over = { i = [0, 4, 2], j = [5, 1, 3], w = [0.5, 1e-3, -2] }
term = "w*(r[i].y - r[j].y)^2 + u[0].x*w^2"
[[constraints.stack]]
name = "link"
over = { i = "0..1" }
zero = "u[i].x^2 + r[i + 3].x^2 - 1"
[constraints]
hook = "u[2].x - r[5].x^3/3 + s/10"
wall = "sin(s) - s^3/10"
[[invariants.sum]]
name = "P"
over = { i = "0..N-1" }
term = "p_r[i].x*s"
[invariants]
first = "p_r[0].x + p_s"
[observables]
pull = "lambda_hook*norm(2*r[0])*kinetic"
part = "lambda_link[1]*r[0].x"
twice = "sin(lambda_hook*norm(r[0] - r[1])/(1 + s^2)) + cos(lambda_hook*norm(r[0] - r[1])/(1 + s^2))"
growth = "rate(norm(r[N-1]))"
wall_force = "lambda_wall"
[[observables.sum]]
name = "all"
over = { i = "0..1" }
term = "lambda_link[i]*v_r[i].x + r[i + 1].y*lambda_wall"
[events]
cross = { zero = "r[2].y - 1", direction = "up" }
side = "s - 1/2"
other = "p_u[1].x"
[reversal]
flip = ["s", "r[1]", "p_r.x", "p_r[2].y", "p_u"]
[initial]
q.s = 0
q.r = ["i/3", "(i - 2)^2/10"]
q.u = { x = [0.0, 0.8, 1.5] }
v.r = ["1/10", "-i/20"]
project = { keep = ["r[0]", "r.y", "v_r[1].x"] }
[integrate]
step = 0.001
[units]
r = "m"
link = "m^2"
P = "kg m/s"
)model");
  EXPECT_TRUE(contains(text, "over = { i = \"1..5\" }"));
  EXPECT_TRUE(contains(text, "over = { pairs = \"r\", beyond = 1 }"));
  EXPECT_TRUE(contains(text, "over = { i = \"0..2\", j = \"0..1\" }"));
  EXPECT_TRUE(contains(text, "name = \"twice\"\nwhere.w1 = \"lambda_hook*"));
  EXPECT_TRUE(contains(text, "over.i = [0, 4, 2]\nover.j = [5, 1, 3]\nover.a = [0.5, 1e-3, -2]\n"));
  EXPECT_TRUE(contains(text, "flip = [\"s\", \"r[1].x\", \"r[1].y\", \"p_r.x\", \"p_r[2].y\", \"p_u\"]"));
}

TEST(TomlText, OfATableOfMasses) {
  (void)expect_same_text_model(R"model(
[coordinates]
r = { count = 2, dim = 2 }
[energy]
mass = { i = [0, 1, 2, 3, 2], j = [0, 1, 2, 3, 0], m = [1, 2, 0.5, 1e0, 0.1] }
potential = "r[0].x^2 + r[0].y^2 + r[1].x^4 + r[1].y^2*r[0].x"
[initial]
q.r = { y = [1e0, 0.25], x = [-3, +0.4_5] }
p.r = { x = [0, 1], y = [0, 0] }
[integrate]
step = 0.01
)model");
}

TEST(TomlText, OfAField) {
  (void)expect_same_text_model(R"model(
[let]
s = "u*v"
[field]
q.u = "s - u*w"
p.v = "-s + w"
p.w = "rate_of*v - u"
energy = "u + v + w"
[parameters]
rate_of = "sqrt(3)"
[observables]
change = "rate(u^2)"
[events]
zero = "u - 1"
[reversal]
flip = ["v"]
[initial]
u = 1
v = "1/3"
w = 0.2
[integrate]
step = 0.01
)model");
}

TEST(TomlText, OfNamesThatMeanMoreElsewhere) {
  const std::string text = expect_same_text_model(R"model(
[parameters]
i = 2
kinetic = 3
s1 = 4
w1 = 5
[coordinates]
names = ["j", "lambda_rod", "x"]
r = { count = 3, dim = 1 }
[energy]
mass = { j = "i", lambda_rod = "kinetic", x = 1, r = "s1*(i + 1)" }
[[energy.sum]]
over = { a = "0..1" }
term = "(r[a].x - j)^2*w1 + lambda_rod*x^2 + a*x"
[constraints]
bar = "x + lambda_rod - 1"
[observables]
bar = "x"
[initial]
q = { j = "i", lambda_rod = 1, x = 0, r = ["2*i"] }
[integrate]
step = 0.01
)model");
  EXPECT_TRUE(contains(text, "[names]\nkinetic_2 = \"kinetic\"\n")) << "observables know the energy by that name";
}

}  // namespace
}  // namespace holonom::test
