// Who evaluates the stages of a step: this thread, or a few, each with a copy of the system. Stages share nothing, so
// that results have the same bits with any number of threads.
#pragma once

#include <memory>
#include <vector>

#include "holonom/any_system.hpp"
#include "holonom/solve/team.hpp"

namespace holonom {

template <class Sys>
class StageCrew {
  using S = ScalarOf<Sys>;
  static constexpr bool can_be_copied = requires(const Sys& sys, std::unique_ptr<AnySystem<S>> copy) {
    copy = sys.clone();
    Sys(*copy);
  };

 public:
  // So many threads, if the system can be copied for them. Copies are those of now: hire again when it has changed.
  void hire(const Sys& sys, int threads) {
    team_.reset();
    workers_.clear();
    owners_.clear();
    if constexpr (can_be_copied) {
      for (int k = 1; k < threads; ++k) {
        auto copy = sys.clone();
        if (!copy) break;
        workers_.emplace_back(*owners_.emplace_back(std::move(copy)));
      }
      if (!workers_.empty()) team_ = std::make_unique<Team>(size());
    }
  }
  int size() const { return static_cast<int>(workers_.size()) + 1; }

  // f(system, stage) for the stages from `from` to `to` − 1
  template <class F>
  void each(const Sys& sys, int from, int to, F&& f) {
    const auto of = [&](int worker) -> const Sys& {
      return worker == 0 ? sys : workers_[static_cast<std::size_t>(worker - 1)];
    };
    if (team_) return team_->share(to - from, [&](int part, int worker) { f(of(worker), from + part); });
    for (int j = from; j < to; ++j) f(sys, j);
  }

 private:
  std::vector<std::unique_ptr<AnySystem<S>>> owners_;
  std::vector<Sys> workers_;  // views of these
  std::unique_ptr<Team> team_;
};

}  // namespace holonom
