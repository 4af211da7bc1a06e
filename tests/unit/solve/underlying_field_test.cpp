// Fields y' = f(y): their derivatives against dual numbers, and the methods that run on them.
#include "holonom/solve/underlying_field.hpp"

#include <algorithm>
#include <filesystem>
#include <random>

#include "holonom/analysis/convergence_order.hpp"
#include "holonom/analysis/reference_flow.hpp"
#include "holonom/methods/implicit_rk.hpp"
#include "holonom/model/start.hpp"
#include "holonom/run/driver.hpp"
#include "holonom/solve/constraint_rank.hpp"
#include "models.hpp"

namespace holonom::test {
namespace {

using D = Dual<double>;

// ---- f and its derivative

// (q', p') and its change along (u, w), by dual numbers
template <class MakeField>
void expect_derivative(const std::string& model, MakeField&& make) {
  const auto compiled = load(model);
  const ModelSystem<double> sys(compiled);
  const ModelSystem<D> dual(compiled);
  const auto field = make(sys);
  const auto in_duals = make(dual);
  ASSERT_EQ(field.lacks_derivative(), "") << model;
  const int n = sys.n();
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const State<double> start = initial_state(sys).state;
  for (int trial = 0; trial < 3; ++trial) {
    // Anywhere near the start, on the manifold or not
    Vec<double> q = start.q, p = start.p, u(n), w(n), dq(n), dp(n), a(n), b(n);
    Vec<D> q_dual(n), p_dual(n), a_dual(n), b_dual(n);
    for (int i = 0; i < n; ++i) {
      q[i] += 0.01 * uniform(random);
      p[i] += 0.1 * uniform(random);
      u[i] = uniform(random);
      w[i] = uniform(random);
      q_dual[i] = {q[i], u[i]};
      p_dual[i] = {p[i], w[i]};
    }
    field.rates(q, p, a, b);
    field.along(q, p, u, w, dq, dp);
    in_duals.rates(q_dual, p_dual, a_dual, b_dual);
    double size = 0, change = 0;
    for (int i = 0; i < n; ++i) {
      size = std::max({size, std::abs(a[i]), std::abs(b[i])});
      change = std::max({change, std::abs(dq[i]), std::abs(dp[i])});
    }
    for (int i = 0; i < n; ++i) {
      EXPECT_NEAR(a_dual[i].v, a[i], 1e-11 * size) << model;
      EXPECT_NEAR(b_dual[i].v, b[i], 1e-11 * size) << model;
      EXPECT_NEAR(a_dual[i].d, dq[i], 1e-10 * change) << model;
      EXPECT_NEAR(b_dual[i].d, dp[i], 1e-10 * change) << model;
    }
  }
}

// Off the manifold dependent constraints contradict each other, and λ is what a solver makes of that: models with such
// are left out.
TEST(UnderlyingField, HasTheDerivativeOfDualNumbers) {
  std::vector<std::string> left_out;
  for (const auto& file : std::filesystem::directory_iterator(HOLONOM_MODELS)) {
    if (file.path().extension() != ".toml") continue;
    const std::string model = file.path().stem();
    const ModelSystem<double> sys(load(model));
    if (constraint_rank(sys, initial_state(sys).state).rank < sys.m())
      left_out.push_back(model);
    else
      expect_derivative(model, [](const auto& any) { return UnderlyingField(any); });
  }
  std::sort(left_out.begin(), left_out.end());
  EXPECT_EQ(left_out, (std::vector<std::string>{"four-bar-redundant", "locomotive"}));
}

TEST(HamiltonianField, HasTheDerivativeOfDualNumbers) {
  expect_derivative("henon-heiles", [](const auto& sys) { return HamiltonianField(sys); });
  const ModelSystem<double> pendulum(load("pendulum"));
  EXPECT_THROW(HamiltonianField<double>{pendulum}, std::invalid_argument);
}

TEST(UnderlyingField, KeepsTheMultipliersOfRedundantConstraints) {
  const ModelSystem<double> sys(load("four-bar-redundant"));
  State<double> x = initial_state(sys).state, y = x;
  Vec<double> dq(sys.n()), dp(sys.n());
  ASSERT_TRUE(UnderlyingField<double>(sys).slopes(x, dq, dp).ok());
  ASSERT_TRUE(Manifold<double>(sys).multipliers(y).ok());
  for (int k = 0; k < sys.m(); ++k) EXPECT_EQ(x.lambda[k], y.lambda[k]);
}

// ---- Methods on fields

// q' = p, p' = −q − p/2: a damped oscillator, which no Hamiltonian system is
template <class S>
class Damped final : public Field<S> {
 public:
  int n() const override { return 1; }
  void rates(const Vec<S>& q, const Vec<S>& p, Vec<S>& dq, Vec<S>& dp) const override {
    dq[0] = p[0];
    dp[0] = -q[0] - p[0] / S(2);
  }
  void along(const Vec<S>&, const Vec<S>&, const Vec<S>& u, const Vec<S>& w, Vec<S>& dq, Vec<S>& dp) const override {
    dq[0] = w[0];
    dp[0] = -u[0] - w[0] / S(2);
  }
};

Labels named(const char* name) {
  Labels labels;
  labels.model = name;
  return labels;
}

// The state after `time`, by `steps` steps
template <class S>
State<S> end_of(const AnySystem<S>& sys, const std::string& key, State<S> x, const S& time, long steps,
                StageMatrix matrix = StageMatrix::automatic) {
  RunPlan plan;
  plan.steps = plan.every = steps;
  const auto method = methods().find(key).make<S>(sys, {.newton = {.matrix = matrix}, .compensated = {}});
  const RunResult<S> r = run(sys, *method, x, S(time / S(steps)), plan);
  EXPECT_EQ(r.status, RunStatus::done) << key << ": " << r.message;
  return r.state;
}
template <class S>
double slope_of(const AnySystem<S>& sys, const std::string& key, const State<S>& start, const S& time, long steps,
                const State<S>& exact) {
  const auto error = [&](long count) {
    const State<S> end = end_of(sys, key, start, time, count);
    S worst = largest_difference(end.q, exact.q);
    keep_largest(worst, largest_difference(end.p, exact.p));
    return to_double(worst);
  };
  return std::log2(error(steps) / error(2 * steps));
}

struct Order {
  const char* key;
  double order;
};
// On index-3 systems some of these have a lower one.
const std::vector<Order> orders{
    {"rk-4", 4},       {"rkf-78", 8},   {"gauss-1", 2},  {"gauss-2", 4},          {"gauss-3", 6},
    {"radau-2a-2", 3}, {"bdf-1", 1},    {"bdf-3", 3},    {"lobatto-3", 4},        {"lobatto-4", 6},
    {"rk-2", 2},       {"verlet-a", 2}, {"verlet-b", 2}, {"symplectic-euler", 1}, {"suzuki-4/verlet-b", 4}};

TEST(Fields, HaveMethodsOfFullOrder) {
  const Damped<quad> field;
  const FieldSystem<quad> sys(field, named("damped"));
  State<quad> x(1, 0), exact(1, 0);
  x.q[0] = quad(1);
  // q = e^(−t/4) (cos ωt + sin ωt/(4ω)), ω = √15/4
  const quad t(2), omega = sqrt(quad(15)) / 4, decay = exp(quad(-t / 4));
  exact.q[0] = decay * (cos(quad(omega * t)) + sin(quad(omega * t)) / (4 * omega));
  exact.p[0] = -decay * sin(quad(omega * t)) / omega;
  for (const auto& [key, order] : orders) {
    const long steps = order == 1 ? 400 : order <= 3 ? 200 : 40;
    EXPECT_NEAR(slope_of<quad>(sys, key, x, t, steps, exact), order, 0.1) << key;
  }
}

TEST(Fields, OfConstrainedSystemsHaveTheirMotionAndLeaveTheConstraints) {
  const auto compiled = load("double-pendulum");
  const ModelSystem<quad> sys(compiled);
  const UnderlyingField<quad> field(sys);
  const FieldSystem<quad> as_system(field, sys.labels());
  const State<quad> start = initial_state(sys).state;
  const quad time(1);
  ReferenceFlow<quad> flow(sys, reference_columns<quad>());
  const State<quad> exact = flow(start, time, 16);
  for (const auto& [key, order] : orders) {
    const long steps = order == 1 ? 800 : order <= 3 ? 400 : 80;
    EXPECT_NEAR(slope_of<quad>(as_system, key, start, time, steps, exact), order, 0.2) << key;
  }
  // Nothing holds them there: a method of low order is as far from the constraints as from the solution.
  const State<quad> off = end_of<quad>(as_system, "gauss-1", start, time, 100);
  const double residual = to_double(Manifold<quad>(sys).position(off.q).relative);
  EXPECT_GT(residual, 1e-7);
  EXPECT_LT(residual, 1e-2);
}

TEST(Fields, HaveTheFullNewtonMatrix) {
  const ModelSystem<double> sys(load("charged-particle"));
  const UnderlyingField<double> field(sys);
  const FieldSystem<double> as_system(field, sys.labels());
  const State<double> start = initial_state(sys).state;
  for (const char* key : {"gauss-2", "radau-2a-3", "lobatto-3", "bdf-2"}) {
    const State<double> a = end_of<double>(as_system, key, start, 1, 50, StageMatrix::full),
                        b = end_of<double>(as_system, key, start, 1, 50, StageMatrix::start);
    EXPECT_LT(largest_difference(a.q, b.q), 1e-12) << key;
    EXPECT_LT(largest_difference(a.p, b.p), 1e-12) << key;
  }
}

// With the matrix of another field there would be many more iterations.
TEST(Fields, HaveANewtonMatrixOfTheirOwn) {
  const ModelSystem<double> sys(load("charged-particle"));
  const UnderlyingField<double> field(sys);
  const FieldSystem<double> as_system(field, sys.labels());
  const auto view = as_system.as<HamiltonianView<double>>();
  for (const Family family : {Family::gauss, Family::radau_2a}) {
    ImplicitRungeKutta<HamiltonianView<double>> method(*view, runge_kutta<double>(family, 2), "");
    method.options().matrix = StageMatrix::full;
    State<double> x = initial_state(sys).state;
    x.lambda = Vec<double>(0);
    ASSERT_TRUE(method.begin(*view, x, 0.2).ok());
    for (int k = 0; k < 20; ++k) ASSERT_TRUE(method.step(*view, x, 0.2).ok());
    const Counters& counters = method.counters();
    EXPECT_LE(static_cast<double>(counters.newton_iterations) / static_cast<double>(counters.newton_solves), 6);
  }
}

TEST(Fields, ShowTheirDerivativeAsThatOfAnH) {
  const ModelSystem<double> sys(load("charged-particle"));
  const UnderlyingField<double> field(sys);
  const FieldSystem<double> as_system(field, sys.labels());
  const State<double> x = initial_state(sys).state;
  const int n = sys.n();
  Vec<double> u(n), none(n), a(n), b(n), dq(n), dp(n);
  for (int i = 0; i < n; ++i) u[i] = std::sin(i + 1.0);
  field.rates(x.q, x.p, dq, dp);
  as_system.H_p(x.q, x.p, a);
  as_system.H_q(x.q, x.p, b);
  for (int i = 0; i < n; ++i) {
    EXPECT_EQ(a[i], dq[i]);
    EXPECT_EQ(b[i], -dp[i]);
  }
  field.along(x.q, x.p, u, none, dq, dp);
  as_system.H_pq(x.q, x.p, u, a);
  as_system.H_qq(x.q, x.p, u, b);
  for (int i = 0; i < n; ++i) {
    EXPECT_EQ(a[i], dq[i]);
    EXPECT_EQ(b[i], -dp[i]);
  }
  field.along(x.q, x.p, none, u, dq, dp);
  as_system.H_pp(x.q, x.p, u, a);
  as_system.H_qp(x.q, x.p, u, b);
  for (int i = 0; i < n; ++i) {
    EXPECT_EQ(a[i], dq[i]);
    EXPECT_EQ(b[i], -dp[i]);
  }
}

TEST(Fields, AreNotForMethodsOfHamiltonianSystems) {
  const Damped<double> field;
  const FieldSystem<double> sys(field, named("my field"));
  EXPECT_EQ(message_of<Unsuitable>([&] { (void)methods().find("rattle").make<double>(sys); }),
            "rattle is for Hamiltonian systems, and my field is a field y' = f(y): take verlet-a, which is what this "
            "is without constraints, or a Runge-Kutta method");
  for (const MethodEntry& entry : methods().all()) {
    // (The rates of a damped oscillator are no shears: p' depends on p.)
    EXPECT_EQ(suits<double>(entry, sys), entry.info.for_fields && entry.info.needs != Needs::shears) << entry.info.key;
    const MethodInfo claims = entry.info.on(0, true);
    EXPECT_FALSE(claims.symplectic || claims.momentum_maps) << entry.info.key;
  }
}

}  // namespace
}  // namespace holonom::test
