// Sampler, for the translation units that instantiate it.
#pragma once

#include "holonom/model/model.hpp"
#include "holonom/run/sampling.hpp"

namespace holonom {

template <class S>
void hermite(const S& theta, const S& h, const Vec<S>& x0, const Vec<S>& v0, const Vec<S>& x1, const Vec<S>& v1,
             Vec<S>& out) {
  const S rest = S(1) - theta;
  const S a0 = (S(1) + S(2) * theta) * rest * rest, a1 = theta * theta * (S(3) - S(2) * theta);
  const S b0 = h * theta * rest * rest, b1 = -h * theta * theta * rest;
  for (int i = 0; i < out.size(); ++i) out[i] = a0 * x0[i] + a1 * x1[i] + b0 * v0[i] + b1 * v1[i];
}

template <class S>
Sampler<S>::Sampler(const AnySystem<S>& sys, const S& interval, std::vector<Recorder<S>*> to)
    : sys_(sys),
      interval_(interval),
      to_(std::move(to)),
      manifold_(sys),
      G_(sys.pattern()),
      between_(sys.n(), sys.m()) {
  if (!is_finite(interval) || !(interval > S(0))) throw InputError("the sampling interval must be a positive number");
  if (sys.m() > 0 && !sys.lacks_curvature().empty())
    throw InputError("sampling between steps needs the exact multipliers, but " + sys.lacks_curvature());
  for (Slope* v : {&previous_slope_, &now_slope_}) v->q = v->p = Vec<S>(sys.n());
  seen_.invariants = Vec<S>(static_cast<int>(sys.labels().invariants.size()));
}

template <class S>
void Sampler<S>::count_from(const S& t0) {
  t0_ = t0;
  anchored_ = true;
}

template <class S>
void Sampler<S>::record(const State<S>& x, const Observation<S>& seen) {
  if (!anchored_) count_from(x.t);
  now_ = x;
  now_slope_.known = false;
  const S h = begun_ ? S(x.t - previous_.t) : S(0);
  if (!begun_) {
    // A continued run: the first sample that is not behind. Its direction is known if it has left t0.
    using std::ceil;
    backwards_ = x.t < t0_;
    const S passed = magnitude(S(x.t - t0_)) / interval_;
    next_ = static_cast<long long>(ceil(S(passed - S(32) * epsilon<S>() * (passed + S(1)))));
  } else if (next_ <= 1 && previous_.t == t0_) {
    backwards_ = h < S(0);
  }
  for (; due(x.t, h); ++next_) {
    if (coincide(next_time(), x.t, h)) {
      (void)manifold_.multipliers(now_).ok();
      forward(now_, seen);
    } else if (begun_) {
      interpolate(next_time());
    }
  }
  std::swap(previous_, now_);
  std::swap(previous_slope_, now_slope_);
  begun_ = true;
}

template <class S>
void Sampler<S>::flush() {
  for (Recorder<S>* r : to_) r->flush();
}

// Times are t0 + k h with one rounding each; what differs by less is the same time.
template <class S>
bool Sampler<S>::coincide(const S& a, const S& b, const S& h) const {
  return magnitude(S(a - b)) <= S(32) * epsilon<S>() * (magnitude(b) + magnitude(t0_) + magnitude(h));
}

template <class S>
bool Sampler<S>::due(const S& t, const S& h) const {
  const S next = next_time();
  return (backwards_ ? next >= t : next <= t) || coincide(next, t, h);
}

template <class S>
void Sampler<S>::slope(State<S>& x, Slope& v) {
  if (v.known) return;
  (void)manifold_.multipliers(x).ok();
  sys_.H_p(x.q, x.p, v.q);
  sys_.H_q(x.q, x.p, v.p);
  for (S& a : v.p) a = -a;
  sys_.G(x.q, G_);
  subtract_force(G_, x.lambda, v.p);
  v.known = true;
}

template <class S>
void Sampler<S>::interpolate(const S& t) {
  slope(previous_, previous_slope_);
  slope(now_, now_slope_);
  const S h = now_.t - previous_.t, theta = (t - previous_.t) / h;
  hermite(theta, h, previous_.q, previous_slope_.q, now_.q, now_slope_.q, between_.q);
  hermite(theta, h, previous_.p, previous_slope_.p, now_.p, now_slope_.p, between_.p);
  between_.t = t;
  (void)manifold_.multipliers(between_).ok();
  seen_.energy = sys_.H(between_.q, between_.p);
  seen_.position = manifold_.position(between_.q);
  seen_.hidden = manifold_.hidden(between_.q, between_.p);
  if (seen_.invariants.size() > 0) sys_.invariants(between_.q, between_.p, seen_.invariants);
  forward(between_, seen_);
}

template <class S>
void Sampler<S>::forward(const State<S>& x, const Observation<S>& seen) {
  for (Recorder<S>* r : to_) r->record(x, seen);
}

}  // namespace holonom
