// First guesses of impulses: for each move of a step, the quadratic through those of the last three steps
// (Leimkuhler and Skeel 1994), or the last one where that was nearer. Guesses save iterations; they do not
// change the solution beyond round-off.
#pragma once

#include <vector>

#include "holonom/scalar.hpp"
#include "holonom/vector.hpp"

namespace holonom {

template <class S, int M>
class Predictor {
  using R = Real<S>;
  struct Slot {
    explicit Slot(int m) : last(m), first(m), second(m) {}
    Vec<S, M> last, first, second;  // the last impulse and its backward differences
    int known = 0;                  // impulses so far, at most three
    bool smooth = false;            // the quadratic was nearer than the last impulse
  };

 public:
  Predictor(int slots, int m) : slots_(static_cast<std::size_t>(slots), Slot(m)) {}

  // The first step will be guessed to have no impulses, unless someone knows better. Impulses of redundant
  // constraints are not unique, so they need not be smooth: then the last ones are the guess.
  void begin(bool redundant) {
    unique_ = !redundant;
    for (Slot& s : slots_) {
      fill(s.last, S(0));
      s.known = 0;
      s.smooth = false;
    }
  }
  // The impulse is c λ.
  void suggest(int slot, const S& c, const Vec<S, M>& lambda) {
    for (int k = 0; k < lambda.size(); ++k) at(slot).last[k] = c * lambda[k];
  }

  void guess(int slot, Vec<S, M>& impulse) const {
    const Slot& s = slots_[static_cast<std::size_t>(slot)];
    if (!s.smooth) {
      impulse = s.last;
      return;
    }
    for (int k = 0; k < impulse.size(); ++k) impulse[k] = s.last[k] + s.first[k] + s.second[k];
  }

  void remember(int slot, const Vec<S, M>& impulse) {
    Slot& s = at(slot);
    R constant(0), quadratic(0);
    for (int k = 0; k < impulse.size(); ++k) {
      const S first = impulse[k] - s.last[k], error = first - s.first[k] - s.second[k];
      constant += magnitude(first) * magnitude(first);
      quadratic += magnitude(error) * magnitude(error);
      s.second[k] = first - s.first[k];
      s.first[k] = first;
      s.last[k] = impulse[k];
    }
    s.smooth = unique_ && s.known == 3 && quadratic < constant;
    if (s.known < 3) ++s.known;
  }

  template <class F>
  void visit_memory(F&& f) {
    for (Slot& s : slots_) {
      f("impulse", s.last);
      f("impulse_first_difference", s.first);
      f("impulse_second_difference", s.second);
    }
  }

 private:
  Slot& at(int slot) { return slots_[static_cast<std::size_t>(slot)]; }
  std::vector<Slot> slots_;
  bool unique_ = true;
};

}  // namespace holonom
