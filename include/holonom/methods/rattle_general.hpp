// RATTLE for any H(q, p) (Jay 1996; Reich 1993; equation 6.13 of Hairer, Lubich, Wanner 2003).
//   p½ = p − h/2 H_q(q, p½) − G(q)ᵀΛ
//   q₁ = q + h/2 (H_p(q, p½) + H_p(q₁, p½)),     g(q₁) = 0
//   p₁ = p½ − h/2 H_q(q₁, p½) − G(q₁)ᵀμ,         G(q₁) H_p(q₁, p₁) = 0
#pragma once

#include "holonom/methods/composition.hpp"
#include "holonom/methods/implicit.hpp"

namespace holonom {

template <HasHpp Sys>
class RattleGeneral : public Composition<Sys, EulerPairMotion> {
  using S = ScalarOf<Sys>;

 public:
  explicit RattleGeneral(const Sys& sys) : Composition<Sys, EulerPairMotion>(sys, {move(S(1) / S(2), S(1) / S(2))}) {}
};

}  // namespace holonom
