// Methods and steps side by side on one problem: errors at the same end, against the same reference, and what they
// cost.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "holonom/errors.hpp"
#include "holonom/methods/registry.hpp"

namespace holonom {

// Relative to the largest |q_i|, |p_i| and |λ_k| of the reference motion.
struct StateErrors {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  double q = unknown, p = unknown, lambda = unknown;
};

// A method with a step. Energy, residuals and invariants are the largest errors over all steps, as `run` has them.
// Counters and CPU time are those of further runs of bare steps, without looks at the states in between.
struct ComparisonRow {
  enum class Status { done, failed, unsuitable };

  std::string method;
  std::size_t step = 0;  // its index in the plan
  double h = 0;
  long steps = 0;
  Status status = Status::done;
  std::string message;  // why there is nothing else
  StateErrors error;
  StateErrors
      order;  // slope of log(error) over log(h) from the row before, above rounding errors of both and of the reference
  double energy = 0, position = 0, hidden = 0;
  std::vector<double> invariants;
  Counters counters;
  double cpu_seconds = 0;
};

struct Comparison {
  std::string reference;  // what it was,
  StateErrors accuracy;   // and its own error, estimated from above
  std::vector<ComparisonRow> rows;
};

template <class S>
struct ComparisonPlan {
  struct Run {
    S h;
    long steps;
  };
  std::vector<MethodEntry> methods;
  std::vector<Run> runs;  // each of them to `until`
  S until;
  MethodOptions options;
  int threads = 1;  // for rows, if the system can be copied for them; results do not depend on it
  // Instead of the exact flow by extrapolation, in a wider scalar for double and long double
  struct Reference {
    MethodEntry method;
    Run run;
  };
  std::optional<Reference> reference;
};

// There is nothing to compare with: why.
class NoReference : public InputError {
 public:
  using InputError::InputError;
};

// From a start on the manifold. Rows in the order of the plan, methods first. Throws NoReference.
template <class S>
Comparison compare(const AnySystem<S>& sys, const State<S>& start, const ComparisonPlan<S>& plan);

}  // namespace holonom
