// What is seen after each of some steps of a run: the pictures behind a certificate.
#pragma once

#include <string>
#include <vector>

#include "holonom/model/model.hpp"
#include "holonom/run/run_spec.hpp"

namespace holonom {

struct ShortRun {
  bool has_energy = true;
  int constraints = 0;
  std::vector<std::string> invariant_names;
  std::vector<double> t, energy_error;               // H − H(x₀)
  std::vector<double> position, hidden;              // |g|, |G H_p|
  std::vector<std::vector<double>> invariant_error;  // I − I(x₀), for each invariant
};

// With the method, the step and the precision of a spec, to a step that fails at most. Throws InputError or Unsuitable.
constexpr long short_run_steps = 2000;
ShortRun short_run(Model model, RunSpec spec, long steps = short_run_steps);

}  // namespace holonom
