// Ends a linearly convergent iteration when its changes have become rounding errors.
#pragma once

#include <algorithm>
#include <limits>

#include "holonom/norm.hpp"
#include "holonom/solve/constraints.hpp"

namespace holonom {

template <class R>
class Stagnation {
 public:
  enum class Verdict { go_on, done, failed };

  // The rate of contraction tells what the next iteration would change; if that is nothing of the positions, and at
  // most `foreseen` rounding errors of the rest, it is saved. 0: nothing is foreseen.
  Stagnation(const R& eps, const NewtonOptions& options, double foreseen = 0)
      : foreseen_(4 * foreseen),
        floor_(options.tolerance > 0 ? R(options.tolerance) : eps / 4),
        rounding_(R(10) * eps),
        accepted_(R(1e4) * eps),
        noise_(R(1e7) * eps),
        only_(options.stage_iterations),
        max_(4 * options.max_iterations * std::max(1, std::numeric_limits<R>::digits10 / 15)) {
    if (accepted_ < floor_) accepted_ = floor_;
  }
  // `change` of all unknowns; `displacement`, that of the positions alone.
  Verdict operator()(const R& change, const R& displacement) {
    ++iterations_;
    if (only_ > 0) return !(change < R(1e30)) ? Verdict::failed : iterations_ < only_ ? Verdict::go_on : Verdict::done;
    const R rate_before = rate_;
    rate_ = iterations_ > 1 && previous_ > R(0) ? R(change / previous_) : R(0);
    if (foreseen_ > R(0) && iterations_ > 2) {
      // What two iterations in succession have shown; one alone may have come from far away, quadratically. No better
      // rate than this is believed. When changes become rounding errors they stop shrinking: the best rate is the true
      // one.
      const R least(0.001), poorer = rate_ < rate_before ? rate_before : rate_;
      if (poorer < best_rate_) best_rate_ = poorer < least ? least : poorer;
      if (displacement * best_rate_ <= floor_ / 2 && change * best_rate_ <= foreseen_ * floor_) return Verdict::done;
    }
    // Slow contractions are no stall. Positions, momenta and impulses that correct each other need not contract in
    // every iteration, only in every two.
    const bool pauses = iterations_ > 1 && !(change < R(0.9) * previous_);
    const bool stalled = pauses && iterations_ > 2 && !(change < R(0.9) * before_previous_);
    // Rounding errors of g reach p divided by h, and p may be small (a start at rest): positions tell. Where they are
    // made of the momenta of the iteration before, they stand still in every other one: two in succession tell, unless
    // momenta run away.
    const R last = previous_ < before_previous_ ? before_previous_ : previous_;
    const bool runs_away = change > noise_ && change > R(4) * last;
    const bool settled = displacement <= accepted_ && displacement_before_ <= accepted_ && !runs_away;
    if (change <= floor_ || (pauses && change <= rounding_) || (stalled && settled)) return Verdict::done;
    // A contraction this poor is not one.
    const bool grows = iterations_ > 2 && change > previous_ && change > before_previous_;
    if (!(change < R(1e30)) || iterations_ >= max_ || (grows && ++growths_ > 5)) return Verdict::failed;
    before_previous_ = previous_;
    previous_ = change;
    displacement_before_ = displacement;
    return Verdict::go_on;
  }
  int iterations() const { return iterations_; }
  const R& rate() const { return rate_; }  // the last contraction

 private:
  R foreseen_, floor_, rounding_, accepted_, noise_, previous_{0}, before_previous_{0}, displacement_before_{0},
      rate_{0}, best_rate_{1};
  int iterations_ = 0, growths_ = 0, only_, max_;
};

// Relative to the largest entry, or to `scale` if that is larger.
template <class S, int N>
Real<S> largest_change(const Vec<S, N>& a, const Vec<S, N>& b, const Real<S>& scale) {
  using R = Real<S>;
  const R change = largest_difference(a, b);
  R size = largest(a);
  if (size < scale) size = scale;
  return size > R(0) ? R(change / size) : change;
}

}  // namespace holonom
