// Lyapunov exponents from the tangent map of a method: the rates at which small displacements on the manifold grow
// (Benettin, Galgani, Giorgilli and Strelcyn 1980). Tangent vectors are carried along exactly, in dual numbers, and
// made orthonormal every few steps.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "holonom/analysis/tangent_map.hpp"

namespace holonom {

struct Lyapunov {
  std::vector<double> exponents;      // per time, by the second half of the run; the largest comes first, if it is long
  std::vector<double> times, growth;  // log |ξ| of the first vector, along the run

  double largest() const { return exponents.empty() ? 0 : exponents.front(); }

  // The power of t with which the first vector grows from the last quarter but one to the last octave: 0 to 1 where the
  // motion is regular (2 in rare cases), and proportional to t where it is chaotic. Maxima, because displacements
  // oscillate.
  double power(double end) const {
    const auto highest = [&](double from, double to) {
      double found = -1e300;
      for (std::size_t k = 0; k < times.size(); ++k)
        if (times[k] > from && times[k] <= to) found = std::max(found, growth[k]);
      return found;
    };
    return (highest(end / 2, end) - highest(end / 4, end / 2)) / std::log(2.0);
  }
  // A power that is beyond those of regular motions, and itself grows with time
  bool is_chaotic() const {
    if (times.size() < 16) return false;
    const double end = times.back(), now = power(end), before = power(end / 2);
    return now > 3 && now > 1.4 * before;
  }
};

// Along a run of the method from x, of so many steps; `size`: the units of displacements. As many exponents as are
// asked for, or as the manifold has dimensions.
template <class S>
Lyapunov lyapunov_exponents(const MethodEntry& entry, const AnySystem<S>& sys, const AnySystem<Dual<S>>& dual,
                            const State<S>& x, const StateSize<S>& size, const S& h, long steps, int count = 1) {
  constexpr long between = 10;  // steps
  const int n = sys.n();
  const std::vector<TangentVector<S>> basis = tangent_basis(sys, x, size);
  const auto kept = std::min<std::size_t>(static_cast<std::size_t>(std::max(count, 1)), basis.size());
  Lyapunov result;
  if (kept == 0) return result;
  // All directions are in each vector.
  std::vector<TangentVector<S>> xi(kept, {Vec<S>(n), Vec<S>(n)});
  for (std::size_t i = 0; i < kept; ++i)
    for (std::size_t j = 0; j < basis.size(); ++j) {
      const S weight(std::cos(static_cast<double>((2 * i + 1) * (j + 1))) + (i == j ? 2 : 0));
      axpy(weight, basis[j].q, xi[i].q);
      axpy(weight, basis[j].p, xi[i].p);
    }
  std::vector<double> sums(kept, 0.0), half(kept, 0.0);
  const auto orthonormalise = [&](bool count_it) {
    for (std::size_t i = 0; i < kept; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const S along = dot(xi[i], xi[j]);
        axpy(S(-along), xi[j].q, xi[i].q);
        axpy(S(-along), xi[j].p, xi[i].p);
      }
      using std::sqrt;
      const S length = sqrt(dot(xi[i], xi[i]));
      for (S& a : xi[i].q) a /= length;
      for (S& a : xi[i].p) a /= length;
      if (count_it) sums[i] += std::log(to_double(length));
    }
  };
  orthonormalise(false);
  NumericalMap<Dual<S>> map(entry, dual);
  State<S> at = x;
  State<Dual<S>> y(n, sys.m());
  const long parts = std::max(steps / between, 1L), middle = parts / 2;
  for (long part = 1; part <= parts; ++part) {
    State<S> next = at;
    for (TangentVector<S>& v : xi) {
      for (int i = 0; i < n; ++i) {
        y.q[i] = {at.q[i], v.q[i] * size.q};
        y.p[i] = {at.p[i], v.p[i] * size.p};
      }
      map(y, Dual<S>(h), between);
      for (int i = 0; i < n; ++i) {
        next.q[i] = y.q[i].v;
        next.p[i] = y.p[i].v;
        v.q[i] = y.q[i].d / size.q;
        v.p[i] = y.p[i].d / size.p;
      }
    }
    at = next;
    orthonormalise(true);
    if (part == middle) half = sums;
    result.times.push_back(std::abs(to_double(h)) * static_cast<double>(part * between));
    result.growth.push_back(sums.front());
  }
  const double time = std::abs(to_double(h)) * static_cast<double>((parts - middle) * between);
  for (std::size_t i = 0; i < kept; ++i) result.exponents.push_back((sums[i] - half[i]) / time);
  return result;
}

}  // namespace holonom
