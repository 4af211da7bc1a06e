// What to do about a method, a step and a tolerance on a system: the end of a certificate.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "holonom/analysis/certificate.hpp"

namespace holonom {

struct Advice {
  std::string topic;
  std::string text;
  bool flagged = false;                                 // something should be changed
  std::vector<std::pair<std::string, double>> numbers;  // behind the text, for programs
};

// Measured in double, along a run of the method from `start`:
//   horizon      how long positions can be trusted, by what law their errors grow, and the largest Lyapunov exponent
//   step         the largest step with a bounded shadow energy (of the energy, where the window resolves no more)
//   resonance    whether a few steps are a whole number of periods of a vibration
//   tolerance    where solves end before round-off: which tolerance the drift needs
//   fast motion  whether vibrations are so fast beside the motion that they ask for another method, or a constraint
// Where there is nothing to say about a topic it is left out. That the energy drifts is said where the certificate has
// seen it.
std::vector<Advice> advise(const MethodEntry& entry, const AnySystem<double>& sys, const State<double>& start, double h,
                           const MethodOptions& options = {}, const Certificate& seen = {});

}  // namespace holonom
