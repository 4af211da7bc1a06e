// What is known of a method, as a value. Contract tests measure every claim made here.
#pragma once

#include <string>

namespace holonom {

enum class Needs { separable, hamiltonian };

struct MethodInfo {
  std::string key, title;
  int order = 0;
  bool symmetric = false, symplectic = false;
  bool keeps_position = false;  // g(q) = 0 after every step
  bool keeps_hidden = false;    // G(q) H_p = 0 after every step
  bool momentum_maps = false;   // linear and angular momenta of symmetries, to round-off
  Needs needs = Needs::hamiltonian;
  std::string citation;
};

}  // namespace holonom
