// Dense output: states between two steps of a run. q and p are polynomials of degree 5 with the slopes of the
// equations of motion,
//   q' = H_p,   p' = −H_q − G(q)ᵀλ(q, p),
// at both ends and at two points inside. The slopes inside are taken on the cubic, which gives order 5, and once
// more on the result: order 6 in q and p, for any H, at four evaluations of the slopes for each step that is
// looked into. (A quintic with q'' = H_pq q' + H_pp p' at the ends would have order 6 for q alone.) The state is
// then projected, q along H_pp Gᵀ and p along Gᵀ.
//
// Between exact states the error is of order h⁶. A run of low order moves by a modified H, and these slopes are
// those of H: on a run of order r they add an error of order h^(r+1), below that of the run itself.
// Such a state is a picture of the motion, not a state of the symplectic map: nothing is continued from it.
#pragma once

#include "holonom/run/recorder.hpp"
#include "holonom/run/step_polynomial.hpp"
#include "holonom/solve/underlying_field.hpp"

namespace holonom {

// Which constraints the run keeps. Between steps no others are imposed, so that states do not jump at steps.
struct Kept {
  bool position = true, hidden = true;
};

template <class S>
class DenseOutput {
 public:
  // Throws InputError if the system has no exact multipliers.
  explicit DenseOutput(const AnySystem<S>& sys, Kept kept = {});
  DenseOutput(const DenseOutput&) = delete;
  DenseOutput& operator=(const DenseOutput&) = delete;

  // x is the end of the step from now on, and what was the end is its beginning.
  void advance(const State<S>& x);
  // The end of no step.
  void restart(const State<S>& x) {
    states_ = 0;
    advance(x);
  }
  bool has_step() const { return states_ > 1; }
  const State<S>& from() const { return from_; }
  const State<S>& to() const { return to_; }
  S length() const { return to_.t - from_.t; }
  S time(const S& theta) const { return from_.t + theta * length(); }

  // The cubic, not projected: cheap, for a first look.
  void rough(const S& theta, State<S>& out);
  // The state at θ in [0, 1], without its multipliers. If it cannot be projected, it is as near as it was.
  void at(const S& theta, State<S>& out);
  // Multipliers (NaN if there are none) and all else that is known of a state.
  void complete(State<S>& x, Observation<S>& seen);

  // The last step; its polynomials are made again when they are asked for.
  template <class F>
  void visit_memory(F&& f) {
    f("from", from_);
    f("to", to_);
    f("from_slope", from_slope_);
    f("to_slope", to_slope_);
    f("states", states_);
    f("manifold", manifold_);
    f("field", field_);
  }

 private:
  struct Slope {
    Vec<S> q, p;
    bool known = false, finite = false;

    template <class F>
    void visit_memory(F&& f) {
      f("q", q);
      f("p", p);
      f("known", known);
      f("finite", finite);
    }
  };
  void slope(State<S>& x, Slope& v);
  void need_cubic();
  void need_quintic();
  bool inner_slopes();

  const AnySystem<S>& sys_;
  Kept kept_;
  Manifold<S> manifold_;
  UnderlyingField<S> field_;
  State<S> from_, to_, trial_;
  Slope from_slope_, to_slope_, inner_[2];
  StepPolynomial<S> q_, p_;
  int states_ = 0;
  enum class Degree { none, cubic, quintic } degree_ = Degree::none;
};

}  // namespace holonom
