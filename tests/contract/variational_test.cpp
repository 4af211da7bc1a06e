// Variational integrators: what their discrete Lagrangians say of them, and of RATTLE and the midpoint rule, which are
// such methods (sections 1.6, 2.2 and 6 of Hairer, Lubich and Wanner 2003).
#include <gtest/gtest.h>

#include "checks.hpp"
#include "choice.hpp"
#include "holonom/adapt.hpp"
#include "holonom/analysis/numerical_map.hpp"
#include "holonom/methods/variational_method.hpp"

namespace holonom::contract {
namespace {

std::shared_ptr<const CompiledModel> from_text(const std::string& text) {
  return compile(parse_model("format = 1\nname = \"test\"\n" + text, "test.toml"));
}

// M(q) that is full, a potential that is not polynomial, and a constraint that is not quadratic
std::shared_ptr<const CompiledModel> own_kinetic_energy(bool constrained) {
  return from_text(std::string(R"toml([coordinates]
names = ["x", "y", "z"]
[energy]
kinetic = "(exp(x)*v_x^2 + (2 + sin(y))*v_y^2 + v_z^2*(1 + z^2))/2 + cos(x - z)*v_x*v_z/4 + x*v_x*v_y/8"
potential = "cos(x) + y^2*z/3 + z^2/(1 + x^2)"
)toml") + (constrained ? "[constraints]\nshell = \"x^2 + 2*y^2 + sin(z) - 1\"\n" : "") +
                   R"toml([initial]
q = { x = 1, y = 0, z = 0 }
v = { y = "1/2" }
[integrate]
step = 0.05
until = 1
)toml");
}

DiscreteRule weighted(int at_start, int at_end, int of) {
  return {[=](const Lagrangian& L, const DiscreteStep& s) {
    return s.h * (at_start * L(s.q0, s.v) + at_end * L(s.q1, s.v)) / of;
  }};
}

// ---- they are RATTLE, and the midpoint rule

// Largest distance after 1, ..., steps steps, in units of the motion
template <class S>
double apart(const ModelSystem<S>& sys, const std::string& one, const std::string& other, long steps) {
  const Start<S> start = initial_state(sys);
  const S h = start.step.value();
  State<S> x = start.state, y = start.state;
  NumericalMap<S> first(methods().find(one), sys);
  const StateSize<S> size = motion_size(first, start.state, h, steps);
  const auto a = methods().find(one).make<S>(sys), b = methods().find(other).make<S>(sys);
  EXPECT_TRUE(a->begin(x, h).ok() && b->begin(y, h).ok());
  double largest = 0;
  for (long k = 0; k < steps; ++k) {
    EXPECT_TRUE(a->step(x, h).ok()) << one << ", step " << k;
    EXPECT_TRUE(b->step(y, h).ok()) << other << ", step " << k;
    keep_largest(largest, to_double(distance(x, y, size)));
  }
  return largest;
}

class SameSteps : public testing::TestWithParam<const char*> {
 protected:
  static void expect_same(const std::shared_ptr<const CompiledModel>& compiled, const char* one, const char* other) {
    const double once = apart(ModelSystem<double>(compiled), one, other, 1),
                 often = apart(ModelSystem<quad>(compiled), one, other, 100);
    std::printf("%s and %s on %s: %.1e in a step, %.1e in 100 (quad)\n", one, other, compiled->model().name.c_str(),
                once, often);
    EXPECT_LE(once, 1e-14);
    EXPECT_LE(often, 1e-28);
  }
};

TEST_P(SameSteps, WithAConstantMass) {
  expect_same(load(GetParam()), "variational-trapezoidal", "rattle");
  expect_same(load(GetParam()), "variational-midpoint", "midpoint");
}

INSTANTIATE_TEST_SUITE_P(On, SameSteps,
                         testing::Values("pendulum", "double-pendulum", "kepler", "henon-heiles", "toda",
                                         "spherical-pendulum", "rigid-body-heavy", "four-bar", "four-bar-redundant",
                                         "locomotive", "elastic-double-pendulum"),
                         [](const auto& test) { return test_name(test.param); });

// Any Lagrangian: M(q), forces that depend on velocities, full matrices; constrained and free
TEST(MidpointRule, IsVariationalForEveryLagrangian) {
  std::vector<std::shared_ptr<const CompiledModel>> models{load("slider-crank"), load("charged-particle"),
                                                           own_kinetic_energy(true), own_kinetic_energy(false)};
  for (const auto& compiled : models) {
    const double once = apart(ModelSystem<double>(compiled), "variational-midpoint", "midpoint", 1),
                 often = apart(ModelSystem<quad>(compiled), "variational-midpoint", "midpoint", 100);
    std::printf("%s: %.1e in a step, %.1e in 100 (quad)\n", compiled->model().name.c_str(), once, often);
    EXPECT_LE(once, 1e-14);
    EXPECT_LE(often, 1e-28);
    // With M(q) the trapezoidal rule is no RATTLE, which is the trapezoidal rule for H.
    if (compiled->form() == CompiledModel::Form::mass_matrix) {
      EXPECT_GE(apart(ModelSystem<double>(compiled), "variational-trapezoidal", "rattle", 10), 1e-9);
    }
  }
}

// ---- generating functions

// Two steps of a method from states of the manifold on both sides of one, and the step between them
struct Neighbours {
  State<quad> x0, x1, before0, before1, after0, after1;
  quad h;
};
Neighbours neighbours(const ModelSystem<quad>& sys, const char* key) {
  const Start<quad> start = initial_state(sys);
  const quad h = start.step.value(), apart(1e-10);
  NumericalMap<quad> map(methods().find(key), sys);
  Neighbours steps{start.state, {}, start.state, {}, start.state, {}, h};
  map(steps.x0, h, 3);
  steps.before0 = steps.after0 = steps.x0;
  map(steps.x0, h, 1);
  map(steps.before0, quad(h - apart), 1);
  map(steps.after0, quad(h + apart), 1);
  steps.x1 = steps.x0;
  steps.before1 = steps.before0;
  steps.after1 = steps.after0;
  for (State<quad>* x : {&steps.x1, &steps.before1, &steps.after1}) map(*x, h, 1);
  return steps;
}
quad along(const Vec<quad>& p, const Vec<quad>& before, const Vec<quad>& after) {
  quad sum(0);
  for (int i = 0; i < p.size(); ++i) sum += p[i] * (after[i] - before[i]);
  return sum;
}

// (2.15) and (2.16): p₁·dq₁ − p₀·dq₀ = dL_d, as far as it is not; on the manifold, since impulses are orthogonal to dq.
double generating_defect(const char* model, const char* key, const DiscreteRule& rule) {
  const ModelSystem<quad> sys(load(model));
  DiscreteAction<quad> action = LagrangianView<quad>(sys).discrete(std::make_shared<const DiscreteRule>(rule));
  const Neighbours s = neighbours(sys, key);
  const auto value = [&](const State<quad>& from, const State<quad>& to) {
    Vec<quad> v(from.q.size());
    for (int i = 0; i < v.size(); ++i) v[i] = (to.q[i] - from.q[i]) / s.h;
    return action.value({from.q, to.q, v, s.h});
  };
  const quad in = along(s.x0.p, s.before0.q, s.after0.q), out = along(s.x1.p, s.before1.q, s.after1.q),
             dS = value(s.after0, s.after1) - value(s.before0, s.before1);
  return to_double(quad(abs(quad(out - in - dS)) / (abs(in) + abs(out))));
}

TEST(GeneratingFunction, IsTheDiscreteLagrangian) {
  for (const char* model : {"kepler", "henon-heiles", "pendulum", "double-pendulum", "rigid-body-heavy"}) {
    const double right = generating_defect(model, "rattle", trapezoidal_rule()),
                 wrong = generating_defect(model, "rattle", weighted(2, 3, 5));
    std::printf("%s: %.1e; with other weights %.1e\n", model, right, wrong);
    EXPECT_LE(right, 1e-18);
    EXPECT_GE(wrong, 1e-6);
  }
  for (const char* model : {"kepler", "double-pendulum", "slider-crank", "charged-particle"})
    EXPECT_LE(generating_defect(model, "midpoint", midpoint_rule()), 1e-18) << model;
  // That of one is not that of the other, unless forces and masses are constant.
  for (const char* model : {"kepler", "slider-crank"}) {
    EXPECT_GE(generating_defect(model, "midpoint", trapezoidal_rule()), 1e-8) << model;
    EXPECT_GE(generating_defect(model, "rattle", midpoint_rule()), 1e-8) << model;
  }
}

// (2.17) and (2.18): Ŝ(p₁, q₀) with p₁ = p₀ − Ŝ_q, q₁ = q₀ + Ŝ_p, of Verlet. It is p₁·(q₁ − q₀) − L_d.
TEST(GeneratingFunction, OfMixedVariables) {
  for (const char* model : {"kepler", "henon-heiles", "toda"}) {
    const ModelSystem<quad> sys(load(model));
    DiscreteAction<quad> action =
        LagrangianView<quad>(sys).discrete(std::make_shared<const DiscreteRule>(trapezoidal_rule()));
    const Neighbours s = neighbours(sys, "rattle");
    const int n = sys.n();
    Vec<quad> p(n), f(n), v0(n), v1(n);
    const auto generating = [&](const State<quad>& from, const State<quad>& to) {
      sys.H_q(from.q, from.p, f);
      for (int i = 0; i < n; ++i) p[i] = from.p[i] - s.h / 2 * f[i];
      sys.H_q(to.q, p, f);
      sys.H_p(from.q, p, v0);
      sys.H_p(to.q, p, v1);
      quad sum = s.h / 2 * (sys.H(from.q, p) + sys.H(to.q, p));
      for (int i = 0; i < n; ++i) sum -= s.h * s.h / 4 * f[i] * (v0[i] + v1[i]);
      return sum;
    };
    const quad S = generating(s.x0, s.x1);
    const quad by_L = along(s.x1.p, s.x0.q, s.x1.q) - action.value({s.x0.q, s.x1.q, v0, s.h});
    EXPECT_LE(abs(quad(S - by_L)), 1e-30 * abs(S)) << model;
    const quad dS = generating(s.after0, s.after1) - generating(s.before0, s.before1);
    Vec<quad> displacement(n), impulse(n);
    for (int i = 0; i < n; ++i) {
      displacement[i] = s.x1.q[i] - s.x0.q[i];
      impulse[i] = s.x0.p[i] - s.x1.p[i];
    }
    const quad of_p = along(displacement, s.before1.p, s.after1.p), of_q = along(impulse, s.before0.q, s.after0.q);
    EXPECT_LE(abs(quad(dS - of_p - of_q)), 1e-18 * (abs(of_p) + abs(of_q))) << model;
  }
}

// ---- discrete Lagrangians of one's own

MethodEntry simpson() {
  return variational_method(variational_info("simpson", "Simpson's rule for the action"),
                            {[](const Lagrangian& L, const DiscreteStep& s) {
                              return s.h * (L(s.q0, s.v) + 4 * L(s.at(1, 2), s.v) + L(s.q1, s.v)) / 6;
                            }});
}

bool holds(const MethodEntry& entry, const Problem& problem, std::string_view name) {
  for (const Property& property : properties())
    if (property.name == name) {
      const Verdict verdict = property.check(entry, problem);
      testing::Test::RecordProperty(test_name(entry.info.key + property.name), verdict.evidence);
      return verdict.holds;
    }
  ADD_FAILURE() << "no property " << name;
  return false;
}

TEST(OwnDiscreteLagrangian, KeepsWhatItClaims) {
  for (const char* model : {"double-pendulum", "slider-crank", "charged-particle"}) {
    const Problem problem(case_of(model));
    for (const Property& property : properties())
      if (property.claimed(simpson().info, problem.about) && property.name != "energy") {
        EXPECT_TRUE(holds(simpson(), problem, property.name)) << property.name << " on " << model;
      }
  }
}

TEST(OwnDiscreteLagrangian, IsFoundOut) {
  const Problem problem(case_of("double-pendulum"));
  // Symplectic it is, whatever the weights are.
  const MethodEntry leaning = variational_method(variational_info("leaning", "2 to 3"), weighted(2, 3, 5));
  EXPECT_TRUE(holds(leaning, problem, "tangents"));
  EXPECT_TRUE(holds(leaning, problem, "position"));
  EXPECT_FALSE(holds(leaning, problem, "symmetry"));
  EXPECT_FALSE(holds(leaning, problem, "order"));
  // Weights that do not sum to 1 are those of another action.
  const MethodEntry heavy = variational_method(variational_info("heavy", "too much"), weighted(3, 3, 5));
  EXPECT_FALSE(holds(heavy, problem, "order"));
}

TEST(OwnDiscreteLagrangian, IsAMethodOfTheRegistry) {
  Registry registry;
  registry.add(own_family(simpson()));
  EXPECT_EQ(registry.find("simpson").info.order, 2);
  EXPECT_THROW((void)registry.find("sampson"), InputError);
}

// ---- refusals

std::string refusal(const AnySystem<double>& sys, const MethodEntry& entry = methods().find("variational-midpoint")) {
  try {
    (void)entry.make<double>(sys);
  } catch (const Unsuitable& e) {
    return e.what();
  } catch (const InputError& e) {
    return e.what();
  }
  return "none";
}
struct OwnPendulum {
  using Scalar = double;
  static constexpr int N = 2, M = 1;
  double V(const Vec<double, 2>& q) const { return q[1]; }
  void V_q(const Vec<double, 2>&, Vec<double, 2>& out) const { out = {0, 1}; }
  const DiagonalMass<double, 2>& mass() const { return mass_; }
  void g(const Vec<double, 2>& q, Vec<double, 1>& out) const { out[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2; }
  void G(const Vec<double, 2>& q, Jacobian<double, 2, 1>& out) const {
    out(0, 0) = q[0];
    out(0, 1) = q[1];
  }
  DiagonalMass<double, 2> mass_{Vec<double, 2>{1, 1}};
};

TEST(Refusal, SaysWhy) {
  const auto contains = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in: " << text;
  };
  contains(refusal(adapt(OwnPendulum{}, "own pendulum")),
           "own pendulum is no model of formulas; take rattle or midpoint");
  contains(refusal(ModelSystem<double>(load("hanging-chain"))), "vector coordinates and tables");
  contains(refusal(ModelSystem<double>(load("guiding-centre"))), "not quadratic");
  const auto with_linear_p = from_text(R"toml([coordinates]
names = ["x", "s"]
[energy]
hamiltonian = "p_x^2/2 + p_s + x^2*sin(s)"
[initial]
q = { x = 1, s = 0 }
)toml");
  contains(refusal(ModelSystem<double>(with_linear_p)), "not quadratic in the momentum of 's'");
  const auto compiled = load("pendulum");
  const MethodEntry wrong = variational_method(variational_info("wrong", "of other variables"),
                                               {[&](const Lagrangian& L, const DiscreteStep& s) {
                                                 const Expr q{compiled->model().graph.get(), compiled->model().q[0]};
                                                 return s.h * L(s.q0, s.v) * q;
                                               }});
  contains(refusal(ModelSystem<double>(compiled), wrong), "a formula of q0, q1, v and h alone");
}

}  // namespace
}  // namespace holonom::contract
