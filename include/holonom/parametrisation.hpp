// Parametrisation<S>: coordinates δ of the positions with g = 0, as q = φ(δ), which a system may bring along beside its
// constraints. Derivatives are contracted with vectors, but for φ' itself.
#pragma once

#include <string>
#include <vector>

#include "holonom/any_system.hpp"

namespace holonom {

template <class S>
class Parametrisation {
 public:
  virtual ~Parametrisation() = default;

  // Of δ. None: there is no parametrisation.
  virtual const std::vector<std::string>& parameter_names() const = 0;
  // Where a search for the δ of a position begins
  virtual void near(Vec<S>& delta) const = 0;
  // φ(δ), and φ' by rows: one for each coordinate
  virtual void phi(const Vec<S>& delta, Vec<S>& q, Vec<S>& rows) const = 0;
  // φ''(u, v);   (y·φ)''u;   (y·φ)'''(u, v)
  virtual void phi_dd(const Vec<S>& delta, const Vec<S>& u, const Vec<S>& v, Vec<S>& out) const = 0;
  virtual void y_phi_dd(const Vec<S>& delta, const Vec<S>& y, const Vec<S>& u, Vec<S>& out) const = 0;
  virtual void y_phi_ddd(const Vec<S>& delta, const Vec<S>& y, const Vec<S>& u, const Vec<S>& v, Vec<S>& out) const = 0;
};

// That of a system, or nullptr
template <class S>
const Parametrisation<S>* parametrisation_of(const AnySystem<S>& sys) {
  const auto* own = dynamic_cast<const Parametrisation<S>*>(&sys);
  return own && !own->parameter_names().empty() ? own : nullptr;
}

}  // namespace holonom
