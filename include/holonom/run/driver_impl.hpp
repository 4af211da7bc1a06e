// run, for the translation units that instantiate it.
#pragma once

#include <chrono>

#include "holonom/analysis/rank.hpp"
#include "holonom/run/driver.hpp"
#include "holonom/run/time_averages.hpp"

namespace holonom {

namespace detail {

template <class S>
class RunLoop {
  using R = Real<S>;
  using Clock = std::chrono::steady_clock;

 public:
  RunLoop(const AnySystem<S>& sys, AnyMethod<S>& method, State<S> x, const S& h, const RunPlan& plan,
          const std::vector<Recorder<S>*>& recorders)
      : sys_(sys),
        method_(method),
        x_(std::move(x)),
        h_(h),
        plan_(plan),
        recorders_(recorders),
        manifold_(sys),
        averages_(static_cast<int>(sys.labels().observables.size())) {
    seen_.invariants = Vec<S>(invariants());
    seen_.observables = Vec<S>(averages_.size());
  }

  RunResult<S> operator()() {
    const auto begin = Clock::now();
    t0_ = x_.t;
    seen_.energy = sys_.H(x_.q, x_.p);
    result_.invariant_undefined.assign(static_cast<std::size_t>(invariants()), -1);
    observe();
    result_.energy_initial = seen_.energy;
    result_.invariant_initial = seen_.invariants;
    result_.invariant_error = Vec<R>(invariants());
    try {
      record();
      if (const Status s = method_.begin(x_, h_); !s.ok())
        fail(s);
      else
        steps();
      if (recorded_ != done_) record();  // the last good state
      for (Recorder<S>* r : recorders_) r->flush();
    } catch (const OutputError& e) {
      result_.status = RunStatus::failed;
      result_.message = e.what();
    }
    result_.energy_final = seen_.energy;
    result_.hidden_relative = manifold_.largest_hidden();
    result_.observables = averages_.summary();
    result_.steps = done_;
    result_.counters = method_.counters();
    result_.state = x_;
    result_.wall_seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    return std::move(result_);
  }

 private:
  int invariants() const { return static_cast<int>(sys_.labels().invariants.size()); }

  void steps() {
    auto last_progress = Clock::now();
    constexpr long look_at_clock = 256;
    while (done_ < plan_.steps) {
      if (plan_.interrupt && plan_.interrupt->load(std::memory_order_relaxed)) {
        result_.status = RunStatus::interrupted;
        result_.message =
            "interrupted after " + std::to_string(done_) + " of " + std::to_string(plan_.steps) + " steps";
        break;
      }
      const bool one_by_one = plan_.watch_all || done_ < failed_before_;
      const long count = one_by_one ? 1 : std::min(plan_.every - done_ % plan_.every, plan_.steps - done_);
      Status status = advance(count);
      if (!status.ok() && count > 1) {  // one by one, to the step that fails
        failed_before_ = done_ + count;
        status = method_.begin(x_, h_);
        if (status.ok()) continue;
      }
      // Once more without memory: first guesses from it may have led astray.
      if (!status.ok() && plan_.retry && method_.begin(x_, h_).ok() && advance(1).ok()) status = {};
      if (!status.ok()) {
        fail(status);
        break;
      }
      std::swap(x_, next_);
      seen_.energy = next_energy_;
      done_ += count;
      x_.t = t0_ + S(done_) * h_;
      observe();
      if (done_ % plan_.every == 0 || done_ == plan_.steps) record();
      if (plan_.progress && (count > 1 || done_ % look_at_clock == 0) &&
          Clock::now() - last_progress > std::chrono::milliseconds(200)) {
        plan_.progress(done_, plan_.steps);
        last_progress = Clock::now();
      }
      if (plan_.stop && *plan_.stop) break;
    }
  }

  // next_ and its energy, which are good only if all of it is finite.
  Status advance(long count) {
    next_ = x_;
    const Status status = count == 1 ? method_.step(next_, h_) : method_.steps(next_, h_, count);
    if (!status.ok()) return status;
    for (int i = 0; i < sys_.n(); ++i)
      if (!is_finite(next_.q[i]) || !is_finite(next_.p[i])) return {Failure::not_finite};
    next_energy_ = sys_.H(next_.q, next_.p);
    return is_finite(next_energy_) ? Status{} : Status{Failure::not_finite};
  }

  void observe() {
    seen_.position = manifold_.position(x_.q);
    seen_.hidden = manifold_.hidden(x_.q, x_.p);
    if (invariants() > 0) sys_.invariants(x_.q, x_.p, seen_.invariants);
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

  // λ of the state, if there is a way to know it
  void find_multipliers() {
    if (lambda_known_) return;
    lambda_known_ = true;
    const Vec<S>* of_stage = plan_.stage_multipliers && done_ > 0 ? method_.stage_multipliers() : nullptr;
    if (of_stage)
      x_.lambda = *of_stage;
    else if (!sys_.lacks_curvature().empty() || !manifold_.multipliers(x_).ok())
      fill(x_.lambda, S(std::numeric_limits<R>::quiet_NaN()));  // not known
  }

  void record() {
    find_multipliers();
    for (Recorder<S>* r : recorders_) r->record(x_, seen_);
    recorded_ = done_;
  }

  void fail(const Status& s) {
    result_.status = RunStatus::failed;
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
  std::string nearly_dependent() {
    const auto near = manifold_.dependent(x_, R(1e-4)), always = manifold_.dependent(x_, R(1e-12));
    if (near.size() <= always.size()) return "";
    return " The constraints " + quoted_list(sys_.labels().constraints, near.front()) +
           " are nearly dependent there: the mechanism is close to a singular position (a dead centre).";
  }
  static std::string text(double x) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.6g", x);
    return buffer;
  }

  const AnySystem<S>& sys_;
  AnyMethod<S>& method_;
  State<S> x_, next_;
  S h_, t0_{0};
  RunPlan plan_;
  const std::vector<Recorder<S>*>& recorders_;
  Manifold<S> manifold_;
  Observation<S> seen_;
  TimeAverages<S> averages_;
  RunResult<S> result_;
  S next_energy_{0};
  bool lambda_known_ = false;                          // of x_
  long done_ = 0, recorded_ = -1, failed_before_ = 0;  // within steps up to failed_before_ one has failed
};

}  // namespace detail

template <class S>
RunResult<S> run(const AnySystem<S>& sys, AnyMethod<S>& method, State<S> x, const S& h, const RunPlan& plan,
                 const std::vector<Recorder<S>*>& recorders) {
  return detail::RunLoop<S>(sys, method, std::move(x), h, plan, recorders)();
}

template <class S>
long whole_steps(const S& until, const S& h) {
  using std::floor;
  const S quotient = until / h;
  const S slack = quotient * S(8) * S(epsilon<S>());
  return static_cast<long>(floor(S(quotient + slack)));
}

}  // namespace holonom
