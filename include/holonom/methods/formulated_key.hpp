// The key of a method on a formulation: method@formulation[:number][+projection[:every]]
#pragma once

#include "holonom/formulations/formulation.hpp"

namespace holonom {

// What is done after steps of a method on a formulation
struct FormulatedProjection {
  std::string name;  // "", "orthogonal", "stage" or "symplectic"
  long every = 1;    // so many steps

  std::string key() const { return name.empty() ? "" : "+" + name + (every > 1 ? ":" + std::to_string(every) : ""); }
};

struct FormulatedKey {
  std::string method;
  Formulation formulation;
  FormulatedProjection projection;

  std::string text() const { return method + "@" + formulation.key() + projection.key(); }
  // Nothing if there is no @ in it. Throws InputError.
  static std::optional<FormulatedKey> parse(const std::string& key);
};

}  // namespace holonom
