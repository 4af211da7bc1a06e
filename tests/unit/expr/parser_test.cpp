// Formulas as text: what they mean, what is said of mistakes and where, and that no text at all can
// do harm.
#include "holonom/expr/parser.hpp"

#include <random>

#include "support.hpp"

namespace holonom::test {
namespace {

TEST(Parser, Precedence) {
  Playground p;
  const double x = 3, y = 5;
  // clang-format off
  const std::vector<std::pair<const char*, double>> cases{
      {"1 + 2*3", 7},          {"(1 + 2)*3", 9},         {"10 - 4 - 3", 3},       {"100/10/2", 5},
      {"2*3/4", 1.5},          {"-x^2", -9},             {"(-x)^2", 9},           {"2^-3", 0.125},
      {"2^3^2", 512},          {"(2^3)^2", 64},          {"-2^2", -4},            {"2^-x^2", 1.0 / 512},
      {"--x", 3},              {"-+-x", 3},              {"2 - -x", 5},           {"2*-x", -6},
      {"-x*y", -15},           {"x^2*y", 45},            {"x*y^2", 75},           {"1/x*3", 1},
      {"x/y*y", 3},            {"x < y", 1},             {"x > y", 0},            {"x <= 3", 1},
      {"x >= 3", 1},           {"x == 3", 1},            {"x != 3", 0},           {"1 + 1 < 1 + 2", 1},
      {"if(x < y, 1, 2)", 1},  {"if(x > y, 1, 2)", 2},   {"if(x - 3, 1, 2)", 2},  {"if(x, 1, 2)", 1},
      {"min(x, y)", 3},        {"max(x, y)", 5},         {"atan2(0, 1)", 0},      {"abs(-x)", 3},
      {"sqrt(16)", 4},         {"pow(x, 2)", 9},         {"pow(2, -1)", 0.5},     {".5", 0.5},
      {"5.", 5},               {"1e3", 1000},            {"1E-3", 0.001},         {"1.5e+2", 150},
      {" x\t+\n\ry ", 8},       {"sin (0)", 0},          {"((((x))))", 3},
      {"[1, 2, 3].z", 3},      {"w.y", 5},               {"u.x", 3},              {"(u + u).y", 10},
      {"(2*u).x", 6},          {"(u*2).x", 6},           {"(u/2).y", 2.5},        {"(-u).x", -3},
      {"(u - [1, 1]).y", 4},   {"dot(u, u)", 34},        {"norm([3, 4])", 5},     {"cross([1, 0, 0], [0, 1, 0]).z", 1},
      {"[x, y] .x", 3},        {"dot(cross(w, [1, 2, 3]), w)", 0}, {"2^0.5^2", std::pow(2, 0.25)},
  };
  // clang-format on
  for (const auto& [formula, expected] : cases) EXPECT_DOUBLE_EQ(p.evaluate(formula, x, y, 0.0), expected) << formula;
}

TEST(Parser, RateIsTheTimeDerivative) {
  Playground p;
  p.scope.q = {p.x, p.y};
  const Expr vx{&p.graph, p.graph.input()}, vy{&p.graph, p.graph.input()};
  p.scope.v = {vx.node, vy.node};
  p.scope.names.emplace("v_x", vx);
  p.scope.names.emplace("v_y", vy);
  EXPECT_EQ(p.parse("rate(x^2*y)"), p.parse("2*x*v_x*y + x^2*v_y")) << "up to the order of terms and factors";
  EXPECT_EQ(p.parse("rate(z)"), Graph::zero);
}

struct Mistake {
  std::string text;
  std::size_t offset;
  std::string message;
};

void expect_mistake(const Mistake& m) {
  Playground p;
  try {
    (void)parse_formula(m.text, p.scope);
    ADD_FAILURE() << "accepted: " << m.text;
  } catch (const FormulaError& e) {
    EXPECT_EQ(e.offset, m.offset) << m.text << ": " << e.what();
    EXPECT_TRUE(contains(e.what(), m.message)) << m.text;
  }
}

TEST(Parser, Mistakes) {
  const std::vector<Mistake> mistakes{
      {"", 0, "the formula is empty"},
      {"   ", 3, "the formula is empty"},
      {"x +", 3, "the formula ends where a value was expected"},
      {"x + * y", 4, "a value was expected, not '*'"},
      {"x ** y", 3, "a power is written with ^"},
      {"x y", 2, "an operator was expected before 'y'"},
      {"2 x", 2, "an operator was expected before 'x'"},
      {"2x", 1, "an operator was expected after 2"},
      {"2e", 1, "an operator was expected after 2"},
      {"1e5x", 3, "an operator was expected after 1e5"},
      {"1.2.3", 0, "'1.2.3' is not a number"},
      {"1..2", 0, "'1..2' is not a number"},
      {"x + 1e99999", 4, "out of range"},
      {"x*" + std::string(6000, '3'), 2, "out of range"},
      {"x = y", 2, "a comparison is written with =="},
      {"x < y < z", 6, "an operator was expected before '<'"},
      {"x & y", 2, "an operator was expected before '&'"},
      {"x − y", 2, "an operator was expected before '−' (write -)"},
      {"2·x", 1, "(write *)"},
      {"x²", 1, "(write ^2)"},
      {"π*x", 0, "a value was expected, not 'π' (write pi)"},
      {"x + é", 4, "not 'é'"},
      {std::string("x + \x01"), 4, "the byte 0x01"},
      {std::string("x + \xff"), 4, "the byte 0xFF"},
      {std::string("x + \xc3"), 4, "the byte 0xC3"},
      {std::string("x\0y", 3), 1, "the byte 0x00"},
      {"(x + y", 0, "this '(' is never closed"},
      {"2*(x + (y)", 2, "this '(' is never closed"},
      {"sin(x", 3, "this '(' is never closed"},
      {"[x, y", 0, "this '[' is never closed"},
      {"(x + y]", 6, "')' or ',' was expected, not ']'"},
      {"[x, y)", 5, "']' or ',' was expected, not ')'"},
      {"x + y)", 5, "')' without a matching opening bracket"},
      {"x]", 1, "']' without a matching opening bracket"},
      {"()", 1, "a value was expected, not ')'"},
      {"[]", 1, "a value was expected, not ']'"},
      {"sin()", 0, "sin takes 1 argument, 0 were given"},
      {"1 + sin(x, y)", 4, "sin takes 1 argument, 2 were given"},
      {"atan2(x)", 0, "atan2 takes 2 arguments, 1 was given"},
      {"if(x, y)", 0, "if takes 3 arguments, 2 were given"},
      {"dot(u)", 0, "dot takes 2 arguments, 1 was given"},
      {"norm(u, u)", 0, "norm takes 1 argument, 2 were given"},
      {"cross(w)", 0, "cross takes 2 arguments, 1 was given"},
      {"sin(x,)", 6, "a value was expected, not ')'"},
      {"1 + sin", 4, "'sin' is a function: write sin(...)"},
      {"2*foo", 2, "unknown name 'foo'. Known names: pi, u, w, x, y, z."},
      {"xx + 1", 0, "unknown name 'xx'. Did you mean 'x'?"},
      {"X + 1", 0, "unknown name 'X'. Did you mean 'x'?"},
      {"q", 0, "unknown name 'q'. Known names"},
      {"sine(x)", 0, "unknown function 'sine'. Did you mean 'sin'?"},
      {"Sqrt(x)", 0, "unknown function 'Sqrt'. Did you mean 'sqrt'?"},
      {"bessel(x)", 0, "unknown function 'bessel'. Functions: sqrt, exp"},
      {"x(y + 1)", 0, "'x' is not a function: write x*(...) for a product"},
      {"t*x", 0, "'t' is reserved"},
      {"u + 1", 2, "a vector and a number cannot be added"},
      {"1 - u", 2, "a vector and a number cannot be added"},
      {"u + w", 2, "vectors of 2 and 3 components cannot be added"},
      {"u*u", 1, "two vectors cannot be multiplied with '*'"},
      {"x/u", 1, "a number was expected after '/', not a vector"},
      {"u^2", 0, "a number was expected before '^', not a vector"},
      {"2^u", 2, "a number was expected after '^', not a vector"},
      {"u < x", 0, "a number was expected in a comparison, not a vector"},
      {"x < u", 4, "a number was expected in a comparison, not a vector"},
      {"sin(u)", 4, "a number was expected in sin, not a vector"},
      {"atan2(x, u)", 9, "a number was expected in atan2, not a vector"},
      {"if(x < y, u, x)", 10, "a number was expected in if, not a vector"},
      {"[x, u]", 4, "a number was expected as a component, not a vector"},
      {"dot(u, x)", 7, "a vector was expected in dot, not a number"},
      {"dot(u, w)", 0, "dot needs two vectors of one size"},
      {"cross(u, u)", 0, "cross needs two vectors of three components"},
      {"norm(x)", 5, "a vector was expected in norm, not a number"},
      {"x.y", 1, "a vector was expected before a component, not a number"},
      {"u.z", 1, "this vector has only 2 components"},
      {"u.a", 1, "a component is .x, .y or .z"},
      {"u.xy", 1, "a component is .x, .y or .z"},
      {"w . x", 2, "a component is .x, .y or .z"},
      {"u.", 1, "a component is .x, .y or .z"},
      {"u[0]", 1, "an operator was expected before '['"},
      {"rate(x)", 0, "rate(f) needs velocities"},
  };
  for (const Mistake& m : mistakes) expect_mistake(m);
}

TEST(Parser, DeepNestingIsRefusedBeforeTheStackEnds) {
  const auto repeat = [](const std::string& s, int n) {
    std::string all;
    for (int i = 0; i < n; ++i) all += s;
    return all;
  };
  Playground p;
  EXPECT_EQ(p.evaluate(repeat("(", 200) + "x" + repeat(")", 200), 7.0), 7.0);
  EXPECT_EQ(p.evaluate(repeat("-", 400) + "x", 7.0), 7.0);
  for (const auto& [opening, closing] : std::vector<std::pair<std::string, std::string>>{
           {"(", ")"}, {"sin(", ")"}, {"-", ""}, {"2^", ""}, {"[", "]"}, {"if(x<", ",1,2)"}, {"+", ""}}) {
    const std::string text = repeat(opening, 100000) + "x" + repeat(closing, 100000);
    EXPECT_TRUE(contains(message_of<FormulaError>([&] { (void)parse_formula(text, p.scope); }), "nested too deeply"));
  }
}

TEST(Parser, LongFormulasAreNoProblem) {
  Playground p;
  std::string sum = "x", product = "1";
  for (int k = 0; k < 100000; ++k) sum += k % 2 ? " + y" : " - 0.5";
  for (int k = 0; k < 20000; ++k) product += "*(1 + " + std::to_string(k) + "*x)";
  EXPECT_EQ(p.evaluate(sum, 2.0, 0.5), 2.0);
  EXPECT_EQ(p.evaluate(product, 0.0), 1.0);
}

// Either a value, or a FormulaError within the text: nothing else, whatever the text is.
void try_text(Playground& p, const std::string& text) {
  try {
    (void)parse_formula(text, p.scope);
  } catch (const FormulaError& e) {
    ASSERT_LE(e.offset, text.size()) << text;
    ASSERT_FALSE(std::string(e.what()).empty());
  } catch (const std::exception& e) {
    FAIL() << "'" << text << "' gave: " << e.what();
  }
}

TEST(Parser, FuzzOfTokens) {
  const std::vector<std::string> tokens{
      "x",      "y",     "u",    "w",    "pi",    "t", "2",    "0.1",   "1e3",  "1e-400", "1e4000", "0",
      "+",      "-",     "*",    "/",    "^",     "(", ")",    "[",     "]",    ",",      ".",      ".x",
      ".z",     "<",     "<=",   "==",   "!=",    ">", "sin(", "sqrt(", "log(", "atan2(", "if(",    "dot(",
      "cross(", "norm(", "min(", "abs(", "rate(", " ", "\n",   "foo",   "=",    "!",      "·"};
  std::mt19937 random(17);
  for (int k = 0; k < 30000; ++k) {
    if (k % 1000 == 0) random.seed(static_cast<unsigned>(k));
    Playground p;
    std::string text;
    for (unsigned length = 1 + random() % 14; length > 0; --length) text += tokens[random() % tokens.size()];
    try_text(p, text);
  }
}

TEST(Parser, FuzzOfBytes) {
  std::mt19937 random(23);
  Playground p;
  for (int k = 0; k < 10000; ++k) {
    std::string text(random() % 40, ' ');
    for (char& c : text) c = static_cast<char>(random() % 256);
    try_text(p, text);
  }
}

TEST(Parser, FuzzOfSpoiltFormulas) {
  const std::string good =
      "if(x < y, sin(x)^2/(1 + norm(w)), dot(u, [y, -2e-1*x]) - cross(w, [1, 2, 3]).z) + min(x, pi)^-1.5";
  std::mt19937 random(29);
  for (int k = 0; k < 10000; ++k) {
    Playground p;
    std::string text = good;
    for (unsigned edits = 1 + random() % 3; edits > 0; --edits) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0: text.erase(at, 1 + random() % 3); break;
        case 1: text.insert(at, 1, good[random() % good.size()]); break;
        case 2: text[at] = static_cast<char>(random() % 256); break;
        default: text.resize(at + 1); break;
      }
      if (text.empty()) break;
    }
    try_text(p, text);
  }
}

TEST(Names, NearestIsOfferedOnlyIfItIsNear) {
  const std::vector<std::string> known{"rattle", "gauss-2", "lobatto-3", "x", "alpha"};
  EXPECT_EQ(nearest_name("ratle", known), "rattle");
  EXPECT_EQ(nearest_name("Rattle", known), "rattle");
  EXPECT_EQ(nearest_name("alhpa", known), "alpha") << "two exchanged letters";
  EXPECT_EQ(nearest_name("verlet", known), "");
  EXPECT_EQ(nearest_name("z", known), "") << "no letter is right";
  EXPECT_EQ(nearest_name("X", known), "x");
  EXPECT_EQ(nearest_name("", known), "");
  EXPECT_EQ(did_you_mean("zzz", {}), "");
}

TEST(Names, AreLettersDigitsAndUnderscores) {
  for (const char* good : {"x", "x1", "_", "J_wheel", "T"}) EXPECT_TRUE(is_valid_name(good)) << good;
  for (const char* bad : {"", "1x", "a b", "a-b", "é", "a.b", " x"}) EXPECT_FALSE(is_valid_name(bad)) << bad;
}

}  // namespace
}  // namespace holonom::test
