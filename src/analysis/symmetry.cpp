#include "holonom/analysis/symmetry.hpp"

#include <random>

#include "holonom/analysis/manifold.hpp"

namespace holonom {

std::vector<State<double>> nearby_states(const AnySystem<double>& sys, const State<double>& x, int count) {
  std::vector<State<double>> states{x};
  Manifold<double> manifold(sys);
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  double extent = 0, speed = 0;
  for (int i = 0; i < sys.n(); ++i) {
    extent = std::max(extent, std::abs(x.q[i]));
    speed = std::max(speed, std::abs(x.p[i]));
  }
  for (int k = 1; k < count; ++k) {
    State<double> y = x;
    for (int i = 0; i < sys.n(); ++i) {
      y.q[i] += 1e-2 * (extent > 0 ? extent : 1.0) * normal(random);
      y.p[i] += 1e-1 * (speed > 0 ? speed : 1.0) * normal(random);
    }
    if (sys.diagnose(y.q, y.p).empty() && manifold.project(y).ok()) states.push_back(y);
  }
  return states;
}

double reversal_defect(const GraphSystem<double>& sys, const State<double>& x) {
  const Model& model = sys.compiled().model();
  Manifold<double> manifold(sys);
  double defect = 0;
  for (const State<double>& y : nearby_states(sys, x, 4)) {
    State<double> z = y;
    for (int i = 0; i < sys.n(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      if (!model.flip_q.empty() && model.flip_q[k]) z.q[i] = -z.q[i];
      if (model.flip_p.empty() || model.flip_p[k]) z.p[i] = -z.p[i];
    }
    const double a = sys.H(y.q, y.p), b = sys.H(z.q, z.p);
    const double size = std::max({std::abs(a), std::abs(b), 1e-300});
    keep_largest(defect, std::abs(a - b) / size);
    keep_largest(defect, manifold.position(z.q).relative);
  }
  return defect;
}

std::vector<double> invariant_rates(const GraphSystem<double>& sys, const State<double>& x) {
  const int n = sys.n();
  const auto count = static_cast<int>(sys.labels().invariants.size());
  std::vector<double> rates(static_cast<std::size_t>(count), 0.0);
  if (count == 0) return rates;
  Manifold<double> manifold(sys);
  Vec<double> dq(n), dp(n), rate(count), part(count), zero(n);
  Jacobian<double> G(sys.pattern());
  for (State<double> y : nearby_states(sys, x, 4)) {
    if (!manifold.multipliers(y).ok()) continue;
    sys.H_p(y.q, y.p, dq);
    sys.H_q(y.q, y.p, dp);
    for (double& f : dp) f = -f;
    sys.G(y.q, G);
    subtract_force(G, y.lambda, dp);
    sys.invariants_along(y.q, y.p, dq, dp, rate);
    // Its two parts cancel when I is conserved: their size is the measure.
    sys.invariants_along(y.q, y.p, dq, zero, part);
    for (int k = 0; k < count; ++k) {
      const double size = std::max({std::abs(part[k]), std::abs(rate[k] - part[k]), 1e-12});
      keep_largest(rates[static_cast<std::size_t>(k)], std::abs(rate[k]) / std::max(size, 1.0));
    }
  }
  return rates;
}

}  // namespace holonom
