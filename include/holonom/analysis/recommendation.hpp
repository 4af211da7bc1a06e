// recommend: the method and the step with which a quantity is right to a given accuracy for the least counted work.
//
// All methods run over the same time (the window of an ErrorMeter) with the same work, which is doubled from round to
// round. Those that would need far more than others, by the error C h^p that two steps show, are left behind; the first
// ones that get there are run with the steps between, until the longest one that is right is known. Where the window is
// shorter than the time asked for, errors are continued by the growth that was seen in it. Nothing is timed: the choice
// is the same on every machine, and in all units.
#pragma once

#include "holonom/analysis/error_growth.hpp"
#include "holonom/analysis/error_meter.hpp"

namespace holonom {

struct RecommendationPlan {
  double until = 0, accuracy = 0;
  WantedQuantity wanted;
  WorkWeights weights;
  std::vector<MethodEntry> candidates;
  double budget = default_budget;  // operations of all runs together, about

  static constexpr double default_budget = 6e9;
};

struct RecommendedMethod {
  MethodEntry method;
  long steps = 0;            // until/steps is the step
  double work = 0;           // of all of them
  double error = 0;          // expected, at most
  double order = 0;          // that was seen last; 0: from one run only
  bool is_measured = false;  // the step itself was run over the window; else its error is extrapolated by this order
  bool is_checked = false;   // it was run on the system itself until the end, and `error` is what was seen there
  Growth growth;
  std::vector<Trial> trials;  // what is known about it, by the number of steps in the window

  // Work, and some more for what was not measured: by this they are ranked.
  double risk() const { return is_measured ? work : 1.2 * work; }
};

struct Recommendation {
  std::vector<RecommendedMethod> methods;  // the cheapest first, three at most; none: the accuracy is not reached
  std::size_t candidates = 0;
  long trials = 0;  // runs that were made
  double window = 0, unit = 0;
  bool is_chaotic = false;  // rounding errors grow beyond the accuracy,
  double horizon = 0;       // after this time
  long reference_steps = 0;
  double reference_error = 0;
  std::string reference_scalar;
  double spent = 0;  // operations
  // The least error of all runs, continued to the end, and whose it is
  double least_error = 0;
  std::string least_error_of;
};

// Methods of the registry that run on the system, have an order on it and keep its constraints
std::vector<MethodEntry> recommendable(const AnySystem<double>& sys);

// Throws std::runtime_error if there is no motion to compare with.
Recommendation recommend(const AnySystem<double>& sys, const State<double>& start, const RecommendationPlan& plan);

}  // namespace holonom
