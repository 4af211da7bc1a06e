// Symmetries of a system, tried numerically at the start and at states near it on the manifold.
#pragma once

#include <vector>

#include "holonom/any_system.hpp"

namespace holonom {

// The largest |H(ρx) − H(x)| and |G-projected change of g∘ρ|, relative to their sizes, for the
// system's involution ρ; of a field |f(ρy) + ρ f(y)|.
double reversal_defect(const AnySystem<double>& sys, const State<double>& x);

// |dI/dt| along the exact constrained flow, for each invariant, relative to the size of its terms. NaN where it is not
// known.
std::vector<double> invariant_rates(const AnySystem<double>& sys, const State<double>& x);

// States on the manifold near x, for trials like these. The first one is x. There are fewer if they cannot be found.
std::vector<State<double>> nearby_states(const AnySystem<double>& sys, const State<double>& x, int count);
// The same wherever positions and momenta happen to be, without x.
std::vector<State<double>> states_off_manifold(const AnySystem<double>& sys, const State<double>& x, int count);

}  // namespace holonom
