// How long positions of a run can be trusted: the distance between runs with the step h and with h/2, which is the
// error but for a factor of 1 − 2⁻ᵖ, and how it grows.
#pragma once

#include <vector>

#include "holonom/analysis/lyapunov.hpp"

namespace holonom {

struct ErrorHistory {
  std::vector<double> times, errors;  // the largest so far, at times that are about 1.1 apart as factors
  bool failed = false;                // a step failed at the end of this

  double followed() const;  // the time until errors are as large as the motion, or to the end
  // The power of t with which errors grow before they are as large as the motion, by the last three octaves of times
  // that are later than `settled`. None (NaN) if less than two were seen. 1 for symplectic methods on integrable
  // systems, and for symmetric ones on reversible integrable systems; 2 for others (Hairer, Lubich and Wanner 2003,
  // theorem 5.5).
  double power(double settled) const;
  // The rate of exponential growth, by the second half of that time
  double rate() const;
};

// Of at most so many steps; it ends when errors are as large as the motion. They are relative to `unit`, the size of
// it. `exact`: the same method, with solves to round-off, for the run with h/2.
ErrorHistory error_history(const MethodEntry& entry, const MethodEntry& exact, const AnySystem<double>& sys,
                           const State<double>& start, double h, long steps, double unit);

struct Horizon {
  double time = 0;        // until then errors are below the accuracy
  bool measured = false;  // else beyond the runs, by the law
};

// Beyond the runs by a law: exponentially at this rate if it is not 0, else with this power.
Horizon horizon(const ErrorHistory& history, double accuracy, double rate, double power);

}  // namespace holonom
