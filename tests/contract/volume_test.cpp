// The splitting (2.22) of Hairer, Lubich and Wanner (2003): numbers of an independent program on their ABC flow, and
// what it does with parts of other numbers and sizes.
#include <gtest/gtest.h>

#include <array>

#include "holonom/analysis/tangent_map.hpp"
#include "holonom/field.hpp"
#include "model_run.hpp"
#include "printed.hpp"

namespace holonom::contract {
namespace {

std::shared_ptr<const CompiledModel> from_text(const std::string& text) {
  return compile(parse_model("format = 1\nname = \"test\"\n" + text, "test.toml"));
}

constexpr double h = 0.1;

std::shared_ptr<const CompiledModel> abc_flow() { return load("abc-flow", {{"A", "0.5"}, {"B", "1"}, {"C", "1"}}); }
State<double> start_of_abc() {
  State<double> x(3, 0);
  x.q = Vec<double>{0.1, 0.2, 0.3};
  return x;
}

TEST(VolumeSplitting, IsTwoPointTwentyTwo) {
  const ModelSystem<double> sys(abc_flow(), engine_of(form_from_environment()));
  NumericalMap<double> map(methods().find("volume-splitting"), sys);
  State<double> x = start_of_abc();
  map(x, h, 1);
  expect_printed(x.q, {".21491526710130", ".26226832383819", ".42174001198916"}, 0, 14);
  x = start_of_abc();
  map(x, h, 100);
  expect_printed(x.q, {"1.1611635712053", ".43404120789235", "10.584887154644"}, 0, 13);
}

TEST(VolumeSplitting, PreservesVolumeForAHundredSteps) {
  const ModelSystem<Dual<double>> dual(abc_flow());
  const auto defect = [&](const char* key) { return volume_defect(methods().find(key), dual, start_of_abc(), h, 100); };
  EXPECT_LE(defect("volume-splitting"), 5e-15 * 4);  // the printed number, and another order of operations
  EXPECT_GT(defect("gauss-2"), 1e-10);
  EXPECT_GT(defect("rk-4"), 1e-10);
}

TEST(VolumeSplitting, HasOrderTwo) {
  const ModelSystem<double> sys(abc_flow());
  NumericalMap<double> map(methods().find("volume-splitting"), sys);
  const State<double> exact = ReferenceFlow<double>(sys)(start_of_abc(), 1, 64);
  std::array<double, 2> errors{};
  for (const long n : {40L, 80L}) {
    State<double> x = start_of_abc();
    map(x, 1.0 / static_cast<double>(n), n);
    errors[n == 80] = largest_difference(x.q, exact.q);
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.005);
}

// Blocks x, y, z of two, one and two variables, by hand: what is one part of the paper is one part here, and the order
// of the variables within a part does not matter.
TEST(VolumeSplitting, TakesPartsOfSeveralVariables) {
  const ModelSystem<double> sys(from_text(R"model([field]
q.x1 = "sin(y) + z1*z2"
q.x2 = "cos(y - z2)"
p.y = "x1*x2 - z1"
p.z1 = "x1 + y^2"
p.z2 = "sin(x2*y)"
[initial]
x1 = 0.3
x2 = -0.2
y = 0.5
z1 = 0.1
z2 = 0.7
)model"));
  EXPECT_EQ(sys.shears().start, (std::vector<int>{0, 2, 3, 5}));
  EXPECT_EQ(sys.shears().in_q, 2);
  State<double> x = initial_state(sys).state;
  double x1 = 0.3, x2 = -0.2, y = 0.5, z1 = 0.1, z2 = 0.7;
  const auto move_x = [&](double t) {
    const double a = std::sin(y) + z1 * z2, b = std::cos(y - z2);
    x1 += t * a;
    x2 += t * b;
  };
  const auto move_y = [&](double t) { y += t * (x1 * x2 - z1); };
  const auto method = methods().find("volume-splitting").make<double>(sys);
  ASSERT_TRUE(method->begin(x, h).ok());
  for (int k = 0; k < 20; ++k) {
    ASSERT_TRUE(method->step(x, h).ok());
    move_x(h / 2);
    move_y(h / 2);
    z1 += h * (x1 + y * y);
    z2 += h * std::sin(x2 * y);
    move_y(h / 2);
    move_x(h / 2);
  }
  EXPECT_NEAR(x.q[0], x1, 1e-14);
  EXPECT_NEAR(x.q[1], x2, 1e-14);
  EXPECT_NEAR(x.p[0], y, 1e-14);
  EXPECT_NEAR(x.p[1], z1, 1e-14);
  EXPECT_NEAR(x.p[2], z2, 1e-14);
  EXPECT_EQ(method->counters().force, 1U + 20U * 4U) << "the rates of the first part are known from the last step";
}

// Two parts, q' = g(p) and p' = f(q): the parts of (2.19).
TEST(VolumeSplitting, IsVerletBOfTwoParts) {
  const ModelSystem<double> sys(from_text(R"model([field]
q.x = "sin(v)"
p.v = "-x^3"
[initial]
x = 0.7
v = 0.4
)model"));
  State<double> a = initial_state(sys).state, b = a;
  NumericalMap<double>(methods().find("volume-splitting"), sys)(a, h, 50);
  NumericalMap<double>(methods().find("verlet-b"), sys)(b, h, 50);
  EXPECT_NEAR(a.q[0], b.q[0], 1e-14);
  EXPECT_NEAR(a.p[0], b.p[0], 1e-14);
}

std::string refusal(const AnySystem<double>& sys, const char* key = "volume-splitting") {
  try {
    (void)methods().find(key).make<double>(sys);
  } catch (const Unsuitable& e) {
    return e.what();
  }
  return "";
}

TEST(VolumeSplitting, SaysWhyNot) {
  EXPECT_EQ(
      refusal(ModelSystem<double>(load("lotka-volterra"))),
      "volume-splitting does not suit this system: the rate of 'u' depends on 'u' itself, and the splitting is for "
      "fields in which every rate is one of the other variables. Take verlet-a or verlet-b, or a Runge-Kutta "
      "method such as gauss-2");
  EXPECT_NE(refusal(ModelSystem<double>(load("reversible-pendulum"))).find("'v' depends on 'v' itself"),
            std::string::npos);
  EXPECT_NE(refusal(ModelSystem<double>(load("kepler")), "yoshida-4/volume-splitting")
                .find("it has a Hamiltonian. Take a symplectic method"),
            std::string::npos);
  // By derivatives, not by what is written.
  const ModelSystem<double> hidden(from_text("[field]\nx = \"(x + y) - x\"\ny = \"x\"\n[initial]\nx = 1\ny = 0\n"));
  EXPECT_EQ(refusal(hidden), "");
}

// A field of one's own may say what it is made of.
class Rotation final : public Field<double> {
 public:
  explicit Rotation(bool says_so) : says_so_(says_so) {}
  int n() const override { return 1; }
  void rates(const Vec<double>& q, const Vec<double>& p, Vec<double>& q_rate, Vec<double>& p_rate) const override {
    q_rate[0] = p[0];
    p_rate[0] = -q[0];
  }
  void along(const Vec<double>&, const Vec<double>&, const Vec<double>& u, const Vec<double>& w, Vec<double>& q_change,
             Vec<double>& p_change) const override {
    q_change[0] = w[0];
    p_change[0] = -u[0];
  }
  const ShearParts& shears() const override { return says_so_ ? parts_ : Field::shears(); }
  void shear_rates(int k, const Vec<double>& q, const Vec<double>& p, Vec<double>& out) const override {
    out[0] = k == 0 ? p[0] : -q[0];
  }

 private:
  bool says_so_;
  ShearParts parts_{"", 1, {0, 1, 2}};
};

TEST(VolumeSplitting, RunsOnFieldsOfOnesOwn) {
  const Rotation silent(false), field(true);
  Labels labels;
  labels.model = "rotation";
  EXPECT_NE(refusal(FieldSystem<double>(silent, labels)).find("what its rates depend on is not known"),
            std::string::npos);
  const FieldSystem<double> sys(field, labels);
  State<double> x(1, 0), y(1, 0);
  x.q[0] = y.q[0] = 1;
  NumericalMap<double>(methods().find("volume-splitting"), sys)(x, h, 10);
  NumericalMap<double>(methods().find("verlet-b"), sys)(y, h, 10);
  EXPECT_NEAR(x.q[0], y.q[0], 1e-15);
  EXPECT_NEAR(x.p[0], y.p[0], 1e-15);
}

}  // namespace
}  // namespace holonom::contract
