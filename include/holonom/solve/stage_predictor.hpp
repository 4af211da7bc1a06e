// First guesses of stage values: the polynomial through the stages of the last step, continued into the next
// one. What it misses is smooth from step to step, and is extrapolated in turn. Guesses save iterations; unless they
// lead to another root (see StageSolver::solve), they do not change the solution beyond round-off.
#pragma once

#include <cmath>

#include "holonom/dense.hpp"
#include "holonom/solve/predictor.hpp"

namespace holonom {

template <class S, int N>
class StagePredictor {
 public:
  // Values at these nodes (and zero at 0, if `zero_at_start`), wanted a step later.
  StagePredictor(const std::vector<S>& nodes, int size, bool zero_at_start)
      : memory_{std::vector<Vec<S, N>>(nodes.size(), Vec<S, N>(size)), Vec<S, N>(size)},
        raw_(size),
        missed_(static_cast<int>(nodes.size()), size) {
    // Each node makes rounding errors some six times larger: of many, some that are spread over the step will do.
    const auto most = static_cast<std::size_t>(2 - 0.6 * std::log10(to_double(epsilon<S>())));
    std::vector<bool> used(nodes.size(), nodes.size() <= most);
    if (nodes.size() > most)
      for (std::size_t i = 0; i < most; ++i) used[i * (nodes.size() - 1) / (most - 1)] = true;
    for (const S& node : nodes) {
      const S x = S(1) + node;
      auto& row = weight_.emplace_back();
      for (std::size_t j = 0; j < nodes.size(); ++j) {
        S l = !used[j] ? S(0) : zero_at_start ? S(x / nodes[j]) : S(1);
        for (std::size_t k = 0; k < nodes.size(); ++k)
          if (k != j && used[k]) l *= (x - nodes[k]) / (nodes[j] - nodes[k]);
        row.push_back(l);
      }
    }
  }

  void begin(bool unique) {
    memory_.known = false;
    missed_.begin(!unique);
  }
  bool known() const { return memory_.known; }

  void guess(int i, Vec<S, N>& out) {
    missed_.guess(i, out);
    extrapolate(i);
    axpy(S(1), raw_, out);
  }
  // values(i): those of the step just made; `shift`: what the next step's values are relative to.
  template <class Values>
  void remember(Values&& values, const Vec<S, N>* shift) {
    const int count = static_cast<int>(memory_.last.size());
    if (memory_.known)
      for (int i = 0; i < count; ++i) {
        extrapolate(i);
        const Vec<S, N>& x = values(i);
        for (int k = 0; k < x.size(); ++k) raw_[k] = x[k] - raw_[k];
        missed_.remember(i, raw_);
      }
    for (int i = 0; i < count; ++i) memory_.last[static_cast<std::size_t>(i)] = values(i);
    if (shift) memory_.shift = *shift;
    memory_.known = true;
  }

  template <class F>
  void visit_memory(F&& f) {
    memory_.visit_memory(f);
    if (memory_.known) missed_.visit_memory(f);
  }

 private:
  struct Memory {
    std::vector<Vec<S, N>> last;  // the stages of the last step
    Vec<S, N> shift;              // what those of the next one are relative to
    bool known = false;           // there was a last step

    template <class F>
    void visit_memory(F&& f) {
      f("stages_known", known);
      if (!known) return;
      for (Vec<S, N>& stage : last) f("stage", stage);
      f("stage_shift", shift);
    }
  };

  void extrapolate(int i) {
    for (int k = 0; k < raw_.size(); ++k) raw_[k] = -memory_.shift[k];
    const auto& row = weight_[static_cast<std::size_t>(i)];
    for (std::size_t j = 0; j < memory_.last.size(); ++j)
      if (row[j] != S(0)) axpy(row[j], memory_.last[j], raw_);
  }

  std::vector<std::vector<S>> weight_;
  Memory memory_;
  Vec<S, N> raw_;
  Predictor<S, N> missed_;
};

}  // namespace holonom
