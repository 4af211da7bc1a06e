// What a method chooses by the state at its begin, once and for all, and what makes the map Φ what it is: a chart. From
// another state begin would choose another one, and Φ be another map.
#pragma once

#include "holonom/any_system.hpp"
#include "holonom/solve/status.hpp"

namespace holonom {

// What to try where a chart ends: it is not the step.
inline constexpr const char* another_chart = "Take the chart partition, every:K or tangent";

template <class S>
class ChoosesAtBegin {
 public:
  virtual ~ChoosesAtBegin() = default;
  // As AnyMethod::begin, with what was chosen at the last begin. With an involution ρ that goes along: Φ becomes
  // ρ ∘ Φ ∘ ρ.
  virtual Status begin_within(const State<S>& x, const S& h, const Involution* mirror) = 0;
};

}  // namespace holonom
