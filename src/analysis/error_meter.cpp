#include "holonom/analysis/error_meter.hpp"

#include <cmath>
#include <numeric>

#include "holonom/analysis/error_growth.hpp"
#include "holonom/analysis/reference_flow.hpp"
#include "holonom/solve/manifold.hpp"

namespace holonom {

namespace {

template <class T, class S>
State<T> converted(const State<S>& x) {
  State<T> y(x.q.size(), x.lambda.size());
  std::copy(x.q.begin(), x.q.end(), y.q.begin());
  std::copy(x.p.begin(), x.p.end(), y.p.begin());
  std::copy(x.lambda.begin(), x.lambda.end(), y.lambda.begin());
  y.t = T(x.t);
  return y;
}

// Errors as large as this are no small ones, whatever they are relative to: nothing can be learnt from the rest of the
// way.
constexpr double hopeless = 0.3;
constexpr int columns = 8;
constexpr long parts = 8;                             // of the window, at whose ends solutions are compared
constexpr int evaluations = columns * (columns + 1);  // of a step of the reference

}  // namespace

// The exact flow over a short time, in some scalar
struct ErrorMeter::AnyReference {
  virtual ~AnyReference() = default;
  virtual State<double> step(const State<double>& x, double time) = 0;
};

template <class R>
struct ErrorMeter::Reference final : AnyReference {
  std::shared_ptr<const AnySystem<R>> sys;
  std::optional<ReferenceFlow<R>> flow;
  std::optional<Manifold<R>> manifold;
  explicit Reference(std::shared_ptr<const AnySystem<R>> of) : sys(std::move(of)) { renew(); }
  // Scales and ranks that a solution with too long steps has left behind are forgotten.
  void renew() {
    flow.emplace(*sys, columns);
    manifold.emplace(*sys);
  }
  State<double> step(const State<double>& x, double time) override {
    return converted<double>((*flow)(converted<R>(x), R(time), 1));
  }
};

ErrorMeter::~ErrorMeter() = default;

double ErrorMeter::time(int k) {
  if (k == times) return 1;
  constexpr double golden = 0.61803398874989485;
  const double part = k * golden;
  return (k - 1 + (part - std::floor(part))) / times;
}

ErrorMeter::ErrorMeter(const AnySystem<double>& sys, const State<double>& start, double until, double accuracy,
                       WantedQuantity wanted, const WorkWeights& weights, double reference_work)
    : sys_(sys), counted_(sys, weights), weights_(weights), start_(start), wanted_(wanted), accuracy_(accuracy) {
  // A wider reference costs more, and is made where rounding errors of double are in the way.
  constexpr double fine = 1e-10;
  const auto in_long_double = [&] {
    const auto wide = sys.in<long double>();
    if (!wide) return false;
    make_reference<long double>(wide, until, 5 * reference_work);
    return true;
  };
  if (wanted.is_conserved() || accuracy >= fine || !in_long_double()) try {
      make_reference<double>(sys.in<double>(), until, reference_work);
      // What rounding errors of double do to runs is what was seen in double.
      const double seen = best_at_end_, good_until = horizon_;
      if (chaotic_ && in_long_double() && chaotic_) {
        best_at_end_ = seen;
        horizon_ = good_until;
      }
    } catch (const std::runtime_error&) {
      if (!in_long_double()) throw;
    }
  reference_spent_ = spent_;
  find_unit();
}

// Its steps are chosen at the start, where two of half the length must agree with one, and then halved until solutions
// do; times are halved if that is too much work.
template <class R>
void ErrorMeter::make_reference(std::shared_ptr<const AnySystem<R>> sys, double until, double most_work) {
  reference_scalar_ = precision_name<R>();
  chaotic_ = false;
  auto flow = std::make_unique<Reference<R>>(std::move(sys));
  const State<R> start = [&] {
    State<R> x = converted<R>(start_);
    if constexpr (!std::is_same_v<R, double>) (void)Manifold<R>(*flow->sys).project(x);
    return x;
  }();
  StateSize<R> size;  // of the last solution
  const auto along = [&](const R& time, long steps, std::vector<State<R>>& states) {
    states.clear();
    size = {};
    size.include(start);
    flow->renew();
    // Rounding errors leave the manifold, and off it they grow with the square of time, whatever the motion: each step
    // ends on it.
    State<R> x = start;
    const R h = time / R(steps);
    for (long k = 0; k < steps; ++k) {
      x = (*flow->flow)(x, h, 1);
      if (!flow->manifold->project(x).ok()) throw std::runtime_error("the motion leaves its constraints");
      for (const Vec<R>* part : {&x.q, &x.p})
        for (const R& a : *part)
          if (!is_finite(a)) throw std::runtime_error("the motion is not finite");
      size.include(x);
      states.push_back(x);
    }
  };
  std::vector<State<R>> coarse, fine;
  long steps = 1;
  constexpr long most_steps = 1L << 40;
  constexpr double agreement = 1e-6;
  for (;; steps *= 2) try {
      const R time = R(until) / R(steps);
      along(time, 1, coarse);
      along(time, 2, fine);
      if (to_double(distance(coarse.back(), fine.back(), size)) < agreement) break;
      if (steps > most_steps) throw std::runtime_error("the motion is too fast to be followed");
    } catch (const std::runtime_error&) {
      if (steps > most_steps) throw;
    }
  steps = std::max(steps, parts);
  const double per_step = evaluations *
                          (weights_.H_q + weights_.H_p + weights_.G + weights_.g_uu + weights_.factor + weights_.solve +
                           10.0 * weights_.n) *
                          (std::is_same_v<R, double> ? 1 : 12);
  // Errors that will grow beyond a part of the time must be known better.
  const auto wanted_error = [&] {
    constexpr double finest = 1e-13, for_a_part = 1e-11;
    return window_ == until ? std::max(accuracy_ / 50, finest) : std::min(accuracy_ / 50, for_a_part);
  };
  window_ = until;
  const auto halve = [&] {
    window_ /= 2;
    steps = std::max(steps / 2, parts);
  };
  const auto work = [&] { return per_step * static_cast<double>(steps); };
  while (3 * work() > most_work && steps > parts) halve();
  std::vector<double> last(parts + 1, 1.0), error(parts + 1, 0.0);  // up to the end of each part
  double spent_here = 0;
  int failures = 0;
  bool first = true;
  for (;;) {
    try {
      if (first) along(R(window_), steps, coarse);
      along(R(window_), 2 * steps, fine);
    } catch (const std::runtime_error&) {  // steps that are too long for any solution, or a singular position
      constexpr int attempts = 4;
      if (std::abs(window_) < 1e-6 * std::abs(until)) throw;
      first = true;
      if (++failures % attempts == 0) {
        steps >>= attempts - 1;
        halve();
      } else {
        steps *= 2;
      }
      continue;
    }
    spent_here += (first ? 3 : 2) * work();
    first = false;
    const long apart = steps / parts;
    long good = 0;  // parts up to whose end the error is small
    for (long k = 1; k <= parts; ++k) {
      const double here = to_double(distance(coarse[static_cast<std::size_t>(k * apart - 1)],
                                             fine[static_cast<std::size_t>(2 * k * apart - 1)], size));
      error[static_cast<std::size_t>(k)] = std::max(error[static_cast<std::size_t>(k - 1)], here);
      if (error[static_cast<std::size_t>(k)] <= wanted_error()) good = k;
    }
    reference_error_ = error.back();
    if (good == parts || wanted_.is_conserved()) break;
    // Where errors are too large first, shorter steps gain nothing any more: these are rounding errors that have grown.
    const auto bad = static_cast<std::size_t>(good) + 1;
    const bool stands_still = error[bad] > last[bad] / 4 && last[bad] < hopeless;
    const bool is_expensive = spent_here + 4 * work() > 4 * most_work;
    if (!stands_still && !is_expensive) {
      last = error;
      coarse.swap(fine);
      steps *= 2;
      continue;
    }
    if (stands_still) {
      constexpr double serves = 0.2;  // of the accuracy
      std::vector<double> at, seen(error.begin() + 1, error.end());
      for (long k = 1; k <= parts; ++k) at.push_back(static_cast<double>(k) / parts);
      const double ratio = until / window_;
      best_at_end_ = error.back() * (ratio > 1 ? error_growth(at, seen, ratio, window_, 0, false, 3).factor : 1);
      chaotic_ = best_at_end_ > serves * accuracy_;
      if (!chaotic_) break;
      long known = 0;
      while (known < parts && error[static_cast<std::size_t>(known) + 1] <= serves * accuracy_) ++known;
      horizon_ = window_ * static_cast<double>(known) / parts;
      if (known > 0) break;
    }
    if (std::abs(window_) < 1e-9 * std::abs(until))
      throw std::runtime_error("the exact motion cannot be had with this accuracy");
    halve();
    spent_here = 0;
    last.assign(parts + 1, 1.0);
    first = true;
  }
  reference_steps_ = 2 * steps;
  reference_work_ = 2 * work();
  spent_ += spent_here;
  reference_ = {start_};
  for (const State<R>& x : fine) reference_.push_back(converted<double>(x));
  flow_ = std::move(flow);
}

void ErrorMeter::find_unit() {
  values_ = Vec<double>(static_cast<int>(std::max(sys_.labels().invariants.size(), sys_.labels().observables.size())));
  Vec<double> v(sys_.n()), scale(values_.size());
  for (const State<double>& x : reference_) {
    double here = 0;
    switch (wanted_.kind) {
      case WantedQuantity::Kind::energy:
        if (sys_.is_field()) {
          here = std::abs(sys_.H(x.q, x.p));
        } else {
          sys_.H_p(x.q, x.p, v);
          here = std::abs(dot(x.p, v)) / 2;
        }
        break;
      case WantedQuantity::Kind::position:
        here = to_double(largest(x.q));
        momentum_unit_ = std::max(momentum_unit_, to_double(largest(x.p)));
        break;
      case WantedQuantity::Kind::coordinate: here = std::abs(x.q[wanted_.index]); break;
      case WantedQuantity::Kind::invariant:
        sys_.invariants_along(x.q, x.p, x.q, x.p, values_, scale);
        here = std::abs(scale[wanted_.index]);
        break;
      case WantedQuantity::Kind::observable: here = std::abs(observed(x)); break;
    }
    if (std::isfinite(here)) unit_ = std::max(unit_, here);
  }
  if (unit_ == 0) unit_ = 1;
  if (momentum_unit_ == 0) momentum_unit_ = 1;
}

double ErrorMeter::observed(const State<double>& x) {
  State<double> y = x;
  if (sys_.observables_use_multipliers()) (void)Manifold<double>(sys_).multipliers(y);
  sys_.observables(y, values_);
  return values_[wanted_.index];
}

double ErrorMeter::conserved(const State<double>& x) {
  if (wanted_.kind == WantedQuantity::Kind::energy) return sys_.H(x.q, x.p);
  sys_.invariants(x.q, x.p, values_);
  return values_[wanted_.index];
}

double ErrorMeter::error_of(const State<double>& x, const State<double>& exact) {
  switch (wanted_.kind) {
    case WantedQuantity::Kind::coordinate: return std::abs(x.q[wanted_.index] - exact.q[wanted_.index]) / unit_;
    case WantedQuantity::Kind::observable: return std::abs(observed(x) - observed(exact)) / unit_;
    default: break;
  }
  double error = largest_difference(x.q, exact.q) / unit_;
  // The variables of a field are all alike.
  if (sys_.is_field()) error = std::max(error, largest_difference(x.p, exact.p) / momentum_unit_);
  return error;
}

// The reference after step / steps of what runs go over: where it has no state of its own, a short way from the one
// before.
const State<double>& ErrorMeter::exact_at(long step, long steps) {
  const long all = steps * part_, common = std::gcd(step, all);
  const std::pair key(step / common, all / common);
  const __int128 place = static_cast<__int128>(step) * reference_steps_;
  const auto before = static_cast<std::size_t>(place / all);
  if (place % all == 0) return reference_[before];
  if (const auto known = between_.find(key); known != between_.end()) return known->second;
  const double rest =
      static_cast<double>(place % all) / static_cast<double>(all) * window_ / static_cast<double>(reference_steps_);
  return between_.emplace(key, flow_->step(reference_[before], rest)).first->second;
}

double ErrorMeter::work_of_a_step(const MethodEntry& entry, double h) {
  constexpr int few = 2;
  counted_.reset();
  const auto method = entry.make<double>(counted_);
  State<double> x = start_;
  if (!method->begin(x, h).ok()) return 0;
  counted_.reset();
  const Counters before = method->counters();
  int done = 0;
  while (done < few && method->step(x, h).ok()) ++done;
  if (done == 0) return 0;
  Counters c = method->counters();
  c.factorisation -= before.factorisation;
  c.newton_iterations -= before.newton_iterations;
  c.hessian -= before.hessian;
  const double work = counted_.evaluated() + algebra(weights_, entry.info, c);
  spent_ += work;
  return work / done;
}

Trial ErrorMeter::run(const MethodEntry& entry, long steps, double most_work) {
  Trial trial;
  trial.steps = steps;
  counted_.reset();
  const auto method = entry.make<double>(counted_);
  const double h = window() / static_cast<double>(steps);
  State<double> x = start_;
  const auto work = [&] { return counted_.evaluated() + algebra(weights_, entry.info, method->counters()); };
  const auto end = [&](Trial::Outcome outcome) {
    trial.outcome = outcome;
    trial.work = work();
    spent_ += trial.work;
    return trial;
  };
  if (!method->begin(x, h).ok()) return end(Trial::Outcome::failed);
  const bool keeps = wanted_.is_conserved();
  const double initial = keeps ? conserved(x) : 0;
  int next = 1;  // of the times
  const auto is_due = [&](long k) { return k >= std::llround(time(next) * static_cast<double>(steps)); };
  for (long k = 1; k <= steps; ++k) {
    stop_if_interrupted();
    Status status = method->step(x, h);
    if (!status.ok() && entry.info.one_step)
      status = once_more(*method, x, h, status, [&] { return method->step(x, h); });
    if (!status.ok()) return end(Trial::Outcome::failed);
    trial.made = k;
    const bool due = is_due(k);
    if (keeps || due) {
      const double error = keeps ? std::abs(conserved(x) - initial) / unit_ : error_of(x, exact_at(k, steps));
      if (!std::isfinite(error)) return end(Trial::Outcome::failed);
      trial.error = std::max(trial.error, error);
      if (trial.error > hopeless) return end(Trial::Outcome::too_wrong);
    }
    if (work() > most_work) return end(Trial::Outcome::too_expensive);
    if (!due) continue;
    while (next <= times && is_due(k)) {
      trial.error_at.push_back(trial.error);
      ++next;
    }
  }
  return end(Trial::Outcome::done);
}

}  // namespace holonom
