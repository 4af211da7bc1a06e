// The shadow energy of a symplectic map from M + 1 consecutive states and the actions of the steps between them, for a
// constant step h (docs/shadow-energy.md). With A the sum of the actions,
//   h H̃ = Σ w_ab [½ (p_a + p_b)·(q_a − q_b) − (A_a − A_b)] + O(h^(2M+1))   over 0 ≤ b < a ≤ M,
//   w_ab = 2 (−1)^(a−b+1) C(M, a) C(M, b) / ((a − b) C(2M, M)).
// It is a mean of H̃ over the window, with weights C(M, n)²/C(2M, M).
#pragma once

#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "holonom/scalar.hpp"
#include "holonom/state.hpp"

namespace holonom {

template <class S>
class ShadowWeights {
 public:
  static constexpr int most = 32;  // C(2M, M) is an integer of 64 bits

  // Throws std::invalid_argument unless 1 ≤ M ≤ most.
  explicit ShadowWeights(int M) : M_(M) {
    if (M < 1 || M > most) throw std::invalid_argument("the window of a shadow energy has 1 to 32 steps");
    const std::int64_t all = choose(2 * M, M);
    for (int a = 1; a <= M; ++a)
      for (int b = 0; b < a; ++b) {
        // C(M, b) and C(M, a) in turn, so that integers stay below 64 bits; what is left is in lowest terms
        std::int64_t up = choose(M, a), more = choose(M, b), down = all, apart = a - b;
        for (std::int64_t* of : {&up, &more})
          for (std::int64_t* by : {&down, &apart}) {
            const std::int64_t common = std::gcd(*of, *by);
            *of /= common;
            *by /= common;
          }
        const S size = S(2) * S(up) * S(more) / (S(down) * S(apart));
        weights_.push_back((a - b) % 2 == 1 ? size : S(-size));
      }
  }
  int steps() const { return M_; }
  const S& operator()(int a, int b) const {
    const int place = a * (a - 1) / 2 + b;
    return weights_[static_cast<std::size_t>(place)];
  }

 private:
  static std::int64_t choose(int n, int k) {
    std::vector<std::int64_t> row(static_cast<std::size_t>(k) + 1);  // of Pascal's triangle
    row[0] = 1;
    for (int i = 0; i < n; ++i)
      for (std::size_t j = row.size() - 1; j > 0; --j) row[j] += row[j - 1];
    return row.back();
  }

  int M_;
  std::vector<S> weights_;
};

// The last states of a run. Their brackets are found when a state is added, M of them: nothing is evaluated or
// allocated.
template <class S>
class ShadowWindow {
 public:
  ShadowWindow(int n, int M)
      : M_(M), q_(at(M + 1), Vec<S>(n)), p_(q_), action_(at(M + 1)), bracket_(at((M + 1) * (M + 1))) {}

  int steps() const { return M_; }
  // From here on
  void begin(const State<S>& x) {
    known_ = last_ = 0;
    put(x, S(0));
  }
  // The next state, and the action of the step to it
  void add(const State<S>& x, const S& action) {
    last_ = (last_ + 1) % (M_ + 1);
    put(x, action);
    S sum = action;
    for (int k = 1; k < known_; ++k) {
      const int b = back(k);
      S product(0);
      const Vec<S>&qa = q_[at(last_)], &pa = p_[at(last_)], &qb = q_[at(b)], &pb = p_[at(b)];
      for (int i = 0; i < qa.size(); ++i) product += (pa[i] + pb[i]) * (qa[i] - qb[i]);
      bracket(last_, b) = product / 2 - sum;
      sum += action_[at(b)];
    }
  }
  // Whether the last `steps` are known
  bool reaches(int steps) const { return known_ > steps; }
  bool is_full() const { return reaches(M_); }
  // Of the last weights.steps() steps, which must be known
  S value(const ShadowWeights<S>& weights, const S& h) const {
    const int M = weights.steps();
    S sum(0);
    for (int a = 1; a <= M; ++a)
      for (int b = 0; b < a; ++b) sum += weights(a, b) * bracket(back(M - a), back(M - b));
    return sum / h;
  }

  // Of the last state, Σ|p_i q_i|; and |p·Δq| of the last step, which is h times twice the kinetic energy, nearly
  Real<S> product() const {
    Real<S> sum(0);
    for (int i = 0; i < q_[0].size(); ++i) sum += magnitude(S(p_[at(last_)][i] * q_[at(last_)][i]));
    return sum;
  }
  Real<S> motion() const {
    S sum(0);
    for (int i = 0; i < q_[0].size(); ++i) sum += p_[at(last_)][i] * (q_[at(last_)][i] - q_[at(back(1))][i]);
    return magnitude(sum);
  }

  template <class F>
  void visit_memory(F&& f) {
    f("window_q", q_);
    f("window_p", p_);
    f("window_action", action_);
    f("window_bracket", bracket_);
    f("window_known", known_);
    f("window_last", last_);
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  int back(int k) const { return (last_ + M_ + 1 - k) % (M_ + 1); }
  S& bracket(int a, int b) { return bracket_[at(a * (M_ + 1) + b)]; }
  const S& bracket(int a, int b) const { return bracket_[at(a * (M_ + 1) + b)]; }
  void put(const State<S>& x, const S& action) {
    q_[at(last_)] = x.q;
    p_[at(last_)] = x.p;
    action_[at(last_)] = action;
    if (known_ <= M_) ++known_;
  }

  int M_;
  std::vector<Vec<S>> q_, p_;  // a ring
  std::vector<S> action_;      // of the step to that state
  std::vector<S> bracket_;     // of two places of the ring, the later one first
  int known_ = 0, last_ = 0;
};

}  // namespace holonom
