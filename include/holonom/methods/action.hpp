// The action of a step, S with Φ*(p·dq) − p·dq = dS: for a flow it is the integral of p·q' − H over the step. Each part
// of a step adds its own (docs/shadow-energy.md):
//   a kick of c h by V: −c h V(q);   a drift: +c h T(p);   stages: h Σ b_i (P_i·H_p − H)(Q_i, P_i)
// Impulses and projections add nothing: they change p along Gᵀ, and G dq = 0 on the manifold.
#pragma once

#include "holonom/solve/rounding.hpp"
#include "holonom/system.hpp"

namespace holonom {

// With what rounding takes from the sum: steps may be many.
template <class S>
class ActionSum {
 public:
  void clear() { sum_ = low_ = S(0); }
  void add(const S& term) {
    const S before = sum_;
    sum_ = before + term;
    low_ += lost_in_sum(before, term, sum_);
  }
  S value() const { return sum_ + low_; }

 private:
  S sum_{0}, low_{0};
};

// V, or one of its parts.
template <Separable Sys>
ScalarOf<Sys> potential(const Sys& sys, Part part, const QVec<Sys>& q) {
  if constexpr (HasFastPotential<Sys>) {
    if (part == Part::fast) return sys.V_fast(q);
    if (part == Part::slow) return sys.V(q) - sys.V_fast(q);
  }
  return sys.V(q);
}
// Why it cannot be had; empty if it can.
template <Separable Sys>
std::string lacks_potential(const Sys& sys, Part part) {
  if (part == Part::all) return {};
  if constexpr (!HasFastPotential<Sys>)
    return "it lacks the member V_fast";
  else if constexpr (requires { sys.lacks(Quantity::V_fast); })
    return sys.lacks(Quantity::V_fast);
  else
    return {};
}

// p·H_p − H at (q, p). v: scratch space
template <System Sys>
ScalarOf<Sys> lagrangian(const Sys& sys, const QVec<Sys>& q, const QVec<Sys>& p, QVec<Sys>& v) {
  energy_p(sys, q, p, v);
  if constexpr (Separable<Sys>)
    return dot(p, v) / 2 - sys.V(q);
  else
    return dot(p, v) - sys.H(q, p);
}

}  // namespace holonom
