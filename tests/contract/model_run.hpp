// A method on a model of models/, from the start that the model gives or from another one.
#pragma once

#include "holonom/analysis/conservation.hpp"
#include "problem.hpp"

namespace holonom::contract {

struct ModelRun {
  explicit ModelRun(const char* model, const char* key = "rattle")
      : compiled(load(model)), sys(compiled), map(methods().find(key), sys), x(initial_state(sys).state) {}
  State<double> after(double h, long steps) {
    State<double> y = x;
    map(y, h, steps);
    return y;
  }
  EnergyDrift energy(double h, long steps) { return energy_drift(map, sys, x, h, steps); }
  double H(const State<double>& y) const { return sys.H(y.q, y.p); }

  std::shared_ptr<const CompiledModel> compiled;
  GraphSystem<double> sys;
  NumericalMap<double> map;
  State<double> x;
};

}  // namespace holonom::contract
