// Unconstrained<S>: what systems without constraints, made of something else, have in common.
#pragma once

#include "holonom/any_system.hpp"

namespace holonom {

// What they say where they are not defined
template <class S>
S not_a_number() {
  return S(std::numeric_limits<Real<S>>::quiet_NaN());
}

template <class S>
class Unconstrained : public AnySystem<S> {
 public:
  // Coordinates as in the labels, and numbered where these have no more names.
  Unconstrained(int n, Labels labels) {
    Pattern pattern;
    pattern.n = n;
    for (int i = static_cast<int>(labels.coordinates.size()); i < n; ++i)
      labels.coordinates.push_back("q" + std::to_string(i));
    labels.constraints.clear();
    labels.invariants.clear();
    labels.observables.clear();
    labels.stacks.clear();
    this->pattern_ = std::make_shared<const Pattern>(std::move(pattern));
    this->labels_ = std::make_shared<const Labels>(std::move(labels));
  }

  void g(const Vec<S>&, Vec<S>&) const override {}
  void G(const Vec<S>&, Jacobian<S>&) const override {}
  void g_and_G(const Vec<S>&, Vec<S>&, Jacobian<S>&) const override {}
  S V(const Vec<S>&) const override { throw std::logic_error(this->lacks(Quantity::V)); }
  void V_q(const Vec<S>&, Vec<S>&) const override { throw std::logic_error(this->lacks(Quantity::V)); }
  void V_slow_q(const Vec<S>&, Vec<S>&) const override { throw std::logic_error(this->lacks(Quantity::V_parts)); }
  void V_fast_q(const Vec<S>&, Vec<S>&) const override { throw std::logic_error(this->lacks(Quantity::V_parts)); }
  const AnyMass<S>& mass() const override { return no_mass_; }
  void invariants(const Vec<S>&, const Vec<S>&, Vec<S>&) const override {}
  void invariants_along(const Vec<S>&, const Vec<S>&, const Vec<S>&, const Vec<S>&, Vec<S>&, Vec<S>&) const override {}

 private:
  AnyMass<S> no_mass_;
};

}  // namespace holonom
