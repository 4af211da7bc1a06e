// Constraints φ(q, p) = 0 on positions and momenta, such as those of a Lagrangian that is linear in velocities
// (Leimkuhler and Reich 1994, section 3.1). Where C = {φ, φ} is not singular, they are weak invariants of Dirac's
//   H_T = H + u·φ,   C u = −{φ, H},
// so that the motion is that of a Hamiltonian without constraints. Where C is singular, the hidden constraints
// {φ, H} = 0 belong to φ as well. (Rolling, and whatever else prescribes velocities by forces that do no work, is
// another matter: there is no H_T for it.)
#pragma once

#include "holonom/model/model.hpp"

namespace holonom {

// H becomes H_T, and the phase constraints of a model become observables. u comes from elimination on the graph, with
// pivots that are chosen at the start. Throws InputError where that is not possible.
void take_phase_constraints(Model& model);

}  // namespace holonom
