// Anderson's acceleration of a fixed-point iteration x ← x + f(x) that contracts slowly: from the changes of f that
// came with those of x + f in earlier iterations, the combination of these that leaves the least of f. Where f is
// nearly linear this is GMRES, without a derivative; in the pairs (Δf, Δ(x + f)) kept here the Δf are orthonormal.
#pragma once

#include <algorithm>
#include <cmath>

#include "holonom/scalar.hpp"
#include "holonom/vector.hpp"

namespace holonom {

template <class S>
class Acceleration {
  using R = Real<S>;
  static constexpr int most_pairs = 3;  // more save few iterations

 public:
  Acceleration() = default;
  // x has `seen` unknowns whose f is measured, and `carried` ones that follow.
  Acceleration(int seen, int carried)
      : seen_(seen), f_(seen), f_before_(seen), y_(seen + carried), y_before_(seen + carried) {
    for (Pair& pair : pairs_) pair = {Vec<S>(seen), Vec<S>(seen + carried)};
  }

  // A new root is looked for.
  void begin() {
    known_ = next_ = 0;
    started_ = false;
  }

  S& f(int k) { return f_[k]; }  // in units in which all are alike
  S& y(int k) { return y_[k]; }  // x + f; `carried` ones after the others

  // y is improved.
  void operator()() {
    if (started_) learn();
    f_before_ = f_;
    y_before_ = y_;
    started_ = true;
    for (int j = 0; j < known_; ++j) {
      const Pair& pair = pairs_[j];
      const R c = product(pair.f, f_);
      subtract(c, pair.f, f_);
      subtract(c, pair.y, y_);
    }
  }

 private:
  struct Pair {
    Vec<S> f, y;
  };

  void learn() {
    Pair& pair = pairs_[next_];
    for (int k = 0; k < seen_; ++k) pair.f[k] = f_[k] - f_before_[k];
    for (int k = 0; k < y_.size(); ++k) pair.y[k] = y_[k] - y_before_[k];
    const R before = product(pair.f, pair.f);
    for (int j = 0; j < known_; ++j) {
      if (j == next_) continue;
      const R c = product(pairs_[j].f, pair.f);
      subtract(c, pairs_[j].f, pair.f);
      subtract(c, pairs_[j].y, pair.y);
    }
    using std::sqrt;
    const R left = product(pair.f, pair.f);
    if (!(left > R(1e-6) * before)) {  // nothing new, or not finite
      fill(pair.f, S(0));
      fill(pair.y, S(0));
      return;
    }
    const R scale = R(1) / sqrt(left);
    for (S& a : pair.f) a *= scale;
    for (S& a : pair.y) a *= scale;
    next_ = (next_ + 1) % most_pairs;
    known_ = std::min(known_ + 1, most_pairs);
  }
  static R product(const Vec<S>& a, const Vec<S>& b) {
    R sum(0);
    for (int k = 0; k < a.size(); ++k) sum += inner(a[k], b[k]);
    return sum;
  }
  static R inner(const S& a, const S& b) {
    if constexpr (requires { a.d; })
      return a.v * b.v + a.d * b.d;
    else
      return a * b;
  }
  static void subtract(const R& c, const Vec<S>& x, Vec<S>& from) {
    for (int k = 0; k < from.size(); ++k) from[k] -= c * x[k];
  }

  int seen_ = 0, known_ = 0, next_ = 0;
  bool started_ = false;
  Vec<S> f_, f_before_, y_, y_before_;
  Pair pairs_[most_pairs];
};

}  // namespace holonom
