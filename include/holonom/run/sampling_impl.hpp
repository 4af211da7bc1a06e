// Sampler, for the translation units that instantiate it.
#pragma once

#include "holonom/run/dense_output_impl.hpp"
#include "holonom/run/sampling.hpp"

namespace holonom {

template <class S>
Sampler<S>::Sampler(const AnySystem<S>& sys, const S& interval, std::vector<Recorder<S>*> to, Kept kept)
    : interval_(interval), to_(std::move(to)), dense_(sys, kept), between_(sys.n(), sys.m()) {
  if (!is_finite(interval) || !(interval > S(0))) throw InputError("the sampling interval must be a positive number");
}

template <class S>
void Sampler<S>::count_from(const S& t0) {
  t0_ = t0;
  anchored_ = true;
}

template <class S>
void Sampler<S>::record(const State<S>& x, const Observation<S>& seen) {
  if (!anchored_) count_from(x.t);
  if (held_) {
    const State<S> held = std::move(*held_);
    held_.reset();
    samples_up_to(held, held_seen_);
  }
  dense_.advance(x);
  const S h = dense_.has_step() ? dense_.length() : S(0);
  if (!dense_.has_step()) {
    // A continued run: the first sample that is not behind. Its direction is known if it has left t0.
    using std::ceil;
    backwards_ = x.t < t0_;
    const S passed = magnitude(S(x.t - t0_)) / interval_;
    next_ = static_cast<long long>(ceil(S(passed - S(32) * epsilon<S>() * (passed + S(1)))));
  } else if (next_ <= 1 && dense_.from().t == t0_) {
    backwards_ = h < S(0);
  }
  samples_up_to(x, seen);
}

template <class S>
void Sampler<S>::samples_up_to(const State<S>& x, const Observation<S>& seen) {
  const S h = dense_.has_step() ? dense_.length() : S(0);
  for (; due(x.t, h); ++next_) {
    if (interrupt_ && interrupt_->load(std::memory_order_relaxed)) {
      held_ = x;
      held_seen_ = seen;
      return;
    }
    if (coincide(next_time(), x.t, h))
      forward(x, seen);
    else if (dense_.has_step())
      interpolate(next_time());
  }
}

template <class S>
void Sampler<S>::flush() {
  for (Recorder<S>* r : to_) r->flush();
}

template <class S>
void Sampler<S>::restart(const State<S>& x) {
  held_.reset();
  dense_.restart(x);
  for (Recorder<S>* r : to_) r->restart(x);
}

template <class S>
void Sampler<S>::save(MemoryWriter& out) {
  visit_memory(out);
  for (Recorder<S>* r : to_) r->save(out);
}

template <class S>
void Sampler<S>::load(MemoryReader& in) {
  visit_memory(in);
  for (Recorder<S>* r : to_) r->load(in);
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
void Sampler<S>::interpolate(const S& t) {
  dense_.at(S((t - dense_.from().t) / dense_.length()), between_);
  between_.t = t;
  dense_.complete(between_, seen_);
  forward(between_, seen_);
}

template <class S>
void Sampler<S>::forward(const State<S>& x, const Observation<S>& seen) {
  for (Recorder<S>* r : to_) r->record(x, seen);
}

}  // namespace holonom
