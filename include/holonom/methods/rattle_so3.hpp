// RATTLE for rigid bodies, the rotation of each step as a quaternion (Hairer, Lubich, Wanner 2003, example 6.4):
//   P½ = P − h/2 ∇V(Q) − QΛ,     Q₁ = Q + h P½ D⁻¹,    Q₁ᵀQ₁ = I
//   P₁ = P½ − h/2 ∇V(Q₁) − Q₁μ,                        Q₁ᵀP₁ D⁻¹ antisymmetric
// The same map as RATTLE with six constraints a body (rattle.hpp), for less.
#pragma once

#include <stdexcept>

#include "holonom/methods/rattle.hpp"
#include "holonom/methods/rotation_drift.hpp"

namespace holonom {

// Throws std::invalid_argument if the system is not one of rigid bodies as matrices.
template <Separable Sys>
class RattleSO3 : public Composition<Sys, RotationDrift> {
 public:
  explicit RattleSO3(const Sys& sys)
      : Composition<Sys, RotationDrift>(sys, rattle_word<ScalarOf<Sys>>(), bodies_of(sys)) {}

 private:
  static RigidBodies<Real<ScalarOf<Sys>>> bodies_of(const Sys& sys) {
    RigidBodies<Real<ScalarOf<Sys>>> bodies = find_rigid_bodies(sys);
    if (!bodies.reason.empty())
      throw std::invalid_argument("RattleSO3 is for rigid bodies as rotation matrices: " + bodies.reason +
                                  ". Rattle is the same for any constraints.");
    return bodies;
  }
};

}  // namespace holonom
