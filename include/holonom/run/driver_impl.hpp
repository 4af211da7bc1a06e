// Driver, for the translation units that instantiate it.
#pragma once

#include <algorithm>

#include "holonom/errors.hpp"
#include "holonom/methods/chooses_at_begin.hpp"
#include "holonom/run/driver.hpp"
#include "holonom/run/lost_energy.hpp"

namespace holonom {

template <class S>
Driver<S>::Driver(const AnySystem<S>& sys, AnyMethod<S>& method, State<S> x, const S& h, RunPlan plan,
                  std::vector<Recorder<S>*> recorders)
    : sys_(sys),
      method_(method),
      x_(std::move(x)),
      h_(h),
      plan_(std::move(plan)),
      recorders_(std::move(recorders)),
      manifold_(sys),
      averages_(static_cast<int>(sys.labels().observables.size())),
      paused_(Clock::now()) {
  seen_.invariants = Vec<S>(static_cast<int>(sys.labels().invariants.size()));
  seen_.observables = Vec<S>(averages_.size());
  find_who_needs_every_step();
}

template <class S>
void Driver<S>::find_who_needs_every_step() {
  every_step_ = false;
  for (const Recorder<S>* r : recorders_) every_step_ = every_step_ || r->needs_every_step();
  for (const Listener& l : listeners_) every_step_ = every_step_ || l.recorder->needs_every_step();
}

// Whatever is written may fail to be written: then the run has failed.
template <class S>
template <class F>
RunStatus Driver<S>::timed(F&& f) {
  const auto begin = Clock::now();
  try {
    f();
  } catch (const OutputError& e) {
    status_ = RunStatus::failed;
    result_.message = e.what();
    can_write_ = false;
  }
  seconds_ += std::chrono::duration<double>(Clock::now() - begin).count();
  return status_;
}

template <class S>
void Driver<S>::observe_start() {
  t0_ = x_.t;
  seen_.energy = sys_.H(x_.q, x_.p);
  result_.invariant_undefined.assign(static_cast<std::size_t>(invariants()), -1);
  manifold_.expect_impulses(x_, h_);
  observe();
  result_.energy_initial = seen_.energy;
  result_.invariant_initial = seen_.invariants;
  result_.invariant_error = Vec<R>(invariants());
}

template <class S>
void Driver<S>::accompany(Companion<S>& companion) {
  if (companions_.empty()) of_system_ = seen_.invariants;
  companions_.push_back(&companion);
  needs_states_ = std::max(needs_states_, companion.needs_states());
  seen_.invariants = Vec<S>(of_system_.size() + static_cast<int>(companions_.size()));
}

template <class S>
RunStatus Driver<S>::begin() {
  return timed([&] {
    Status status;
    for (Companion<S>* c : companions_)
      if (status.ok()) status = c->begin(x_, h_);
    observe_start();
    record(true);
    if (status.ok()) status = method_.begin(x_, h_);
    if (!status.ok()) fail(status);
  });
}

template <class S>
void Driver<S>::attach(Recorder<S>& listener) {
  find_multipliers();
  listener.record(x_, seen_);
  listeners_.push_back({&listener, done_});
  find_who_needs_every_step();
}

template <class S>
void Driver<S>::detach(Recorder<S>& listener) {
  const auto found =
      std::find_if(listeners_.begin(), listeners_.end(), [&](const Listener& l) { return l.recorder == &listener; });
  if (found == listeners_.end()) return;
  const bool has_seen = found->seen == done_;
  listeners_.erase(found);
  find_who_needs_every_step();
  if (has_seen) return;
  find_multipliers();
  listener.record(x_, seen_);
}

template <class S>
void Driver<S>::dismiss(const Recorder<S>& recorder) {
  std::erase(recorders_, &recorder);
  find_who_needs_every_step();
}

template <class S>
RunStatus Driver<S>::restart(const Vec<S>& q, const Vec<S>& p) {
  return timed([&] {
    status_ = RunStatus::done;
    result_.message.clear();
    x_.q = q;
    x_.p = p;
    Status status;
    for (Companion<S>* c : companions_)
      if (status.ok()) status = c->begin(x_, h_);
    seen_.energy = sys_.H(x_.q, x_.p);
    manifold_.expect_impulses(x_, h_);
    result_.motion = R(0);
    observe();
    result_.energy_initial = seen_.energy;
    result_.invariant_initial = seen_.invariants;
    result_.invariant_error = Vec<R>(invariants());
    result_.energy_error = R(0);
    result_.position = seen_.position.absolute;
    result_.position_relative = seen_.position.relative;
    result_.hidden = seen_.hidden.absolute;
    for (Recorder<S>* r : recorders_) r->restart(x_);
    for (const Listener& l : listeners_) l.recorder->restart(x_);
    if (status.ok()) status = method_.begin(x_, h_);
    if (!status.ok()) fail(status);
  });
}

template <class S>
RunStatus Driver<S>::advance(long count) {
  if (status_ == RunStatus::failed || has_ended()) return status_;
  status_ = RunStatus::done;
  return timed([&] { take_steps(count < plan_.steps - done_ ? done_ + count : plan_.steps); });
}

template <class S>
void Driver<S>::finish() {
  timed([&] {
    find_multipliers();
    if (!can_write_) return;
    if (recorded_ != done_) record(true);
    for (Recorder<S>* r : recorders_) r->flush();
  });
}

template <class S>
bool Driver<S>::has_ended() const {
  for (const Recorder<S>* r : recorders_)
    if (r->has_ended()) return true;
  return false;
}

template <class S>
void Driver<S>::take_steps(long end) {
  while (done_ < end) {
    if (plan_.interrupt && plan_.interrupt->load(std::memory_order_relaxed)) return interrupted();
    const bool one_by_one = plan_.watch_all || every_step_ || done_ < failed_before_;
    const long count = one_by_one ? 1 : std::min(plan_.every - done_ % plan_.every, end - done_);
    Status status = attempt(count);
    if (!status.ok() && count > 1) {  // one by one, to the step that fails
      failed_before_ = done_ + count;
      status = method_.begin(x_, h_);
      if (status.ok()) continue;
    }
    if (!status.ok() && plan_.retry) status = once_more(method_, x_, h_, status, [&] { return attempt(1); });
    for (Companion<S>* c : companions_)
      if (status.ok()) status = c->step(h_, count);
    if (!status.ok()) return fail(status);
    std::swap(x_, next_);
    seen_.energy = next_energy_;
    done_ += count;
    x_.t = t0_ + S(done_) * h_;
    observe();
    if (const bool due = done_ % plan_.every == 0; due || every_step_) record(due);
    look_at_clock();
    if (has_ended()) return;
  }
}

// A look at the clock costs as much as a step of a small system: it is taken after so many steps as take a few
// milliseconds.
template <class S>
void Driver<S>::look_at_clock() {
  if (!plan_.pause || --until_clock_ > 0) return;
  constexpr long most_steps = 256;
  const auto since = Clock::now() - paused_;
  between_clocks_ = since < std::chrono::milliseconds(5) ? std::min(2 * between_clocks_, most_steps) : 1;
  until_clock_ = between_clocks_;
  if (since < std::chrono::milliseconds(50)) return;
  plan_.pause(done_);
  paused_ = Clock::now();
}

// next_ and its energy, which are good only if all of it is finite.
template <class S>
Status Driver<S>::attempt(long count) {
  next_ = x_;
  if (count == 1 || needs_states_ == 0) return take(count);
  for (Companion<S>* c : companions_) c->mark();
  const Status status = take(count);
  if (!status.ok())
    for (Companion<S>* c : companions_) c->rewind();
  return status;
}

// The last of them one by one, where somebody needs to see states.
template <class S>
Status Driver<S>::take(long count) {
  const long alone = count == 1 ? 1 : std::min(count, needs_states_);
  if (count > alone) {
    if (const Status s = method_.steps(next_, h_, count - alone); !s.ok()) return s;
    show(count - alone);
  }
  for (long k = 0; k < alone; ++k) {
    if (k > 0) show(1);
    if (const Status s = method_.step(next_, h_); !s.ok()) return s;
  }
  for (int i = 0; i < sys_.n(); ++i)
    if (!is_finite(next_.q[i]) || !is_finite(next_.p[i])) return {Failure::not_finite};
  next_energy_ = sys_.H(next_.q, next_.p);
  if (!is_finite(next_energy_)) return {Failure::not_finite};
  if (alone > 0) show(1);
  return {};
}
template <class S>
void Driver<S>::show(long count) {
  if (needs_states_ == 0) return;
  for (Companion<S>* c : companions_) c->see(next_, count);
}

template <class S>
void Driver<S>::observe() {
  seen_.position = manifold_.position(x_.q);
  seen_.hidden = manifold_.hidden(x_.q, x_.p);
  keep_largest(result_.motion, R(magnitude(dot(x_.p, manifold_.last_velocity())) / 2));
  if (invariants() > 0) find_invariants();
  for (int k = 0; k < invariants(); ++k)
    if (long& first = result_.invariant_undefined[static_cast<std::size_t>(k)];
        first < 0 && !is_finite(seen_.invariants[k]))
      first = done_;
  lambda_known_ = false;
  if (averages_.size() > 0) {
    if (sys_.observables_use_multipliers()) find_multipliers();
    sys_.observables(x_, seen_.observables);
    averages_.add(x_.t, seen_.observables);
  }
  if (done_ > 0) {
    keep_largest(result_.energy_error, R(magnitude(S(seen_.energy - result_.energy_initial))));
    for (int k = 0; k < invariants(); ++k)
      keep_largest(result_.invariant_error[k], R(magnitude(S(seen_.invariants[k] - result_.invariant_initial[k]))));
  }
  keep_largest(result_.position, seen_.position.absolute);
  keep_largest(result_.position_relative, seen_.position.relative);
  keep_largest(result_.hidden, seen_.hidden.absolute);
}

template <class S>
void Driver<S>::find_invariants() {
  if (companions_.empty()) return sys_.invariants(x_.q, x_.p, seen_.invariants);
  if (of_system_.size() > 0) sys_.invariants(x_.q, x_.p, of_system_);
  std::copy(of_system_.begin(), of_system_.end(), seen_.invariants.begin());
  for (std::size_t k = 0; k < companions_.size(); ++k)
    seen_.invariants[of_system_.size() + static_cast<int>(k)] = companions_[k]->observe(seen_.energy);
}

// λ of the state, if there is a way to know it
template <class S>
void Driver<S>::find_multipliers() {
  if (lambda_known_) return;
  lambda_known_ = true;
  const Vec<S>* of_stage = plan_.stage_multipliers && done_ > 0 ? method_.stage_multipliers() : nullptr;
  if (of_stage)
    x_.lambda = *of_stage;
  else if (!manifold_.multipliers(x_).ok())
    fill(x_.lambda, S(std::numeric_limits<R>::quiet_NaN()));  // not known
}

// By those who need every step, or by all.
template <class S>
void Driver<S>::record(bool all) {
  if (!recorders_.empty() || !listeners_.empty()) find_multipliers();
  for (Recorder<S>* r : recorders_)
    if (r->needs_every_step() ? recorded_by_all_steps_ != done_ : all) r->record(x_, seen_);
  for (Listener& l : listeners_)
    if ((all || l.recorder->needs_every_step()) && l.seen != done_) {
      l.recorder->record(x_, seen_);
      l.seen = done_;
    }
  recorded_by_all_steps_ = done_;
  if (all) recorded_ = done_;
}

template <class S>
bool Driver<S>::energy_is_lost() const {
  return holonom::energy_is_lost(sys_, x_, result_.energy_error, result_.motion,
                                 R(magnitude(result_.energy_initial) + magnitude(seen_.energy)));
}

template <class S>
RunResult<S> Driver<S>::result() {
  RunResult<S> result = result_;
  result.status = status_;
  result.energy_final = seen_.energy;
  result.hidden_relative = manifold_.largest_hidden();
  result.observables = averages_.summary();
  result.invariant_trend.assign(static_cast<std::size_t>(invariants()), std::nullopt);
  result.invariant_doubt.assign(static_cast<std::size_t>(invariants()), "");
  for (std::size_t k = 0; k < companions_.size(); ++k) {
    result.invariant_trend[static_cast<std::size_t>(of_system_.size()) + k] = companions_[k]->trend();
    result.invariant_doubt[static_cast<std::size_t>(of_system_.size()) + k] = companions_[k]->doubt();
  }
  result.steps = done_;
  result.counters = method_.counters();
  result.state = x_;
  result.wall_seconds = seconds_;
  return result;
}

template <class S>
template <class F>
void Driver<S>::visit_memory(F&& f) {
  f("state", x_);
  f("lambda_known", lambda_known_);
  f("t0", t0_);
  f("done", done_);
  f("recorded", recorded_);
  f("recorded_by_all_steps", recorded_by_all_steps_);
  f("failed_before", failed_before_);
  f("seen", seen_);
  f("manifold", manifold_);
  f("averages", averages_);
  f("energy_initial", result_.energy_initial);
  f("energy_error", result_.energy_error);
  f("motion", result_.motion);
  f("position", result_.position);
  f("position_relative", result_.position_relative);
  f("hidden", result_.hidden);
  f("invariant_initial", result_.invariant_initial);
  f("invariant_error", result_.invariant_error);
  f("invariant_undefined", result_.invariant_undefined);
  f("wall_seconds", seconds_);
}

template <class S>
void Driver<S>::save(MemoryWriter& out) {
  visit_memory(out);
  method_.save(out);
  for (Companion<S>* c : companions_) c->save(out);
  for (Recorder<S>* r : recorders_) r->save(out);
}

template <class S>
void Driver<S>::load(MemoryReader& in) {
  for (Companion<S>* c : companions_)
    if (!c->begin(x_, h_).ok()) throw MemoryError("what goes along with the run cannot begin");
  observe_start();  // finds what is found once, at the first state
  visit_memory(in);
  Status status = method_.load(in, x_, h_);
  for (Companion<S>* c : companions_)
    if (status.ok()) status = c->load(in, h_);
  if (!status.ok()) fail(status);
  for (Recorder<S>* r : recorders_) r->load(in);
}

template <class S>
void Driver<S>::interrupted() {
  status_ = RunStatus::interrupted;
  result_.message = "interrupted after " + std::to_string(done_) + " of " + std::to_string(plan_.steps) + " steps";
}

template <class S>
void Driver<S>::fail(const Status& s) {
  status_ = RunStatus::failed;
  const auto text = [](double x) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.6g", x);
    return std::string(buffer);
  };
  const std::string name =
      s.constraint >= 0 ? "'" + sys_.labels().constraints[static_cast<std::size_t>(s.constraint)] + "'" : "";
  std::string what;
  const std::string smaller = " " + plan_.advice;
  switch (s.failure) {
    case Failure::none: break;
    case Failure::not_finite: {
      const std::string trouble = sys_.diagnose(x_.q, x_.p);
      what = trouble.empty() ? "an evaluation gave NaN or infinity within the step." + smaller : trouble + ".";
      break;
    }
    case Failure::no_convergence:
      what = (name.empty() ? "the implicit equations of the step did not converge (last change "
                           : "no position was found that satisfies the constraint " + name + " (relative residual ") +
             text(s.residual) + ")." + nearly_dependent() + smaller;
      break;
    case Failure::wrong_root:
      what =
          "what was found does not continue the motion: the step is too long to follow it, or leads to where two "
          "branches of the mechanism "
          "(near " +
          (name.empty() ? "a dead centre" : "the constraint " + name) +
          ") are too near to each other to tell which is the right one." + smaller;
      break;
    case Failure::chart_ends:
      what = std::string("the chart of the state space form ends here. ") + another_chart + ".";
      break;
    case Failure::singular: {
      // Names come from the last good state, where the same constraints are nearly dependent.
      const auto sets = manifold_.dependent(x_, R(1e-3));
      what = sets.empty() ? "the constraints became dependent near " + name + "." + smaller
                          : "the constraints " + quoted_list(sys_.labels().constraints, sets.front()) +
                                " became dependent (a singular position of the mechanism).";
      break;
    }
  }
  result_.message = "step " + std::to_string(done_ + 1) + " (from t = " + text(to_double(x_.t)) + ") failed: " + what;
}

// Near a dead centre rounding errors decide where a step ends.
template <class S>
std::string Driver<S>::nearly_dependent() {
  const auto near = manifold_.dependent(x_, R(1e-4)), always = manifold_.dependent(x_, R(1e-12));
  if (near.size() <= always.size()) return "";
  return " The constraints " + quoted_list(sys_.labels().constraints, near.front()) +
         " are nearly dependent there: the mechanism is close to a singular position (a dead centre).";
}

template <class S>
long whole_steps(const S& until, const S& h) {
  using std::floor;
  const S quotient = until / h;
  const S slack = quotient * S(8) * S(epsilon<S>());
  return static_cast<long>(floor(S(quotient + slack)));
}

}  // namespace holonom
