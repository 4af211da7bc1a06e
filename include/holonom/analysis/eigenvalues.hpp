// Eigenvalues of small dense matrices.
#pragma once

#include <complex>
#include <vector>

#include "holonom/dense.hpp"

namespace holonom {

// None if the iteration does not converge.
std::vector<std::complex<double>> eigenvalues(const Square<double>& A);

}  // namespace holonom
