// A field as a sum of shears (shears.hpp), one after the other, there and back:
//   φ₁ over a h, ..., φ_{K−1} over a h,  φ_K over (a + b) h,  φ_{K−1} over b h, ..., φ₁ over b h
// With a = b this is the symmetric splitting (2.21), written out in (2.22), of Hairer, Lubich and Wanner (2003). It is
// explicit, and each shear preserves volume. The rates of the first part do not depend on that part: those at the end
// of a step are those at the start of the next one.
#pragma once

#include "holonom/methods/action.hpp"
#include "holonom/shears.hpp"
#include "holonom/solve/convergence.hpp"
#include "holonom/solve/rounding.hpp"
#include "holonom/solve/status.hpp"

namespace holonom {

template <class Sys>
class ShearMotion {
  using S = ScalarOf<Sys>;
  static constexpr int N = Sys::N, M = Sys::M;

 public:
  ShearMotion(const Sys& sys, int /*moves*/) : d_(size_q(sys)) {
    for (int k = 0; k < sys.shears().count(); ++k) rates_.emplace_back(sys.shears().size(k));
  }

  Status begin(const Sys&, const State<S, N, M>&) {
    memory_.known = false;
    return {};
  }

  Status move(const Sys& sys, const S& ah, const S& bh, int /*slot*/, Vec<S, N>& q, Vec<S, N>& p, Rounding<S, N>* lost,
              ActionSum<S>* = nullptr) {
    const int last = sys.shears().count() - 1;
    for (int k = 0; k < last; ++k) shear(sys, k, ah, q, p, lost);
    shear(sys, last, S(ah + bh), q, p, lost);
    for (int k = last - 1; k >= 0; --k) shear(sys, k, bh, q, p, lost);
    return {};
  }

  std::string track_action(const Sys&) const { return "a field y' = f(y) has no action"; }
  // The motion over a time below the resolution of a move, to first order.
  void make_up(const Sys& sys, const S& time, const Vec<S, N>& q, const Vec<S, N>& p, Rounding<S, N>& lost) {
    sys.H_p(q, p, d_);
    axpy(time, d_, lost.q);
    sys.H_q(q, p, d_);
    axpy(S(-time), d_, lost.p);
  }
  Status project(const Sys&, const Vec<S, N>&, Vec<S, N>&, Rounding<S, N>*) { return {}; }
  bool redundant() const { return false; }

  Counters& counters() { return counters_; }
  NewtonOptions& options() { return options_; }
  template <class F>
  void visit_memory(F&& f) {
    f("first_rates_known", memory_.known);
    f("first_rates", rates_.front());
  }
  Status resume(const Sys&, const Vec<S, N>&) { return {}; }

 private:
  struct Memory {
    bool known = false;  // the rates of the first part, at the present point
  };

  // y_k ← y_k + t f_k
  void shear(const Sys& sys, int k, const S& t, Vec<S, N>& q, Vec<S, N>& p, Rounding<S, N>* lost) {
    if (t == S(0)) return;
    Vec<S>& rates = rates_[static_cast<std::size_t>(k)];
    if (k > 0 || !memory_.known) {
      sys.shear_rates(k, q, p, rates);
      ++counters_.force;
    }
    memory_.known = k == 0;
    const ShearParts& parts = sys.shears();
    for (int i = 0; i < rates.size(); ++i) {
      const int variable = parts.first(k) + i;
      const bool in_q = variable < parts.in_q;
      const int j = in_q ? variable : variable - parts.in_q;
      S& y = in_q ? q[j] : p[j];
      if (lost) {
        S& rest = in_q ? lost->q[j] : lost->p[j];
        const S before = y, increment = rest + t * rates[i];
        y = before + increment;
        rest = lost_in_sum(before, increment, y);
      } else {
        y += t * rates[i];
      }
    }
  }

  std::vector<Vec<S>> rates_;  // of each part
  Memory memory_;
  Vec<S, N> d_;
  Counters counters_;
  NewtonOptions options_;
};

}  // namespace holonom
