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
// Of what is conserved a reference says the size alone: solutions that are that close, or energies that are kept so
// well, if there is no work left. Solutions that go apart although they keep the energy far better are chaotic.
constexpr double enough_for_a_size = 1e-3, well_resolved = 1e-8;

// How well a solution keeps the energy, relative to the largest kinetic one (of a field: to the largest energy). It
// tells a chaotic motion, on which solutions go apart and are right all the same, from steps that are too long.
template <class R>
class EnergyKept {
 public:
  explicit EnergyKept(const AnySystem<R>& sys) : sys_(sys), v_(sys.n()) {}

  void begin(const State<R>& x) {
    change_ = largest_ = 0;
    if (sys_.has_energy()) initial_ = to_double(sys_.H(x.q, x.p));
    see(x);
  }
  void see(const State<R>& x) {
    if (!sys_.has_energy()) return;
    const double H = to_double(sys_.H(x.q, x.p));
    keep_largest(change_, std::abs(H - initial_));
    if (sys_.is_field()) {
      keep_largest(largest_, std::abs(H));
    } else {
      sys_.H_p(x.q, x.p, v_);
      keep_largest(largest_, std::abs(to_double(dot(x.p, v_))) / 2);
    }
  }
  // Without an energy nothing is known of it.
  bool to(double accuracy) const { return sys_.has_energy() && change_ <= accuracy * largest_; }

 private:
  const AnySystem<R>& sys_;
  Vec<R> v_;
  double initial_ = 0, change_ = 0, largest_ = 0;
};

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
    : sys_(sys),
      counted_(sys, weights),
      weights_(weights),
      start_(start),
      wanted_(wanted),
      accuracy_(accuracy),
      until_(until),
      interpolated_(start) {
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
  find_unit();
  if (!wanted.is_conserved() && !chaotic_) refine_reference();
  reference_spent_ = spent_;
}

// Its steps are chosen at the start, where two of half the length must agree with one, and then halved until solutions
// do; times are halved if that is too much work.
template <class R>
void ErrorMeter::make_reference(std::shared_ptr<const AnySystem<R>> sys, double until, double most_work) {
  reference_scalar_ = precision_name<R>();
  chaotic_ = diverges_ = false;
  auto flow = std::make_unique<Reference<R>>(std::move(sys));
  const State<R> start = [&] {
    State<R> x = converted<R>(start_);
    if constexpr (!std::is_same_v<R, double>) (void)Manifold<R>(*flow->sys).project(x);
    return x;
  }();
  StateSize<R> size;  // of the last solution
  EnergyKept<R> energy(*flow->sys);
  long made = 0;  // steps of it
  const auto along = [&](const R& time, long steps, std::vector<State<R>>& states) {
    states.clear();
    size = {};
    size.include(start);
    energy.begin(start);
    flow->renew();
    // Rounding errors leave the manifold, and off it they grow with the square of time, whatever the motion: each step
    // ends on it.
    State<R> x = start;
    const R h = time / R(steps);
    for (made = 0; made < steps; ++made) {
      x = (*flow->flow)(x, h, 1);
      if (!flow->manifold->project(x).ok()) throw std::runtime_error("the motion leaves its constraints");
      for (const Vec<R>* part : {&x.q, &x.p})
        for (const R& a : *part)
          if (!is_finite(a)) throw std::runtime_error("the motion is not finite");
      size.include(x);
      energy.see(x);
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
    if (wanted_.is_conserved()) return enough_for_a_size;
    return window_ == until ? std::max(accuracy_ / 50, finest) : std::min(accuracy_ / 50, for_a_part);
  };
  window_ = until;
  const auto halve = [&] {
    window_ /= 2;
    steps = std::max(steps / 2, parts);
  };
  const auto work = [&] { return per_step * static_cast<double>(steps); };
  // Of what is conserved a rough reference will do, whose steps do not tell what runs will cost.
  const double for_first_steps = most_work / (wanted_.is_conserved() ? 6 : 1);
  while (3 * work() > for_first_steps && steps > parts) halve();
  std::vector<double> last(parts + 1, 1.0), error(parts + 1, 0.0);  // up to the end of each part
  double spent_here = 0, spent_on_failures = 0;
  bool first = true;
  for (;;) {
    try {
      if (first) along(R(window_), steps, coarse);
      along(R(window_), 2 * steps, fine);
    } catch (const std::runtime_error&) {  // steps that are too long for any solution, or a singular position
      if (std::abs(window_) < 1e-6 * std::abs(until)) throw;
      first = true;
      spent_on_failures += per_step * static_cast<double>(made);
      if (6 * work() <= most_work && spent_on_failures <= most_work)
        steps *= 2;
      else
        halve();
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
    if (good == parts) break;
    // Where errors are too large first, shorter steps gain nothing any more: these are rounding errors that have grown.
    const auto bad = static_cast<std::size_t>(good) + 1;
    const bool stands_still = error[bad] > last[bad] / 4 && last[bad] < hopeless && !wanted_.is_conserved();
    const bool is_expensive = spent_here + 4 * work() > 4 * most_work;
    const bool goes_apart = energy.to(well_resolved) && error.back() > last.back() / 4;
    if (wanted_.is_conserved() && (goes_apart || (is_expensive && energy.to(enough_for_a_size)))) {
      diverges_ = true;
      break;
    }
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

// What errors are relative to, at one state
double ErrorMeter::size_of(const State<double>& x) {
  switch (wanted_.kind) {
    case WantedQuantity::Kind::energy: {
      if (sys_.is_field()) return std::abs(sys_.H(x.q, x.p));
      Vec<double> v(sys_.n());
      sys_.H_p(x.q, x.p, v);
      return std::abs(dot(x.p, v)) / 2;
    }
    case WantedQuantity::Kind::position: return to_double(largest(x.q));
    case WantedQuantity::Kind::coordinate: return std::abs(x.q[wanted_.index]);
    case WantedQuantity::Kind::invariant: {
      Vec<double> scale(values_.size());
      sys_.invariants_along(x.q, x.p, x.q, x.p, values_, scale);
      return std::abs(scale[wanted_.index]);
    }
    case WantedQuantity::Kind::observable: return std::abs(observed(x));
  }
  return 0;
}

// The largest of the motion. The reference steps far, over the top of a short peak as well: so the highest places that
// it knows are looked at more closely.
void ErrorMeter::find_unit() {
  values_ = Vec<double>(static_cast<int>(std::max(sys_.labels().invariants.size(), sys_.labels().observables.size())));
  const auto include = [&](double here) {
    if (std::isfinite(here)) unit_ = std::max(unit_, here);
  };
  std::vector<double> sizes;
  for (const State<double>& x : reference_) {
    sizes.push_back(size_of(x));
    include(sizes.back());
    momentum_unit_ = std::max(momentum_unit_, to_double(largest(x.p)));
  }
  std::vector<std::pair<double, std::size_t>> tops;
  for (std::size_t k = 0; k < sizes.size(); ++k)
    if ((k == 0 || sizes[k] >= sizes[k - 1]) && (k + 1 == sizes.size() || sizes[k] >= sizes[k + 1]))
      tops.emplace_back(-sizes[k], k);
  constexpr std::size_t most = 8;
  constexpr int between = 8;
  std::sort(tops.begin(), tops.end());
  if (tops.size() > most) tops.resize(most);
  for (const auto& [size, k] : tops)
    for (const std::size_t from : {k - 1, k}) {
      if (from >= reference_.size() - 1) continue;  // before the start, or after the end
      try {
        for (int j = 1; j < between; ++j) include(size_of(flow_->step(reference_[from], j * spacing() / between)));
      } catch (const std::runtime_error&) {  // no multipliers there: the places that are known must do
      }
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

// The reference at step/all of its window: where it has no state of its own, a short way from the one before.
const State<double>& ErrorMeter::exact_at(long step, long all) {
  const long common = std::gcd(step, all);
  const std::pair key(step / common, all / common);
  const __int128 place = static_cast<__int128>(step) * static_cast<__int128>(reference_.size() - 1);
  const auto before = static_cast<std::size_t>(place / all);
  if (place % all == 0) return reference_[before];
  if (const auto known = between_.find(key); known != between_.end()) return known->second;
  const double rest = static_cast<double>(place % all) / static_cast<double>(all) * spacing();
  return between_.emplace(key, flow_->step(reference_[before], rest)).first->second;
}

// The same from the polynomial through the nearest states, which costs next to nothing.
const State<double>& ErrorMeter::near_exact_at(long step, long all) {
  const __int128 place = static_cast<__int128>(step) * static_cast<__int128>(reference_.size() - 1);
  const auto before = static_cast<std::size_t>(place / all);
  if (place % all == 0 || before + 1 < nodes / 2 || before + nodes / 2 >= reference_.size()) return exact_at(step, all);
  interpolate(before, static_cast<double>(place % all) / static_cast<double>(all), interpolated_);
  return interpolated_;
}

// At `part` of the way from one state of the reference to the next
void ErrorMeter::interpolate(std::size_t before, double part, State<double>& x) const {
  constexpr std::size_t half = nodes / 2;
  const std::size_t first = before + 1 - half;
  double weight = 1, sum = 0;  // (-1)^j times a binomial coefficient: barycentric weights of equally spaced nodes
  std::array<double, nodes> share;
  for (std::size_t j = 0; j < nodes; ++j) {
    share[j] = weight / (part + static_cast<double>(half) - 1 - static_cast<double>(j));
    sum += share[j];
    weight *= -static_cast<double>(nodes - 1 - j) / static_cast<double>(j + 1);
  }
  const bool needs_p = sys_.is_field() || wanted_.kind == WantedQuantity::Kind::observable;
  fill(x.q, 0.0);
  fill(x.p, 0.0);
  for (std::size_t j = 0; j < nodes; ++j) {
    axpy(share[j] / sum, reference_[first + j].q, x.q);
    if (needs_p) axpy(share[j] / sum, reference_[first + j].p, x.p);
  }
}

// States are put between those of the reference until a polynomial through some of them is as good as they are: then
// runs can be compared after each of their steps.
void ErrorMeter::refine_reference() {
  // What is continued beyond the window is seen at the level of rounding errors already.
  const double good = window_ == until_ ? std::max(accuracy_ / 200, 1e-13) : 1e-13;
  constexpr std::size_t most_numbers = 20'000'000;
  // What one more halving of their distance makes of the error of the polynomial
  constexpr double gain = 1e-3;
  double error = 1;
  while (error * gain > good && 2 * reference_.size() * static_cast<std::size_t>(2 * sys_.n()) < most_numbers) {
    std::vector<State<double>> finer{reference_.front()};
    State<double> x = start_;
    error = 0;
    for (std::size_t k = 0; k + 1 < reference_.size(); ++k) {
      finer.push_back(flow_->step(reference_[k], spacing() / 2));
      finer.push_back(reference_[k + 1]);
      if (k + 1 < nodes / 2 || k + nodes / 2 >= reference_.size()) continue;
      interpolate(k, 0.5, x);
      error = std::max(error, error_of(x, finer[2 * k + 1]));
    }
    spent_ += reference_work_ * static_cast<double>(reference_.size()) / static_cast<double>(reference_steps_);
    reference_.swap(finer);
    constexpr std::size_t most = 16;  // of them in a step
    if (reference_.size() > most * static_cast<std::size_t>(reference_steps_)) break;
  }
  is_dense_ = error * gain <= good;
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
  counted_.reset();
  const auto method = entry.make<double>(counted_);
  const auto work = [&] { return counted_.evaluated() + algebra(weights_, entry.info, method->counters()); };
  const bool keeps = wanted_.is_conserved();
  double initial = 0;
  const long all = steps * part_;
  // The reference resolves the motion, and with it the errors of runs with shorter steps.
  const auto known = static_cast<long>(reference_.size() - 1) / part_;
  const long apart = std::max(1L, steps / (4 * known));
  const auto error = [&](const State<double>& x, long k, bool due) {
    if (keeps) return std::abs(conserved(x) - initial) / unit_;
    if (due) return error_of(x, exact_at(k, all));
    return is_dense_ && k % apart == 0 ? error_of(x, near_exact_at(k, all)) : 0;
  };
  const auto begin = [&](const State<double>& x) { initial = keeps ? conserved(x) : 0; };
  Trial trial = follow(*method, entry.info.one_step, steps, window(), begin, error, [&] { return work() > most_work; });
  trial.work = work();
  spent_ += trial.work;
  return trial;
}

// What is compared, and when to give up, is for the caller to say.
template <class Begin, class Error, class Enough>
Trial ErrorMeter::follow(AnyMethod<double>& method, bool one_step, long steps, double time, Begin&& begin,
                         Error&& error_at, Enough&& enough) {
  Trial trial;
  trial.steps = steps;
  const double h = time / static_cast<double>(steps);
  State<double> x = start_;
  const auto end = [&](Trial::Outcome outcome) {
    trial.outcome = outcome;
    return trial;
  };
  if (!method.begin(x, h).ok()) return end(Trial::Outcome::failed);
  begin(x);
  int next = 1;      // of the times
  double noted = 0;  // up to them: of positions the errors at these times alone, by the reference itself
  const auto is_due = [&](long k) { return k >= std::llround(ErrorMeter::time(next) * static_cast<double>(steps)); };
  for (long k = 1; k <= steps; ++k) {
    stop_if_interrupted();
    Status status = method.step(x, h);
    if (!status.ok() && one_step) status = once_more(method, x, h, status, [&] { return method.step(x, h); });
    if (!status.ok()) return end(Trial::Outcome::failed);
    trial.made = k;
    const bool due = is_due(k);
    const double error = error_at(x, k, due);
    if (!std::isfinite(error)) return end(Trial::Outcome::failed);
    trial.error = std::max(trial.error, error);
    if (trial.error > hopeless) return end(Trial::Outcome::too_wrong);
    if (enough()) return end(Trial::Outcome::too_expensive);
    if (!due) continue;
    noted = wanted_.is_conserved() ? trial.error : std::max(noted, error);
    while (next <= times && is_due(k)) {
      trial.error_at.push_back(noted);
      ++next;
    }
  }
  return end(Trial::Outcome::done);
}

Trial ErrorMeter::check(const MethodEntry& entry, long steps) {
  const auto method = entry.make<double>(sys_);
  const bool keeps = wanted_.is_conserved(), is_known = window_ == until_;
  double initial = 0;
  std::unique_ptr<AnyMethod<double>> finer;  // with half the step, where there is no reference
  State<double> exact = start_;
  const double h = until_ / static_cast<double>(steps);
  bool failed = false;
  const auto begin = [&](const State<double>& x) {
    if (keeps) {
      initial = conserved(x);
    } else if (!is_known) {
      finer = entry.make<double>(sys_);
      failed = !finer->begin(exact, h / 2).ok();
    }
  };
  const double share = 1 - std::pow(2.0, -std::max(1, entry.info.on(sys_.m(), sys_.is_field()).order));
  const long apart = is_known ? std::max(1L, steps / (4 * static_cast<long>(reference_.size() - 1))) : 1;
  const auto error = [&](const State<double>& x, long k, bool due) {
    if (keeps) return std::abs(conserved(x) - initial) / unit_;
    if (is_known && due) return error_of(x, exact_at(k, steps));
    if (is_known) return is_dense_ && k % apart == 0 ? error_of(x, near_exact_at(k, steps)) : 0;
    for (int half = 0; half < 2 && !failed; ++half) failed = !finer->step(exact, h / 2).ok();
    return failed ? std::numeric_limits<double>::quiet_NaN() : error_of(x, exact) / share;
  };
  return follow(*method, entry.info.one_step, steps, until_, begin, error, [] { return false; });
}

}  // namespace holonom
