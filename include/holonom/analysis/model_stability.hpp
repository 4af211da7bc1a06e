// The stability of residuals of a model by its spec: what the program and other languages call.
#pragma once

#include "holonom/analysis/residual_stability.hpp"
#include "holonom/model/model.hpp"
#include "holonom/run/run_spec.hpp"

namespace holonom {

struct ModelStability {
  std::string model, formulation;
  double step = 0;
  StabilityReport report;
  std::vector<std::string> warnings;
};

// Of a spec: model, set, formulation, alpha, step, until or steps, and every. Throws InputError or Unsuitable.
ModelStability model_stability(const RunSpec& spec);
// Of a model that was made here, by C++ expressions.
ModelStability model_stability(Model model, const RunSpec& spec);

}  // namespace holonom
