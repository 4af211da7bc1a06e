// What is known of a method, as a value. Contract tests measure every claim made here.
#pragma once

#include <string>

namespace holonom {

// Of the system: H = ½ pᵀM⁻¹p + V(q) with constant M; the same with V = V_slow + V_fast; any H(q, p).
enum class Needs { separable, split, hamiltonian };

struct MethodInfo {
  std::string key, title;
  int order = 0;
  bool symmetric = false, symplectic = false;
  bool keeps_position = false;  // g(q) = 0 after every step
  bool keeps_hidden = false;    // G(q) H_p = 0 after every step
  bool momentum_maps = false;   // linear and angular momenta of symmetries, to round-off
  bool one_step = true;         // a map of states; if not, the method carries more than a first guess along
  bool compensated = false;     // whether rounding errors of the state are compensated unless asked otherwise
  Needs needs = Needs::hamiltonian;
  std::string citation;
  std::string remark;  // what a user should know before choosing it
};

}  // namespace holonom
