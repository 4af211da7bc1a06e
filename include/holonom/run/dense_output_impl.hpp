// DenseOutput, for the translation units that instantiate it.
#pragma once

#include "holonom/model/model.hpp"
#include "holonom/run/dense_output.hpp"

namespace holonom {

template <class S>
DenseOutput<S>::DenseOutput(const AnySystem<S>& sys, Kept kept)
    : sys_(sys), kept_(kept), manifold_(sys), field_(sys), trial_(sys.n(), sys.m()), q_(sys.n()), p_(sys.n()) {
  if (const std::string reason = sys.lacks(Quantity::g_qq); sys.m() > 0 && !reason.empty())
    throw InputError("states between steps need the exact multipliers, but " + reason);
  for (Slope* v : {&from_slope_, &to_slope_, &inner_[0], &inner_[1]}) v->q = v->p = Vec<S>(sys.n());
}

template <class S>
void DenseOutput<S>::advance(const State<S>& x) {
  std::swap(from_, to_);
  std::swap(from_slope_, to_slope_);
  to_ = x;
  to_slope_.known = false;
  degree_ = Degree::none;
  if (states_ < 2) ++states_;
}

template <class S>
void DenseOutput<S>::slope(State<S>& x, Slope& v) {
  if (v.known) return;
  v.known = true;
  v.finite = field_.slopes(x, v.q, v.p).ok();
  for (int i = 0; i < sys_.n(); ++i) v.finite = v.finite && is_finite(v.q[i]) && is_finite(v.p[i]);
}

template <class S>
void DenseOutput<S>::need_cubic() {
  if (degree_ != Degree::none) return;
  degree_ = Degree::cubic;
  slope(from_, from_slope_);
  slope(to_, to_slope_);
  if (from_slope_.finite && to_slope_.finite) {
    q_.ends(length(), from_.q, from_slope_.q, to_.q, to_slope_.q);
    p_.ends(length(), from_.p, from_slope_.p, to_.p, to_slope_.p);
  } else {
    q_.chord(length(), from_.q, to_.q);
    p_.chord(length(), from_.p, to_.p);
    degree_ = Degree::quintic;  // there is nothing better
  }
}

template <class S>
void DenseOutput<S>::need_quintic() {
  need_cubic();
  if (degree_ == Degree::quintic) return;
  degree_ = Degree::quintic;
  for (int pass = 0; pass < 2; ++pass) {
    if (!inner_slopes()) {
      q_.forget_inner();
      p_.forget_inner();
      return;
    }
    q_.inner(inner_[0].q, inner_[1].q);
    p_.inner(inner_[0].p, inner_[1].p);
  }
}

template <class S>
bool DenseOutput<S>::inner_slopes() {
  const S nodes[] = {StepPolynomial<S>::first_inner(), StepPolynomial<S>::second_inner()};
  for (int k = 0; k < 2; ++k) {
    q_(nodes[k], trial_.q);
    p_(nodes[k], trial_.p);
    inner_[k].known = false;
    slope(trial_, inner_[k]);
    if (!inner_[k].finite) return false;
  }
  return true;
}

template <class S>
void DenseOutput<S>::rough(const S& theta, State<S>& out) {
  need_cubic();
  q_(theta, out.q);
  p_(theta, out.p);
  out.t = time(theta);
}

template <class S>
void DenseOutput<S>::at(const S& theta, State<S>& out) {
  if (theta == S(0) || theta == S(1)) {
    out = theta == S(0) ? from_ : to_;
    return;
  }
  need_quintic();
  q_(theta, out.q);
  p_(theta, out.p);
  out.t = time(theta);
  if (sys_.m() == 0) return;
  // On a copy: a projection that fails may have gone anywhere.
  trial_ = out;
  if (kept_.position && !manifold_.project_position(trial_).ok()) return;
  out.q = trial_.q;
  if (kept_.hidden && manifold_.project_momentum(trial_).ok()) out.p = trial_.p;
}

template <class S>
void DenseOutput<S>::complete(State<S>& x, Observation<S>& seen) {
  if (!manifold_.multipliers(x).ok()) fill(x.lambda, S(std::numeric_limits<Real<S>>::quiet_NaN()));
  seen.energy = sys_.H(x.q, x.p);
  seen.position = manifold_.position(x.q);
  seen.hidden = manifold_.hidden(x.q, x.p);
  const auto invariants = static_cast<int>(sys_.labels().invariants.size());
  if (seen.invariants.size() != invariants) seen.invariants = Vec<S>(invariants);
  if (invariants > 0) sys_.invariants(x.q, x.p, seen.invariants);
  const auto observables = static_cast<int>(sys_.labels().observables.size());
  if (seen.observables.size() != observables) seen.observables = Vec<S>(observables);
  if (observables > 0) sys_.observables(x, seen.observables);
}

}  // namespace holonom
