// Rounding errors of a run: the distance from the same method with the same step in quad. The problems are regular
// motions (in chaotic ones everything grows), with parameters and starts that are exact in binary.
#pragma once

#include "holonom/analysis/numerical_map.hpp"
#include "holonom/model/start.hpp"
#include "holonom/model/toml.hpp"
#include "problem.hpp"

namespace holonom::contract {

struct RoundOffProblem {
  std::shared_ptr<const CompiledModel> compiled;
  std::vector<double> q, p;

  template <class S>
  State<S> start() const {
    State<S> x(static_cast<int>(q.size()), compiled->model().m());
    for (int i = 0; i < x.q.size(); ++i) {
      x.q[i] = S(q[static_cast<std::size_t>(i)]);
      x.p[i] = S(p[static_cast<std::size_t>(i)]);
    }
    return x;
  }
};

inline RoundOffProblem double_pendulum() { return {load("double-pendulum"), {0, -1, 0, -2}, {0.75, 0, 0.5, 0}}; }
inline RoundOffProblem kepler_on_the_sphere() {
  return {load("kepler-sphere", {{"ax", "0"}, {"ay", "0"}, {"az", "1"}}), {1, 0, 0}, {0, 1, 0.25}};
}
inline RoundOffProblem spherical_pendulum() {
  return {load("spherical-pendulum", {{"m", "1"}, {"g", "1"}, {"L", "1"}}), {1, 0, 0}, {0, 0.75, 0}};
}
inline RoundOffProblem charged_particle() { return {load("charged-particle"), {1, 0, 0}, {0, 1.75, 0.25}}; }

constexpr long looks = 20;  // at equal distances along a run

inline std::vector<State<quad>> quad_run(const RoundOffProblem& problem, const char* key, double h, long steps) {
  const ModelSystem<quad> sys(problem.compiled);
  NumericalMap<quad> map(methods().find(key), sys);
  std::vector<State<quad>> states;
  State<quad> x = problem.start<quad>();
  long k = 0;
  map(x, quad(h), steps, [&](const State<quad>& y) {
    if (++k % (steps / looks) == 0) states.push_back(y);
  });
  return states;
}

// Largest over the run, of single coordinates.
struct RoundOff {
  double position = 0, momentum = 0, energy = 0;
};

inline RoundOff round_off(const RoundOffProblem& problem, const char* key, bool compensated, double h, long steps,
                          const std::vector<State<quad>>& reference) {
  const ModelSystem<double> sys(problem.compiled);
  const ModelSystem<quad> wide(problem.compiled);
  MethodOptions options;
  options.compensated = compensated;
  NumericalMap<double> map(methods().find(key), sys, options);
  RoundOff result;
  State<double> x = problem.start<double>();
  State<quad> z = problem.start<quad>();
  long k = 0;
  map(x, h, steps, [&](const State<double>& y) {
    if (++k % (steps / looks) != 0) return;
    const State<quad>& exact = reference[static_cast<std::size_t>(k / (steps / looks) - 1)];
    std::copy(y.q.begin(), y.q.end(), z.q.begin());
    std::copy(y.p.begin(), y.p.end(), z.p.begin());
    keep_largest(result.position, to_double(largest_difference(z.q, exact.q)));
    keep_largest(result.momentum, to_double(largest_difference(z.p, exact.p)));
    keep_largest(result.energy, std::abs(to_double(quad(wide.H(z.q, z.p) - wide.H(exact.q, exact.p)))));
  });
  return result;
}

}  // namespace holonom::contract
