// Stability of the residuals of a formulation off the manifold (Leimkuhler and Reich, sections 3.5 and 3.6): with
// c = (g, ψ) and (q, p)' = f, there is a matrix L at each state of the manifold such that c' = L c + O(c²). Along a
// motion its frozen eigenvalues are a hint, and the fundamental matrix Φ' = L(t) Φ is what residuals do.
#pragma once

#include <complex>

#include "holonom/formulations/formulation.hpp"
#include "holonom/solve/orthogonal_projection.hpp"

namespace holonom {

// L at states of the manifold, by dual numbers.
class ResidualMatrix {
  using D = Dual<double>;

 public:
  // Throws Unsuitable if the formulation does not exist for the system.
  ResidualMatrix(const AnySystem<double>& sys, const Formulation& formulation);

  int size() const { return 2 * sys_.m(); }
  // 2m x 2m
  Status operator()(const Vec<double>& q, const Vec<double>& p, Square<double>& L);
  // The shortest (u, w) with c' (u, w) = e_j at the state of the last call
  void direction(int j, Gradient<double>& z) { projection_.right_inverse(j, z); }

 private:
  const AnySystem<double>& sys_;
  std::shared_ptr<const AnySystem<D>> dual_;
  std::unique_ptr<Formulated<D>> formulated_;
  Brackets<D> at_;
  OrthogonalProjection<double> projection_;
  Gradient<double> z_;
  Gradient<D> x_, rate_;
  Vec<D> g_rate_, psi_rate_;
};

struct StabilityRow {
  double t = 0;
  std::complex<double> fastest;  // the frozen eigenvalue with the largest real part
  double frequency = 0;          // the largest imaginary part of all
  double expected = 1;           // |Φ|, the largest growth of a residual so far
  double measured = 1;           // the same of residuals of runs that start off the manifold; NaN if one failed
};

struct StabilityReport {
  std::vector<StabilityRow> rows;
  std::string failure;  // where the motion, or L, could not be followed
};

// Along the motion from x, over `steps` steps of h, with a row after every `every` of them. `perturbation`: the size of
// residuals at the start of the runs that are measured, relative to the motion.
StabilityReport residual_stability(const AnySystem<double>& sys, const Formulation& formulation, const State<double>& x,
                                   double h, long steps, long every, double perturbation = 1e-7);

}  // namespace holonom
