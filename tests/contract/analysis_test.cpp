// The instruments of the contract, on things that are known without them.
#include <gtest/gtest.h>

#include "holonom/analysis/convergence_order.hpp"
#include "holonom/analysis/loop_integral.hpp"
#include "holonom/solve/constraint_rank.hpp"
#include "problem.hpp"

namespace holonom::contract {
namespace {

// q = cos θ / (1 − a cos θ), p = sin θ: ∮ p dq = −∫ sin²θ / (1 − a cos θ)² dθ = −2π (1/√(1 − a²) − 1) / a².
TEST(Action, ConvergesSpectrally) {
  const double a = 0.6, pi = std::acos(-1.0);
  const double exact = -2 * pi * (1 / std::sqrt(1 - a * a) - 1) / (a * a);
  const auto error = [&](int points) {
    std::vector<State<double>> loop(static_cast<std::size_t>(points), State<double>(1, 0));
    for (int k = 0; k < points; ++k) {
      const double theta = 2 * pi * k / points;
      loop[static_cast<std::size_t>(k)].q[0] = 5 + std::cos(theta) / (1 - a * std::cos(theta));
      loop[static_cast<std::size_t>(k)].p[0] = 7 + std::sin(theta);
    }
    return std::abs(action(loop) - exact);
  };
  // Doubling the points squares the error.
  EXPECT_LT(error(8), 1e-1);
  EXPECT_LT(error(16), 1e-2 * error(8));
  EXPECT_LT(error(32), 1e-4 * error(16));
  EXPECT_LT(error(64), 1e-13);
  EXPECT_LT(error(128), 1e-13);
}

TEST(OrderFit, LeavesThePlateauOut) {
  std::vector<OrderPoint> points;
  for (double h = 0.1; h > 1e-4; h /= 2)
    points.push_back({h, std::max(3 * std::pow(h, 4), 1e-13), std::max(5 * std::pow(h, 3), 1e-13)});
  const OrderFit fit = fit_order(points, 1e-12);
  EXPECT_GE(fit.used, 3);
  EXPECT_LT(fit.used, static_cast<int>(points.size()));
  EXPECT_NEAR(fit.slope_q, 4, 1e-10);
  EXPECT_NEAR(fit.slope_p, 3, 1e-10);
}

TEST(OrderFit, WantsThreePoints) {
  const OrderFit fit = fit_order({{0.1, 1e-2, 1e-2}, {0.05, 2.5e-3, 2.5e-3}, {0.025, 1e-15, 1e-15}}, 1e-12);
  EXPECT_EQ(fit.used, 2);
  EXPECT_EQ(fit.slope_q, 0);
}

TEST(OrderFit, KnowsWhereSlopesAreGoing) {
  const auto points = [](auto&& error) {
    std::vector<OrderPoint> list;
    for (double h = 0.1; list.size() < 5; h /= 2) list.push_back({h, error(h), error(h)});
    return list;
  };
  const auto limit = [&](auto&& error) { return limit_of_slopes(points(error), &OrderPoint::error_q); };
  // Of even powers, and of all: the last slopes are 10.010 and 8.026.
  EXPECT_NEAR(limit([](double h) { return std::pow(h, 10) * (1 + 60 * h * h); }), 10, 2e-3);
  EXPECT_NEAR(limit([](double h) { return std::pow(h, 8) * (1 + 3 * h); }), 8, 5e-3);
  // Two orders that are equally large, and rounding errors, have no limit.
  EXPECT_TRUE(std::isnan(limit([](double h) { return std::pow(h, 8) * (1 + 100 * h); })));
  EXPECT_TRUE(std::isnan(limit([](double h) { return std::pow(h, 2) + 1e-4; })));
}

TEST(TangentBasis, IsOrthonormalAndTangent) {
  for (const Case& c : cases()) {
    // The unit of momentum of one is that of vibrations: no small displacement. Others have no momenta.
    if (c.stiff() || !c.parts) continue;
    const Problem problem(c);
    const State<double>& x = problem.states.front();
    const auto basis = tangent_basis(problem.sys, x, problem.size);
    EXPECT_EQ(static_cast<int>(basis.size()), 2 * (problem.sys.n() - constraint_rank(problem.sys, x).rank)) << c.model;
    // Tangent: both residuals change by the square of a displacement only.
    Manifold<double> manifold(problem.sys);
    for (const auto& xi : basis) {
      for (const auto& eta : basis) EXPECT_NEAR(dot(xi, eta), &xi == &eta ? 1 : 0, 1e-14) << c.model;
      const auto residual = [&](double distance) {
        State<double> y = x;
        axpy(distance * problem.size.q, xi.q, y.q);
        axpy(distance * problem.size.p, xi.p, y.p);
        return manifold.position(y.q).relative + manifold.hidden(y.q, y.p).relative;
      };
      EXPECT_LE(residual(1e-4), 0.02 * residual(1e-3) + 1e-9) << c.model;
    }
  }
}

// Duals carry one exact tangent vector; a difference quotient knows four digits of it.
TEST(TangentMap, AgreesWithADifferenceQuotient) {
  const MethodEntry rattle = methods().find("rattle");
  for (const char* model : {"double-pendulum", "slider-crank", "four-bar-redundant"}) {
    const Problem problem(case_of(model));
    const State<double>& x = problem.states.front();
    const ModelSystem<Dual<double>> dual(problem.compiled);
    const auto basis = tangent_basis(problem.sys, x, problem.size);
    const auto images = transport(rattle, dual, x, basis, problem.size, problem.h, 10);
    NumericalMap<double> map(rattle, problem.sys);
    Manifold<double> manifold(problem.sys);
    for (std::size_t k = 0; k < basis.size(); ++k) {
      const auto moved = [&](double distance) {
        State<double> y = x;
        axpy(distance * problem.size.q, basis[k].q, y.q);
        axpy(distance * problem.size.p, basis[k].p, y.p);
        EXPECT_TRUE(manifold.project(y).ok());
        map(y, problem.h, 10);
        return y;
      };
      constexpr double distance = 1e-5;
      const State<double> forward = moved(distance), backward = moved(-distance);
      for (int i = 0; i < problem.sys.n(); ++i) {
        EXPECT_NEAR(images[k].q[i], (forward.q[i] - backward.q[i]) / (2 * distance * problem.size.q), 1e-6) << model;
        EXPECT_NEAR(images[k].p[i], (forward.p[i] - backward.p[i]) / (2 * distance * problem.size.p), 1e-6) << model;
      }
    }
  }
}

}  // namespace
}  // namespace holonom::contract
