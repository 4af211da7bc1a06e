// What the papers prove of multipliers, measured: that SHAKE is a scheme on the underlying equation (Leimkuhler and
// Skeel 1994, theorem 5.1), what the impulses of Reich's wrapper (24) tend to (Reich 1996, theorem 3.2), and how small
// those of his projection (31) are (theorem 4.1).
#include <gtest/gtest.h>

#include <cmath>

#include "holonom/formulations/formulation.hpp"
#include "holonom/methods/impulsive_rk.hpp"
#include "holonom/methods/projected_map.hpp"
#include "holonom/methods/shake.hpp"
#include "model_run.hpp"

namespace holonom::contract {
namespace {

// log₂ of the ratios of successive values, each at half the step of the one before
std::vector<double> orders(const std::vector<double>& values) {
  std::vector<double> slopes;
  for (std::size_t k = 1; k < values.size(); ++k) slopes.push_back(std::log2(values[k - 1] / values[k]));
  return slopes;
}
// The last two of them, and what they should be
testing::AssertionResult has_order(const std::vector<double>& values, double order, double within = 0.05) {
  const std::vector<double> slopes = orders(values);
  std::string text;
  for (std::size_t k = 0; k < values.size(); ++k) {
    char part[64];
    std::snprintf(part, sizeof part, k == 0 ? "%.2e" : " (%.3f) %.2e", k == 0 ? values[0] : slopes[k - 1], values[k]);
    text += part;
  }
  bool good = slopes.size() >= 3;
  for (std::size_t k = slopes.size() - 2; good && k < slopes.size(); ++k) good = std::abs(slopes[k] - order) < within;
  return (good ? testing::AssertionSuccess() : testing::AssertionFailure())
         << "orders should be " << order << ": " << text;
}

// ---- Leimkuhler and Skeel, theorem 5.1

std::shared_ptr<const CompiledModel> quadratic_double_pendulum() {
  return compile(parse_model(R"(format = 1
name = "double pendulum, quadratic constraints"
[coordinates]
names = ["x1", "z1", "x2", "z2"]
[energy]
mass = [2, 2, "1/2", "1/2"]
potential = "2*z1 + z2/2 + x1*x2^2/3"
[constraints]
rod1 = "(x1^2 + z1^2 - 1)/2"
rod2 = "((x2 - x1)^2 + (z2 - z1)^2 - 1)/2"
[initial]
q = { x1 = "0.6", z1 = "-0.8", x2 = "1.4", z2 = "-1.4" }
v = { x1 = "0.8", z1 = "0.6", x2 = "0.2", z2 = "-0.2" }
)",
                             "double-pendulum-quadratic.toml"));
}

// The largest difference, over `steps` steps, between the positions and half-step momenta of SHAKE and those of
//   (38)  q₊ = q + h M⁻¹p₊½,   (39)  p₊½ = p₋½ + h/2 (φ(q, p₋½) + φ(q, p₊½)),
// where p' = φ(q, p) is the underlying equation, from the same first half step on.
template <class S>
S shake_against_underlying(const std::shared_ptr<const CompiledModel>& compiled, const S& h, long steps) {
  const ModelSystem<S> sys(compiled);
  const SeparableView<S> view(sys);
  const auto underlying = formulate<S>(Formulation::parse("underlying"), sys);
  const AnySystem<S>& field = underlying->system();
  Shake<SeparableView<S>> shake(view, ShakeForm::leapfrog);
  State<S> x = initial_state(sys).state;
  EXPECT_TRUE(shake.begin(view, x, h).ok());
  Vec<S> q_next, p_half;
  const auto look = [&] {
    shake.visit_memory([&](const char* name, const auto& value) {
      if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Vec<S>>) {
        if (std::string_view(name) == "p_half") p_half = value;
        if (std::string_view(name) == "q_next") q_next = value;
      }
    });
  };
  look();
  Vec<S> q = q_next, p = p_half, before(q.size()), after(q.size()), v(q.size());
  S off(0);
  for (long k = 0; k < steps; ++k) {
    field.H_q(q, p, before);
    Vec<S> next = p;
    for (int iteration = 0; iteration < 100; ++iteration) {
      field.H_q(q, next, after);
      Vec<S> better = p;
      for (int i = 0; i < p.size(); ++i) better[i] -= h / S(2) * (before[i] + after[i]);
      const S change = largest_difference(better, next);
      next = better;
      if (change < epsilon<S>() / 2) break;
    }
    p = next;
    field.H_p(q, p, v);
    axpy(h, v, q);
    EXPECT_TRUE(shake.step(view, x, h).ok());
    look();
    keep_largest(off, largest_difference(q, q_next));
    keep_largest(off, largest_difference(p, p_half));
  }
  return off;
}

// After 300 steps they differ by rounding errors, which the motion makes grow: by as many units of the last digit in
// double as in quad.
TEST(LeimkuhlerSkeel, ShakeIsASchemeOnTheUnderlyingEquation) {
  const struct {
    const char* name;
    std::shared_ptr<const CompiledModel> model;
    const char* h;
  } rows[] = {{"pendulum-quadratic", load("pendulum-quadratic"), "0.1"},
              {"double pendulum, quadratic", quadratic_double_pendulum(), "0.05"},
              {"spring-chain", load("spring-chain"), "0.01"},
              {"hanging-chain", load("hanging-chain", {{"N", "6"}}), "0.01"}};
  for (const auto& row : rows) {
    const double in_double = shake_against_underlying<double>(row.model, std::stod(row.h), 300);
    const double in_quad = to_double(shake_against_underlying<quad>(row.model, quad(row.h), 300));
    std::printf("%-28s h = %-5s shake - (38)-(39): %.1e, in quad %.1e after 300 steps\n", row.name, row.h, in_double,
                in_quad);
    constexpr double units = 1e5;
    EXPECT_LE(in_double, units * epsilon<double>()) << row.name;
    EXPECT_LE(in_quad, units * to_double(epsilon<quad>())) << row.name;
  }
}

// It holds because g is quadratic: with a root the two differ by O(h³) in a step.
TEST(LeimkuhlerSkeel, ShakeIsNoSuchSchemeWhereConstraintsAreNotQuadratic) {
  for (const char* name : {"pendulum", "double-pendulum"}) {
    std::vector<double> off;
    for (const long steps : {20L, 40L, 80L, 160L, 320L})
      off.push_back(shake_against_underlying<double>(load(name), 2.0 / static_cast<double>(steps), steps));
    EXPECT_GT(off.back(), 1e-6) << name;
    const auto verdict = has_order(off, 2);
    std::printf("%s: %s\n", name, verdict.message());
    EXPECT_TRUE(verdict) << name;
  }
}

// ---- Reich, theorems 3.2 and 4.1

// The momenta before and after the map inside a wrapper, from which its impulses follow.
template <class S>
struct Seen {
  Vec<S> before, after;
};

template <template <class> class Map>
struct Watched {
  template <class Sys>
  class On : public Map<Sys> {
    using S = ScalarOf<Sys>;

   public:
    template <class... Further>
    On(const Sys& sys, Seen<S>& seen, Further&&... further)
        : Map<Sys>(sys, std::forward<Further>(further)...), seen_(seen) {}
    Status operator()(const Sys& sys, Vec<S>& q, Vec<S>& p, const S& h, Counters& counters) {
      seen_.before = p;
      const Status s = Map<Sys>::operator()(sys, q, p, h, counters);
      seen_.after = p;
      return s;
    }

   private:
    Seen<S>& seen_;
  };
};

// The implicit midpoint rule, and symplectic Euler, of any H, by fixed-point iteration to round-off
template <class Sys, bool midpoint>
class ImplicitMap {
  using S = ScalarOf<Sys>;

 public:
  explicit ImplicitMap(const Sys& sys) : v_(size_q(sys)), f_(size_q(sys)) {}
  Status operator()(const Sys& sys, Vec<S>& q, Vec<S>& p, const S& h, Counters&) {
    Vec<S> q1 = q, p1 = p;
    for (int k = 0; k < 200; ++k) {
      Vec<S> at_q = q, at_p = p1;
      if (midpoint)
        for (int i = 0; i < q.size(); ++i) {
          at_q[i] = (q[i] + q1[i]) / S(2);
          at_p[i] = (p[i] + p1[i]) / S(2);
        }
      sys.H_p(at_q, at_p, v_);
      sys.H_q(at_q, at_p, f_);
      Vec<S> q2 = q, p2 = p;
      axpy(h, v_, q2);
      axpy(S(-h), f_, p2);
      const bool done = largest_difference(q1, q2) <= epsilon<S>() * largest(q2) &&
                        largest_difference(p1, p2) <= epsilon<S>() * largest(p2);
      q1 = q2;
      p1 = p2;
      if (done) break;
    }
    q = q1;
    p = p1;
    return {};
  }

 private:
  Vec<S> v_, f_;
};
template <class Sys>
using Midpoint = ImplicitMap<Sys, true>;
template <class Sys>
using Euler = ImplicitMap<Sys, false>;

using View = HamiltonianView<quad>;

// Λ of p_after = p_before − h/2 G(q)ᵀΛ
Vec<quad> impulse(const ModelSystem<quad>& sys, const Vec<quad>& q, const Vec<quad>& before, const Vec<quad>& after,
                  const quad& h) {
  Jacobian<quad> G(sys.pattern());
  sys.G(q, G);
  PivotedLu<quad> lu(sys.m());
  Vec<quad> change(sys.n()), row(sys.n()), product(sys.m()), Lambda(sys.m());
  for (int i = 0; i < change.size(); ++i) change[i] = quad(2) / h * (before[i] - after[i]);
  multiply(G, change, Lambda);
  for (int k = 0; k < sys.m(); ++k) {
    fill(row, quad(0));
    G.row(k, [&](int j, const quad& y) { row[j] = y; });
    multiply(G, row, product);
    for (int l = 0; l < sys.m(); ++l) lu.matrix()(l, k) = product[l];
  }
  EXPECT_TRUE(lu.factor());
  lu.solve(Lambda);
  return Lambda;
}

// The two impulses of a step of a wrapper from x, with λ at both ends
struct Impulses {
  Vec<quad> first, last, lambda, lambda_next;
  // Largest entry of a first + b last + c λ(x) + d λ(x₁)
  double size(double a, double b, double c = 0, double d = 0) const {
    quad largest(0);
    for (int k = 0; k < first.size(); ++k)
      keep_largest(largest, quad(magnitude(quad(quad(a) * first[k] + quad(b) * last[k] + quad(c) * lambda[k] +
                                                quad(d) * lambda_next[k]))));
    return to_double(largest);
  }
};
template <template <class> class Map>
Impulses step_of_wrapper(const ModelSystem<quad>& sys, State<quad> x, const quad& h) {
  const View view(sys);
  Seen<quad> seen;
  MapMotion<View, Watched<Map>::template On> motion(view, 1, seen);
  State<quad> y = x;
  EXPECT_TRUE(motion.begin(view, x).ok());
  EXPECT_TRUE(motion.move(view, quad(h / 2), quad(h / 2), 0, y.q, y.p, nullptr).ok());
  EXPECT_TRUE(motion.project(view, y.q, y.p, nullptr).ok());
  Manifold<quad> manifold(sys);
  EXPECT_TRUE(manifold.multipliers(x).ok() && manifold.multipliers(y).ok());
  return {impulse(sys, x.q, x.p, seen.before, h), impulse(sys, y.q, seen.after, y.p, h), x.lambda, y.lambda};
}

// The same of a step of Reich's (34) on H_M
Impulses step_of_stages(const ModelSystem<quad>& sys, State<quad> x, const quad& h, int stages) {
  const View view(sys);
  ImpulsiveRungeKutta<View> gauss(view, sys, Formulation::parse("h-m"), runge_kutta<quad>(Family::gauss, stages),
                                  nullptr);
  State<quad> y = x;
  EXPECT_TRUE(gauss.begin(view, x, h).ok());
  EXPECT_TRUE(gauss.step(view, y, h).ok());
  Vec<quad> first = gauss.impulse(), unprojected;
  for (quad& a : first) a *= quad(2) / h;
  gauss.visit_memory([&](const char* name, const auto& value) {
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Vec<quad>>)
      if (std::string_view(name) == "unprojected_p") unprojected = value;
  });
  Manifold<quad> manifold(sys);
  EXPECT_TRUE(manifold.multipliers(x).ok() && manifold.multipliers(y).ok());
  return {first, impulse(sys, y.q, unprojected, y.p, h), x.lambda, y.lambda};
}

struct Motion {
  const char* model;
  const char* time;  // a state of the motion at this time
  const char* h;     // the longest step
};
constexpr Motion motions[] = {
    {"pendulum", "1.3", "0.05"}, {"charged-particle", "1", "0.05"}, {"slider-crank", "0.03", "0.0005"}};

// Theorem 3.2, for a map of second order: ½(Λ_k + Λ_{k+1}) is λ, that of both ends on the average, + O(h²), and
// Λ_k − Λ_{k+1} = O(h). For one of first order both are worse by one.
TEST(Reich, ImpulsesOfTheWrapperTendToTheMultipliers) {
  for (const Motion& about : motions) {
    const ModelSystem<quad> sys(load(about.model));
    const State<quad> x = exact(about.model, quad(about.time), 40);
    std::vector<double> mean, difference, one_sided, euler_mean, euler_difference;
    quad h(about.h);
    for (int k = 0; k < 6; ++k, h /= 2) {
      const Impulses midpoint = step_of_wrapper<Midpoint>(sys, x, h), euler = step_of_wrapper<Euler>(sys, x, h);
      mean.push_back(midpoint.size(0.5, 0.5, -0.5, -0.5));
      difference.push_back(midpoint.size(1, -1));
      one_sided.push_back(midpoint.size(0.5, 0.5, -1));
      euler_mean.push_back(euler.size(0.5, 0.5, -0.5, -0.5));
      euler_difference.push_back(euler.size(1, -1));
    }
    for (const auto& [what, values, order] :
         {std::tuple{"midpoint: mean - lambda", mean, 2}, std::tuple{"midpoint: difference", difference, 1},
          std::tuple{"midpoint: mean - lambda of one end", one_sided, 1},
          std::tuple{"euler: mean - lambda", euler_mean, 1}, std::tuple{"euler: difference", euler_difference, 0}}) {
      const auto verdict = has_order(values, order);
      std::printf("%-18s %-36s %s\n", about.model, what, verdict.message());
      EXPECT_TRUE(verdict) << about.model << ", " << what;
    }
  }
}

// (25): with any two constant impulses, and on the manifold or not, the wrapper is the flow of
//   H + ½ g·(Λ_k + Λ_{k+1}) + h/4 ψ·(Λ_{k+1} − Λ_k) + O(h²),   ψ = {g, H} = G H_p,
// where Λ_k acts first. So one step differs from that flow by O(h³), and by O(h²) without the last term, or if it has
// the other sign, which is that of a product of operators that act in reading order.
TEST(Reich, HamiltonianOfTheWrapper) {
  for (const Motion& about : motions) {
    const ModelSystem<quad> sys(load(about.model));
    const View view(sys);
    State<quad> x = exact(about.model, quad(about.time), 40);
    const int n = sys.n(), m = sys.m();
    x.q[0] += quad("0.01");  // off the manifold
    Vec<quad> first(m), last(m);
    for (int k = 0; k < m; ++k) {
      first[k] = x.lambda[k] * quad("1.4") + quad("0.3");
      last[k] = x.lambda[k] * quad("0.7") - quad("0.2");
    }
    Brackets<quad> at(sys);
    // (q', p') of (25), with `weight` for the weight of its last term
    const auto rates = [&](const Vec<quad>& q, const Vec<quad>& p, const quad& weight, Gradient<quad>& out) {
      EXPECT_TRUE(at.at(q, p).ok());
      Gradient<quad> gradient(n);
      gradient.q = at.H_q();
      gradient.p = at.H_p();
      Vec<quad> mean(m), difference(m);
      for (int k = 0; k < m; ++k) {
        mean[k] = (first[k] + last[k]) / quad(2);
        difference[k] = last[k] - first[k];
      }
      at.add_g(quad(1), mean, gradient.q);
      at.add_psi(weight, difference, gradient);
      out.q = gradient.p;
      for (int i = 0; i < n; ++i) out.p[i] = -gradient.q[i];
    };
    const auto off = [&](const quad& h, int sign) {
      State<quad> y = x, z = x;
      Jacobian<quad> G(sys.pattern());
      const auto kick = [&](const Vec<quad>& Lambda) {
        Vec<quad> half = Lambda;
        for (quad& a : half) a *= h / 2;
        sys.G(y.q, G);
        subtract_force(G, half, y.p);
      };
      Counters counters;
      kick(first);
      EXPECT_TRUE((Midpoint<View>(view)(view, y.q, y.p, h, counters).ok()));
      kick(last);
      // One step of the classical Runge-Kutta method: an error of O(h⁵)
      const quad weight = quad(sign) * h / 4;
      Gradient<quad> k(n), sum(n);
      State<quad> stage = x;
      for (int i = 0; i < 4; ++i) {
        rates(stage.q, stage.p, weight, k);
        const quad b = i == 0 || i == 3 ? quad(1) / 6 : quad(1) / 3, a = i == 2 ? quad(1) : quad(1) / 2;
        axpy(b, k.q, sum.q);
        axpy(b, k.p, sum.p);
        stage = x;
        axpy(quad(a * h), k.q, stage.q);
        axpy(quad(a * h), k.p, stage.p);
      }
      axpy(h, sum.q, z.q);
      axpy(h, sum.p, z.p);
      quad d = largest_difference(y.q, z.q);
      keep_largest(d, largest_difference(y.p, z.p));
      return to_double(d);
    };
    std::vector<double> with, without, against;
    quad h(about.h);
    for (int k = 0; k < 8; ++k, h /= 2) {
      with.push_back(off(h, 1));
      without.push_back(off(h, 0));
      against.push_back(off(h, -1));
    }
    for (const auto& [what, values, order] :
         {std::tuple{"(25)", with, 3}, std::tuple{"(25) without its last term", without, 2},
          std::tuple{"(25), its last term reversed", against, 2}}) {
      const auto verdict = has_order(values, order);
      std::printf("%-18s %-32s %s\n", about.model, what, verdict.message());
      EXPECT_TRUE(verdict) << about.model << ", " << what;
    }
  }
}

// (32)-(33): on H_M the impulses of (31) are small, Λ_k = O(h^(ν−1)) and Λ_k + Λ_{k+1} = O(h^ν) for a method of order
// ν.
TEST(Reich, ImpulsesOnTheFormulationAreSmall) {
  for (const Motion& about : motions) {
    const ModelSystem<quad> sys(load(about.model));
    const State<quad> x = exact(about.model, quad(about.time), 40);
    for (int stages = 1; stages <= 3; ++stages) {
      std::vector<double> first, sum;
      quad h(about.h);
      for (int k = 0; k < 6; ++k, h /= 2) {
        const Impulses now = step_of_stages(sys, x, h, stages);
        first.push_back(now.size(1, 0));
        sum.push_back(now.size(1, 1));
      }
      const int nu = 2 * stages;
      for (const auto& [what, values, order] :
           {std::tuple{"Lambda_k", first, nu - 1}, std::tuple{"Lambda_k + Lambda_k+1", sum, nu}}) {
        const auto verdict = has_order(values, order);
        std::printf("%-18s gauss-%d %-22s %s\n", about.model, stages, what, verdict.message());
        EXPECT_TRUE(verdict) << about.model << ", gauss-" << stages << ", " << what;
      }
    }
  }
}

}  // namespace
}  // namespace holonom::contract
