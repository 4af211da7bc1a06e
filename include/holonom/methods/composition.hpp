// Composition<Sys, Motion>: runs a word (word.hpp). One force evaluation for each position at which a kick
// needs it, the one after the last move being kept for the next step.
#pragma once

#include <array>
#include <utility>

#include "holonom/methods/drift.hpp"
#include "holonom/methods/interfaces.hpp"
#include "holonom/methods/word.hpp"

namespace holonom {

template <class Sys, template <class> class Motion = Drift>
class Composition {
  using S = ScalarOf<Sys>;
  static constexpr int N = Sys::N, M = Sys::M;

 public:
  // further...: what the motion needs to know beside the system and the number of moves
  template <class... Further>
  Composition(const Sys& sys, Word<S> word, Further&&... further)
      : word_(std::move(word)),
        motion_(sys, moves(word_), std::forward<Further>(further)...),
        q_(size_q(sys)),
        p_(size_q(sys)) {
    static_assert(MotionOf<Motion<Sys>, Sys>);
    for (const Letter<S>& letter : word_)
      if (letter.is_kick()) force(letter.part) = Vec<S, N>(size_q(sys));
  }

  // Keeps what rounding takes from the state, and gives it back later.
  void compensate(bool yes) { compensated_ = yes; }

  Status begin(const Sys& sys, const State<S, N, M>& x, const S& h) {
    memory_.known = {};
    if (compensated_) {
      memory_.lost = Rounding<S, N>(size_q(sys));
      find_missing(h);
    }
    if (const Status s = motion_.begin(sys, x); !s.ok()) return s;
    first_guess(sys, x, h);
    return {};
  }

  // On failure x is left as it was; call begin before another step.
  Status step(const Sys& sys, State<S, N, M>& x, const S& h) { return steps(sys, x, h, 1); }

  // `count` steps with one projection of the momenta, after the last: the same states to round-off, and
  // less work. (For separable systems this is SHAKE with a RATTLE step where a state is wanted.) Redundant
  // constraints want a projection after each step: without it momenta against which they contradict each
  // other grow from rounding errors.
  Status steps(const Sys& sys, State<S, N, M>& x, const S& h, long count) {
    if constexpr (N == Dynamic)
      return run(sys, x, h, count, compensated_ ? &memory_.lost : nullptr, tracks_action_ ? &action_ : nullptr);
    else if (tracks_action_)
      return tracked_run(sys, x, h, count);
    else
      return compensated_ ? compensated_run(sys, x, h, count) : run(sys, x, h, count, nullptr, nullptr);
  }

  // From now on steps sum their action; returns why they cannot, or nothing.
  std::string track_action(const Sys& sys) {
    std::string reason = motion_.track_action(sys);
    if constexpr (Separable<Sys>)
      for (const Letter<S>& letter : word_)
        if (letter.is_kick() && reason.empty()) reason = lacks_potential(sys, letter.part);
    tracks_action_ = reason.empty();
    return reason;
  }
  // Of the last call of step or steps
  S action() const { return action_.value(); }

  // What a resumed run needs beside the state.
  template <class F>
  void visit_memory(F&& f) {
    motion_.visit_memory(f);
    f("force_known", memory_.known);
    if (compensated_) memory_.lost.visit_memory(f);
  }
  Status resume(const Sys& sys, const State<S, N, M>& x, const S&) requires requires(Motion<Sys>& motion) {
    motion.resume(sys, x.q);
  }
  {
    if constexpr (Separable<Sys>)
      for (const Part part : {Part::all, Part::slow, Part::fast})
        if (memory_.known[static_cast<std::size_t>(part)]) gradient(sys, part, x.q, force(part));
    return motion_.resume(sys, x.q);
  }

  Counters& counters() { return motion_.counters(); }
  NewtonOptions& options() { return motion_.options(); }

 private:
  struct Memory {
    std::array<bool, 3> known{};  // forces at the present position
    Rounding<S, N> lost;
  };

  // In code of their own: small systems need all registers where nothing is compensated, and no action is asked for.
  [[gnu::noinline]] Status compensated_run(const Sys& sys, State<S, N, M>& x, const S& h, long count) {
    return run(sys, x, h, count, &memory_.lost, nullptr);
  }
  [[gnu::noinline, gnu::cold]] Status tracked_run(const Sys& sys, State<S, N, M>& x, const S& h, long count) {
    return run(sys, x, h, count, compensated_ ? &memory_.lost : nullptr, &action_);
  }
  [[gnu::always_inline]] Status run(const Sys& sys, State<S, N, M>& x, const S& h, long count, Rounding<S, N>* lost,
                                    ActionSum<S>* action) {
    if (action) action->clear();
    auto&& q = scratch(q_);
    auto&& p = scratch(p_);
    q = x.q;
    p = x.p;
    for (long k = 0; k < count; ++k) {
      int slot = 0;
      if (lost) owed_ = missing_;
      for (const Letter<S>& letter : word_) {
        if (letter.is_kick()) {
          kick(sys, letter.part, S(letter.a * h), q, p, lost);
          if constexpr (Separable<Sys>)
            if (action) action->add(S(-S(letter.a * h) * potential(sys, letter.part, q)));
          continue;
        }
        if (lost && slot == 0 && !(missing_move_ == S(0))) motion_.make_up(sys, missing_move_, q, p, *lost);
        const Status s = motion_.move(sys, S(letter.a * h), S(letter.b * h), slot++, q, p, lost, action);
        if (!s.ok()) return s;
        memory_.known = {};
      }
      if constexpr (M == Dynamic)
        if (k + 1 < count && motion_.redundant())
          if (const Status s = motion_.project(sys, q, p, lost); !s.ok()) return s;
    }
    if (const Status s = motion_.project(sys, q, p, lost); !s.ok()) return s;
    x.q = q;
    x.p = p;
    counters().steps += static_cast<std::uint64_t>(count);
    return {};
  }

  static int moves(const Word<S>& word) {
    int count = 0;
    for (const Letter<S>& letter : word) count += !letter.is_kick();
    return count;
  }
  Vec<S, N>& force(Part part) { return force_[static_cast<std::size_t>(part)]; }

  [[gnu::always_inline]] void kick(const Sys& sys, Part part, const S& ch, const Vec<S, N>& q, Vec<S, N>& p,
                                   Rounding<S, N>* lost) {
    if constexpr (Separable<Sys>) {
      Vec<S, N>& f = force(part);
      if (bool& known = memory_.known[static_cast<std::size_t>(part)]; !known) {
        gradient(sys, part, q, f);
        ++counters().force;
        if (part != Part::all) ++(part == Part::slow ? counters().force_slow : counters().force_fast);
        known = true;
      }
      if (lost) {
        S& owed = owed_[static_cast<std::size_t>(part)];
        if (!(owed == S(0))) axpy(S(-owed), f, lost->p);
        owed = S(0);
        return axpy(S(-ch), f, p, lost->p);
      }
      for (int i = 0; i < p.size(); ++i) p[i] -= ch * f[i];
    }
  }

  // The rounded parts c h of a step do not sum to h, and what is missing from each step is missing from time:
  // an error that grows steadily, where rounding errors that are compensated do not. It is made up for once a
  // step, for moves and for kicks.
  void find_missing(const S& h) {
    const auto missing = [&](auto&& belongs) {
      S sum(0), low(0);
      for (const Letter<S>& letter : word_) {
        if (!belongs(letter)) continue;
        const S part = S(letter.a * h) + S(letter.b * h), next = sum + part;
        low += lost_in_sum(sum, part, next);
        sum = next;
      }
      const S gap = S(h - sum) - low;
      // A word that does not sum to 1 was not meant to.
      return magnitude(gap) <= Real<S>(1000) * epsilon<S>() * magnitude(h) ? gap : S(0);
    };
    missing_move_ = missing([](const Letter<S>& letter) { return !letter.is_kick(); });
    for (const Part part : {Part::all, Part::slow, Part::fast})
      missing_[static_cast<std::size_t>(part)] =
          missing([&](const Letter<S>& letter) { return letter.is_kick() && letter.part == part; });
  }

  // Reich's remark: λ(q, p), which is known where g_qq is, predicts the impulses of the first step: ½ λ h at
  // each end of a move, and the projection at its end is left to the next move.
  void first_guess(const Sys& sys, const State<S, N, M>& x, const S& h) {
    if constexpr (Separable<Sys> && HasCurvature<Sys> && requires { motion_.solver(); }) {
      if (size_g(sys) == 0 || !knows(sys, Quantity::g_qq)) return;
      Vec<S, N> f(size_q(sys));
      Vec<S, M> lambda(size_g(sys));
      sys.V_q(x.q, f);
      motion_.solver().multipliers(sys, x.q, x.p, f, lambda);
      S before(0);
      int slot = 0;
      for (const Letter<S>& letter : word_) {
        if (letter.is_kick()) continue;
        const S here = (letter.a + letter.b) * h / 2;
        motion_.predictor().suggest(slot++, S(before + here), lambda);
        before = here;
      }
    }
  }

  Word<S> word_;
  Motion<Sys> motion_;
  bool compensated_ = false;
  std::array<Vec<S, N>, 3> force_;
  Vec<S, N> q_, p_;
  Memory memory_;
  bool tracks_action_ = false;
  ActionSum<S> action_;
  S missing_move_{0};
  std::array<S, 3> missing_{}, owed_{};  // of kicks, by parts; what is left of it in this step
};

}  // namespace holonom
