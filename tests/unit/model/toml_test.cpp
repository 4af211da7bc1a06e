// The TOML reader: where mistakes are, numbers as written, and the order of the file.
#include "holonom/model/toml.hpp"

#include <fstream>

#include "holonom/model/start.hpp"
#include "support.hpp"

namespace holonom::test {
namespace {

// A good model in lines; tests replace one of them.
std::vector<std::string> good_lines() {
  return {
      "format = 1",               // 1
      "[parameters]",             // 2
      "m = 1",                    // 3
      "[coordinates]",            // 4
      "names = [\"x\", \"y\"]",   // 5
      "[energy]",                 // 6
      "mass = [\"m\", \"m\"]",    // 7
      "potential = \"m*y\"",      // 8
      "[constraints]",            // 9
      "rod = \"x^2 + y^2 - 1\"",  // 10
      "[initial]",                // 11
      "q = { x = 1, y = 0 }",     // 12
  };
}
std::string joined(const std::vector<std::string>& lines, const std::string& end = "\n") {
  std::string text;
  for (const std::string& line : lines) text += line + end;
  return text;
}
std::string with_line(std::size_t number, const std::string& line, const std::string& end = "\n") {
  auto lines = good_lines();
  lines[number - 1] = line;
  return joined(lines, end);
}
std::string complaint(const std::string& text, const Overrides& set = {}) {
  return message_of<InputError>([&] { (void)parse_model(text, "m.toml", set); });
}

TEST(Toml, TheGoodModelIsGood) {
  const Model model = parse_model(joined(good_lines()), "folder/m.toml");
  EXPECT_EQ(model.name, "m") << "the name of the file, if there is no other";
  EXPECT_EQ(model.coordinates, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(model.method, "rattle");
  EXPECT_NO_THROW((void)compile(model));
}

TEST(Toml, PlacesInFormulas) {
  const std::string unknown = "unknown name 'foo'";
  const std::vector<std::pair<std::string, std::string>> cases{
      {with_line(8, "potential = \"m*foo\""), "m.toml:8:16: in the potential: " + unknown},
      {with_line(8, "potential = 'm*foo'"), "m.toml:8:16: "},
      {with_line(8, "potential   =   \"foo\""), "m.toml:8:18: "},
      {with_line(8, "  potential = \"foo\""), "m.toml:8:16: "},
      {with_line(8, "potential = \"\"\"m*foo\"\"\""), "m.toml:8:18: "},
      {with_line(8, "potential = \"\"\"\nm*foo\"\"\""), "m.toml:9:3: "},
      {with_line(8, "potential = '''\nm\n  *foo'''"), "m.toml:10:4: "},
      {with_line(8, "potential = \"\"\"m\n  + foo\"\"\""), "m.toml:9:5: "},
      {with_line(8, "potential = \"\"\"m + \\\n     foo\"\"\""), "m.toml:9:6: "},
      {with_line(8, "potential = \"\"\"\\\n  m + \\   \n\n     foo\"\"\""), "m.toml:11:6: "},
      {with_line(8, "potential = \"\"\"\nm\n+ foo\"\"\"", "\r\n"), "m.toml:10:3: "},
      {with_line(8, "potential = \"m\\t*foo\""), "m.toml:8:18: "},
      {with_line(8, "potential = \"m\\u0020*foo\""), "m.toml:8:22: "},
      {with_line(8, "potential = \"m\\U00000020*foo\""), "m.toml:8:26: "},
      {with_line(8, "potential = \"m + é\""), "m.toml:8:18: in the potential: a value was expected, not 'é'"},
      {with_line(8, "potential = \"m + \\u00e9\""), "not 'é'"},
      {with_line(10, "rod = \"(x^2 + y^2 - 1\""), "m.toml:10:8: in constraint 'rod': this '(' is never closed"},
      {with_line(10, "\"rod\" = \"x + foo\""), "m.toml:10:14: "},
      {with_line(10, "rod = \"\"\"\n  (x^2\n   + (y^2 - 1)\n\"\"\""),
       "m.toml:11:3: in constraint 'rod': this '(' is never closed"},
      {with_line(10, "rod = \"\"\"\r\n  (x^2\r\n   + foo)\r\n\"\"\"", "\r\n"), "m.toml:12:6: "},
      {with_line(3, "m = \"2*foo\""), "m.toml:3:8: in parameter 'm': " + unknown},
      {with_line(7, "mass = [\"m\", \"foo\"]"), "m.toml:7:15: in the mass of 'y': " + unknown},
      {with_line(12, "q = { x = \"foo\", y = 0 }"), "m.toml:12:12: in initial.q.x: " + unknown},
      {with_line(11, "# ein Kommentar mit Umlauten: äöü\n[initial]\np = { x = \"foo\" }"), "m.toml:13:12: "},
      {with_line(2, "[parameters] # π"), ""},
  };
  for (const auto& [text, expected] : cases) {
    if (expected.empty()) {
      EXPECT_NO_THROW((void)parse_model(text, "m.toml"));
    } else {
      EXPECT_TRUE(contains(complaint(text), expected)) << text;
    }
  }
}

TEST(Toml, PlacesOfKeysAndValues) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "m.toml:1:1: the file must begin with format = 1"},
      {with_line(1, "format = 2"), "m.toml:1:10: this version reads format = 1"},
      {with_line(1, "format = \"1\""), "m.toml:1:10: "},
      {with_line(1, "format = 1\nnam = \"p\""),
       "m.toml:2:1: unknown key 'nam' in the model file. Did you mean 'name'?"},
      {with_line(1, "format = 1\nname = 3"), "m.toml:2:8: the name must be a string"},
      {with_line(2, "[parameter]"),
       "m.toml:2:2: unknown key 'parameter' in the model file. Did you mean 'parameters'?"},
      {with_line(3, "m = true"), "m.toml:3:5: parameter 'm' must be a number or a formula in quotes"},
      {with_line(3, "m = 1\nm = 2"), "m.toml:4:"},
      {with_line(3, "pi = 3"), "m.toml:3:1: the name 'pi' is reserved"},
      {with_line(3, "sin = 3"), "m.toml:3:1: 'sin' is the name of a function"},
      {with_line(3, "m = inf"), "m.toml:3:5: a finite number was expected, not inf"},
      {with_line(3, "m = -nan"), "m.toml:3:5: a finite number was expected, not -nan"},
      {with_line(3, "m = 1979-05-27"), "m.toml:3:5: parameter 'm' must be a number"},
      {with_line(5, "names = [\"x\", \"2y\"]"), "m.toml:5:15: '2y' is not a name"},
      {with_line(5, "names = [\"x\", \"y\", \"x\"]"), "m.toml:5:20: the name 'x' is used twice"},
      {with_line(5, "names = [\"x\", \"t\"]"), "m.toml:5:15: the name 't' is reserved"},
      {with_line(5, "names = [\"x\", \"p_x\"]"), "m.toml:5:15: the name 'p_x' is used twice"},
      {with_line(7, "mass = [\"m\"]"), "m.toml:7:8: mass needs one number for each of the 2 coordinates"},
      {with_line(7, "mass = [[1, 0], [0]]"), "m.toml:7:17: this row of the mass matrix needs 2 entries"},
      {with_line(7, "mass = [[1, 0], 1]"), "m.toml:7:17: mass needs"},
      {with_line(7, "mass = [\"x\", 1]"), "m.toml:7:9: the mass of 'x' must not depend on coordinates"},
      {with_line(8, "potential = \"p_x\""), "m.toml:8:13: the potential uses p_x"},
      {with_line(8, "potential = { slow = \"x\", fats = \"y\" }"),
       "m.toml:8:27: unknown key 'fats' in energy.potential. Did you mean 'fast'?"},
      {with_line(10, "rod = \"[x, y]\""), "m.toml:10:7: constraint 'rod' must be a number, not a vector"},
      {with_line(10, "\"a b\" = \"x\""), "m.toml:10:1: 'a b' is not a name"},
      {with_line(10, "rod = \"m\""), "m.toml:10:7: constraint 'rod' does not depend on any coordinate"},
      {with_line(12, "q = { x = 1 }"), "m.toml:12:5: initial.q has no value for the coordinate 'y'"},
      {with_line(12, "q = { x = 1, y = 0, w = 2 }"), "m.toml:12:21: unknown key 'w' in initial.q. Known keys: x, y."},
      {with_line(12, "q.x = 1\nq.y = 0\nq.yy = 2"), "m.toml:14:3: unknown key 'yy' in initial.q. Did you mean 'y'?"},
      {with_line(12, "q = { x = 1, y = 0 }\nproject = 1"), "m.toml:13:11: project must be true, false, or { keep = "},
      {with_line(12, "q = { x = 1, y = 0 }\np = {}\nv = {}"),
       "m.toml:11:1: [initial] takes momenta p or velocities v, not both"},
      {with_line(12, "q = { x = 1, y = 0"), "m.toml:1"},
      {with_line(2, "[,]"), "m.toml:2:2: "},
      {with_line(2, "[.a]"), "m.toml:2:2: "},
      {with_line(2, "[["), "m.toml:2:"},
  };
  for (const auto& [text, expected] : cases) EXPECT_TRUE(contains(complaint(text), expected)) << text;
}

// Results are found by the names of columns.
TEST(Toml, ColumnsOfOutputsHaveNamesOfTheirOwn) {
  const auto read = [](const std::string& name, const std::string& rest) {
    const std::string text = "format = 1\n[coordinates]\nnames = [\"" + name +
                             "\"]\nr = { count = 2, dim = 1 }\n[energy]\nmass = { r = 1, " + name +
                             " = 1 }\npotential = 0\n[initial]\nq = { " + name + " = 0, r = [\"i\"] }\n" + rest;
    (void)compile(parse_model(text, "m.toml"));
  };
  const auto refused = [&](const std::string& name, const std::string& rest) {
    return message_of<InputError>([&] { read(name, rest); });
  };
  EXPECT_NO_THROW(read("x", "[constraints]\nrod = \"x\"\n[invariants]\nsize = \"r[0].x\"\n"));
  EXPECT_EQ(refused("energy", ""),
            "m.toml:2:1: the coordinate 'energy' needs another name: outputs have a column 'energy' already");
  EXPECT_EQ(refused("lambda_rod", "[constraints]\nrod = \"lambda_rod\"\n"),
            "m.toml:11:7: the constraint 'rod' needs another name: outputs have a column 'lambda_rod' already, that of "
            "the coordinate 'lambda_rod'");
  EXPECT_EQ(refused("x", "[invariants]\nr = \"r[0].x\"\n"),
            "m.toml:11:1: an invariant must not be called 'r': outputs have a column of that name already");
}

TEST(Toml, BareNumbersKeepTheirDigits) {
  const auto parameter = [](const std::string& digits) {
    const Model model = parse_model(with_line(3, "m = " + digits), "m.toml");
    return model.graph->number_text(model.parameters.at("m"));
  };
  EXPECT_EQ(parameter("0.1"), "1/10");
  EXPECT_EQ(parameter("+0.1"), "1/10");
  EXPECT_EQ(parameter("-2.50"), "-5/2");
  EXPECT_EQ(parameter("1e-3"), "1/1000");
  EXPECT_EQ(parameter("1_000.000_1"), "10000001/10000");
  EXPECT_EQ(parameter("0x1F"), "31");
  EXPECT_EQ(parameter("0b101"), "5");
  EXPECT_EQ(parameter("0o17"), "15");
  EXPECT_EQ(parameter("0.1234567890123456789012345678901234567890"),
            "123456789012345678901234567890123456789/1000000000000000000000000000000000000000");
  EXPECT_EQ(parameter("1e400"), "1" + std::string(400, '0'));
  EXPECT_EQ(parameter("-1e-400"), "-1/1" + std::string(400, '0'));
  EXPECT_EQ(parameter("12345678901234567890123"), "12345678901234567890123");
  EXPECT_EQ(parameter("\"0.1\""), "1/10");
  EXPECT_EQ(parameter("\"1/3\""), "1/3");
}

TEST(Toml, TheOrderOfTheFileIsKept) {
  const Model model = parse_model(R"toml(
format = 1
[parameters]
z = 3
a = "2*z"
[coordinates]
names = ["y", "x"]
[let]
second = "a*x"
first = "second + y"
[energy]
mass = [1, 1]
potential = "first"
[constraints]
zeta = "x - y"
alpha = "x*y - 1"
[invariants]
z2 = "p_x"
b1 = "p_y"
[initial]
q = { x = 1, y = 1 }
)toml",
                                  "m.toml");
  EXPECT_EQ(model.coordinates, (std::vector<std::string>{"y", "x"}));
  ASSERT_EQ(model.constraints.size(), 2U);
  EXPECT_EQ(model.constraints[0].name, "zeta");
  EXPECT_EQ(model.constraints[1].name, "alpha");
  EXPECT_EQ(model.invariants[0].name, "z2");
  EXPECT_EQ(model.graph->number_text(model.parameters.at("a")), "6");
}

TEST(Toml, OverridesRecomputeWhatFollows) {
  const std::string text = with_line(3, "k = 2\nm = \"3*k\"");
  const auto m = [&](const Overrides& set) {
    const Model model = parse_model(text, "m.toml", set);
    return model.graph->number_text(model.parameters.at("m"));
  };
  EXPECT_EQ(m({}), "6");
  EXPECT_EQ(m({{"k", "5"}}), "15");
  EXPECT_EQ(m({{"m", "k/10"}}), "1/5");
  EXPECT_EQ(m({{"k", "5"}, {"k", "7"}}), "21") << "the last one counts";
  EXPECT_TRUE(contains(complaint(text, {{"kk", "5"}}), "m.toml has no parameter 'kk'. Did you mean 'k'?"));
  EXPECT_TRUE(contains(complaint(text, {{"mass", "5"}}), "m.toml has no parameter 'mass'. Parameters: k, m."));
  EXPECT_TRUE(
      contains(complaint(text, {{"k", "2*"}}), "set k=2*: column 3: the formula ends where a value was expected"));
  EXPECT_TRUE(contains(complaint(text, {{"k", "m"}}), "unknown name 'm'")) << "only earlier parameters";
}

TEST(Toml, FormulasOfTheCommandLine) {
  const Model model = parse_model(joined(good_lines()), "m.toml");
  EXPECT_EQ(model.graph->number_text(model.constant("m/4", "--step")), "1/4");
  EXPECT_TRUE(contains(message_of<InputError>([&] { (void)model.constant("m*foo", "--step"); }),
                       "--step m*foo: column 3: unknown name 'foo'"));
  EXPECT_TRUE(contains(message_of<InputError>([&] { (void)model.constant("x", "--step"); }), "unknown name 'x'"));
}

TEST(Toml, FilesThatCannotBeRead) {
  EXPECT_TRUE(contains(message_of<InputError>([] { (void)load_model("no/such/file.toml"); }),
                       "no/such/file.toml: the file cannot be read"));
  EXPECT_TRUE(contains(message_of<InputError>([] { (void)load_model("."); }), ".: the file cannot be read"));
}

TEST(Toml, AnyBytesAreEitherAModelOrAnInputError) {
  const std::string good = joined(good_lines());
  unsigned random = 12345;
  const auto next = [&] { return random = random * 1664525U + 1013904223U, random >> 8U; };
  for (int k = 0; k < 3000; ++k) {
    std::string text = good;
    for (unsigned edits = 1 + next() % 4; edits > 0; --edits) {
      const std::size_t at = next() % text.size();
      switch (next() % 5) {
        case 0: text.erase(at, 1 + next() % 5); break;
        case 1: text.insert(at, 1, good[next() % good.size()]); break;
        case 2: text[at] = static_cast<char>(next() % 256); break;
        case 3: text.insert(at, good.substr(next() % good.size(), next() % 20)); break;
        default: text.resize(at + 1); break;
      }
      if (text.empty()) text = "=";
    }
    try {
      (void)compile(parse_model(text, "m.toml"));
    } catch (const InputError&) {
    } catch (const std::exception& e) {
      FAIL() << e.what() << "\n" << text;
    }
  }
}

}  // namespace
}  // namespace holonom::test
