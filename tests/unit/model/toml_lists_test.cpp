// Tables as lists in the model itself, formulas without a table in lists of tables, and [names].
#include "holonom/model/view_formulas.hpp"
#include "models.hpp"

namespace holonom::test {
namespace {

// Lines of a model with items; tests replace one of them.
std::string items(const std::string& from = "", const std::string& to = "") {
  std::string text = R"model(format = 1
[coordinates]
names = ["s"]
r = { count = 3, dim = 2 }
[energy]
mass = { s = 1, r = 2 }
potential = "s^2"
[[energy.sum]]
over = { i = [0, 2], j = [1, 0], k = [0.5, 1e-3] }
term = "k*(r[i].x - r[j].y)^2"
[[constraints.stack]]
name = "rod"
zero = "d - 1"
where = { d = "r[0].x^2 + s" }
[initial]
q = { s = 1, r = { x = [0, 1, 2.5], y = [1, 1, 1] } }
)model";
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return from.empty() ? text : text.replace(at, from.size(), to);
}
std::string complaint(const std::string& from, const std::string& to) {
  return message_of<InputError>([&] { (void)parse_model(items(from, to), "m.toml"); });
}

TEST(TomlLists, AreTables) {
  const Model model = parse_model(items(), "m.toml");
  ASSERT_EQ(model.terms.size(), 2U);
  EXPECT_EQ(model.terms[0].rows, 2);
  EXPECT_EQ(model.terms[0].values.at(0).text, (std::vector<std::string>{"0.5", "1e-3"}));
  EXPECT_TRUE(model.terms[1].single) << "without over";
  EXPECT_EQ(model.vectors[0].q0_table.at(0).at(2), "2.5");
  const ModelSystem<double> sys(compile(model));
  const State<double> x = initial_state(sys).state;
  EXPECT_EQ(x.q[5], 2.5);
  EXPECT_EQ(sys.labels().constraints, std::vector<std::string>{"rod"});
  EXPECT_EQ(sys.V(x.q), 1 + 0.5 * (0 - 1) * (0 - 1) + 1e-3 * (2.5 - 1) * (2.5 - 1));
}

TEST(TomlLists, MistakesHavePlaces) {
  const std::vector<std::array<std::string, 3>> cases{
      {"j = [1, 0]", "j = [1]", "m.toml:9:26: the list 'j' has 1 numbers, and 'i' has 2: each needs one for every row"},
      {"j = [1, 0]", "j = [1, \"0\"]", "m.toml:9:30: the list 'j' must have numbers alone"},
      {"j = [1, 0]", "j = [1, nan]", "m.toml:9:30: a finite number was expected, not nan"},
      {"j = [1, 0]", "j = \"0..1\"",
       "m.toml:9:26: 'j' must be a list of numbers, j = [0, 1, 2], as other columns of this table are"},
      {"j = [1, 0]", "j = [1, 3]", "m.toml:10:8: row 1 of this term asks for r[3], but r has the items 0 to 2"},
      {"j = [1, 0]", "\"j k\" = [1, 0]",
       "m.toml:9:22: 'j k' is not a name for a column: use letters, digits and underscores"},
      {"y = [1, 1, 1]", "y = [1, 1]",
       "m.toml:16:41: the list 'y' has 2 numbers, and 'x' has 3: each needs one for every row"},
      {"y = [1, 1, 1]", "z = [1, 1, 1]", "m.toml:16:37: unknown column 'z'. The columns of initial.q.r are: x, y."},
      {"{ x = [0, 1, 2.5], y = [1, 1, 1] }", "{ x = [0, 1, 2.5] }", "m.toml:16:18: initial.q.r has no column 'y'"},
      {"{ x = [0, 1, 2.5], y = [1, 1, 1] }", "{ x = [0, 1], y = [0, 1] }",
       "m.toml:16:18: initial.q.r has 2 rows, but r has 3 items"},
      {"{ x = [0, 1, 2.5], y = [1, 1, 1] }", "{ x = 0 }",
       "m.toml:16:18: initial.q.r is a list of formulas, { file = \"start.csv\" }, or lists { x = [0, 1], ... }"},
      {"{ s = 1, r = 2 }", "{ i = [0], j = [0] }",
       "m.toml:6:10: the column 'm' is missing; a mass matrix has the columns i, j and m"},
      {"{ s = 1, r = 2 }", "{ i = [0], j = [9], m = [1] }",
       "m.toml:6:24: j = 9 is not a coordinate: they have the numbers 0 to 6"},
      {"zero = \"d - 1\"", "",
       "m.toml:11:1: [[constraints.stack]] needs over and zero (without over, zero is a single formula)"},
      {"zero = \"d - 1\"", "zero = \"p_s\"",
       "m.toml:13:8: constraint 'rod' uses p_s: it must be a formula of the coordinates"},
      {"zero = \"d - 1\"", "zero = \"1\"", "m.toml:13:8: constraint 'rod' does not depend on any coordinate"},
      {"term = \"k*(r[i].x - r[j].y)^2\"", "term = 3\n[[energy.sum]]\nterm = \"p_s\"",
       "m.toml:12:8: a sum of the energy uses p_s: it must be a formula of the coordinates alone"},
      {"term = \"k*(r[i].x - r[j].y)^2\"", "term = 3\n[[energy.sum]]\npart = \"fast\"\nterm = \"s\"",
       "m.toml:13:8: a fast part without items belongs into potential = { slow"}};
  for (const auto& [from, to, message] : cases)
    EXPECT_TRUE(complaint(from, to).starts_with(message)) << complaint(from, to);
}

TEST(TomlLists, FormulasWithoutATableJoinTheOthers) {
  const Model model = parse_model(R"model(format = 1
[coordinates]
names = ["x"]
[energy]
mass = [1]
potential = { slow = "x^2", fast = "x^4" }
[[energy.sum]]
term = "a + a^3"
where = { a = "2*x" }
[[energy.sum]]
part = "fast"
term = "x"
[invariants]
first = "p_x"
[[invariants.sum]]
name = "second"
term = "a*p_x"
where = { a = "x^2" }
[initial]
q = { x = 3 }
)model",
                                  "m.toml");
  EXPECT_TRUE(model.terms.empty());
  const auto at_3 = [&](NodeId f) { return value_of<double>(*model.graph, f, model.q, {3}); };
  EXPECT_EQ(at_3(*model.slow_potential), 9 + 6 + 216);
  EXPECT_EQ(at_3(*model.fast_potential), 81 + 3);
  EXPECT_EQ(at_3(*model.potential), 9 + 6 + 216 + 81 + 3);
  ASSERT_EQ(model.invariants.size(), 2U);
  EXPECT_EQ(model.invariants[1].name, "second");
}

// A name of the model's own is hidden by the number of an item, and known again after it.
TEST(TomlLists, TheNumberOfAnItemHidesAName) {
  const Model model = parse_model(R"model(format = 1
[parameters]
i = 7
[coordinates]
r = { count = 2, dim = 1 }
[energy]
mass = { r = "1 + i" }
potential = "i*r[0].x"
[initial]
q.r = ["2*i"]
[integrate]
step = "i"
)model",
                                  "m.toml");
  const ModelSystem<double> sys(compile(model));
  const Start<double> start = initial_state(sys);
  EXPECT_EQ(start.state.q[1], 2);
  EXPECT_EQ(*start.step, 7);
}

constexpr const char* renamed = R"model(format = 1
[parameters]
L = 1
[coordinates]
names = ["x", "y"]
[energy]
mass = [1, 1]
potential = "y"
[constraints]
rod = "x^2 + y^2 - L"
[invariants]
E = "y + (p_x^2 + p_y^2)/2"
[observables]
pull = "lambda_rod"
[events]
low = "x"
[initial]
q = { x = 1, y = 0 }
[units]
p_x = "kg m/s"
[names]
x = "x 1"
rod = "the rod"
E = "H, in J"
low = "x = 0"
L = "ℓ"
[view]
plot = ["lambda_rod", "p_x", "E"]
constraints = { rod = "link" }
)model";

TEST(TomlNames, AreThoseOfOutputsAndMessages) {
  const ModelAndView read = parse_model_and_view(renamed, "m.toml");
  const Model& model = read.model;
  EXPECT_EQ(model.coordinates, (std::vector<std::string>{"x 1", "y"}));
  EXPECT_EQ(model.constraints[0].name, "the rod");
  EXPECT_EQ(model.invariants[0].name, "H, in J");
  EXPECT_EQ(model.events[0].name, "x = 0");
  EXPECT_TRUE(model.parameters.contains("ℓ"));
  EXPECT_EQ(model.units.at("p_x 1"), "kg m/s");
  EXPECT_EQ(read.view.plot, (std::vector<std::string>{"lambda_the rod", "p_x 1", "H, in J"}));
  EXPECT_TRUE(read.view.constraints.contains("the rod"));
  EXPECT_EQ(model.place("constraints.the rod"), "m.toml:10:7: ");
  EXPECT_EQ(model.place("initial.q.x 1"), "m.toml:18:11: ");
}

TEST(TomlNames, MustBeNamesOfTheModel) {
  const auto complaint_of = [](const std::string& from, const std::string& to) {
    std::string text = renamed;
    text.replace(text.find(from), from.size(), to);
    return message_of<InputError>([&] { (void)parse_model(text, "m.toml"); });
  };
  EXPECT_EQ(complaint_of("rod = \"the rod\"", "rood = \"the rod\""),
            "m.toml:23:1: [names] names 'rood', which the model does not have. Did you mean 'rod'?");
  EXPECT_EQ(complaint_of("rod = \"the rod\"", "rod = 3"),
            "m.toml:23:7: a name is text in quotes: rod = \"how outputs call it\"");
}

}  // namespace
}  // namespace holonom::test
