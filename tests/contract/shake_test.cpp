// SHAKE and RATTLE (Leimkuhler and Skeel 1994): the same positions, other momenta, other rounding errors.
#include "holonom/methods/shake.hpp"

#include <gtest/gtest.h>

#include "holonom/analysis/convergence_order.hpp"
#include "model_run.hpp"
#include "printed.hpp"
#include "round_off.hpp"

namespace holonom::contract {
namespace {

using View = SeparableView<double>;

// SHAKE on the spring chain, all masses 1, with the half-step momenta that it carries along.
struct ShakeRun {
  explicit ShakeRun(ShakeForm form = ShakeForm::velocity)
      : compiled(load("spring-chain")), sys(compiled), view(sys), method(view, form), x(initial_state(sys).state) {}

  // see(step, p₋½, state, p₊½) after each step
  template <class See>
  void operator()(double h, long steps, See&& see) {
    ASSERT_TRUE(method.begin(view, x, h).ok());
    for (long k = 1; k <= steps; ++k) {
      const Vec<double> before = p_half();
      ASSERT_TRUE(method.step(view, x, h).ok());
      see(k, before, x, p_half());
    }
  }
  Vec<double> p_half() {
    Vec<double> p;
    method.visit_memory([&](const char* name, const auto& value) {
      if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Vec<double>>)
        if (std::string_view(name) == "p_half") p = value;
    });
    return p;
  }
  // G(q) p
  Vec<double> hidden(const State<double>& y) const {
    Jacobian<double> G(sys.pattern());
    Vec<double> r(sys.m());
    sys.G(y.q, G);
    multiply(G, y.p, r);
    return r;
  }

  std::shared_ptr<const CompiledModel> compiled;
  ModelSystem<double> sys;
  View view;
  Shake<View> method;
  State<double> x;
};

double norm(const Vec<double>& v) { return std::sqrt(dot(v, v)); }

// h = 0.01, t ≤ 10. The motion is chaotic: rounding errors grow, to 2e-12 in the independent program.
TEST(Shake, HasThePositionsAndHalfStepMomentaOfRattle) {
  constexpr double h = 0.01;
  constexpr long steps = 1000;
  ModelRun rattle("spring-chain");
  std::vector<Vec<double>> q{rattle.x.q};
  State<double> y = rattle.x;
  rattle.map(y, h, steps + 1, [&](const State<double>& z) { q.push_back(z.q); });
  ShakeRun shake;
  double off_q = 0, off_p = 0;
  shake(h, steps, [&](long k, const Vec<double>&, const State<double>& x, const Vec<double>& p_half) {
    const Vec<double>&now = q[static_cast<std::size_t>(k)], &next = q[static_cast<std::size_t>(k) + 1];
    Vec<double> p(now.size());
    for (int i = 0; i < p.size(); ++i) p[i] = (next[i] - now[i]) / h;
    keep_largest(off_q, largest_difference(x.q, now));
    keep_largest(off_p, largest_difference(p_half, p));
  });
  std::printf("shake − rattle, t <= 10: q %.1e, p at half steps %.1e\n", off_q, off_p);
  EXPECT_LE(off_q, 5e-12);
  EXPECT_LE(off_p, 5e-12);
}

// For quadratic g: G(q) p = h/4 (g_qq(p₋½, p₋½) − g_qq(p₊½, p₊½)), which does not accumulate.
TEST(Shake, HiddenResidualInClosedForm) {
  constexpr double h = 0.01;
  ShakeRun shake;
  double off = 0, all = 0, first = 0, last = 0;
  Vec<double> a(shake.sys.m()), b(shake.sys.m());
  shake(h, 1000, [&](long k, const Vec<double>& p_before, const State<double>& x, const Vec<double>& p_after) {
    const Vec<double> r = shake.hidden(x);
    shake.sys.g_qq(x.q, p_before, p_before, a);
    shake.sys.g_qq(x.q, p_after, p_after, b);
    for (int i = 0; i < r.size(); ++i) keep_largest(off, std::abs(r[i] - h / 4 * (a[i] - b[i])));
    keep_largest(all, norm(r));
    if (k <= 100) keep_largest(first, norm(r));
    if (k > 900) keep_largest(last, norm(r));
  });
  std::printf("closed form to %.1e; |G p| at most %.4e, first 100 steps %.3e, last 100 %.3e\n", off, all, first, last);
  EXPECT_LE(off, 3e-13);  // ε |q|²/h
  EXPECT_TRUE(as_printed(all, "3.93e-4"));
  EXPECT_TRUE(as_printed(first, "9.0e-5"));
  EXPECT_TRUE(as_printed(last, "2.7e-4"));
}

TEST(Shake, HiddenResidualIsOfSecondOrder) {
  std::vector<OrderPoint> points;
  for (const long steps : {100L, 200L, 400L, 800L}) {
    ShakeRun shake;
    double most = 0;
    shake(2.0 / static_cast<double>(steps), steps,
          [&](long, const Vec<double>&, const State<double>& x, const Vec<double>&) {
            keep_largest(most, norm(shake.hidden(x)));
          });
    points.push_back({2.0 / static_cast<double>(steps), most, most});
  }
  const OrderFit fit = fit_order(points, 1e-10);
  std::printf("|G p| = O(h^%.3f)\n", fit.slope_q);
  EXPECT_NEAR(fit.slope_q, 2, 0.05);
}

// RATTLE without the projections that nobody looks at is SHAKE, and the same to round-off where one looks.
class EconomicalRun : public testing::TestWithParam<const char*> {};

TEST_P(EconomicalRun, ProjectsOnlyWhereAStateIsWanted) {
  const Problem problem(case_of(GetParam()));
  constexpr long count = 20, blocks = 5;
  const auto each = methods().find("rattle").make<double>(problem.sys),
             few = methods().find("rattle").make<double>(problem.sys);
  State<double> x = problem.start, y = problem.start;
  ASSERT_TRUE(each->begin(x, problem.h).ok());
  ASSERT_TRUE(few->begin(y, problem.h).ok());
  double off = 0;
  for (long b = 0; b < blocks; ++b) {
    for (long k = 0; k < count; ++k) ASSERT_TRUE(each->step(x, problem.h).ok());
    ASSERT_TRUE(few->steps(y, problem.h, count).ok());
    keep_largest(off, distance(x, y, problem.size));
  }
  std::printf("%s: %.1e after %ld steps; %lu factorisations instead of %lu\n", GetParam(), off, count * blocks,
              static_cast<unsigned long>(few->counters().factorisation),
              static_cast<unsigned long>(each->counters().factorisation));
  EXPECT_LE(off, 1e-13);
  EXPECT_EQ(few->counters().steps, each->counters().steps);
  // Steps whose predictions are in doubt have factorisations of their own, in both runs.
  EXPECT_LT(3 * few->counters().factorisation, 2 * each->counters().factorisation);
}

INSTANTIATE_TEST_SUITE_P(Models, EconomicalRun, testing::Values("double-pendulum", "spring-chain", "hanging-chain"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Positions alone lose digits, as any second difference does: rounding errors ε of q are errors ε/h of the momenta
// that it stands for. (The ratio is some 70 here.)
TEST(Shake, TwoStepFormLosesDigits) {
  constexpr double h = 1e-3;
  constexpr long steps = 100000;
  const RoundOffProblem problem = spherical_pendulum();
  const auto reference = quad_run(problem, "shake-leapfrog", h, steps);
  const RoundOff leapfrog = round_off(problem, "shake-leapfrog", false, h, steps, reference),
                 two_step = round_off(problem, "shake-two-step", false, h, steps, reference),
                 rattle = round_off(problem, "rattle", false, h, steps, quad_run(problem, "rattle", h, steps));
  std::printf(
      "rounding errors of positions, h = %g, %ld steps: two-step %.1e, leapfrog %.1e, rattle %.1e; ratio %.0f\n", h,
      steps, two_step.position, leapfrog.position, rattle.position, two_step.position / leapfrog.position);
  EXPECT_GE(two_step.position, 10 * leapfrog.position);
}

}  // namespace
}  // namespace holonom::contract
