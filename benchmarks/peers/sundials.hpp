// SUNDIALS (BSD licence) as a peer: IDA on the stabilised index-2 form, CVODE on the underlying ODE.
#pragma once

#include <vector>

#include "../integrator.hpp"
#include "../pendulums.hpp"

namespace bench {

template <class P>
std::vector<Integrator> sundials();
extern template std::vector<Integrator> sundials<Pendulum>();
extern template std::vector<Integrator> sundials<DoublePendulum>();

}  // namespace bench
