// Random states of a system far from each other, always the same ones.
#pragma once

#include <cmath>
#include <optional>
#include <random>

#include "holonom/solve/manifold.hpp"

namespace holonom {

// States around x, with positions as far away as formulas allow: symmetries of a small neighbourhood are hard to tell
// from those of all space.
class Scatter {
 public:
  Scatter(const AnySystem<double>& sys, const State<double>& x)
      : sys_(sys), x_(x), v_(sys.n()), force_(sys.n()), manifold_(sys) {
    for (const double q : x.q) extent_ = std::max(extent_, std::abs(q));
    for (const double p : x.p) speed_ = std::max(speed_, std::abs(p));
    if (!(extent_ > 0)) extent_ = 1;
    if (!(speed_ > 0)) speed_ = 1;
  }

  // Every other one at rest: then forces alone speak. In the others the kinetic energy is as large as the work of
  // forces over the distance to the origin, so that none of them hides the other.
  std::optional<State<double>> off_manifold() {
    State<double> y = x_;
    for (;;) {
      move(y);
      const double factor = at_rest_ ? 0 : 1;
      for (int i = 0; i < sys_.n(); ++i) y.p[i] = factor * speed_ * normal_(random_);
      if (sys_.diagnose(y.q, y.p).empty()) break;
      if (!come_closer(part_)) return std::nullopt;
    }
    if (!at_rest_) balance(y);
    at_rest_ = !at_rest_;
    return y;
  }
  std::optional<State<double>> on_manifold() {
    State<double> y = x_;
    for (;;) {
      move(y, part_on_);
      for (int i = 0; i < sys_.n(); ++i) y.p[i] = speed_ * normal_(random_);
      if (sys_.diagnose(y.q, y.p).empty() && manifold_.project(y).ok()) return y;
      if (!come_closer(part_on_)) return std::nullopt;
    }
  }

 private:
  void move(State<double>& y) { move(y, part_); }
  void move(State<double>& y, double part) {
    for (int i = 0; i < sys_.n(); ++i) y.q[i] = x_.q[i] + part * extent_ * normal_(random_);
  }
  static bool come_closer(double& part) {
    part /= 3;
    return part > 1e-5;
  }
  void balance(State<double>& y) {
    sys_.H_p(y.q, y.p, v_);
    sys_.H_q(y.q, y.p, force_);
    double kinetic = 0, work = 0;
    for (int i = 0; i < sys_.n(); ++i) {
      kinetic = std::max(kinetic, std::abs(y.p[i] * v_[i]));
      work = std::max(work, std::abs(force_[i] * y.q[i]));
    }
    const double factor = std::sqrt(work / kinetic);
    if (!(factor > 0) || !std::isfinite(factor)) return;
    State<double> z = y;
    for (double& p : z.p) p *= factor;
    if (sys_.diagnose(z.q, z.p).empty()) y = std::move(z);
  }

  const AnySystem<double>& sys_;
  const State<double>& x_;
  Vec<double> v_, force_;
  Manifold<double> manifold_;
  std::mt19937 random_{5};
  std::normal_distribution<double> normal_;
  double extent_ = 0, speed_ = 0, part_ = 0.3, part_on_ = 0.3;
  bool at_rest_ = true;
};

}  // namespace holonom
