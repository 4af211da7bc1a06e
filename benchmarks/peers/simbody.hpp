// Simbody (Apache licence) as a peer: point masses with rods as constraints.
#pragma once

#include <vector>

#include "../integrator.hpp"
#include "../pendulums.hpp"

namespace bench {

template <class P>
std::vector<Integrator> simbody();
extern template std::vector<Integrator> simbody<Pendulum>();
extern template std::vector<Integrator> simbody<DoublePendulum>();

}  // namespace bench
