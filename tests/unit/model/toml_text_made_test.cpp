// The text of models that were made by C++ expressions, which may have what no file has: odd names, formulas that share
// much, terms in any order, large tables.
#include "holonom/expr/derivative.hpp"
#include "model/same_model.hpp"

namespace holonom::test {
namespace {

// Formulas hold numbers: another value of a parameter would change nothing.
TEST(TomlText, ParametersCannotBeSet) {
  const Model model = load_model(HOLONOM_MODELS "/pendulum.toml");
  const std::string text = toml_text(model);
  EXPECT_NO_THROW(parse_model(text, "again.toml", {{"L", "1"}}));
  try {
    parse_model(text, "again.toml", {{"L", "2"}});
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("set L=2: formulas of again.toml hold the values of its parameters"),
              std::string::npos)
        << e.what();
  }
}

TEST(TomlText, OfNamesThatAreNone) {
  Model model("a \"model\"\nin two lines \\ \x01 \xCE\xB8 \xFF");
  const Expr x = model.coordinate("x 1"), y = model.coordinate("θ"), z = model.coordinate("pi"),
             w = model.coordinate("p_x_1"), u = model.coordinate("sin");
  model.set_mass({1, 2, 3, 4, 5}).set_potential(x * x + sin(y) + z * w + u * u);
  model.add_constraint("rod \"1\"", x * x + y * y - 1).add_constraint("rod\n2", z - w).add_constraint("stack", u - x);
  model.add_invariant("x 2", x).add_invariant("kinetic", model.momentum(x)).add_invariant("", y);
  model.add_observable("x*y", x * y).add_observable("sum", y);
  model.add_event("x - y", x - y).add_event("1st", x);
  model.units = {{"x 1", "m\t\"\\"}, {"p_θ", "kg"}, {"rod\n2", ""}, {"no name of this model", "s"}};
  model.parameters = {{"a b", model.number("0.1").node}, {"t", model.number("3").node}};
  model.start_at({1, 0, 0, 0, 1});
  model.step = model.number("0.01").node;
  const Model named = [&] {  // TOML is Unicode
    Model copy = model;
    copy.name.pop_back();
    return copy;
  }();
  const std::string text = expect_same_model(named);
  EXPECT_TRUE(contains(text, "name = \"a \\\"model\\\"\\nin two lines \\\\ \\u0001 θ \"\n"));
  EXPECT_TRUE(contains(text, "x_1 = \"x 1\"\n"));
  EXPECT_TRUE(contains(text, "rod_2 = \"rod\\n2\"\n"));
  EXPECT_TRUE(contains(toml_text(model), "\\uFFFD\"\n")) << "a byte that is no character";
  const Model again = parse_model(text, "again.toml");
  EXPECT_EQ(again.units, (std::map<std::string, std::string>{{"x 1", "m\t\"\\"}, {"p_θ", "kg"}, {"rod\n2", ""}}));
}

// Written out, the potential has 2^60 terms, and so has the constraint: both use the same abbreviations.
TEST(TomlText, OfMuchThatIsShared) {
  Model model("shared");
  const Expr x = model.coordinate("x"), y = model.coordinate("y"), s1 = model.coordinate("s1");
  Expr f = sin(x + y * 2);
  for (int k = 0; k < 60; ++k) f = sin(f) * cos(f) + f / (3 + f * f);
  model.set_mass({1, 2, 3}).set_potential(f + s1 * s1);
  model.add_constraint("level", x * y + f - 1);
  model.start_at({0.5, 0.5, 0});
  model.project = true;
  model.step = model.number("0.01").node;
  const std::string text = expect_same_model(model);
  EXPECT_LT(text.size(), 20000U);
  EXPECT_TRUE(contains(text, "[let]\ns_1 = ")) << "s1 is a coordinate";
}

// Signs are looked for in products, each of which is met once.
TEST(TomlText, OfProductsThatAreShared) {
  Model model("products");
  const Expr x = model.coordinate("x"), y = model.coordinate("y");
  Expr f = x;
  for (int k = 0; k < 60; ++k) f = -(f * (f / (1 + y * y)));
  model.set_mass({1, 1}).set_potential(f).start_at({0.5, 0.5});
  const std::string text = toml_text(model);
  EXPECT_LT(text.size(), 20000U);
  EXPECT_EQ(toml_text(parse_model(text, "again.toml")), text);
}

TEST(TomlText, OfMuchThatIsSharedInAChartAndInObservables) {
  Model model("shared");
  const Expr x = model.coordinate("x"), y = model.coordinate("y");
  const Expr angle = model.chart_coordinate("angle", 0.25);
  const auto folded = [](Expr f) {
    for (int k = 0; k < 60; ++k) f = sin(f) + cos(f) / 3 + f;
    return f;
  };
  const Expr f = folded(angle);
  model.set_chart({sin(f), -cos(f)});
  model.set_mass({1, 1}).set_potential(y).add_constraint("rod", x * x + y * y - 1);
  model.lambda.push_back(model.graph->input());
  model.add_observable("before", x).add_observable("force", folded({model.graph.get(), model.lambda[0]}));
  model.add_observable("after", y);
  model.start_at({0, -1});
  model.step = model.number("0.01").node;
  const std::string text = toml_text(model);
  EXPECT_LT(text.size(), 30000U);
  const Model again = parse_model(text, "again.toml");
  EXPECT_EQ(toml_text(again), text);
  EXPECT_EQ(names_of(again.observables), (std::vector<std::string>{"before", "force", "after"}));
  for (const double at : {0.1, 1.3})
    for (std::size_t i = 0; i < 2; ++i)
      EXPECT_EQ(value_of<double>(*again.graph, again.chart.q[i], again.chart.delta, {at}),
                value_of<double>(*model.graph, model.chart.q[i], model.chart.delta, {at}));
  EXPECT_EQ(value_of<double>(*again.graph, again.observables[1].node, again.lambda, {0.7}),
            value_of<double>(*model.graph, model.observables[1].node, model.lambda, {0.7}));
}

// The initial values of items have no place for abbreviations.
TEST(TomlText, WhatCannotBeWrittenIsSaid) {
  Model model = parse_model(R"model(format = 1
name = "items"
[coordinates]
r = { count = 2, dim = 1 }
[energy]
mass.r = 1
potential = "r[0].x^2"
[initial]
q.r = ["i"]
)model",
                            "m.toml");
  Expr f{model.graph.get(), model.vectors[0].item};
  for (int k = 0; k < 60; ++k) f = sin(f) + cos(f);
  model.vectors[0].q0 = {f.node};
  EXPECT_EQ(message_of<InputError>([&] { (void)toml_text(model); }),
            "items: the initial values of 'r' is too long for a model file, which has no abbreviations there: give its "
            "values as numbers");
  EXPECT_EQ(message_of<InputError>([&] { (void)toml_text(Model("empty")); }),
            "empty: a model needs at least one coordinate");
}

// Numbers of all sizes are exact: of doubles all binary digits, of decimals all that were written.
TEST(TomlText, OfNumbers) {
  Model model("numbers");
  const Expr x = model.coordinate("x"), y = model.coordinate("y");
  std::vector<Expr> numbers{x, y};
  for (const char* decimal :
       {"0.1", "1e400", "-1e-400", "1.5e-5000", "0.0001e-5000", "123e5000", "1000e5000", "9.81", "1234567890123456789",
        "0.333333333333333333333333333333333333", "6.67430e-11", "100000000", "0.000001"})
    numbers.push_back(model.number(decimal));
  for (const double binary : {0.1, 1e-300, 5e-324, 1.7976931348623157e308, 1 / 3.0})
    numbers.push_back({model.graph.get(), model.graph->number(binary)});
  numbers.push_back(model.number("1") / 3);
  numbers.push_back(model.number("-22") / 7);
  numbers.push_back(model.number("1") / model.number("3e400"));
  model.set_mass({1, 1}).set_potential(x * y);
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    model.parameters["c" + std::to_string(k)] = k < 2 ? Graph::one : numbers[k].node;
    model.add_observable("o" + std::to_string(k), numbers[k] * x);
  }
  model.start_at({1, 1});
  const std::string text = toml_text(model);
  const Model again = parse_model(text, "again.toml");
  EXPECT_EQ(toml_text(again), text);
  for (const auto& [name, node] : model.parameters)
    EXPECT_EQ(again.graph->number_text(again.parameters.at(name)), model.graph->number_text(node)) << name;
  EXPECT_TRUE(contains(text, "\nc2 = 0.1\n"));
  EXPECT_TRUE(contains(text, "\nc3 = 1e400\n"));
  EXPECT_TRUE(contains(text, "\no12 = \"6.6743e-11*x\"\n"));
}

// Formulas of all operations: read again they have the same bits, and the same text.
TEST(TomlText, OfAnyFormula) {
  int same_bits = 0, all = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    Model model("random");
    const Expr x = model.coordinate("x"), y = model.coordinate("y"), z = model.coordinate("z");
    Graph& g = *model.graph;
    std::vector<NodeId> pool{x.node, y.node, z.node, g.number("0.3"), g.number(-3LL), g.pi(), Graph::one};
    for (int k = 0; k < 30; ++k) {
      const NodeId a = pool[below(static_cast<unsigned>(pool.size()))],
                   b = pool[below(static_cast<unsigned>(pool.size()))];
      switch (below(12)) {
        case 0: pool.push_back(g.add(a, b)); break;
        case 1: pool.push_back(g.sub(a, b)); break;
        case 2: pool.push_back(g.mul(a, b)); break;
        case 3: pool.push_back(g.neg(a)); break;
        case 4: pool.push_back(g.div(a, g.add(Graph::one, g.powi(b, 2)))); break;
        case 5: pool.push_back(g.powi(a, static_cast<int>(below(4)) + 1)); break;
        case 6: pool.push_back(g.apply(Op::sin, a)); break;
        case 7: pool.push_back(g.pow(g.apply(Op::exp, a), b)); break;
        case 8: pool.push_back(g.select(g.apply(Op::less, a, b), b, a)); break;
        case 9: pool.push_back(g.apply(Op::sign, a)); break;
        case 10: pool.push_back(g.mul(g.number(-3LL), a)); break;
        default: pool.push_back(g.add(g.mul(g.number(3LL), a), g.mul(g.number(-3LL), b)));
      }
    }
    model.set_mass({1, 1, 1});
    model.potential = Graph::zero;
    model.start_at({1, 1, 1});
    for (std::size_t k = 7; k < pool.size(); ++k) model.invariants.push_back({"I" + std::to_string(k), pool[k]});
    const std::string text = toml_text(model);
    const Model again = parse_model(text, "again.toml");
    ASSERT_EQ(toml_text(again), text) << "seed " << seed;
    for (std::size_t k = 0; k < model.invariants.size(); ++k) {
      const std::vector<double> at{0.37, -1.21, 2.05};
      const auto a = value_of<double>(g, model.invariants[k].node, model.q, at),
                 b = value_of<double>(*again.graph, again.invariants[k].node, again.q, at);
      ++all;
      same_bits += a == b || (a != a && b != b);
      EXPECT_TRUE(a == b || (a != a && b != b) || std::abs(a - b) <= 1e-9 * std::abs(a)) << "seed " << seed << " " << k;
    }
  }
  // 3 a + (-3)(-b - c) is written as 3 (a + b + c): that is how it would be read.
  EXPECT_GT(same_bits, 0.999 * all);
}

// Terms of a model that was not read need not be in the order of a file.
TEST(TomlText, OfStacksAndSinglesInAnyOrder) {
  Model model = parse_model(R"model(format = 1
[coordinates]
r = { count = 5, dim = 2 }
[energy]
mass.r = 1
potential = "r[0].x^2"
[[energy.sum]]
over = { i = "0..4" }
term = "r[i].y"
[constraints]
a = "r[0].x - 1"
b = "r[0].y"
[[constraints.stack]]
name = "link"
over = { i = "1..2" }
zero = "r[i].x - r[i].y^3"
[initial]
q.r = ["1 - min(i, 1)", "0"]
[integrate]
step = 0.01
)model",
                            "m.toml");
  ASSERT_EQ(model.terms.size(), 5U);
  std::swap(model.terms[0], model.terms[1]);
  std::swap(model.terms[3], model.terms[4]);
  const std::string text = expect_same_model(model);
  EXPECT_TRUE(contains(text, "[[energy.sum]]\nterm = \"r[0].x^2\"\n"));
  EXPECT_TRUE(contains(text, "[[constraints.stack]]\nname = \"b\"\nzero = \"r[0].y\"\n"));
}

// A net of 10^5 springs between items in no order, with a stiffness each
TEST(TomlText, OfLargeTables) {
  constexpr int items = 30000, rows = 100000;
  Model model = parse_model("format = 1\n[coordinates]\nr = { count = " + std::to_string(items) +
                                ", dim = 3 }\n[energy]\nmass.r = 1\n[[energy.sum]]\n"
                                "over = { i = [0], j = [1], k = [2.5] }\nterm = \"k*dot(r[i] - r[j], r[i] - r[j])/2\"\n"
                                "[initial]\nq.r = [\"i\", \"sin(i)\", \"0\"]\n[integrate]\nstep = 0.001\n",
                            "m.toml");
  MappedTerm& term = model.terms.at(0);
  std::mt19937 random(3);
  term.rows = rows;
  for (MappedTerm::Gather& gather : term.gathers) gather.first.clear();
  for (auto& value : term.values) value.text.clear();
  for (int row = 0; row < rows; ++row) {
    const auto a = static_cast<int>(random() % items),
               b = static_cast<int>((static_cast<unsigned>(a) + 1 + random() % (items - 1)) % items);
    term.gathers[0].first.push_back(3 * a);
    term.gathers[1].first.push_back(3 * b);
    term.values[0].text.push_back("0." + std::to_string(random()));
  }
  const std::string text = toml_text(model);
  const Model again = parse_model(text, "again.toml");
  EXPECT_EQ(toml_text(again), text);
  ASSERT_EQ(again.terms.size(), 1U);
  ASSERT_EQ(again.terms[0].rows, rows);
  const ModelSystem<double> a(compile(model)), b(compile(again));
  const State<double> x = initial_state(a).state;
  EXPECT_EQ(a.H(x.q, x.p), b.H(x.q, x.p));
  EXPECT_LT(text.size(), 4'000'000U);
}

}  // namespace
}  // namespace holonom::test
