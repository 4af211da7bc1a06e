// First guesses of impulses: for each move of a step, the polynomial through those of the last steps
// (quadratic, Leimkuhler and Skeel 1994; of higher degree for small systems, where an iteration costs more
// than a guess), or the last impulse where that was nearer. Guesses save iterations; they do not change the
// solution beyond round-off.
#pragma once

#include <array>
#include <vector>

#include "holonom/solve/continuation.hpp"

namespace holonom {

template <class S, int M>
class Predictor {
  using R = Real<S>;
  static constexpr int degree = M == Dynamic ? 2 : 4;
  struct Slot {
    explicit Slot(int m) : last(m) { difference.fill(Vec<S, M>(m)); }
    Vec<S, M> last;
    std::array<Vec<S, M>, degree> difference;  // backward ones of the last impulse: first, second, ...
    int known = 0;                             // impulses so far, at most degree + 1
    bool smooth = false;                       // the polynomial was nearer than the last impulse
    Expectation<R> expectation;

    template <class F>
    void visit_memory(F&& f) {
      f("impulse", last);
      f("impulse_differences", difference);
      f("impulses_known", known);
      f("smooth", smooth);
      expectation.visit_memory(f);
    }
  };

 public:
  Predictor(int slots, int m) : weight_(m), slots_(static_cast<std::size_t>(slots), Slot(m)) {}

  // The first step will be guessed to have no impulses, unless someone knows better. Impulses of redundant
  // constraints are not unique: what they have in common with nothing at one position becomes a force at the next. They
  // are not remembered. unit: powers of two that make constraints comparable.
  void begin(bool redundant, const Vec<R, M>& unit) {
    begin(redundant);
    for (int k = 0; k < unit.size(); ++k) weight_[k] = R(1) / unit[k];
  }
  void begin(bool redundant) {
    unique_ = !redundant;
    fill(weight_, R(1));
    for (Slot& s : slots_) {
      fill(s.last, S(0));
      s.known = 0;
      s.smooth = false;
      s.expectation.begin();
    }
  }
  // How good guesses for this move are, once there is enough to guess from.
  Expectation<R>& expectation(int slot) { return at(slot).expectation; }
  // The impulse is c λ.
  void suggest(int slot, const S& c, const Vec<S, M>& lambda) {
    if (!unique_) return;
    for (int k = 0; k < lambda.size(); ++k) at(slot).last[k] = c * lambda[k];
  }

  void guess(int slot, Vec<S, M>& impulse) const {
    const Slot& s = slots_[static_cast<std::size_t>(slot)];
    impulse = s.last;
    if (!s.smooth) return;
    for (const Vec<S, M>& d : s.difference)
      for (int k = 0; k < impulse.size(); ++k) impulse[k] += d[k];
  }

  void remember(int slot, const Vec<S, M>& impulse) {
    if (!unique_) return;
    Slot& s = at(slot);
    R constant(0), polynomial(0);
    for (int k = 0; k < impulse.size(); ++k) {
      S change = impulse[k] - s.last[k];
      constant += square(change, weight_[k]);
      s.last[k] = impulse[k];
      for (Vec<S, M>& d : s.difference) {
        const S next = change - d[k];
        d[k] = change;
        change = next;
      }
      // What is left is the change that the polynomial did not foresee.
      polynomial += square(change, weight_[k]);
    }
    s.smooth = s.known > degree && polynomial < constant;
    if (s.known <= degree) {
      ++s.known;
      s.expectation.begin();
    }
  }

  template <class F>
  void visit_memory(F&& f) {
    for (Slot& s : slots_) s.visit_memory(f);
  }

 private:
  static R square(const S& x, const R& weight) {
    const R size = magnitude(x) * weight;
    return size * size;
  }
  Slot& at(int slot) { return slots_[static_cast<std::size_t>(slot)]; }
  Vec<R, M> weight_;
  std::vector<Slot> slots_;
  bool unique_ = true;
};

}  // namespace holonom
