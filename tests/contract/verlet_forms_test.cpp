// One method in many forms: all of section 1 of Hairer, Lubich and Wanner (2003), and the methods for constraints
// without any, are the same map up to rounding errors. docs/methods/verlet.md says which key is which form.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "../unit/temporary_file.hpp"
#include "holonom/methods/rattle_general.hpp"
#include "model_run.hpp"

namespace holonom::contract {
namespace {

constexpr long steps = 50;

// n coordinates, masses that are not 1, a nonlinear force
constexpr const char* anharmonic = R"model(format = 1
name = "anharmonic"
[coordinates]
names = ["x", "y"]
[energy]
mass = [2, 0.5]
potential = "x^4/4 + x^2*y + cosh(y)"
[initial]
q = { x = 0.7, y = -0.3 }
p = { x = 0.4, y = 0.6 }
)model";
constexpr const char* as_a_field = R"model(format = 1
name = "the same as a field"
[field]
q.x = "v/2"
q.y = "2*w"
p.v = "-x^3 - 2*x*y"
p.w = "-x^2 - sinh(y)"
[initial]
x = 0.7
y = -0.3
v = 0.4
w = 0.6
)model";

// All states of a run, the start first.
using Path = std::vector<State<double>>;

struct Forms {
  explicit Forms(const ModelSystem<double>& system, double step)
      : sys(system), h(step), start(initial_state(sys).state) {}

  Path run(const MethodEntry& entry, const AnySystem<double>& on) const {
    NumericalMap<double> map(entry, on);
    State<double> x = start;
    Path path{x};
    map(x, h, steps, [&](const State<double>& y) { path.push_back(y); });
    return path;
  }
  Path run(const std::string& key) const { return run(methods().find(key), sys); }
  // first over h/2, then second over h/2
  Path pair(const char* first, const char* second) const {
    NumericalMap<double> one(methods().find(first), sys), other(methods().find(second), sys);
    return by([&](State<double>& x) {
      one(x, h / 2, 1);
      other(x, h / 2, 1);
    });
  }
  Path by(const std::function<void(State<double>&)>& step) const {
    State<double> x = start;
    Path path{x};
    for (long k = 0; k < steps; ++k) {
      step(x);
      path.push_back(x);
    }
    return path;
  }
  // The exact flows of (1.10)
  void drift(State<double>& x, double t) const {
    Vec<double> v(sys.n());
    sys.H_p(x.q, x.p, v);
    axpy(t, v, x.q);
  }
  void kick(State<double>& x, double t) const {
    Vec<double> slope(sys.n());
    sys.H_q(x.q, x.p, slope);
    axpy(-t, slope, x.p);
  }

  const ModelSystem<double>& sys;
  double h;
  State<double> start;
};

double largest_difference(const Path& a, const Path& b) {
  double largest = 0;
  EXPECT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    keep_largest(largest, holonom::largest_difference(a[k].q, b[k].q));
    keep_largest(largest, holonom::largest_difference(a[k].p, b[k].p));
  }
  return largest;
}

// Rounding errors of motions of size 1 that do not stretch much in so many steps
constexpr double round_off = 1e-13;

void expect_same(const char* what, const Path& form, const Path& verlet, double bound = round_off) {
  const double difference = largest_difference(form, verlet);
  testing::Test::RecordProperty(what, std::to_string(difference));
  EXPECT_LE(difference, bound) << what;
}

class VerletForms : public testing::TestWithParam<const char*> {
 protected:
  ModelSystem<double> sys{GetParam() == std::string("anharmonic") ? compile(parse_model(anharmonic, "test.toml"))
                                                                  : load(GetParam())};
  Forms forms{sys, GetParam() == std::string("kepler") ? 0.01 : 0.05};
};

// (1.5), the composition (A) = SE2 ∘ SE1 of (1.12), and the splitting of (1.13)
TEST_P(VerletForms, OfVariantA) {
  const double h = forms.h;
  const Path verlet = forms.by([&](State<double>& x) {
    forms.kick(x, h / 2);
    forms.drift(x, h);
    forms.kick(x, h / 2);
  });
  for (const char* key : {"rattle", "verlet-a", "lobatto-2", "shake", "shake-leapfrog", "geodesic-2", "geodesic-3"})
    expect_same(key, forms.run(key), verlet);
  expect_same("shake-two-step", forms.run("shake-two-step"), verlet, round_off / h);  // p from differences of q
  expect_same("symplectic Euler, then its adjoint", forms.pair("symplectic-euler", "symplectic-euler-adjoint"), verlet);
  MethodEntry general = methods().find("rattle");
  std::get<Maker<double>>(general.makers) = [](const AnySystem<double>& on, const MethodOptions& options) {
    return make_on<RattleGeneral<HamiltonianView<double>>, HamiltonianView<double>>("rattle", on, options);
  };
  expect_same("rattle for any H", forms.run(general, sys), verlet);
  // It is not B.
  EXPECT_GT(largest_difference(forms.run("position-verlet"), verlet), 1e-6);
}

// (1.6), with the roles exchanged
TEST_P(VerletForms, OfVariantB) {
  const double h = forms.h;
  const Path verlet = forms.by([&](State<double>& x) {
    forms.drift(x, h / 2);
    forms.kick(x, h);
    forms.drift(x, h / 2);
  });
  for (const char* key : {"position-verlet", "verlet-b"}) expect_same(key, forms.run(key), verlet);
  expect_same("the adjoint, then symplectic Euler", forms.pair("symplectic-euler-adjoint", "symplectic-euler"), verlet);
}

// (1.2): q₊ − 2q + q₋ = −h² M⁻¹∇V(q), p from (1.4)
TEST_P(VerletForms, InTwoSteps) {
  const double h = forms.h;
  const Path verlet = forms.run("rattle"), shake = forms.run("shake-two-step");
  State<double> x = verlet[1];
  Vec<double> before = forms.start.q, slope(sys.n()), a(sys.n());
  double off = 0, off_shake = 0;
  for (std::size_t k = 2; k < verlet.size(); ++k) {
    sys.H_q(x.q, x.p, slope);
    sys.mass().solve(slope, a);
    for (int i = 0; i < sys.n(); ++i) {
      const double next = 2 * x.q[i] - before[i] - h * h * a[i];
      before[i] = x.q[i];
      x.q[i] = next;
    }
    keep_largest(off, holonom::largest_difference(x.q, verlet[k].q));
    keep_largest(off_shake, holonom::largest_difference(x.q, shake[k].q));
  }
  // Rounding errors of such a sum grow like k²/2.
  EXPECT_LE(off, steps * round_off);
  EXPECT_LE(off_shake, steps * round_off);
}

// (1.7): p at half steps, q at whole ones; A and B are this, begun and ended in other places.
TEST_P(VerletForms, AsLeapfrog) {
  const double h = forms.h;
  const Path a = forms.run("rattle"), leapfrog = forms.run("shake-leapfrog");
  State<double> x = forms.start;
  forms.kick(x, h / 2);
  double off = 0;
  for (std::size_t k = 1; k < a.size(); ++k) {
    forms.drift(x, h);
    keep_largest(off, holonom::largest_difference(x.q, a[k].q));
    keep_largest(off, holonom::largest_difference(x.q, leapfrog[k].q));
    forms.kick(x, h);
  }
  EXPECT_LE(off, round_off);
  // SE1 ∘ A^N = B^N ∘ SE1, over h/2
  NumericalMap<double> euler(methods().find("symplectic-euler"), sys), b(methods().find("position-verlet"), sys);
  State<double> y = a.back(), z = forms.start;
  euler(y, h / 2, 1);
  euler(z, h / 2, 1);
  b(z, h, steps);
  EXPECT_LE(largest_difference({y}, {z}), round_off);
}

INSTANTIATE_TEST_SUITE_P(Survey, VerletForms, testing::Values("anharmonic", "henon-heiles", "kepler", "toda"),
                         [](const testing::TestParamInfo<const char*>& model) { return test_name(model.param); });

// The composition as a scheme, with the coefficients 1/2 and 1/2.
TEST(VerletFormsElsewhere, AsASchemeOfSymplecticEuler) {
  const ModelSystem<double> sys(compile(parse_model(anharmonic, "test.toml")));
  const Forms forms(sys, 0.05);
  const test::TemporaryFile file(".toml");
  std::ofstream(file.path()) << "name = \"halves\"\nadjoint = true\ncoefficients = [\"1/2\", \"1/2\"]\n";
  expect_same("scheme", forms.run("scheme:" + file.path() + "/symplectic-euler"), forms.run("rattle"));
}

// The same motion as a field, and its splitting into two shears
TEST(VerletFormsElsewhere, OfTheSameMotionAsAField) {
  const ModelSystem<double> sys(compile(parse_model(anharmonic, "test.toml"))),
      field(compile(parse_model(as_a_field, "test.toml")));
  const Forms mechanical(sys, 0.05), first_order(field, 0.05);
  expect_same("verlet-a", first_order.run("verlet-a"), mechanical.run("rattle"));
  expect_same("lobatto-2", first_order.run("lobatto-2"), mechanical.run("rattle"));
  expect_same("halves of it", first_order.pair("symplectic-euler", "symplectic-euler-adjoint"),
              mechanical.run("rattle"));
  expect_same("verlet-b", first_order.run("verlet-b"), mechanical.run("position-verlet"));
  expect_same("volume-splitting", first_order.run("volume-splitting"), mechanical.run("position-verlet"));
}

// Where H is not separable, and where there is none, (1.24) and (1.25) are implicit compositions of their halves.
TEST(VerletFormsElsewhere, OfImplicitEquations) {
  const ModelSystem<double> general(compile(parse_model(R"model(format = 1
name = "general"
[coordinates]
names = ["x", "y"]
[energy]
hamiltonian = "(1 + x^2/4)*p_x^2/2 + p_y^2 + x*p_y/3 + cos(x - y)"
[initial]
q = { x = 0.7, y = -0.3 }
p = { x = 0.4, y = 0.6 }
)model",
                                                        "test.toml"))),
      field(load("reversible-pendulum"));
  const Forms of_H(general, 0.05), of_field(field, 0.05);
  for (const Forms* forms : {&of_H, &of_field}) {
    const Path a = forms->run("verlet-a"), b = forms->run("verlet-b");
    expect_same("A", forms->pair("symplectic-euler", "symplectic-euler-adjoint"), a);
    expect_same("B", forms->pair("symplectic-euler-adjoint", "symplectic-euler"), b);
    expect_same("lobatto-2", forms->run("lobatto-2"), a);
  }
  expect_same("rattle", of_H.run("rattle"), of_H.run("verlet-a"));
  expect_same("position-verlet", of_H.run("position-verlet"), of_H.run("verlet-b"));
}

}  // namespace
}  // namespace holonom::contract
