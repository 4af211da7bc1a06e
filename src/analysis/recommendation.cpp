#include "holonom/analysis/recommendation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "holonom/analysis/numerical_map.hpp"

namespace holonom {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr std::size_t shown = 3;

struct Candidate {
  MethodEntry entry;
  int order = 0;
  double work_of_a_step = 0;
  std::vector<Trial> trials;  // those that got to the end, by their steps
  long too_few = 0;           // steps with which a run did not
  long last = 0;              // steps of the last run
  int idle = 0;               // runs in a row that more steps did not make better
  double reach = 0;           // of a run that did not get to the end: the part that it made
  bool out = false;

  const Trial* finest() const { return trials.empty() ? nullptr : &trials.back(); }
  // The slope of log(error) over log(steps) between the two finest; 0: not known
  double observed_order() const {
    if (trials.size() < 2) return 0;
    const Trial &a = trials[trials.size() - 2], &b = trials.back();
    if (!(a.error > 0 && b.error > 0)) return 0;
    return std::log(a.error / b.error) / std::log(static_cast<double>(b.steps) / static_cast<double>(a.steps));
  }
};

class Race {
 public:
  Race(const AnySystem<double>& sys, const State<double>& start, const RecommendationPlan& plan)
      : sys_(sys),
        plan_(plan),
        meter_(sys, start, plan.until, plan.accuracy, plan.wanted, plan.weights, reference_share(plan)),
        ratio_(plan.until / meter_.window()) {
    for (const MethodEntry& entry : plan.candidates) add(entry);
  }

  Recommendation operator()() {
    if (meter_.is_chaotic()) {
      least_error_ = meter_.best_at_end();
      return report();
    }
    double work = meter_.reference_work() / 64;
    if (const long part = part_for_heats(); part > 1) work = heats(part);
    race(work);
    return report();
  }

 private:
  static double reference_share(const RecommendationPlan& plan) { return plan.budget / 10; }

  bool is_right(const Candidate& c, const Trial& t) const {
    return t.error * growth(c, t).factor <= margin() * plan_.accuracy;
  }
  // What was not measured to the end may be a little worse than expected; and where solutions go apart, the largest
  // error on the way is another one for each rounding.
  double margin() const {
    if (meter_.diverges()) return 0.5;
    return ratio_ > 1 ? 0.8 : 0.97;
  }

  // Rounds with more and more work, until enough methods are right. Once one has got there, those that may still be as
  // good are given some more.
  void race(double work) {
    const double budget = in_heats_ ? plan_.budget / 2 : plan_.budget;
    for (double enough = infinite; work <= enough && meter_.spent_on_runs() < budget; work *= 2) {
      bool any = false;
      for (Candidate& c : candidates_) any = advance(c, work) || any;
      if (!any && work > meter_.reference_work()) break;
      if (in_heats_) compose_best_bases();
      leave_behind();
      leave_behind_by_budget(2 * work);
      if (is_below_rounding()) break;
      if (enough == infinite && reached() > 0) enough = 4 * work;
      if (reached() >= (in_heats_ ? 2 * shown : shown)) break;
    }
  }

  // Whether errors of several methods have stopped falling, all of them above what is wanted
  bool is_below_rounding() const {
    constexpr std::size_t several = 3;
    return plateaus_.size() >= several &&
           *std::min_element(plateaus_.begin(), plateaus_.end()) > margin() * plan_.accuracy;
  }

  // Long motions repeat themselves in some way: who is good for a part of one is good for all of it, and a part is
  // cheaper. As short as this a part still holds many steps of the reference, which are long ones.
  long part_for_heats() const {
    constexpr long many = 48, shortest = 16;
    long part = 1;
    while (part < shortest && meter_.reference_steps() / (2 * part) >= many) part *= 2;
    return part;
  }
  // All candidates over a part; the best of them stay. Returns the work to begin with.
  double heats(long part) {
    meter_.use_part(part);
    ratio_ *= static_cast<double>(part);
    in_heats_ = true;
    race(meter_.reference_work() / 64);
    std::vector<std::pair<double, Candidate*>> ranked;
    for (Candidate& c : candidates_)
      if (c.finest()) ranked.emplace_back(std::min(interpolated(c), hoped_for_work(c)), &c);
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    in_heats_ = false;
    plateaus_.clear();
    const auto go_over = [&](long now) {
      meter_.use_part(now);
      ratio_ *= static_cast<double>(now) / static_cast<double>(part);
    };
    if (ranked.empty()) {
      go_over(1);
      return meter_.reference_work() / 64;
    }
    constexpr std::size_t most = 14;
    constexpr double not_far = 3;
    const double best = ranked.front().first;
    // All of the time, or as much of it as there is work left for
    constexpr double runs = 3.0 * most;
    long final_part = 1;
    const auto work_of_final = [&] { return best * static_cast<double>(part) / static_cast<double>(final_part); };
    while (final_part < part && runs * work_of_final() > plan_.budget - meter_.spent_on_runs()) final_part *= 2;
    go_over(final_part);
    std::vector<Candidate> finalists;
    for (const auto& [work, c] : ranked) {
      if (finalists.size() >= most || (finalists.size() >= 2 * shown && work > not_far * best)) break;
      Candidate again;
      again.entry = c->entry;
      again.order = c->order;
      again.work_of_a_step = c->work_of_a_step;
      finalists.push_back(std::move(again));
    }
    candidates_ = std::move(finalists);
    return 0.7 * work_of_final();
  }

  void add(const MethodEntry& entry) {
    Candidate c;
    c.entry = entry;
    c.order = std::max(1, entry.info.on(sys_.m(), sys_.is_field()).order);
    keys_.insert(entry.info.key);
    ++listed_;
    candidates_.push_back(std::move(c));
  }

  // A run with so much work; whether there was one.
  bool advance(Candidate& c, double work) {
    if (c.out) return false;
    if (c.work_of_a_step == 0) {
      const double h = meter_.window() / (4.0 * static_cast<double>(meter_.reference_steps()));
      c.work_of_a_step = meter_.work_of_a_step(c.entry, h);
      if (c.work_of_a_step == 0) return !(c.out = true);
    }
    constexpr long fewest = 4;
    const long steps = rounded(work / c.work_of_a_step);
    if (steps < fewest || steps <= c.last) return false;
    if (const Trial* finest = c.finest(); finest && is_right(c, *finest)) return false;
    try_steps(c, steps, 8 * work);
    return true;
  }

  static long rounded(double steps) { return steps < 1e15 ? std::lround(std::max(steps, 1.0)) : 0; }

  const Trial* try_steps(Candidate& c, long steps, double most_work) {
    Trial t = meter_.run(c.entry, steps, most_work);
    ++trials_;
    c.last = std::max(c.last, steps);
    if (t.made > 0) c.work_of_a_step = t.work / static_cast<double>(t.made);
    if (t.outcome != Trial::Outcome::done) {
      c.reach = static_cast<double>(t.made) / static_cast<double>(steps);
      c.too_few = std::max(c.too_few, steps);
      return nullptr;
    }
    if (const double error = t.error * growth(c, t).factor; error < least_error_) {
      least_error_ = error;
      least_error_of_ = c.entry.info.key;
    }
    const auto place =
        std::lower_bound(c.trials.begin(), c.trials.end(), steps, [](const Trial& a, long n) { return a.steps < n; });
    const auto at = c.trials.insert(place, std::move(t));
    // Rounding errors do not fall with the step, nor do errors of a method that does not converge.
    if (const bool is_finest = at + 1 == c.trials.end(); is_finest && c.trials.size() > 1) {
      constexpr double small = 0.05;
      c.idle = c.observed_order() < 0.5 && at->error < small ? c.idle + 1 : 0;
      if (c.idle >= 2 && !is_right(c, *at)) {
        c.out = true;
        plateaus_.push_back(at->error * growth(c, *at).factor);
      }
    }
    return &*at;
  }

  // From the end of the window to the end. Energies of symplectic methods stay where they are, those of others drift;
  // errors of positions grow with a power of time, or exponentially.
  Growth growth(const Candidate& c, const Trial& t) const {
    if (!(ratio_ > 1)) return {1, "the whole time was run"};
    const std::vector<double>& e = t.error_at;
    const std::size_t count = e.size();
    const double last = count ? e.back() : 0;
    if (count < ErrorMeter::times || !(last > 0)) return {1, "no error to be seen"};
    const double half = e[count / 2 - 1], rest_of_time = 1 - ErrorMeter::time(static_cast<int>(count / 2));
    const MethodInfo info = c.entry.info.on(sys_.m(), sys_.is_field());
    if (plan_.wanted.is_conserved()) {
      // Bounded, as that of a symplectic method; but the largest of it may be yet to come if the window is short.
      const double still = std::clamp(std::log(last / half) / std::log(1 / (1 - rest_of_time)), 0.0, 0.5);
      constexpr double most = 10;
      if (info.symplectic)
        return {std::min(std::pow(ratio_, still), most), still > 0 ? "bounded, but not yet" : "bounded"};
      return {1 + (1 - half / last) / rest_of_time * (ratio_ - 1), "linear drift"};
    }
    std::vector<double> at;
    for (int k = 1; k <= ErrorMeter::times; ++k) at.push_back(ErrorMeter::time(k));
    const double least_power = info.symplectic || info.symmetric ? 1 : 2;
    return error_growth(at, e, ratio_, meter_.window(), least_power, in_heats_);
  }

  // Work until it is right, if errors fall with this order
  double work_by_order(const Candidate& c, double order) const {
    const Trial* t = c.finest();
    if (!t) return infinite;
    for (const Trial& known : c.trials)
      if (is_right(c, known)) return known.work;
    const double allowed = margin() * plan_.accuracy / growth(c, *t).factor;
    // Rounding errors of the window alone become larger than that until the end, however short the steps are.
    if (!in_heats_ && allowed < epsilon<double>()) return infinite;
    return t->work * std::pow(t->error / allowed, 1 / order);
  }
  // As far as two steps tell; infinite if they do not.
  double expected_work(const Candidate& c) const {
    const double seen = c.observed_order();
    if (c.finest() && is_right(c, *c.finest())) return work_by_order(c, 1);
    if (seen < 0.5 * c.order) return infinite;
    return work_by_order(c, std::min(seen, static_cast<double>(c.order)));
  }
  double steps_by_order(const Candidate& c) const {
    const Trial& t = *c.finest();
    return static_cast<double>(t.steps) * expected_work(c) / t.work;
  }
  double hoped_for_work(const Candidate& c) const {
    return work_by_order(c, 1.25 * std::max(c.observed_order(), static_cast<double>(c.order)));
  }

  std::size_t reached() const {
    return static_cast<std::size_t>(std::count_if(candidates_.begin(), candidates_.end(), [&](const Candidate& c) {
      return c.finest() && is_right(c, *c.finest());
    }));
  }

  // Those that will not be among the best, even if their errors fall faster than they should
  void leave_behind() {
    std::vector<double> expected;
    for (const Candidate& c : candidates_)
      if (const double w = expected_work(c); w < infinite) expected.push_back(w);
    if (expected.size() < shown) return;
    std::nth_element(expected.begin(), expected.begin() + (shown - 1), expected.end());
    for (Candidate& c : candidates_)
      if (c.finest() && hoped_for_work(c) > 1.5 * expected[shown - 1]) c.out = true;
  }

  // As many of the best as can be given so much work each, if all cannot
  void leave_behind_by_budget(double work) {
    std::vector<Candidate*> running;
    for (Candidate& c : candidates_)
      if (!c.out && !(c.finest() && is_right(c, *c.finest()))) running.push_back(&c);
    constexpr double part = 0.5;  // of what is left
    constexpr double fewest = 4;
    const auto most = static_cast<std::size_t>(std::max(fewest, part * (plan_.budget - meter_.spent_on_runs()) / work));
    if (running.size() <= most) return;
    // Those that have not been near the motion yet may be so soon.
    const auto hope = [&](const Candidate& c) { return c.finest() ? hoped_for_work(c) : 1.5 * work; };
    std::stable_sort(running.begin(), running.end(), [&](const Candidate* a, const Candidate* b) {
      const double hope_a = hope(*a), hope_b = hope(*b);
      return hope_a != hope_b ? hope_a < hope_b : a->reach > b->reach;
    });
    for (std::size_t k = most; k < running.size(); ++k) running[k]->out = true;
  }

  // Compositions are as good as their base. The registry lists them for one base; those of another that turns out to be
  // as good as the best get their turn as well.
  void compose_best_bases() {
    double best = infinite;
    const auto is_base = [](const Candidate& c) {
      return c.entry.info.family == "base" && c.entry.info.symmetric && c.entry.info.order == 2;
    };
    for (const Candidate& c : candidates_)
      if (is_base(c)) best = std::min(best, work_by_order(c, 2));
    if (best == infinite) return;
    std::vector<MethodEntry> found;
    std::set<std::string> schemes;
    for (const Candidate& c : candidates_)
      if (c.entry.info.family == "composition" && c.entry.info.file.empty()) schemes.insert(c.entry.info.scheme);
    for (const MethodEntry& entry : methods().all())  // of a base that does not suit the system, too
      if (entry.info.family == "composition") schemes.insert(entry.info.scheme);
    for (const Candidate& c : candidates_) {
      if (!is_base(c) || !(work_by_order(c, 2) <= 1.2 * best) || !composed_.insert(c.entry.info.key).second) continue;
      for (const std::string& scheme : schemes) try {
          if (auto entry = methods().parse(scheme + "/" + c.entry.info.key);
              entry && entry->info.symmetric && !keys_.contains(entry->info.key))
            found.push_back(std::move(*entry));
        } catch (const InputError&) {  // a scheme for other bases
        }
    }
    for (const MethodEntry& entry : found) add(entry);
  }

  // The longest step that is right, between one that is and one that is not
  const Trial* refine(Candidate& c) {
    const auto right = [&](const Trial& t) { return is_right(c, t); };
    constexpr int most_runs = 6;
    for (int runs = 0; runs < most_runs; ++runs) {
      const auto first = std::find_if(c.trials.begin(), c.trials.end(), right);
      if (first == c.trials.end()) return nullptr;
      const auto high = static_cast<double>(first->steps);
      const double target = 0.93 * margin() * plan_.accuracy / growth(c, *first).factor;
      double low = static_cast<double>(c.too_few < first->steps ? c.too_few : 0), next = 0;
      if (first != c.trials.begin() && static_cast<double>((first - 1)->steps) > low) {
        const Trial& before = *(first - 1);
        low = static_cast<double>(before.steps);
        const double slope = std::log(before.error / std::max(first->error, 1e-300)) / std::log(high / low);
        next = slope > 0 ? low * std::pow(before.error / target, 1 / slope) : std::sqrt(low * high);
      } else if (low > 0) {
        next = std::sqrt(low * high);
      } else {
        next = high / 1.5;
      }
      if (low > 0 && high / low < 1.07) break;
      const double least_gain = low > 0 ? std::min(1.03, std::sqrt(high / low)) : 1;
      next = std::clamp(next, std::max(1.0, low * least_gain), high / 1.03);
      long steps = rounded(next);
      if (steps >= first->steps) steps = static_cast<long>(next);
      if (steps < 1 || steps >= first->steps || static_cast<double>(steps) <= low) break;
      if (!try_steps(c, steps, infinite)) c.too_few = std::max(c.too_few, steps);
    }
    const auto first = std::find_if(c.trials.begin(), c.trials.end(), right);
    return first == c.trials.end() ? nullptr : &*first;
  }

  RecommendedMethod recommended(const Candidate& c, const Trial& t, double excess, double order) const {
    RecommendedMethod r;
    r.method = c.entry;
    r.growth = growth(c, t);
    r.is_measured = excess <= 1;
    const double more = r.is_measured ? 1 : std::pow(excess, 1 / order);
    const double in_window = static_cast<double>(t.steps) * more;
    const double all = in_window * ratio_;
    r.steps = r.is_measured && ratio_ == 1 ? t.steps : static_cast<long>(std::ceil(all));
    r.work = t.work / static_cast<double>(t.steps) * static_cast<double>(r.steps);
    r.error = r.is_measured ? t.error * r.growth.factor : margin() * plan_.accuracy;
    r.order = c.observed_order();
    r.trials = c.trials;
    return r;
  }

  // As it will be run, until the end. Where it is wrong there, because chaos makes another motion of it or something is
  // yet to come, its steps are shortened by its order; if they fail still it is none to recommend. What is too
  // expensive to be run once stays as it was foreseen.
  void confirm(RecommendedMethod m, int order, Recommendation& result) {
    const double share = plan_.budget / 2;
    constexpr int tries = 4;
    const double runs = ratio_ > 1 && !plan_.wanted.is_conserved() ? 3 : 1;
    for (int k = 0; k < tries; ++k) {
      if (checked_ + runs * m.work > share) {
        if (k == 0) result.methods.push_back(std::move(m));
        return;
      }
      checked_ += runs * m.work;
      const Trial t = meter_.check(m.method, m.steps);
      const bool is_done = t.outcome == Trial::Outcome::done;
      if (is_done && t.error <= plan_.accuracy) {
        m.error = t.error;
        m.is_checked = true;
        result.methods.push_back(std::move(m));
        return;
      }
      if (is_done && t.error < least_checked_) {
        least_checked_ = t.error;
        least_checked_of_ = m.method.info.key;
      }
      constexpr double target = 0.8, least = 1.03, most = 2, after_failure = 1.25;
      const double more = t.outcome == Trial::Outcome::failed
                              ? after_failure
                              : std::clamp(std::pow(t.error / (target * plan_.accuracy), 1.0 / order), least, most);
      const auto steps = static_cast<long>(std::ceil(more * static_cast<double>(m.steps)));
      m.work *= static_cast<double>(steps) / static_cast<double>(m.steps);
      m.steps = steps;
    }
  }

  Recommendation report() {
    Recommendation result;
    std::vector<Candidate*> best;
    for (Candidate& c : candidates_)
      if (expected_work(c) < infinite) best.push_back(&c);
    std::stable_sort(best.begin(), best.end(),
                     [&](const Candidate* a, const Candidate* b) { return interpolated(*a) < interpolated(*b); });
    constexpr std::size_t refined = 8;
    if (best.size() > refined) best.resize(refined);
    for (Candidate* c : best) {
      for (const double more : {1.03, 1.06, 1.1}) {
        if (is_right(*c, *c->finest()) || expected_work(*c) == infinite || is_below_rounding() ||
            meter_.spent_on_runs() > 1.5 * plan_.budget)
          break;
        try_steps(*c, rounded(more * steps_by_order(*c)), infinite);
      }
      if (c->finest() && is_right(*c, *c->finest())) {
        const double bar = result.methods.size() < shown ? infinite : result.methods[shown - 1].work / ratio_;
        if (interpolated(*c) > 1.2 * bar) continue;
        if (const Trial* t = refine(*c); t && is_new(result, *t)) confirm(recommended(*c, *t, 0, 1), c->order, result);
      } else if (const Trial& t = *c->finest();
                 is_new(result, t) && expected_work(*c) < infinite && !is_below_rounding()) {
        const double excess = t.error * growth(*c, t).factor / (margin() * plan_.accuracy);
        confirm(recommended(*c, t, excess, std::min<double>(c->observed_order(), c->order)), c->order, result);
      }
      std::stable_sort(result.methods.begin(), result.methods.end(),
                       [](const RecommendedMethod& a, const RecommendedMethod& b) { return a.risk() < b.risk(); });
    }
    if (result.methods.size() > shown) result.methods.resize(shown);
    result.candidates = listed_;
    result.trials = trials_;
    result.window = meter_.window();
    result.unit = meter_.unit();
    result.is_chaotic = meter_.is_chaotic();
    result.horizon = meter_.horizon();
    result.reference_steps = meter_.reference_steps();
    result.reference_error = meter_.reference_error();
    result.reference_scalar = meter_.reference_scalar();
    result.spent = meter_.spent();
    const bool only_in_the_search = result.methods.empty() && least_checked_ < infinite;
    result.least_error = only_in_the_search ? least_checked_ : least_error_;
    result.least_error_of = only_in_the_search ? least_checked_of_ : least_error_of_;
    if (result.methods.empty() && !result.is_chaotic) look_beyond_the_window(result);
    return result;
  }

  // Whether rounding errors are in the way by the growth that the best run has seen
  void look_beyond_the_window(Recommendation& result) const {
    const Candidate* best = nullptr;
    for (const Candidate& c : candidates_)
      if (c.finest() && (!best || c.finest()->error < best->finest()->error)) best = &c;
    if (!best) return;
    const Growth beyond = growth(*best, *best->finest());
    if (beyond.e_fold == 0) return;
    result.is_chaotic = true;
    result.least_error = best->finest()->error * beyond.factor;
    const double more = beyond.e_fold * std::log(plan_.accuracy / epsilon<double>());
    result.horizon = meter_.window() + std::copysign(std::max(more, 0.0), meter_.window());
  }

  // Some methods have two names: without constraints, or on a system of this kind.
  static bool is_new(const Recommendation& result, const Trial& t) {
    return std::none_of(result.methods.begin(), result.methods.end(), [&](const RecommendedMethod& m) {
      return std::any_of(m.trials.begin(), m.trials.end(),
                         [&](const Trial& known) { return known.steps == t.steps && known.error_at == t.error_at; });
    });
  }

  // Work of the longest step that is right, between the runs that were made
  double interpolated(const Candidate& c) const {
    for (std::size_t k = 0; k < c.trials.size(); ++k) {
      const Trial& t = c.trials[k];
      if (!is_right(c, t)) continue;
      if (k == 0) return t.work / 1.4;
      const Trial& before = c.trials[k - 1];
      const double slope = std::log(before.error / std::max(t.error, 1e-300)) / std::log(t.work / before.work);
      const double target = margin() * plan_.accuracy / growth(c, t).factor;
      return std::clamp(before.work * std::pow(before.error / target, 1 / slope), before.work, t.work);
    }
    return expected_work(c);
  }

  const AnySystem<double>& sys_;
  const RecommendationPlan& plan_;
  ErrorMeter meter_;
  double ratio_;  // of the time asked for to the one that is run
  bool in_heats_ = false;
  std::vector<double> plateaus_;  // errors that more steps do not make smaller
  std::size_t listed_ = 0;        // candidates in all
  std::vector<Candidate> candidates_;
  std::set<std::string> keys_, composed_;
  long trials_ = 0;
  double least_error_ = infinite, least_checked_ = infinite;
  std::string least_error_of_, least_checked_of_;
  double checked_ = 0;  // work of what was chosen, run until the end
};

}  // namespace

std::vector<MethodEntry> recommendable(const AnySystem<double>& sys) {
  std::vector<MethodEntry> list;
  for (const MethodEntry& entry : methods().all()) {
    const MethodInfo info = entry.info.on(sys.m(), sys.is_field());
    const bool keeps = sys.m() == 0 || (info.keeps_position && info.keeps_hidden);
    const bool counted = info.family != "variational";  // nobody counts the work in formulas of L_d
    if (counted && suits(entry, sys) && info.order > 0 && keeps) list.push_back(entry);
  }
  return list;
}

Recommendation recommend(const AnySystem<double>& sys, const State<double>& start, const RecommendationPlan& plan) {
  return Race(sys, start, plan)();
}

}  // namespace holonom
