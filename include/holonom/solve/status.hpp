// How a solve ended. Cheap to return; names and advice are added where people read it (run/driver).
#pragma once

#include <cstdint>

namespace holonom {

enum class Failure : std::uint8_t {
  none,
  not_finite,      // NaN or infinity in an evaluation
  no_convergence,  // the iteration did not reach round-off
  singular,        // G A Gᵀ is singular: dependent constraints
  chart_ends,      // a chart of a state space form cannot follow the motion any more
  wrong_root,      // converged, but not to what continues the motion, or this cannot be told (solve/continuation.hpp)
};

struct [[nodiscard]] Status {
  Failure failure = Failure::none;
  int constraint = -1;  // the constraint at fault, if one is
  double residual = 0;  // relative to the scale of the constraint

  bool ok() const { return failure == Failure::none; }
};

// What a run cost. Printed by `run --json` as newton and evaluations.
struct Counters {
  std::uint64_t steps = 0;
  std::uint64_t force = 0;                       // gradients of H, or of V or a part of it,
  std::uint64_t force_slow = 0, force_fast = 0;  // of which these of parts
  std::uint64_t hessian = 0;                     // products with V_qq
  std::uint64_t constraint = 0, jacobian = 0, factorisation = 0;
  std::uint64_t newton_iterations = 0, newton_solves = 0;
  int newton_max = 0;

  Counters& operator+=(const Counters& c) {
    steps += c.steps;
    force += c.force;
    force_slow += c.force_slow;
    force_fast += c.force_fast;
    hessian += c.hessian;
    constraint += c.constraint;
    jacobian += c.jacobian;
    factorisation += c.factorisation;
    newton_iterations += c.newton_iterations;
    newton_solves += c.newton_solves;
    if (c.newton_max > newton_max) newton_max = c.newton_max;
    return *this;
  }

  template <class F>
  void visit_memory(F&& f) {
    f("steps", steps);
    f("force", force);
    f("force_slow", force_slow);
    f("force_fast", force_fast);
    f("hessian", hessian);
    f("constraint", constraint);
    f("jacobian", jacobian);
    f("factorisation", factorisation);
    f("newton_iterations", newton_iterations);
    f("newton_solves", newton_solves);
    f("newton_max", newton_max);
  }

  void newton(int iterations) {
    newton_iterations += static_cast<std::uint64_t>(iterations);
    ++newton_solves;
    if (iterations > newton_max) newton_max = iterations;
  }
};

}  // namespace holonom
