// What is known of a method, as a value. Contract tests measure every claim made here.
#pragma once

#include <string>
#include <vector>

namespace holonom {

// Of the system: H = ½ pᵀM⁻¹p + V(q) with constant M; the same with V = V_slow + V_fast; any H(q, p); any H(q, p) or
// field, but no constraints; a field that is a sum of shears (shears.hpp); a Lagrangian L(q, v) as formulas; rigid
// bodies as rotation matrices (solve/rigid_bodies.hpp).
enum class Needs { separable, split, hamiltonian, unconstrained, shears, lagrangian, rigid_bodies };

struct MethodInfo {
  std::string key, title;
  // What the key says, so that nobody has to read it again.
  std::string family;  // "base", "composition", "shake", "lobatto", "pair", "gauss", "radau-2a", "bdf", "explicit-rk",
                       // "variational"
  int member = 0;      // which of the family, where it has numbers: stages, or the order of bdf
  std::string base, scheme;  // of words: the base, and the scheme that composes it, if one does
  std::string projection;    // after each step, if there is one
  std::string formulation;   // without constraints, that it runs on; empty: the system itself
  std::string file;          // with coefficients of a user's own
  int order = 0;
  int order_q = 0;  // of the positions, if it is another one
  bool symmetric = false, symplectic = false;
  bool keeps_position = false;     // g(q) = 0 after every step
  bool keeps_hidden = false;       // G(q) H_p = 0 after every step
  bool momentum_maps = false;      // linear and angular momenta of symmetries, to round-off
  bool constrained = true;         // all this with constraints too; if not, for m = 0 only
  int stages = 0;                  // implicit ones, which are solved for together
  bool stage_multipliers = false;  // Λ of the last stage can be had
  bool one_step = true;            // a map of states; if not, the method carries more than a first guess along
  bool compensated = false;        // whether rounding errors of the state are compensated unless asked otherwise
  bool fixed_sizes = false;        // small systems run with sizes known at compile time
  bool for_fields = false;         // runs on fields y' = f(y) as well,
  bool needs_parts = false;        // but only on those whose variables come in two parts, q and p
  // First integrals of y' = f(y) that are kept to round-off, without constraints: I = pᵀ(C q + c), and all quadratic
  // ones
  bool bilinear_invariants = false, quadratic_invariants = false;
  bool volume = false;          // preserves volume on fields
  bool from_positions = false;  // momenta are differences of positions over h, and so are their rounding errors
  Needs needs = Needs::hamiltonian;
  std::string citation;
  std::string remark;            // what a user should know before choosing it
  std::vector<double> substeps;  // of a composition: its steps of the base, in units of h

  // What is claimed on a system with so many constraints, or on a field.
  MethodInfo on(int constraints, bool field = false) const {
    MethodInfo info = *this;
    if (field) info.symplectic = info.momentum_maps = false;
    if (constraints > 0 && !constrained) {
      info.order = info.order_q = 0;
      info.symmetric = info.symplectic = info.keeps_position = info.keeps_hidden = info.momentum_maps = false;
    }
    return info;
  }
};

}  // namespace holonom
