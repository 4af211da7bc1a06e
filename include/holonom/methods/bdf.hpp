// Backward differentiation formulas of order k ≤ 6 with a fixed step, on the constrained system of index 3:
//   Σ_i α_i q_{n+1−i} = h H_p,   Σ_i α_i p_{n+1−i} = −h (H_q + GᵀΛ),   g(q_{n+1}) = 0   at (q_{n+1}, p_{n+1})
// One stage, with a_11 = 1/α_0, that starts from the history. The first k − 1 steps are those of Lobatto IIIA-IIIB of
// at least the same order (RATTLE for k = 2). For comparison: damping, or growth, instead of a symplectic form.
#pragma once

#include "holonom/memory.hpp"
#include "holonom/methods/partitioned_rk.hpp"

namespace holonom {

// Stages: as those of ImplicitRungeKutta
template <class Sys, class Stages = StageSolver<Sys>>
class BackwardDifferences {
  using S = ScalarOf<Sys>;
  static constexpr int N = Sys::N, M = Sys::M;

 public:
  static constexpr int starter_stages(int k) { return k <= 2 ? 2 : k <= 4 ? 3 : 4; }

  // `starter`: Lobatto IIIA of starter_stages(k), and its dual
  BackwardDifferences(const Sys& sys, int k, const Tableau<S>& starter, const Tableau<S>& dual)
      : k_(k),
        alpha_(coefficients(k)),
        starter_(sys, starter, dual),
        stages_(sys, one_stage()),
        memory_{1, std::vector<State<S, N, M>>(at(k), State<S, N, M>(size_q(sys), size_g(sys)))},
        now_(size_q(sys), size_g(sys)),
        q_(size_q(sys)),
        p_(size_q(sys)),
        guess_q_(size_q(sys)),
        guess_p_(size_q(sys)),
        impulse_(1, size_g(sys)),
        lambda_(size_g(sys)) {}

  Status begin(const Sys& sys, const State<S, N, M>& x, const S& h) {
    memory_.known = 1;
    memory_.history[0].q = x.q;
    memory_.history[0].p = x.p;
    starter_.options() = stages_.options();
    if (const Status s = starter_.begin(sys, x, h); !s.ok()) return s;
    const Status s = stages_.begin(sys, x.q, x.p);
    impulse_.begin(stages_.redundant(), stages_.scale().row_units());
    return s;
  }

  Status step(const Sys& sys, State<S, N, M>& x, const S& h) {
    if (memory_.known < k_) {
      now_.q = x.q;
      now_.p = x.p;
      starter_.counters() = {};
      if (const Status s = starter_.step(sys, now_, h); !s.ok()) return s;
      stages_.counters() += starter_.counters();
      if (const Status s = stages_.depart_from(sys, now_.q, now_.p); !s.ok()) return s;
      ++memory_.known;
    } else {
      // The history's part, and the polynomial through it, for a first guess.
      fill(q_, S(0));
      fill(p_, S(0));
      fill(guess_q_, S(0));
      fill(guess_p_, S(0));
      S binomial(1);
      for (int i = 1; i <= k_; ++i) {
        const State<S, N, M>& y = memory_.history[at(i - 1)];
        const S a = -alpha_[at(i)] / alpha_[0];
        axpy(a, y.q, q_);
        axpy(a, y.p, p_);
        binomial *= S(k_ - i + 1) / S(i);
        axpy(i % 2 == 1 ? binomial : S(-binomial), y.q, guess_q_);
        axpy(i % 2 == 1 ? binomial : S(-binomial), y.p, guess_p_);
      }
      for (int k = 0; k < q_.size(); ++k) guess_q_[k] -= q_[k];
      impulse_.guess(0, lambda_);
      stages_.suggest(guess_q_, guess_p_, lambda_);
      if (const Status s = stages_.solve(sys, q_, p_, h, nullptr); !s.ok()) return s;
      stages_.momenta(p_, h, nullptr);
      impulse_.remember(0, stages_.Lambda(0));
      now_.q = stages_.Q(0);
      now_.p = stages_.P(0);
      if (const Status s = stages_.depart_from(sys, now_.q, now_.p); !s.ok()) return s;
      ++stages_.counters().steps;
    }
    std::rotate(memory_.history.begin(), memory_.history.end() - 1, memory_.history.end());
    memory_.history[0].q = x.q = now_.q;
    memory_.history[0].p = x.p = now_.p;
    return {};
  }

  Counters& counters() { return stages_.counters(); }
  NewtonOptions& options() { return stages_.options(); }
  template <class F>
  void visit_memory(F&& f) {
    memory_.visit_memory(f);
    if (memory_.known < k_) return starter_.visit_memory(f);
    impulse_.visit_memory(f);
    stages_.visit_memory(f);
  }
  Status resume(const Sys& sys, const State<S, N, M>& x, const S& h) {
    memory_.history[0].q = x.q;
    memory_.history[0].p = x.p;
    if (memory_.known < k_)
      if (const Status s = starter_.resume(sys, x, h); !s.ok()) return s;
    return stages_.resume(sys, x.q, x.p);
  }

 private:
  struct Memory {
    int known;                            // of the history
    std::vector<State<S, N, M>> history;  // the last states, newest first

    template <class F>
    void visit_memory(F&& f) {
      f("history_known", known);
      if (known < 1 || at(known) > history.size()) throw MemoryError("its history is longer than that of this method");
      for (int i = 1; i < known; ++i) {  // the first is the state itself
        f("history_q", history[at(i)].q);
        f("history_p", history[at(i)].p);
      }
    }
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  // α_i = (−1)^i Σ_{j ≥ max(i, 1)} C(j, i)/j
  static std::vector<S> coefficients(int k) {
    std::vector<S> alpha(at(k + 1), S(0));
    for (int j = 1; j <= k; ++j) {
      S binomial(1);
      for (int i = 0; i <= j; ++i) {
        alpha[at(i)] += (i % 2 == 0 ? binomial : S(-binomial)) / S(j);
        binomial *= S(j - i) / S(i + 1);
      }
    }
    return alpha;
  }
  StageCoefficients<S> one_stage() const {
    Vec<S> weight(1);
    weight[0] = S(1) / alpha_[0];
    return {weight, weight, weight, false};
  }

  int k_;
  std::vector<S> alpha_;
  PartitionedRungeKutta<Sys> starter_;
  Stages stages_;
  Memory memory_;
  State<S, N, M> now_;
  Vec<S, N> q_, p_, guess_q_, guess_p_;
  Predictor<S, M> impulse_;
  Vec<S, M> lambda_;
};

}  // namespace holonom
