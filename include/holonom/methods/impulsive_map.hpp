// Reich's (31), theorem 4.1: any symplectic method Ψ on a Hamiltonian formulation without constraints becomes one that
// keeps both constraints, and keeps its order:
//   (q₁, p̃) = Ψ_h(q, p − G(q)ᵀΛ),   g(q₁) = 0,   then p₁ = p̃ − G(q₁)ᵀμ with G H_p = 0.
// That is the wrapper of projected_map.hpp around a method of the registry; on the formulation Λ is small, O(h^order).
#pragma once

#include "holonom/methods/formulated.hpp"
#include "holonom/methods/projected_map.hpp"

namespace holonom {

template <class Sys>
class ImpulsiveMap {
  using S = ScalarOf<Sys>;

 public:
  ImpulsiveMap(const Sys& view, const AnySystem<S>& sys, const Formulation& formulation, const MethodEntry& entry,
               const MethodOptions& options)
      : map_(sys, formulation, entry, options),
        response_(formulation.info->response_reversed ? -1 : 1),
        x_(size_q(view), size_g(view)) {}

  Status operator()(const Sys&, Vec<S>& q, Vec<S>& p, const S& h, Counters& counters) {
    x_.q = q;
    x_.p = p;
    // Nothing is remembered: the next call starts from another state.
    if (const Status s = map_.method().begin(x_, h); !s.ok()) return s;
    const Status s = map_.method().step(x_, h);
    const Counters& now = map_.method().counters();
    counters.force += now.force - before_.force;
    counters.hessian += now.hessian - before_.hessian;
    counters.factorisation += now.factorisation - before_.factorisation;
    before_ = now;
    if (!s.ok()) return s;
    q = x_.q;
    p = x_.p;
    return {};
  }
  // An impulse −GᵀΛ moves positions by −response h H_pp GᵀΛ: with Dirac's Hamiltonian against its direction.
  int response() const { return response_; }

  std::string track_action(const Sys&) { return map_.method().track_action(); }
  S action() const { return map_.method().action(); }

 private:
  FormulatedMap<S> map_;
  int response_;
  State<S> x_;
  Counters before_;
};

template <class Sys>
using ImpulsiveMotion = MapMotion<Sys, ImpulsiveMap>;

}  // namespace holonom
