// [field]: the reader and its messages, derivatives, and the embedding in (q, p).
#include "holonom/analysis/conservation.hpp"
#include "holonom/analysis/symmetry.hpp"
#include "models.hpp"

namespace holonom::test {
namespace {

constexpr const char* good = R"model(format = 1
[parameters]
a = 2
[field]
q.u = "u*(v - a)"
p.v = "v*(1 - u)"
p.w = "u - w^2"
energy = "u*w"
[initial]
u = 3
v = "3/a"
w = 1
)model";

std::string with(std::string from, const std::string& to) {
  std::string text = good;
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}
std::string complaint(const std::string& text) {
  return message_of<InputError>([&] { (void)compile(parse_model(text, "m.toml")); });
}
void expect_starts(const std::string& text, const std::string& beginning) {
  EXPECT_EQ(text.substr(0, beginning.size()), beginning) << text;
}

TEST(FieldModel, HasItsOwnNamesOnly) {
  const ModelSystem<double> sys(compile(parse_model(good, "m.toml")));
  EXPECT_TRUE(sys.is_field());
  EXPECT_TRUE(sys.has_energy());
  EXPECT_EQ(sys.n(), 2) << "two variables in p; the second one in q is nobody's";
  const Labels& labels = sys.labels();
  EXPECT_EQ(labels.coordinates, std::vector<std::string>{"u"});
  EXPECT_EQ(labels.momenta(), 2U);
  EXPECT_EQ(labels.momentum(0), "v");
  EXPECT_EQ(labels.momentum(1), "w");
  EXPECT_TRUE(labels.has_parts());
  const State<double> x = initial_state(sys).state;
  EXPECT_EQ(x.q[0], 3);
  EXPECT_EQ(x.q[1], 0);
  EXPECT_EQ(x.p[0], 1.5);
  EXPECT_EQ(x.p[1], 1);
  EXPECT_EQ(sys.H(x.q, x.p), 3);
  Vec<double> q_rate(2), minus_p_rate(2);
  sys.H_p(x.q, x.p, q_rate);
  sys.H_q(x.q, x.p, minus_p_rate);
  EXPECT_EQ(q_rate[0], 3 * (1.5 - 2));
  EXPECT_EQ(q_rate[1], 0);
  EXPECT_EQ(minus_p_rate[0], -1.5 * (1 - 3));
  EXPECT_EQ(minus_p_rate[1], -(3 - 1));
  EXPECT_EQ(sys.compiled().model().method, "gauss-2") << "the usual method needs an energy";
}

TEST(FieldModel, NeedsNoPartsAndNoEnergy) {
  const ModelSystem<double> sys(load("abc-flow"));
  EXPECT_TRUE(sys.is_field());
  EXPECT_FALSE(sys.has_energy());
  EXPECT_FALSE(sys.labels().has_parts());
  EXPECT_EQ(sys.labels().coordinates, (std::vector<std::string>{"x", "y", "z"}));
  EXPECT_EQ(sys.labels().momenta(), 0U);
}

TEST(FieldModel, IsTheSameFromExpressions) {
  Model model("Lotka-Volterra");
  const Expr u = model.variable(), v = model.variable();
  model.set_field({{"u", u, u * (v - 2)}}, {{"v", v, v * (1 - u)}}).set_field_energy(u - log(u) + v - 2 * log(v));
  model.start_at({3}, {1.5});
  const ModelSystem<double> by_cpp(compile(model)), by_text(load("lotka-volterra"));
  State<double> x = initial_state(by_cpp).state, y = initial_state(by_text).state;
  for (const char* key : {"verlet-a", "verlet-b", "gauss-2", "rk-2"}) {
    NumericalMap<double> one(methods().find(key), by_cpp), two(methods().find(key), by_text);
    one(x, 0.05, 20);
    two(y, 0.05, 20);
    EXPECT_EQ(x.q[0], y.q[0]) << key;
    EXPECT_EQ(x.p[0], y.p[0]) << key;
  }
  EXPECT_EQ(by_cpp.H(x.q, x.p), by_text.H(y.q, y.p));
  EXPECT_THROW((void)Model("m").set_field_energy(u), InputError);
  Model both = model;
  both.set_hamiltonian(u);
  EXPECT_EQ(message_of<InputError>([&] { (void)compile(both); }),
            "Lotka-Volterra: a field stands instead of an energy: give one of them");
}

// In 100 digits a difference quotient knows sixty of them.
TEST(FieldModel, HasExactDerivatives) {
  using S = mp100;
  const ModelSystem<S> sys(compile(parse_model(with("v*(1 - u)", "v*exp(u)*w/(2 + v)"), "m.toml")));
  const State<S> x = initial_state(sys).state;
  const int n = sys.n();
  Vec<S> direction(n), exact(n), above(n), below(n);
  for (int i = 0; i < n; ++i) direction[i] = S(i + 2) / S(3);
  const S d("1e-30");
  const auto compare = [&](const char* what, bool in_p, auto&& derivative, auto&& function) {
    State<S> up = x, down = x;
    axpy(d, direction, in_p ? up.p : up.q);
    axpy(S(-d), direction, in_p ? down.p : down.q);
    function(up, above);
    function(down, below);
    derivative(exact);
    for (int i = 0; i < n; ++i)
      EXPECT_LT(to_double(abs(S((above[i] - below[i]) / (2 * d) - exact[i]))), 1e-50) << what << i;
  };
  const auto H_p = [&](const State<S>& y, Vec<S>& out) { sys.H_p(y.q, y.p, out); };
  const auto H_q = [&](const State<S>& y, Vec<S>& out) { sys.H_q(y.q, y.p, out); };
  compare(
      "H_pp", true, [&](Vec<S>& out) { sys.H_pp(x.q, x.p, direction, out); }, H_p);
  compare(
      "H_pq", false, [&](Vec<S>& out) { sys.H_pq(x.q, x.p, direction, out); }, H_p);
  compare(
      "H_qp", true, [&](Vec<S>& out) { sys.H_qp(x.q, x.p, direction, out); }, H_q);
  compare(
      "H_qq", false, [&](Vec<S>& out) { sys.H_qq(x.q, x.p, direction, out); }, H_q);
  EXPECT_FALSE(sys.lacks(Quantity::V).empty());
  EXPECT_FALSE(sys.lacks(Quantity::V_parts).empty());
}

TEST(FieldModel, MistakesHaveAPlaceAndARemedy) {
  expect_starts(complaint(with("[initial]", "[energy]\nhamiltonian = \"u\"\n[initial]")),
                "m.toml:9:1: [field] gives the motion itself: leave [energy] out.");
  expect_starts(complaint(with("[initial]", "[constraints]\nc = \"u\"\n[initial]")),
                "m.toml:9:1: a field has no constraints: leave [constraints] out");
  expect_starts(complaint(with("[initial]", "[coordinates]\nnames = [\"u\"]\n[initial]")),
                "m.toml:9:1: [field] names its variables itself: leave [coordinates] out");
  expect_starts(complaint(with("p.w =", "w =")),
                "m.toml:7:1: [field] has parts: write 'w' as q.w = \"formula\" or p.w");
  expect_starts(complaint(with("p.w =", "r.w =")), "m.toml:7:1: [field] has parts: write 'r' as q.r");
  expect_starts(complaint("format = 1\n[field]\nr.w = \"1\"\n"), "m.toml:3:1: the parts of [field] are called q and p");
  expect_starts(complaint("format = 1\n[field]\nenergy = \"1\"\n"),
                "m.toml:2:1: [field] needs the rates of its variables");
  expect_starts(complaint("format = 1\n[field]\nq.w = \"1\"\n"), "m.toml:2:1: the part p of [field] is missing");
  expect_starts(complaint(with("p.w =", "p.u =")), "m.toml:7:3: the name 'u' is used twice");
  expect_starts(complaint(with("p.w =", "p.energy =")), "m.toml:7:3: a variable must not be called 'energy'");
  expect_starts(complaint(with("p.w =", "p.sin =")), "m.toml:7:3: 'sin' is the name of a function");
  expect_starts(complaint(with("u - w^2", "u - x^2")), "m.toml:7:12: in the rate of 'w': unknown name 'x'");
  expect_starts(complaint(with("u - w^2", "[u, w]")), "m.toml:7:7: the rate of 'w' must be a number, not a vector");
  expect_starts(complaint(with("u*w", "u*p_w")), "m.toml:8:13: in the energy: unknown name 'p_w'");
  expect_starts(complaint(with("w = 1\n", "")), "m.toml:9:1: [initial] has no value for the variable 'w'");
  expect_starts(complaint(with("w = 1\n", "w = 1\nz = 1\n")),
                "m.toml:13:1: unknown key 'z' in [initial], which has a value");
  expect_starts(complaint(with("3/a", "3/u")), "m.toml:11:5: initial.v must not depend on coordinates");
  expect_starts(complaint(std::string(good) + "[reversal]\nflip = [\"p_u\"]\n"),
                "m.toml:14:9: flip takes variables of [field], not 'p_u'. They are: u, v, w.");
  expect_starts(complaint(std::string(good) + "[invariants]\nv = \"u\"\n"),
                "m.toml:14:1: an invariant must not be called 'v'");
  expect_starts(complaint(std::string(good) + "[observables]\nv = \"u\"\n"),
                "m.toml:14:1: an observable must not be called 'v'");
  expect_starts(complaint(std::string(good) + "[observables]\nk = \"kinetic\"\n"),
                "m.toml:14:5: observable 'k' uses the kinetic or the potential energy, but a field has no potential");
  expect_starts(complaint("format = 1\n"), "m.toml: the table [coordinates] with names = [...] is missing (or [field]");
  expect_starts(complaint(with("[initial]", "[initials]")), "m.toml:9:2: unknown key 'initials'");
}

TEST(FieldModel, TroubleAtTheStartIsNamed) {
  const auto start = [](const std::string& text) {
    const ModelSystem<double> sys(compile(parse_model(text, "m.toml")));
    return message_of<InputError>([&] { (void)initial_state(sys); });
  };
  EXPECT_EQ(
      start(with("3/a", "1/(a - 2)")),
      "m.toml:11:5: the initial value of 'v' is not finite (a division by zero, or a function outside its domain)");
  EXPECT_EQ(
      start(with("u - w^2", "log(w - u)")),
      "m.toml:9:1: at the initial values the rate of 'w' is not finite (a division by zero, or a function outside its "
      "domain)");
  EXPECT_EQ(start(with("u*w", "log(-u)")),
            "m.toml:9:1: at the initial values the energy is not finite (a division by zero, or a function outside its "
            "domain)");
}

// rate(f) is the derivative along the field, in what comes after it.
TEST(FieldModel, HasRates) {
  const auto compiled = compile(parse_model(std::string(good) + "[observables]\nk = \"rate(u*w)\"\n", "m.toml"));
  const ModelSystem<double> sys(compiled);
  Vec<double> out(1);
  sys.observables(initial_state(sys).state, out);
  EXPECT_DOUBLE_EQ(out[0], -1.5 * 1 + 3 * 2);
  EXPECT_NE(complaint(with("u*(v - a)", "rate(u)")).find("rate(f) needs velocities"), std::string::npos);
}

TEST(FieldModel, KnowsWhetherItIsReversible) {
  const auto defect = [](const std::shared_ptr<const CompiledModel>& compiled) {
    const ModelSystem<double> sys(compiled);
    return reversal_defect(sys, initial_state(sys).state);
  };
  EXPECT_LT(defect(load("reversible-pendulum")), 1e-15);
  EXPECT_LT(defect(load("rigid-body-euler")), 1e-15);
  EXPECT_GT(defect(load("lotka-volterra")), 0.1);
  EXPECT_GT(defect(load("abc-flow")), 0.1);
  // What changes its sign is p, unless something else is said.
  const std::string slope = "[field]\nq.x = \"v\"\np.v = \"-sin(x + 1)\"\n[initial]\nx = 1\nv = 1\n";
  EXPECT_LT(defect(from_text(slope)), 1e-15);
  EXPECT_GT(defect(from_text(slope + "[reversal]\nflip = [\"x\"]\n")), 0.01);
  // A brake is not reversible.
  EXPECT_GT(defect(from_text("[field]\nq.x = \"v\"\np.v = \"-x - v/10\"\n[initial]\nx = 1\nv = 1\n")), 0.01);
}

TEST(InvariantForms, AreTold) {
  const ModelSystem<double> sys(from_text(R"(
[field]
q.x = "v"
q.y = "w"
p.v = "-x"
p.w = "-y"
[invariants]
angular = "x*w - y*v"
affine = "(x + 1)*w - y*v"
energy_like = "x^2 + v^2"
cubic = "x^3"
skew = "x^2*v"
[initial]
x = 1
y = "0.3"
v = "0.2"
w = -1
)"));
  using enum InvariantForm;
  EXPECT_EQ(invariant_forms(sys, initial_state(sys).state),
            (std::vector<InvariantForm>{bilinear, bilinear, quadratic, other, other}));
}

}  // namespace
}  // namespace holonom::test
