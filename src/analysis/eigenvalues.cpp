#include "holonom/analysis/eigenvalues.hpp"

#include <Eigen/Eigenvalues>

namespace holonom {

std::vector<std::complex<double>> eigenvalues(const Square<double>& A) {
  Eigen::MatrixXd B(A.size(), A.size());
  for (int i = 0; i < A.size(); ++i)
    for (int j = 0; j < A.size(); ++j) B(i, j) = A(i, j);
  if (!B.allFinite()) return {};
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(B, false);
  if (solver.info() != Eigen::Success) return {};
  const auto& found = solver.eigenvalues();
  return {found.data(), found.data() + found.size()};
}

}  // namespace holonom
