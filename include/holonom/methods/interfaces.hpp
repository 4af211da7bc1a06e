// What the parts of a method ask of each other, written down. A class that lacks something is told here what it is, and
// not in the middle of a template.
#pragma once

#include <concepts>

#include "holonom/methods/action.hpp"
#include "holonom/solve/convergence.hpp"
#include "holonom/solve/rounding.hpp"
#include "holonom/solve/status.hpp"
#include "holonom/system.hpp"

namespace holonom {

// A method on systems of type Sys. On failure of a step x is left as it was. (Beside this, a method whose runs can be
// resumed has visit_memory and resume, see MethodOn.)
template <class T, class Sys>
concept MethodOf = requires(T& method, const Sys& sys, const StateOf<Sys>& from, StateOf<Sys>& x,
                            const ScalarOf<Sys>& h) {
  { method.begin(sys, from, h) } -> std::same_as<Status>;
  { method.step(sys, x, h) } -> std::same_as<Status>;
  { method.counters() } -> std::same_as<Counters&>;
  { method.options() } -> std::same_as<NewtonOptions&>;
};

// What the moves of a word are (composition.hpp): a motion over (a + b) h onto g = 0 with an impulse at its start, and
// the projection of momenta after the last of them. `slot` tells the moves of a step apart, for first guesses. Where an
// action is asked for, a move adds its own; track_action says why it cannot, or nothing.
template <class T, class Sys>
concept MotionOf = requires(T& motion, const Sys& sys, const StateOf<Sys>& x, const ScalarOf<Sys>& h, int slot,
                            QVec<Sys>& q, QVec<Sys>& p, Rounding<ScalarOf<Sys>, Sys::N>& lost,
                            ActionSum<ScalarOf<Sys>>& action) {
  { motion.begin(sys, x) } -> std::same_as<Status>;
  { motion.move(sys, h, h, slot, q, p, &lost, &action) } -> std::same_as<Status>;
  { motion.project(sys, q, p, &lost) } -> std::same_as<Status>;
  { motion.track_action(sys) } -> std::same_as<std::string>;
  motion.make_up(sys, h, q, p, lost);
  { motion.redundant() } -> std::same_as<bool>;
  { motion.counters() } -> std::same_as<Counters&>;
  { motion.options() } -> std::same_as<NewtonOptions&>;
};

// (q, p) ← Ψ_h(q, p), a map of the system without its constraints (projected_map.hpp).
template <class T, class Sys>
concept MapOf = requires(T& map, const Sys& sys, QVec<Sys>& q, QVec<Sys>& p, const ScalarOf<Sys>& h,
                         Counters& counters) {
  { map(sys, q, p, h, counters) } -> std::same_as<Status>;
};

}  // namespace holonom
