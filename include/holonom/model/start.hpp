// The start of a run: initial values evaluated in the scalar, checked, and projected if asked for.
#pragma once

#include <optional>

#include "holonom/model/model_system.hpp"

namespace holonom {

template <class S>
struct Start {
  State<S> state;
  std::optional<S> step, until;  // the defaults of [integrate]
  double moved = 0;              // how far projection moved a coordinate, at most
  double energy_lost = 0;        // kinetic energy of motions that the constraints forbid, which projection removed
};

// The start of a model. Throws InputError if the values are not finite, not consistent, or contradictory.
template <class S>
Start<S> initial_state(const ModelSystem<S>& sys);
// The same for any system, from values of one's own. `project`: onto the manifold, if they are not on it.
template <class S>
Start<S> initial_state(const AnySystem<S>& sys, const State<S>& given, bool project = false);

}  // namespace holonom
