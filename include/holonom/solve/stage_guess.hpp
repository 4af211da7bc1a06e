// First guesses of the stages of a step. From memory: the polynomials of the last step, continued
// (stage_predictor.hpp), or what the method suggests. Without it: free flight with the multipliers of the start, which
// is cruder and cannot be led astray by a motion that has just become violent.
#pragma once

#include "holonom/solve/gram.hpp"
#include "holonom/solve/stage_predictor.hpp"
#include "holonom/solve/underlying.hpp"
#include "holonom/system.hpp"

namespace holonom {

template <class Sys>
class StageGuess {
  using S = ScalarOf<Sys>;
  static constexpr int N = Sys::N, M = Sys::M;
  using Vectors = std::vector<Vec<S, N>>;
  using Multipliers = std::vector<Vec<S, M>>;

 public:
  // first: the first stage whose position is unknown; multipliers: their number
  StageGuess(const Sys& sys, const Vec<S>& c, int first, int multipliers)
      : c_(c),
        first_(first),
        position_(nodes(first, c.size()), size_q(sys), true),
        momentum_(nodes(0, c.size()), size_q(sys), false),
        impulse_(nodes(0, multipliers), size_g(sys), false),
        v_(size_q(sys)),
        f_(size_q(sys)),
        u_(size_q(sys)),
        w_(size_q(sys)),
        y_(size_g(sys)),
        z_(size_g(sys)),
        suggested_D_(size_q(sys)),
        suggested_P_(size_q(sys)),
        suggested_lambda_(size_g(sys)) {}

  void begin(const Sys& sys, bool separable, bool redundant) {
    if constexpr (HasCurvature<Sys>) has_curvature_ = knows(sys, Quantity::g_qq);
    separable_ = separable;
    redundant_ = redundant;
    suggested_ = false;
    position_.begin(true);
    momentum_.begin(true);
    impulse_.begin(!redundant);
  }
  // For a method with one stage, before each step: Q − q₀, P and Λ that are better than what the last step tells.
  void suggest(const QVec<Sys>& D, const QVec<Sys>& P, const MVec<Sys>& lambda) {
    suggested_D_ = D;
    suggested_P_ = P;
    suggested_lambda_ = lambda;
    suggested_ = true;
  }
  bool has_memory() const { return suggested_ || position_.known(); }

  // D_i = Q_i − q₀, P_i and Λ_j. `gram` and G are those of q₀.
  void from_memory(const Sys& sys, GramSolver<S, N, M>& gram, const JacobianOf<Sys>& G, const QVec<Sys>& q0,
                   const QVec<Sys>& p0, Vectors& D, Vectors& P, Multipliers& lambda, Counters& counters) {
    if (suggested_) {
      D[0] = suggested_D_;
      P[0] = suggested_P_;
      lambda[0] = suggested_lambda_;
      return;
    }
    const int s = c_.size();
    for (int i = first_; i < s; ++i) position_.guess(i - first_, D[at(i)]);
    for (int i = 0; i < s; ++i) {
      if (separable_)
        P[at(i)] = p0;  // only changes of it are looked at
      else
        momentum_.guess(i, P[at(i)]);
    }
    // Multipliers of redundant constraints are not unique, and what cannot be seen of them would grow from guess to
    // guess: those of minimal norm at the start do not.
    if (redundant_) return multipliers_of_start(sys, gram, G, q0, p0, lambda, counters);
    for (std::size_t j = 0; j < lambda.size(); ++j) impulse_.guess(static_cast<int>(j), lambda[j]);
  }
  void free_flight(const Sys& sys, GramSolver<S, N, M>& gram, const JacobianOf<Sys>& G, const QVec<Sys>& q0,
                   const QVec<Sys>& p0, const S& h, Vectors& D, Vectors& P, Multipliers& lambda, Counters& counters) {
    energy_p(sys, q0, p0, v_);
    for (int i = first_; i < c_.size(); ++i)
      for (int k = 0; k < q0.size(); ++k) D[at(i)][k] = h * c_[i] * v_[k];
    for (Vec<S, N>& momentum : P) momentum = p0;
    multipliers_of_start(sys, gram, G, q0, p0, lambda, counters);
  }

  // For the next step, that starts `travel` away.
  void remember(const QVec<Sys>& travel, const Vectors& D, const Vectors& P, const Multipliers& lambda) {
    position_.remember([&](int i) -> const QVec<Sys>& { return D[at(i + first_)]; }, &travel);
    if (!separable_) momentum_.remember([&](int i) -> const QVec<Sys>& { return P[at(i)]; }, nullptr);
    impulse_.remember([&](int j) -> const MVec<Sys>& { return lambda[at(j)]; }, nullptr);
  }
  // dv/dt at (q₀, p₀), with the multipliers λ(q₀, p₀) where the second derivatives of g are known, else without
  void acceleration(const Sys& sys, GramSolver<S, N, M>& gram, const JacobianOf<Sys>& G, const QVec<Sys>& q0,
                    const QVec<Sys>& p0, QVec<Sys>& out, Counters& counters) {
    energy_p(sys, q0, p0, v_);
    energy_q(sys, q0, p0, f_);
    ++counters.force;
    free_acceleration(sys, q0, p0, v_, f_, out, u_);
    fill(y_, S(0));
    if constexpr (HasCurvature<Sys>)
      if (gram.m() > 0 && has_curvature_) {
        exact_multipliers(sys, gram, G, q0, v_, out, y_, z_);
        gram.subtract_displacement(G, S(1), y_, out);
      }
  }
  template <class F>
  void visit_memory(F&& f) {
    position_.visit_memory(f);
    momentum_.visit_memory(f);
    impulse_.visit_memory(f);
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  std::vector<S> nodes(int from, int to) const { return {c_.begin() + from, c_.begin() + to}; }

  // λ(q₀, p₀) at all stages
  void multipliers_of_start(const Sys& sys, GramSolver<S, N, M>& gram, const JacobianOf<Sys>& G, const QVec<Sys>& q0,
                            const QVec<Sys>& p0, Multipliers& lambda, Counters& counters) {
    acceleration(sys, gram, G, q0, p0, w_, counters);
    for (Vec<S, M>& x : lambda) x = y_;
  }

  Vec<S> c_;
  int first_;
  StagePredictor<S, N> position_, momentum_;
  StagePredictor<S, M> impulse_;
  Vec<S, N> v_, f_, u_, w_;
  Vec<S, M> y_, z_;  // y_: λ(q₀, p₀), after `acceleration`
  Vec<S, N> suggested_D_, suggested_P_;
  Vec<S, M> suggested_lambda_;
  bool separable_ = false, redundant_ = false, suggested_ = false, has_curvature_ = false;
};

}  // namespace holonom
