// What the shadow energy of a symplectic method does along a run (docs/shadow-energy.md), and what it can tell. Its
// drift is none of truncation: that is in H̃ itself. It is of solves that end too early, and of rounding errors.
#pragma once

#include <algorithm>
#include <cmath>
#include <deque>

#include "holonom/analysis/numerical_map.hpp"
#include "holonom/analysis/trend.hpp"
#include "holonom/run/extent.hpp"
#include "holonom/run/line_fit.hpp"
#include "holonom/run/lost_energy.hpp"
#include "holonom/run/shadow.hpp"

namespace holonom {

// What the range of H̃ comes from.
enum class ShadowLimit {
  rounding,   // rounding errors: there is nothing left to see
  window,     // the terms that M + 1 states leave out: a longer window would see less
  change,     // a longer window would see the same: it is H̃ itself that changes
  unresolved  // the window does not resolve the motion: H̃ varies as much as H or more, so look at the energy
};

struct ShadowEnergy {
  int window = 0;            // M
  double initial = 0;        // of the first window
  double range = 0;          // largest − smallest, over windows from the states 0 ... steps
  double shorter_range = 0;  // the same with windows that are shorter by two steps (by one, where there are fewer); by
                             // reference, without it
  double energy_range = 0;   // of H, over these states
  double drift = 0;          // along the line through H̃, over the whole run
  double slope = 0;          // the same per time
  double rms = 0;            // about that line
  Trend trend;               // of H̃, and
  Trend energy_trend;        // of H; not by reference
  double size = 0;           // ½ |p·H_p| + |H|, the largest; not by reference
  double energy_change = 0, kinetic = 0;  // largest |H − H(x_0)|, and p·H_p/2; not by reference
  bool energy_is_lost = false;            // run/lost_energy.hpp
  double rounding = 0;  // what rounding errors may do to it: a bound of the random walk, and of single values
  ShadowLimit limit = ShadowLimit::unresolved;

  bool resolved() const { return limit != ShadowLimit::unresolved; }
  std::string remark() const {
    switch (limit) {
      case ShadowLimit::rounding: return "its range is that of rounding errors";
      case ShadowLimit::window: return "its range is that of the window, and falls with a longer one";
      case ShadowLimit::change: return "its range does not fall with a longer window: the shadow energy itself changes";
      case ShadowLimit::unresolved: break;
    }
    return "the window does not resolve the motion (the range of the shadow energy is not below that of the energy): "
           "take the energy, a shorter step, or the reference at shorter steps";
  }
};

namespace detail {

// With the line through all
template <class S>
class Spread : public Extent<S> {
 public:
  void add(const S& y) {
    Extent<S>::add(y);
    const S d = y - this->first();
    line_.add(Real<S>(line_.count()), Real<S>(d));
    values_.push_back(to_double(d));
  }
  const LineFit<Real<S>>& line() const { return line_; }
  Trend trend() const { return trend_of(values_); }

 private:
  LineFit<Real<S>> line_;
  std::vector<double> values_;
};

template <class S>
ShadowEnergy summary(int M, const Spread<S>& shadow, const Spread<S>& other, const Spread<S>& energy) {
  ShadowEnergy result;
  result.window = M;
  result.initial = to_double(shadow.first());
  result.range = shadow.range();
  result.shorter_range = other.range();
  result.energy_range = energy.range();
  const Line<Real<S>> trend = shadow.line()();
  result.drift = to_double(trend.drift);
  result.rms = to_double(trend.rms);
  return result;
}

// The map of a method that has a shadow energy on the system, or Unsuitable
template <class S>
NumericalMap<S> map_with_action(const MethodEntry& entry, const AnySystem<S>& sys, const MethodOptions& options) {
  if (const std::string reason = lacks_shadow_energy(entry.info, sys); !reason.empty()) throw Unsuitable(reason);
  NumericalMap<S> map(entry, sys, options);
  if (const std::string reason = map.track_action(); !reason.empty())
    throw Unsuitable("no shadow energy of " + entry.info.key + " can be found: " + reason);
  return map;
}

}  // namespace detail

// Windows begin at the states 0 ... steps of a run from x, which has M steps more. Throws Unsuitable if the method has
// no shadow energy on the system, StepFailed if a step fails. 1 ≤ M ≤ 32.
template <class S>
ShadowEnergy shadow_energy(const MethodEntry& entry, const AnySystem<S>& sys, State<S> x, const S& h, long steps,
                           int M = 8, const MethodOptions& options = {}) {
  NumericalMap<S> map = detail::map_with_action(entry, sys, options);
  const ShadowWeights<S> weights(M), shorter(std::max(1, M > 2 ? M - 2 : M - 1));
  ShadowWindow<S> window(sys.n(), M);
  detail::Spread<S> energy, shadow, by_shorter;
  Vec<S> v(sys.n());
  double size = 0, product = 0;
  long done = 0;
  const S H0 = sys.H(x.q, x.p);
  Real<S> change(0), kinetic(0), energies(0);
  State<S> last = x;
  const auto look = [&](const State<S>& y) {
    const S H = sys.H(y.q, y.p);
    map.require_finite(H, done);
    energy.add(H);
    sys.H_p(y.q, y.p, v);
    const Real<S> now = magnitude(dot(y.p, v)) / 2;
    keep_largest(change, Real<S>(magnitude(S(H - H0))));
    keep_largest(kinetic, now);
    keep_largest(size, to_double(Real<S>(now + magnitude(H))));
    energies = magnitude(H0) + magnitude(H);
    last.q = y.q;
    last.p = y.p;
    Real<S> sum(0);
    for (int i = 0; i < sys.n(); ++i) sum += magnitude(S(y.p[i] * y.q[i]));
    keep_largest(product, to_double(sum));
  };
  window.begin(x);
  look(x);
  map(x, h, steps + M, [&](const State<S>& y) {
    window.add(y, map.action());
    if (++done <= steps) look(y);
    if (window.is_full()) shadow.add(window.value(weights, h));
    if (window.reaches(shorter.steps()) && done <= steps + shorter.steps()) by_shorter.add(window.value(shorter, h));
  });
  ShadowEnergy result = detail::summary(M, shadow, by_shorter, energy);
  result.trend = shadow.trend();
  result.energy_trend = energy.trend();
  const double length = std::abs(to_double(h)) * static_cast<double>(std::max(steps, 1L));
  result.slope = result.drift / length;
  result.size = size;
  result.energy_change = to_double(change);
  result.kinetic = to_double(kinetic);
  result.energy_is_lost = energy_is_lost(sys, last, change, kinetic, energies);
  result.rounding = shadow_rounding<S>(size, product, to_double(h), steps + M);
  constexpr double falls = 0.8;  // by this at least, where the window is what limits
  result.limit = !shadow_resolves(result.range, result.energy_range, result.rounding) ? ShadowLimit::unresolved
                 : result.range <= result.rounding                                    ? ShadowLimit::rounding
                 : result.range < falls * result.shorter_range                        ? ShadowLimit::window
                                                                                      : ShadowLimit::change;
  return result;
}

// For methods of high order with long steps: what the window leaves out is nearly the same for the same method with
// steps of h/parts through the middle state y of the window, and is subtracted,
//   H̃ ≈ H(y) + F[steps of h] − F[steps of h/parts through y].
// At `samples` states, `stride` steps apart. M must be even; the method symmetric, since it goes back from y.
template <class S>
ShadowEnergy shadow_energy_by_reference(const MethodEntry& entry, const AnySystem<S>& sys, State<S> x, const S& h,
                                        long samples, long stride, int M = 8, int parts = 2,
                                        const MethodOptions& options = {}) {
  if (!entry.info.symmetric) throw Unsuitable(entry.info.key + " is not symmetric, and its steps do not lead back");
  if (M < 2 || M % 2 != 0 || parts < 2)
    throw std::invalid_argument("a reference needs a window with a middle state, and shorter steps");
  NumericalMap<S> map = detail::map_with_action(entry, sys, options),
                  fine = detail::map_with_action(entry, sys, options);
  const int half = M / 2;
  const ShadowWeights<S> weights(M);
  ShadowWindow<S> window(sys.n(), M);
  // Through y, every `parts`-th state
  const auto reference = [&](const State<S>& y) {
    std::vector<State<S>> states(static_cast<std::size_t>(M) + 1, y);
    std::vector<S> actions(states.size());
    const S step = h / S(parts);
    for (const int way : {-1, 1}) {
      State<S> z = y;
      S sum(0);
      long done = 0;
      fine(z, S(S(way) * step), static_cast<long>(half) * parts, [&](const State<S>& now) {
        sum += fine.action();
        if (++done % parts != 0) return;
        const long place = half + way * (done / parts);
        const auto k = static_cast<std::size_t>(place);
        states[k] = now;
        actions[way > 0 ? k : k + 1] = S(way) * sum;  // of the step that ends there, forwards
        sum = S(0);
      });
    }
    ShadowWindow<S> along(sys.n(), M);
    along.begin(states[0]);
    for (std::size_t k = 1; k < states.size(); ++k) along.add(states[k], actions[k]);
    return along.value(weights, h);
  };
  detail::Spread<S> energy, shadow, raw;
  std::deque<State<S>> last{x};
  window.begin(x);
  long done = 0;
  map(x, h, (samples - 1) * stride + M, [&](const State<S>& y) {
    window.add(y, map.action());
    last.push_back(y);
    if (static_cast<int>(last.size()) > half + 1) last.pop_front();
    if (++done < M || (done - M) % stride != 0) return;
    const State<S>& middle = last.front();
    const S H = sys.H(middle.q, middle.p), F = window.value(weights, h);
    energy.add(H);
    raw.add(F);
    shadow.add(H + F - reference(middle));
  });
  ShadowEnergy result = detail::summary(M, shadow, raw, energy);
  result.slope = result.drift / (std::abs(to_double(h)) * static_cast<double>(std::max(1L, (samples - 1) * stride)));
  result.limit = result.range < result.energy_range ? ShadowLimit::window : ShadowLimit::unresolved;
  return result;
}

}  // namespace holonom
