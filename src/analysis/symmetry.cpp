#include "holonom/analysis/symmetry.hpp"

#include <random>

#include "largest_rates.hpp"

namespace holonom {

namespace {

// x, and states near it that `accept` takes, or has changed so that it does
template <class Accept>
std::vector<State<double>> around(const AnySystem<double>& sys, const State<double>& x, int count, Accept&& accept) {
  std::vector<State<double>> states{x};
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
      if (sys.diagnose(y.q, y.p).empty() && accept(y)) {
        states.push_back(std::move(y));
        break;
      }
      part /= 10;
    }
  }
  return states;
}

}  // namespace

std::vector<State<double>> nearby_states(const AnySystem<double>& sys, const State<double>& x, int count) {
  Manifold<double> manifold(sys);
  return around(sys, x, count, [&](State<double>& y) { return manifold.project(y).ok(); });
}

std::vector<State<double>> states_off_manifold(const AnySystem<double>& sys, const State<double>& x, int count) {
  std::vector<State<double>> states = around(sys, x, count + 1, [](State<double>&) { return true; });
  states.erase(states.begin());
  return states;
}

namespace {

// f(ρy) = −ρ f(y)
double reversal_defect_of_field(const AnySystem<double>& sys, const State<double>& x) {
  const Involution rho = sys.reversal();
  State<double> rate(sys.n(), 0), reversed(sys.n(), 0);
  const auto rates = [&](const State<double>& y, State<double>& out) {
    sys.H_p(y.q, y.p, out.q);
    sys.H_q(y.q, y.p, out.p);
    for (double& a : out.p) a = -a;
  };
  double defect = 0, size = 1e-300;
  for (State<double> y : nearby_states(sys, x, 4)) {
    rates(y, rate);
    rho(rate);
    rho(y);
    rates(y, reversed);
    for (const auto& [a, b] : {std::pair(&rate.q, &reversed.q), std::pair(&rate.p, &reversed.p)})
      for (int i = 0; i < sys.n(); ++i) {
        keep_largest(defect, std::abs((*a)[i] + (*b)[i]));
        size = std::max(size, std::abs((*a)[i]));
      }
  }
  return defect / size;
}

}  // namespace

double reversal_defect(const AnySystem<double>& sys, const State<double>& x) {
  if (sys.is_field()) return reversal_defect_of_field(sys, x);
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
  if (sys.labels().invariants.empty()) return {};
  return largest_rates(sys, nearby_states(sys, x, 4)).largest;
}

}  // namespace holonom
