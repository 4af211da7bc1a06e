// Frequencies of a motion, by linearisation, and what a method makes of them.
#pragma once

#include <optional>
#include <vector>

#include "holonom/analysis/tangent_map.hpp"

namespace holonom {

// The frequencies ω of small displacements about a state, ascending: imaginary parts of the eigenvalues of the flow on
// the manifold, linearised and frozen there. Those that are much faster than the motion are frequencies of vibrations;
// the others are a scale, no more. `dual`: the same system in dual numbers.
std::vector<double> linear_frequencies(const AnySystem<double>& sys, const AnySystem<Dual<double>>& dual,
                                       const State<double>& x, const StateSize<double>& size);

// cos(h ω̃): half the trace of one step of the method on q'' = −ω² q. Beyond ±1 the step is unstable. For Verlet's
// method sin(h ω̃/2) = h ω/2. None for methods that have no such step.
std::optional<double> half_trace(const MethodEntry& entry, double h_omega);

// k steps are nearly a whole number of periods of a vibration: |sin(k h ω̃/2)| is below c √h, and modulated energies of
// Hairer, Lubich and Wanner (section 5.4) are not known to be kept. Here h is measured by the time of the motion
// itself, in which it goes its own length, and c = 1.
struct StepResonance {
  double omega = 0;     // of the vibration
  double phase = 0;     // h ω̃, modulo 2π and sign
  int k = 0;            // steps
  double distance = 0;  // |sin(k h ω̃/2)|
  double limit = 0;     // √h
  bool unstable = false;
};
constexpr int most_resonant_steps = 4;  // resonances of more steps are those of high powers of the amplitude

// The worst one of these frequencies, which are vibrations.
std::optional<StepResonance> step_resonance(const MethodEntry& entry, const std::vector<double>& vibrations, double h,
                                            double time_of_motion);

}  // namespace holonom
