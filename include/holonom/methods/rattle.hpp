// RATTLE: velocity Verlet with both constraints kept (Andersen 1983).
//   p½ = p − h/2 ∇V(q) − G(q)ᵀΛ,     q₁ = q + h M⁻¹p½,    g(q₁) = 0
//   p₁ = p½ − h/2 ∇V(q₁) − G(q₁)ᵀμ,                       G(q₁) M⁻¹p₁ = 0
// Order 2, symmetric, symplectic on {g = 0, G M⁻¹p = 0} (Leimkuhler and Skeel 1994). One force
// evaluation a step. As a word: kick ½, move 1, kick ½.
#pragma once

#include "holonom/methods/composition.hpp"

namespace holonom {

template <class S>
Word<S> rattle_word() {
  const S half = S(1) / S(2);
  return {kick(half), move(half, half), kick(half)};
}

template <Separable Sys>
class Rattle : public Composition<Sys> {
 public:
  explicit Rattle(const Sys& sys) : Composition<Sys>(sys, rattle_word<ScalarOf<Sys>>()) {}
};

}  // namespace holonom
