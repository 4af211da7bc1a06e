// The map of a multiple-time-step method: V_slow kicks at both ends, `inner` Verlet steps with V_fast between
// (Grubmüller et al. 1991; Tuckerman, Berne, Martyna 1992).
#pragma once

#include "holonom/methods/projected_map.hpp"

namespace holonom {

template <class Sys>
class MultipleTimeSteps {
  using S = ScalarOf<Sys>;

 public:
  MultipleTimeSteps(const Sys& sys, int inner) : inner_(inner), f_(size_q(sys)), v_(size_q(sys)) {}

  Status operator()(const Sys& sys, QVec<Sys>& q, QVec<Sys>& p, const S& h, Counters& counters) {
    const S half = h / 2, step = h / S(inner_), half_step = step / 2;
    const auto push = [&](Part part, const S& c) {
      gradient(sys, part, q, f_);
      ++counters.force;
      ++(part == Part::slow ? counters.force_slow : counters.force_fast);
      axpy(S(-c), f_, p);
      if (tracks_action_) action_.add(-c * potential(sys, part, q));
    };
    action_.clear();
    push(Part::slow, half);
    push(Part::fast, half_step);
    for (int k = 0; k < inner_; ++k) {
      sys.mass().solve(p, v_);
      axpy(step, v_, q);
      if (tracks_action_) action_.add(step * dot(p, v_) / 2);
      push(Part::fast, k + 1 < inner_ ? step : half_step);
    }
    push(Part::slow, half);
    return {};
  }

  std::string track_action(const Sys& sys) {
    std::string reason = lacks_potential(sys, Part::fast);
    tracks_action_ = reason.empty();
    return reason;
  }
  S action() const { return action_.value(); }

 private:
  int inner_;
  QVec<Sys> f_, v_;
  bool tracks_action_ = false;
  ActionSum<S> action_;
};

template <class Sys>
using MultipleTimeStepMotion = MapMotion<Sys, MultipleTimeSteps>;

}  // namespace holonom
