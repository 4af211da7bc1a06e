// What a run keeps at every step: both constraints, momentum maps, and the energy without drift.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "holonom/analysis/numerical_map.hpp"
#include "holonom/analysis/trend.hpp"
#include "holonom/run/lost_energy.hpp"
#include "holonom/solve/manifold.hpp"

namespace holonom {

template <class R>
struct ConstraintResiduals {
  R position{0}, hidden{0};  // largest over all steps and constraints, relative to the terms of each
};

template <class S>
ConstraintResiduals<Real<S>> constraint_residuals(NumericalMap<S>& map, const AnySystem<S>& sys, State<S> x, const S& h,
                                                  long steps) {
  using R = Real<S>;
  ConstraintResiduals<R> result;
  Manifold<S> manifold(sys);
  map(x, h, steps, [&](const State<S>& y) {
    keep_largest(result.position, manifold.position(y.q).relative);
    (void)manifold.hidden(y.q, y.p);
  });
  result.hidden = manifold.largest_hidden();
  return result;
}

// Invariants that are linear in p are momentum maps of the symmetries that act on positions. Tried at x and about it:
// on the manifold, or at rest, others may vanish as well.
inline std::vector<bool> momentum_maps(const AnySystem<double>& sys, const State<double>& x) {
  const auto count = static_cast<int>(sys.labels().invariants.size());
  Vec<double> once(count), twice(count), none(count);
  std::vector<bool> linear(static_cast<std::size_t>(count), true);
  if (count == 0) return linear;
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const double extent = largest(x.q) > 0 ? largest(x.q) : 1, speed = largest(x.p) > 0 ? largest(x.p) : 1;
  constexpr int trials = 4;
  for (int trial = 0; trial < trials; ++trial) {
    State<double> y = x;
    for (int i = 0; trial > 0 && i < sys.n(); ++i) {
      y.q[i] += 1e-3 * extent * uniform(random);
      y.p[i] += speed * uniform(random);
    }
    sys.invariants(y.q, y.p, once);
    for (double& a : y.p) a *= 2;
    sys.invariants(y.q, y.p, twice);
    fill(y.p, 0.0);
    sys.invariants(y.q, y.p, none);
    for (int k = 0; k < count; ++k) {
      if (trial > 0 && !is_finite(twice[k])) continue;  // the formula does not reach that far
      linear[static_cast<std::size_t>(k)] = linear[static_cast<std::size_t>(k)] && none[k] == 0 &&
                                            std::abs(twice[k] - 2 * once[k]) <= 1e-12 * std::abs(twice[k]);
    }
  }
  return linear;
}

// What an invariant of a field is as a function of (q, p), tried along random lines: pᵀ(C q + c), at most quadratic, or
// something else.
enum class InvariantForm : std::uint8_t { bilinear, quadratic, other };

inline std::vector<InvariantForm> invariant_forms(const AnySystem<double>& sys, const State<double>& x) {
  const auto count = static_cast<int>(sys.labels().invariants.size());
  std::vector<InvariantForm> forms(static_cast<std::size_t>(count), InvariantForm::quadratic);
  if (count == 0) return forms;
  const std::vector<bool> linear_in_p = momentum_maps(sys, x);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-0.1, 0.1);
  Vec<double> dq(sys.n()), dp(sys.n()), none(sys.n()), values(count);
  // The second difference in q and the third in (q, p), against the values that they are made of
  const auto vanishes = [&](const std::vector<double>& weights, const Vec<double>& along_p) {
    Vec<double> sum(count), size(count);
    for (std::size_t j = 0; j < weights.size(); ++j) {
      State<double> y = x;
      axpy(static_cast<double>(j), dq, y.q);
      axpy(static_cast<double>(j), along_p, y.p);
      sys.invariants(y.q, y.p, values);
      for (int k = 0; k < count; ++k) {
        sum[k] += weights[j] * values[k];
        size[k] += std::abs(weights[j] * values[k]);
      }
    }
    std::vector<bool> result;
    for (int k = 0; k < count; ++k) result.push_back(std::abs(sum[k]) <= 1e-12 * size[k]);
    return result;
  };
  std::vector<bool> bilinear = linear_in_p, quadratic(forms.size(), true);
  constexpr int trials = 4;
  for (int trial = 0; trial < trials; ++trial) {
    for (double& a : dq) a = uniform(random);
    for (double& a : dp) a = uniform(random);
    const std::vector<bool> affine = vanishes({1, -2, 1}, none), second = vanishes({1, -3, 3, -1}, dp);
    for (std::size_t k = 0; k < forms.size(); ++k) {
      bilinear[k] = bilinear[k] && affine[k];
      quadratic[k] = quadratic[k] && second[k];
    }
  }
  for (std::size_t k = 0; k < forms.size(); ++k)
    forms[k] = !quadratic[k] ? InvariantForm::other : bilinear[k] ? InvariantForm::bilinear : InvariantForm::quadratic;
  return forms;
}

// For each invariant: max |I(x_n) − I(x_0)| against the largest Σ |∂I/∂y_j y_j|, the size of its terms.
template <class S>
Vec<Real<S>> invariant_errors(NumericalMap<S>& map, const AnySystem<S>& sys, State<S> x, const S& h, long steps) {
  using R = Real<S>;
  const auto count = static_cast<int>(sys.labels().invariants.size());
  Vec<S> initial(count), now(count), slope(count), terms(count);
  Vec<R> error(count), size(count);
  if (count == 0) return error;
  sys.invariants(x.q, x.p, initial);
  map(x, h, steps, [&](const State<S>& y) {
    sys.invariants(y.q, y.p, now);
    sys.invariants_along(y.q, y.p, y.q, y.p, slope, terms);
    for (int k = 0; k < count; ++k) {
      keep_largest(error[k], R(magnitude(S(now[k] - initial[k]))));
      keep_largest(size[k], R(magnitude(terms[k])));
    }
  });
  for (int k = 0; k < count; ++k) error[k] = relative(error[k], size[k]);
  return error;
}

// For each momentum map: max |I(x_n) − I(x_0)| against the largest Σ_j |∂I/∂p_j p_j|, the size of its
// terms. Zero for invariants that are no momentum maps.
template <class S>
Vec<Real<S>> momentum_errors(NumericalMap<S>& map, const AnySystem<S>& sys, State<S> x, const S& h, long steps,
                             const std::vector<bool>& is_momentum) {
  using R = Real<S>;
  const auto count = static_cast<int>(sys.labels().invariants.size());
  Vec<S> initial(count), now(count), term(count), single(sys.n());
  Vec<R> error(count), size(count), terms(count);
  if (count == 0) return error;
  sys.invariants(x.q, x.p, initial);
  map(x, h, steps, [&](const State<S>& y) {
    sys.invariants(y.q, y.p, now);
    fill(terms, R(0));
    for (int j = 0; j < sys.n(); ++j) {
      fill(single, S(0));
      single[j] = y.p[j];
      sys.invariants(y.q, single, term);
      for (int k = 0; k < count; ++k) terms[k] += magnitude(term[k]);
    }
    for (int k = 0; k < count; ++k) {
      keep_largest(error[k], R(magnitude(S(now[k] - initial[k]))));
      keep_largest(size[k], terms[k]);
    }
  });
  for (int k = 0; k < count; ++k)
    error[k] = is_momentum[static_cast<std::size_t>(k)] ? relative(error[k], size[k]) : R(0);
  return error;
}

struct EnergyDrift {
  double initial = 0;
  double lowest = 0, highest = 0;  // of H − H(x_0)
  Trend trend;                     // of H over the whole run
  // ½ |p·H_p| + |H| + |h H_p·(H + λ·g)_qq q|, the largest: what rounding errors of H are relative to
  double size = 0;
  double kinetic = 0, mean_kinetic = 0;  // p·H_p/2, the largest and the mean
  bool is_lost = false;                  // run/lost_energy.hpp
  double band() const { return highest - lowest; }
  double change() const { return std::max(highest, -lowest); }
};

// The energy after every step of a run from x, which ends in x, and what trend.hpp makes of it.
template <class S>
EnergyDrift energy_along(NumericalMap<S>& map, const AnySystem<S>& sys, State<S>& x, const S& h, long steps) {
  EnergyDrift result;
  const S H0 = sys.H(x.q, x.p);
  result.initial = to_double(H0);
  Vec<S> v(sys.n()), error(sys.n()), force(sys.n());
  std::vector<double> energies;
  energies.reserve(static_cast<std::size_t>(steps));
  const long seldom = std::max(steps / 20, 1L);
  double kinetic_and_all = 0, by_positions = 0, sum = 0;
  Real<S> change(0), kinetic(0);
  const bool knows_force = knows(sys, Quantity::H_qq);
  const bool knows_constraint_force = sys.m() > 0 && knows(sys, Quantity::lambda_g_qq);
  Manifold<S> manifold(sys);
  State<S> at(sys.n(), sys.m());
  Vec<S> of_constraints(sys.n());
  long done = 0;
  map(x, h, steps, [&](const State<S>& y) {
    const S H = sys.H(y.q, y.p);
    map.require_finite(H, ++done);
    const double dH = to_double(S(H - H0));
    keep_largest(change, Real<S>(magnitude(S(H - H0))));
    result.lowest = std::min(result.lowest, dH);
    keep_largest(result.highest, dH);
    sys.H_p(y.q, y.p, v);
    const Real<S> now = magnitude(dot(y.p, v)) / 2;
    keep_largest(kinetic, now);
    sum += to_double(now);
    keep_largest(kinetic_and_all, to_double(Real<S>(now + magnitude(H))));
    energies.push_back(dH);
    if (!knows_force || done % seldom != 0) return;
    // Rounding errors of positions, which may grow without end (angles), are errors of the forces of a step.
    like_rounding_errors(y.q, error);
    sys.H_qq(y.q, y.p, error, force);
    at.q = y.q;
    at.p = y.p;
    if (knows_constraint_force && manifold.multipliers(at).ok()) {
      sys.lambda_g_qq(y.q, at.lambda, error, of_constraints);
      axpy(S(1), of_constraints, force);
    }
    Real<S> work(0);
    for (int i = 0; i < sys.n(); ++i) work += magnitude(S(h * v[i] * force[i]));
    keep_largest(by_positions, to_double(work));
  });
  result.size = kinetic_and_all + by_positions;
  result.kinetic = to_double(kinetic);
  result.mean_kinetic = sum / static_cast<double>(std::max(done, 1L));
  result.is_lost = energy_is_lost(sys, x, change, kinetic, Real<S>(magnitude(H0) + magnitude(sys.H(x.q, x.p))));
  result.trend = trend_of(energies);
  return result;
}
template <class S>
EnergyDrift energy_drift(NumericalMap<S>& map, const AnySystem<S>& sys, State<S> x, const S& h, long steps) {
  return energy_along(map, sys, x, h, steps);
}

}  // namespace holonom
