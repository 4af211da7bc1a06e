// EventFinder, for the translation units that instantiate it.
#pragma once

#include <algorithm>

#include "holonom/run/dense_output_impl.hpp"
#include "holonom/run/events.hpp"

namespace holonom {

template <class S>
EventFinder<S>::EventFinder(const AnySystem<S>& sys, EventFunctions<S> functions, std::vector<Direction> directions,
                            std::vector<EventRecorder<S>*> to, Kept kept)
    : functions_(std::move(functions)),
      directions_(std::move(directions)),
      to_(std::move(to)),
      dense_(sys, kept),
      between_(sys.n(), sys.m()),
      noise_(static_cast<int>(directions_.size())),
      tracks_(directions_.size()),
      counts_(directions_.size()) {
  const auto prepare = [&](Point& at) { at.value = at.scale = Vec<S>(static_cast<int>(directions_.size())); };
  for (int j = 0; j <= parts; ++j) {
    prepare(points_[j]);
    points_[j].theta = S(j) / S(parts);
  }
  prepare(trial_);
}

// 0: zero up to rounding errors, or not a number
template <class S>
int EventFinder<S>::clear_sign(const Point& at, int k) const {
  return magnitude(at.value[k]) > noise_[k] ? sign(at.value[k]) : 0;
}

// From the largest terms within the step: at a turning point those of x p_x + y p_y vanish faster than the
// rounding errors of p.
template <class S>
void EventFinder<S>::find_noise() {
  constexpr int rounding = 100;
  for (int k = 0; k < noise_.size(); ++k) {
    noise_[k] = S(0);
    for (const Point& at : points_)
      if (at.scale[k] > noise_[k]) noise_[k] = at.scale[k];
    noise_[k] *= S(rounding) * epsilon<S>();
  }
}

template <class S>
void EventFinder<S>::record(const State<S>& x, const Observation<S>&) {
  dense_.advance(x);
  const int count = static_cast<int>(tracks_.size());
  std::swap(points_[0].value, points_[parts].value);
  std::swap(points_[0].scale, points_[parts].scale);
  evaluate(x, points_[parts]);
  if (!dense_.has_step()) return;
  for (int j = 1; j < parts; ++j) {
    dense_.rough(points_[j].theta, between_);
    evaluate(between_, points_[j]);
  }
  find_noise();
  if (begun_ && !something_happens()) return;
  for (int j = 1; j < parts; ++j) {
    dense_.at(points_[j].theta, between_);
    evaluate(between_, points_[j]);
  }
  for (int k = 0; k < count; ++k) {
    if (!begun_) {
      EventCount<S>& so_far = counts_[static_cast<std::size_t>(k)];
      so_far.always_zero = so_far.total() == 0;
      visit(k, points_[0], points_[0]);
    }
    for (int j = 1; j <= parts; ++j) visit(k, points_[j - 1], points_[j]);
  }
  begun_ = true;
  tell();
}

// Whether any function does more than to keep its sign.
template <class S>
bool EventFinder<S>::something_happens() const {
  for (std::size_t k = 0; k < tracks_.size(); ++k) {
    if (tracks_[k].pending) return true;
    for (int j = 1; j <= parts; ++j) {
      const auto i = static_cast<int>(k);
      if (clear_sign(points_[j], i) != tracks_[k].sign || !is_finite(points_[j].value[i])) return true;
    }
  }
  return false;
}

template <class S>
void EventFinder<S>::visit(int k, const Point& before, const Point& at) {
  Track& track = tracks_[static_cast<std::size_t>(k)];
  EventCount<S>& count = counts_[static_cast<std::size_t>(k)];
  const S& e = at.value[k];
  if (!is_finite(e)) {  // signs are unknown again
    count.finite = count.always_zero = false;
    track.sign = 0;
    track.pending.reset();
    return;
  }
  const int now = clear_sign(at, k);
  if (track.sign != 0 && !track.pending && sign(before.value[k]) == track.sign && sign(e) != track.sign)
    locate(k, before, at);
  if (now == 0) return;
  if (track.pending && now != track.sign) found_.push_back(std::move(*track.pending));
  track.pending.reset();
  track.sign = now;
  count.always_zero = false;
}

// Between two points, of which the first has the sign that is known, and the second has not.
template <class S>
void EventFinder<S>::locate(int k, const Point& before, const Point& at) {
  const std::optional<S> theta = root(k, before.theta, before.value[k], at.theta, at.value[k]);
  if (!theta) return;
  Track& track = tracks_[static_cast<std::size_t>(k)];
  Event<S>& e = track.pending.emplace();
  e.which = k;
  e.up = (track.sign < 0) == (dense_.length() > S(0));
  e.state = between_;
  dense_.at(*theta, e.state);
  dense_.complete(e.state, e.seen);
}

// The ITP method (Oliveira and Takahashi, 2020): as safe as bisection, and superlinear on smooth functions.
// θ is found to ε, or e to the rounding errors of its own terms. None if e only grows towards the change of sign.
template <class S>
std::optional<S> EventFinder<S>::root(int k, S a, S value_a, S b, S value_b) {
  if (value_b == S(0)) return b;
  const S smaller = std::min<S>(magnitude(value_a), magnitude(value_b));
  const S tolerance = epsilon<S>(), slope = S(1) / (S(parts) * (b - a));  // κ₁ (b − a)² = (b − a)/5, κ₂ = 2
  S radius = tolerance;  // twice this, halved in each step: a bound for |b − a|
  while (S(2) * radius < b - a) radius *= S(2);
  for (radius *= S(2); b - a > S(2) * tolerance; radius /= S(2)) {
    const S middle = (a + b) / S(2), width = b - a;
    const S secant = (value_b * a - value_a * b) / (value_b - value_a);
    const int side = sign(S(middle - secant));
    const S push = slope * width * width;
    const S truncated = push <= magnitude(S(middle - secant)) ? S(secant + S(side) * push) : middle;
    const S reach = radius - width / S(2);
    const S theta = magnitude(S(truncated - middle)) <= reach ? truncated : S(middle - S(side) * reach);
    if (!(theta > a) || !(theta < b)) break;
    dense_.at(theta, between_);
    evaluate(between_, trial_);
    const S& e = trial_.value[k];
    if (!is_finite(e)) return std::nullopt;
    if (magnitude(e) <= epsilon<S>() * trial_.scale[k]) return theta;
    const bool left = sign(e) == sign(value_a);
    (left ? a : b) = theta;
    (left ? value_a : value_b) = e;
  }
  const bool left = magnitude(value_a) < magnitude(value_b);
  if (magnitude(left ? value_a : value_b) > smaller) return std::nullopt;
  return left ? a : b;
}

template <class S>
void EventFinder<S>::tell() {
  const bool backwards = dense_.length() < S(0);
  std::stable_sort(found_.begin(), found_.end(), [&](const Event<S>& a, const Event<S>& b) {
    return backwards ? a.state.t > b.state.t : a.state.t < b.state.t;
  });
  for (const Event<S>& e : found_) {
    const auto k = static_cast<std::size_t>(e.which);
    if (directions_[k] != Direction::both && (directions_[k] == Direction::up) != e.up) continue;
    EventCount<S>& count = counts_[k];
    if (count.total() == 0) count.first = e.state.t;
    count.last = e.state.t;
    ++(e.up ? count.up : count.down);
    for (EventRecorder<S>* r : to_) r->event(e);
  }
  found_.clear();
}

template <class S>
void EventFinder<S>::flush() {
  // A zero in the last step may be a crossing; one that lasts longer is none.
  for (Track& track : tracks_) {
    if (track.pending && dense_.has_step()) {
      const S ago = dense_.from().t + dense_.length() - track.pending->state.t;
      if (magnitude(ago) <= magnitude(dense_.length())) found_.push_back(std::move(*track.pending));
    }
    track.pending.reset();
  }
  tell();
  for (EventRecorder<S>* r : to_) r->flush();
}

template <class S>
void EventFinder<S>::restart(const State<S>& x) {
  dense_.restart(x);
  evaluate(x, points_[parts]);
  tracks_.assign(tracks_.size(), {});
  begun_ = false;
}

template <class S>
bool EventFinder<S>::has_ended() const {
  return std::any_of(to_.begin(), to_.end(), [](const EventRecorder<S>* r) { return r->has_ended(); });
}

template <class S>
void EventFinder<S>::save(MemoryWriter& out) {
  visit_memory(out);
  for (EventRecorder<S>* r : to_) r->save(out);
}

template <class S>
void EventFinder<S>::load(MemoryReader& in) {
  visit_memory(in);
  for (EventRecorder<S>* r : to_) r->load(in);
}

}  // namespace holonom
