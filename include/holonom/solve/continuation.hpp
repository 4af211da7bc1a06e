// Whether what a step has found continues the motion. The equations of a step have several solutions; the right one is
// the end of the path of solutions that starts at (q₀, p₀) when the step grows from 0 to h. Its distance from where the
// motion was expected to go decides, not the sign or the rank of a matrix: these change where a mechanism passes
// through a dead centre, and the motion does not.
#pragma once

#include <array>

#include "holonom/norm.hpp"

namespace holonom {

// |a_i b_i| of a displacement and a momentum, the largest of them, or for few coordinates their sum: a square of
// lengths that is the same in all units of coordinates.
template <class S, int N>
Real<S> largest_product(const Vec<S, N>& a, const Vec<S, N>& b) {
  using R = Real<S>;
  R largest(0);
  if constexpr (N != Dynamic) {
    for (int i = 0; i < N; ++i) largest += value(a[i]) * value(b[i]);
    return magnitude(largest);
  }
  for (int i = 0; i < a.size(); ++i) {
    const R x = magnitude(R(value(a[i]) * value(b[i])));
    largest = largest < x ? x : largest;
  }
  return largest;
}

// How near the solutions of a move usually are to their predictions, as a part of the way. One that is much farther
// away, or more than a quarter of the way, is not believed without following the path. Lengths are given by their
// squares.
template <class R>
class Expectation {
  static constexpr double always = 1e-3, unseen = 0.05, never = 0.25, much = 4;

 public:
  void begin() { *this = Expectation(); }

  // Ways change slowly: most distances are so small that they need not be known. (The bound fades, so that nothing is
  // believed for long because of what was true once.)
  [[gnu::always_inline]] bool meets(const R& distance) {
    const bool yes = distance <= bound_;
    if (yes) bound_ *= R(0.875);
    return yes;
  }
  bool meets(const R& distance, const R& way) {
    if (!(distance <= allowed_ * way)) return false;
    allow(R(distance / way));
    bound_ = (allowed_ < R(unseen * unseen) ? allowed_ : R(unseen * unseen)) * way;
    return true;
  }
  // Distances that are no more than rounding errors of positions: `least` bounds them.
  void meets_round_off(const R& least) { bound_ = least; }
  // A solution that was not believed: whether it was the right one after all.
  void was_right(bool yes) {
    allow(yes ? R(never * never) : R(0));
    bound_ = R(0);
  }

  template <class F>
  void visit_memory(F&& f) {
    f("allowed_distance", allowed_);
    f("distance_bound", bound_);
  }

 private:
  void allow(const R& square) {
    allowed_ = R(much * much) * square;
    if (allowed_ < R(always * always)) allowed_ = R(always * always);
    if (!(allowed_ < R(never * never))) allowed_ = R(never * never);
  }
  R allowed_{never * never}, bound_{0};
};

// The last nodes of a path x(σ), and the polynomial through them.
template <class S, int M>
class Path {
  using R = Real<S>;
  static constexpr int most = 6;

 public:
  explicit Path(int m) { x_.fill(Vec<S, M>(m)); }
  void begin() { known_ = 0; }
  void add(const R& time, const Vec<S, M>& x) {
    const int at = known_++ % most;
    time_[index(at)] = time;
    x_[index(at)] = x;
  }
  void predict(const R& time, Vec<S, M>& x) const {
    const int nodes = known_ < most ? known_ : most;
    fill(x, S(0));
    for (int j = 0; j < nodes; ++j) {
      R weight(1);
      for (int i = 0; i < nodes; ++i)
        if (i != j) weight *= (time - time_[index(i)]) / (time_[index(j)] - time_[index(i)]);
      axpy(S(weight), x_[index(j)], x);
    }
  }

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  std::array<R, most> time_{};
  std::array<Vec<S, M>, most> x_;
  int known_ = 0;
};

// How far the next node of a path may be, and how near its solution has to be to its prediction. Predictions get better
// from node to node; a solution that is much farther away than the last one was belongs to another path, which may be
// near where two of them cross.
template <class R>
class PathStep {
 public:
  R from() const { return from_; }
  R to() const { return R(1) - from_ < R(1.5) * length_ ? R(1) : R(from_ + length_); }
  bool ended() const { return !(from_ < R(1)); }
  // `distance` from the prediction to the solution, as a part of the way from the last node; NaN: no solution.
  // crosses: G₁A G₀ᵀ has been singular between the two. A path that ends there, because it has met another one, has
  // solutions beyond that belong to others; one that goes on is as smooth there as elsewhere.
  // False if the path is lost.
  bool judge(const R& distance, bool crosses, bool& accepted) {
    accepted = distance <= allowed_ && !(crosses && distance > R(smooth));
    if (accepted) {
      from_ = to();
      const R next = R(16) * distance + R(indistinguishable);
      if (next < allowed_) allowed_ = next;
      return true;
    }
    length_ /= 2;
    return length_ > R(1) / 300;
  }

 private:
  // Solutions this near to each other are not told apart, and which of them is taken makes no difference.
  static constexpr double indistinguishable = 1e-5;
  static constexpr double smooth = 1e-3;
  R from_{0}, length_ = R(1) / 4, allowed_{0.125};
};

}  // namespace holonom
