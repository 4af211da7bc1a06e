// The cost of a run, by name.
#pragma once

#include "holonom/json.hpp"
#include "holonom/solve/status.hpp"

namespace holonom {

struct Count {
  const char* name;
  std::uint64_t Counters::*value;
};
inline constexpr Count counts[] = {{"force", &Counters::force},
                                   {"force_slow", &Counters::force_slow},
                                   {"force_fast", &Counters::force_fast},
                                   {"hessian", &Counters::hessian},
                                   {"constraint", &Counters::constraint},
                                   {"jacobian", &Counters::jacobian},
                                   {"factorisation", &Counters::factorisation}};

inline double newton_mean(const Counters& c) {
  return c.newton_solves ? static_cast<double>(c.newton_iterations) / static_cast<double>(c.newton_solves) : 0.0;
}

inline void write(Json& json, const Counters& c) {
  json.begin("newton").number("iterations_mean", newton_mean(c)).integer("iterations_max", c.newton_max).end();
  json.begin("evaluations");
  for (const Count& count : counts) json.integer(count.name, static_cast<long long>(c.*count.value));
  json.end();
}

}  // namespace holonom
