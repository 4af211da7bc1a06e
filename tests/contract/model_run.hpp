// A method on a model of models/, from the start that the model gives or from another one.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "holonom/analysis/conservation.hpp"
#include "holonom/analysis/reference_flow.hpp"
#include "problem.hpp"

namespace holonom::contract {

// In the form that the environment asks for.
inline ModelSystem<double> system_under_test(const char* model) {
  return ModelSystem<double>(load(model), engine_of(form_from_environment()));
}
inline std::unique_ptr<AnyMethod<double>> method_under_test(const char* key, const ModelSystem<double>& sys) {
  return in_form(methods().find(key), form_from_environment()).make<double>(sys);
}

struct ModelRun {
  explicit ModelRun(const char* model, const char* key = "rattle", Form form = form_from_environment())
      : compiled(load(model)),
        sys(compiled, engine_of(form)),
        map(in_form(methods().find(key), form), sys),
        x(initial_state(sys).state) {}
  State<double> after(double h, long steps) {
    State<double> y = x;
    map(y, h, steps);
    return y;
  }
  EnergyDrift energy(double h, long steps) { return energy_drift(map, sys, x, h, steps); }
  double H(const State<double>& y) const { return sys.H(y.q, y.p); }

  std::shared_ptr<const CompiledModel> compiled;
  ModelSystem<double> sys;
  NumericalMap<double> map;
  State<double> x;
};

// The exact solution, with its multipliers.
inline State<quad> exact(const char* model, const quad& time, int steps) {
  const ModelSystem<quad> sys(load(model));
  ReferenceFlow<quad> flow(sys);
  State<quad> x = flow(initial_state(sys).state, time, steps);
  EXPECT_TRUE(Manifold<quad>(sys).multipliers(x).ok());
  return x;
}

// Euclidean, over q and p.
inline double global_error(const State<double>& x, const State<quad>& exact) {
  double sum = 0;
  for (int i = 0; i < x.q.size(); ++i)
    sum += std::pow(x.q[i] - to_double(exact.q[i]), 2) + std::pow(x.p[i] - to_double(exact.p[i]), 2);
  return std::sqrt(sum);
}

// Least squares through values at 0, h, 2h, ...
class Slope {
 public:
  explicit Slope(double h) : h_(h) {}
  void add(double y) {
    const double t = h_ * n_;
    n_ += 1;
    t_ += t;
    tt_ += t * t;
    y_ += y;
    ty_ += t * y;
  }
  double operator()() const { return (n_ * ty_ - t_ * y_) / (n_ * tt_ - t_ * t_); }

 private:
  double h_, n_ = 0, t_ = 0, tt_ = 0, y_ = 0, ty_ = 0;
};

}  // namespace holonom::contract
