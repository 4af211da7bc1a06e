// Roots of r(x) = 0 by Broyden's (good) method, from an approximate Jacobian that the caller inverts; in
// the form that keeps steps only (Kelley 1995). Superlinear, without derivatives of the map. The matrix is
// made of values, and applied to the tangents of dual numbers as well.
#pragma once

#include <vector>

#include "holonom/scalar.hpp"
#include "holonom/vector.hpp"

namespace holonom {

template <class S, int M>
class Broyden {
  using R = Real<S>;
  static constexpr int memory = 12;

 public:
  explicit Broyden(int m) : steps_(memory, Vec<R, M>(m)), next_(m) {}

  void begin() {
    known_ = 0;
    learned_ = false;
  }
  // In: s = −J₀⁻¹ r(x). Out: the step to take from x. Nothing is learned from steps between values that are
  // rounding errors: then the matrix stays, while tangents go on converging.
  void operator()(Vec<S, M>& s, bool learn) {
    for (int j = 0; j + 1 < known_; ++j) add(along(step(j), s), step(j + 1), s);
    if (learned_) {
      const S a = along(step(known_ - 1), s);
      const R shrink = R(1) - value(a);
      // A step that turns back on the last one by all its length says nothing.
      if (shrink > R(0.1) && shrink < R(10)) {
        for (int k = 0; k < s.size(); ++k) next_[k] = value(s[k]) / shrink;
        add(a, next_, s);
      }
    }
    learned_ = learn && known_ < memory;
    if (!learned_) return;
    for (int k = 0; k < s.size(); ++k) step(known_)[k] = value(s[k]);
    ++known_;
  }

 private:
  Vec<R, M>& step(int j) { return steps_[static_cast<std::size_t>(j)]; }
  static S along(const Vec<R, M>& s, const Vec<S, M>& z) {
    S sz(0);
    R ss(0);
    for (int k = 0; k < s.size(); ++k) {
      sz += S(s[k]) * z[k];
      ss += s[k] * s[k];
    }
    return ss > R(0) ? S(sz / S(ss)) : S(0);
  }
  static void add(const S& a, const Vec<R, M>& x, Vec<S, M>& y) {
    for (int k = 0; k < y.size(); ++k) y[k] += a * S(x[k]);
  }
  std::vector<Vec<R, M>> steps_;
  Vec<R, M> next_;
  int known_ = 0;
  bool learned_ = false;  // the last step is the last of steps_
};

}  // namespace holonom
