// Finds the cheapest setting of an integrator that reaches a given energy error. Every number that is
// reported was measured by a whole run; nothing is extrapolated.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "integrator.hpp"

namespace bench {

struct Reached {
  // never: at no setting; over_limit: a run was cut; not_run: short runs were too slow; not_found: out of patience
  enum class How { met, never, over_limit, not_run, not_found } how = How::never;
  double fineness = 0;
  Outcome outcome;                                              // of the run that met the target
  double best_error = std::numeric_limits<double>::infinity();  // of all runs
};

class Search {
 public:
  // limit: CPU seconds that a single run may take.
  Search(const Integrator& integrator, double periods, double limit)
      : integrator_(integrator), periods_(periods), limit_(limit) {}

  // `guess`: a fineness to begin with; without one, short runs give it.
  Reached reach(double target, std::optional<double> guess = {}) {
    spent_ = 0;
    if (runs_.empty() || guess) {
      if (!guess) guess = pilot(target);
      if (!guess) return {Reached::How::not_run, 0, {}, best_error()};
      run(*guess);
    }
    for (int trial = 0; trial < max_trials; ++trial) {
      const auto fine = cheapest_that_met(target);
      const auto coarse = finest_that_failed(target, fine);
      if (fine && (close_enough(fine->second.error, target) || fine->first <= integrator_.coarsest)) break;
      if (fine && coarse && fine->first < coarse->first * narrow()) break;
      if (fine && spent_ > limit_ / 3) break;  // long runs are not refined further
      if (!fine && coarse) {
        if (coarse->second.cut) return {Reached::How::over_limit, 0, {}, best_error()};
        if (spent_ > patience * limit_) return {Reached::How::not_found, 0, {}, best_error()};
        if (stalled() || coarse->first >= integrator_.finest) return {Reached::How::never, 0, {}, best_error()};
      }
      run(next(target, fine, coarse));
    }
    if (const auto fine = cheapest_that_met(target))
      return {Reached::How::met, fine->first, fine->second, best_error()};
    return {Reached::How::not_found, 0, {}, best_error()};
  }

 private:
  using Run = std::pair<double, Outcome>;
  static constexpr int max_trials = 12;
  static constexpr double patience = 1.5;        // CPU seconds of the search for one target, of the limit of a run
  static constexpr double aim = 0.93;            // of the target
  static constexpr double pilot_part = 1. / 50;  // of the periods

  void run(double fineness) {
    const Outcome& o = runs_[fineness] = integrator_.run(fineness, periods_, limit_);
    spent_ += o.cpu;
  }

  // The cost of a tolerance moves little: about its sixth root for variable order.
  bool tolerance() const { return integrator_.knob == Integrator::Knob::inverse_tolerance; }
  bool close_enough(double error, double target) const {
    return std::pow(error / target, 1 / (tolerance() ? 6 : integrator_.order)) > 0.93;
  }
  double narrow() const { return tolerance() ? 1.3 : 1.03; }

  std::optional<Run> cheapest_that_met(double target) const {
    std::optional<Run> best;
    for (const auto& r : runs_)
      if (!r.second.cut && r.second.error <= target && (!best || r.second.cpu < best->second.cpu)) best = r;
    return best;
  }
  std::optional<Run> finest_that_failed(double target, const std::optional<Run>& below) const {
    std::optional<Run> best;
    for (const auto& r : runs_)
      if ((r.second.cut || !(r.second.error <= target)) && (!below || r.first < below->first)) best = r;
    return best;
  }
  double best_error() const {
    double best = std::numeric_limits<double>::infinity();
    for (const auto& [fineness, outcome] : runs_)
      if (!outcome.cut) best = std::fmin(best, outcome.error);
    return best;
  }
  // Two much finer runs were no better than a coarser one: round-off. Errors of adaptive integrators are too
  // irregular to say so: they are tried at their finest setting.
  bool stalled() const {
    if (tolerance()) return false;
    const double gap = std::fmax(1.3, std::pow(4, 1 / integrator_.order));
    for (const auto& [coarse, before] : runs_) {
      int no_better = 0;
      for (const auto& [fine, after] : runs_)
        no_better += fine > gap * coarse && std::isfinite(after.error) && !(after.error < 0.7 * before.error);
      if (no_better > 1 && std::isfinite(before.error)) return true;
    }
    return false;
  }

  double next(double target, const std::optional<Run>& fine, const std::optional<Run>& coarse) const {
    const auto factor = [&](double error) { return std::pow(error / (aim * target), 1 / integrator_.order); };
    double x;
    if (fine && coarse) {
      const double width = std::log(fine->first / coarse->first);
      double part = 0.5;
      if (std::isfinite(coarse->second.error) && coarse->second.error > fine->second.error)
        part = std::log(coarse->second.error / (aim * target)) / std::log(coarse->second.error / fine->second.error);
      x = coarse->first * std::exp(width * std::fmin(0.85, std::fmax(0.15, part)));
    } else if (fine) {
      x = fine->first * std::fmax(tolerance() ? 0.01 : 0.5, std::fmin(0.98, factor(fine->second.error)));
    } else {
      const double most = tolerance() ? 30 : 40, least = tolerance() ? 1.5 : 1.03, blind = tolerance() ? 10 : 1.4;
      const double f = std::isfinite(coarse->second.error) ? factor(coarse->second.error) : blind;
      x = coarse->first * std::fmin(most, std::fmax(least, f));
    }
    return std::fmin(integrator_.finest, std::fmax(integrator_.coarsest, x));
  }

  // A fineness from runs over a fiftieth of the time. None if the whole run would be over the limit.
  std::optional<double> pilot(double target) const {
    if (periods_ < 200) return integrator_.coarsest;
    Search shorter(integrator_, periods_ * pilot_part, 1.1 * limit_ * pilot_part);
    const Reached r = shorter.reach(integrator_.drifts ? target * pilot_part : target);
    if (r.how == Reached::How::over_limit || r.how == Reached::How::not_run) return {};
    double fineness = r.fineness;
    if (r.how != Reached::How::met) {  // the most accurate one
      double best = std::numeric_limits<double>::infinity();
      for (const auto& [x, outcome] : shorter.runs_)
        if (outcome.error < best) best = outcome.error, fineness = x;
      if (!std::isfinite(best)) return integrator_.coarsest;
    }
    return fineness;
  }

  const Integrator& integrator_;
  double periods_, limit_, spent_ = 0;  // limit of a run; CPU seconds of the runs for this target
  std::map<double, Outcome> runs_;
};

// All goals, from the easiest to the hardest.
inline std::vector<Reached> reach_all(const Integrator& integrator, const std::vector<double>& goals, double periods,
                                      double limit) {
  std::vector<Reached> reached;
  Search search(integrator, periods, limit);
  for (const double goal : goals) {
    // Beyond a goal that was never reached lies nothing; beyond one that took too long, nothing is tried.
    Reached before = reached.empty() ? Reached{Reached::How::met, 0, {}, 0} : reached.back();
    if (before.how == Reached::How::over_limit) before.how = Reached::How::not_run;
    reached.push_back(before.how == Reached::How::met ? search.reach(goal) : before);
  }
  // A run that met a harder goal met this one too; implicit methods may need less time for smaller steps.
  for (std::size_t k = reached.size(); k-- > 1;)
    if (reached[k].how == Reached::How::met &&
        (reached[k - 1].how != Reached::How::met || reached[k].outcome.cpu < reached[k - 1].outcome.cpu))
      reached[k - 1] = reached[k];
  return reached;
}

struct Finalist {
  const Integrator* integrator;
  Reached* reached;
};

// Short runs again, all of them in turn: the median is what a noisy machine can say.
inline void time_again(const std::vector<Finalist>& finalists, double periods) {
  constexpr int rounds = 4;
  constexpr double short_run = 0.5;  // CPU seconds
  std::map<Reached*, std::vector<double>> seconds;
  for (int round = 0; round < rounds; ++round)
    for (const Finalist& f : finalists)
      if (f.reached->how == Reached::How::met && f.reached->outcome.cpu < short_run)
        seconds[f.reached].push_back(f.integrator->run(f.reached->fineness, periods, 1e9).cpu);
  for (auto& [reached, all] : seconds) {
    all.push_back(reached->outcome.cpu);
    std::sort(all.begin(), all.end());
    reached->outcome.cpu = all[all.size() / 2];
  }
}

}  // namespace bench
