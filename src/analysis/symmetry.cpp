#include "holonom/analysis/symmetry.hpp"

#include <limits>
#include <random>

#include "holonom/solve/underlying_field.hpp"

namespace holonom {

std::vector<State<double>> nearby_states(const AnySystem<double>& sys, const State<double>& x, int count) {
  std::vector<State<double>> states{x};
  Manifold<double> manifold(sys);
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  Vec<double> dq(sys.n()), dp(sys.n());
  double extent = 0, speed = 0;
  for (int i = 0; i < sys.n(); ++i) {
    extent = std::max(extent, std::abs(x.q[i]));
    speed = std::max(speed, std::abs(x.p[i]));
  }
  double part = 1;  // long chains have short links: what is near for one is far for the other
  for (int k = 1; k < count; ++k) {
    for (int i = 0; i < sys.n(); ++i) {
      dq[i] = 1e-2 * (extent > 0 ? extent : 1.0) * normal(random);
      dp[i] = 1e-1 * (speed > 0 ? speed : 1.0) * normal(random);
    }
    while (part > 1e-6) {
      State<double> y = x;
      axpy(part, dq, y.q);
      axpy(1.0, dp, y.p);
      if (sys.diagnose(y.q, y.p).empty() && manifold.project(y).ok()) {
        states.push_back(std::move(y));
        break;
      }
      part /= 10;
    }
  }
  return states;
}

double reversal_defect(const AnySystem<double>& sys, const State<double>& x) {
  const Involution rho = sys.reversal();
  Manifold<double> manifold(sys);
  double defect = 0;
  for (const State<double>& y : nearby_states(sys, x, 4)) {
    State<double> z = y;
    rho(z);
    const double a = sys.H(y.q, y.p), b = sys.H(z.q, z.p);
    const double size = std::max({std::abs(a), std::abs(b), 1e-300});
    keep_largest(defect, std::abs(a - b) / size);
    keep_largest(defect, manifold.position(z.q).relative);
  }
  return defect;
}

std::vector<double> invariant_rates(const AnySystem<double>& sys, const State<double>& x) {
  const int n = sys.n();
  const auto count = static_cast<int>(sys.labels().invariants.size());
  std::vector<double> rates(static_cast<std::size_t>(count), 0.0);
  if (count == 0) return rates;
  const UnderlyingField<double> field(sys);
  Vec<double> dq(n), dp(n), rate(count), terms(count);
  // The terms of dI/dt cancel when I is conserved: their size is the measure, the largest of all states, because at
  // rest there is nothing but rounding errors.
  std::vector<double> size(rates.size(), 0.0);
  bool tried = false;
  for (State<double> y : nearby_states(sys, x, 4)) {
    if (!field.slopes(y, dq, dp).ok()) continue;
    tried = true;
    sys.invariants_along(y.q, y.p, dq, dp, rate, terms);
    for (int k = 0; k < count; ++k) {
      const auto i = static_cast<std::size_t>(k);
      keep_largest(rates[i], std::abs(rate[k]));  // NaN stays
      size[i] = std::max(size[i], terms[k]);
    }
  }
  for (std::size_t k = 0; k < rates.size(); ++k) {
    if (!tried) rates[k] = std::numeric_limits<double>::quiet_NaN();
    if (size[k] > 0) rates[k] /= size[k];
  }
  return rates;
}

}  // namespace holonom
