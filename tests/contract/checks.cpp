#include "checks.hpp"

#include <cstdarg>
#include <cstdio>

#include "holonom/analysis/conservation.hpp"
#include "holonom/analysis/convergence_order.hpp"
#include "holonom/analysis/loop_integral.hpp"
#include "holonom/analysis/reversal.hpp"

namespace holonom::contract {

namespace {

[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...) {
  char buffer[256];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  return buffer;
}

constexpr long run_length = 300;                         // of properties that must hold at every step
constexpr std::initializer_list<long> few_steps{1, 10};  // of local properties

}  // namespace

Verdict has_order(const MethodEntry& entry, const Problem& problem) {
  const long n = problem.about.coarsest;
  const OrderFit fit = convergence_order(entry, problem.sys, problem.start, problem.states.back(), problem.about.time,
                                         {n, 2 * n, 4 * n, 8 * n});
  std::string evidence = text("slopes %.4f (q) %.4f (p) from %d points; errors", fit.slope_q, fit.slope_p, fit.used);
  double smallest = 1;
  for (const OrderPoint& point : fit.points) {
    evidence += text(" %.1e/%.1e", point.error_q, point.error_p);
    smallest = std::min({smallest, point.error_q, point.error_p});
  }
  evidence += text("; reference %.1e", problem.reference_error);
  const auto near = [&](double slope) { return std::abs(slope - entry.info.order) <= Bounds::order; };
  return {fit.used >= 3 && near(fit.slope_q) && near(fit.slope_p) && problem.reference_error <= 1e-2 * smallest,
          evidence};
}

Verdict is_symmetric(const MethodEntry& entry, const Problem& problem) {
  NumericalMap<double> map(entry, problem.sys);
  double defect = 0;
  for (const State<double>& x : problem.states)
    for (const long steps : few_steps) keep_largest(defect, symmetry_defect(map, x, problem.size, problem.h, steps));
  return {defect <= Bounds::round_off, text("defect %.1e", defect)};
}

Verdict is_reversible(const MethodEntry& entry, const Problem& problem) {
  NumericalMap<double> map(entry, problem.sys);
  double defect = 0;
  for (const State<double>& x : problem.states)
    for (const long steps : few_steps)
      keep_largest(defect, reversibility_defect(map, problem.model(), x, problem.size, problem.h, steps));
  return {defect <= Bounds::round_off, text("defect %.1e", defect)};
}

Verdict keeps_position(const MethodEntry& entry, const Problem& problem) {
  NumericalMap<double> map(entry, problem.sys);
  const double r = constraint_residuals(map, problem.sys, problem.start, problem.h, run_length).position;
  return {r <= Bounds::round_off, text("|g| %.1e", r)};
}

Verdict keeps_hidden(const MethodEntry& entry, const Problem& problem) {
  NumericalMap<double> map(entry, problem.sys);
  const double r = constraint_residuals(map, problem.sys, problem.start, problem.h, run_length).hidden;
  return {r <= Bounds::round_off, text("|G H_p| %.1e", r)};
}

Verdict is_symplectic_by_tangents(const MethodEntry& entry, const Problem& problem) {
  const GraphSystem<Dual<double>> dual(problem.compiled);
  std::string evidence;
  double worst = 0;
  for (const long steps : few_steps) {
    double defect = 0;
    for (const State<double>& x : problem.states)
      keep_largest(defect, symplectic_defect(entry, problem.sys, dual, x, problem.size, problem.h, steps));
    evidence += text("%ld steps %.1e  ", steps, defect);
    keep_largest(worst, defect);
  }
  return {worst <= Bounds::tangent_defect, evidence};
}

// A loop of 1 % of the motion's size in q and p, carried along for 20 steps.
Verdict is_symplectic_by_loops(const MethodEntry& entry, const Problem& problem) {
  constexpr double radius = 0.01;
  constexpr int points = 64;
  constexpr long steps = 20;
  const State<double>& x = problem.states.front();
  const LoopPlan<double> plan = widest_loop(problem.sys, x, problem.size, radius);
  const auto measure = [&](int count) {
    return loop_integral(entry, problem.sys, x, problem.size, plan, count, problem.h, steps);
  };
  const LoopIntegral<double> coarse = measure(points), fine = measure(2 * points);
  const double converged = std::abs(fine.after - coarse.after) / std::abs(fine.before);
  return {coarse.change() <= Bounds::loop_defect && fine.change() <= Bounds::loop_defect &&
              converged <= Bounds::loop_defect,
          text("action %.3e changes by %.1e with %d points, %.1e with %d", fine.before, coarse.change(), points,
               fine.change(), 2 * points)};
}

Verdict keeps_momenta(const MethodEntry& entry, const Problem& problem) {
  NumericalMap<double> map(entry, problem.sys);
  const std::vector<bool> is_momentum = momentum_maps(problem.sys, problem.states.front());
  const Vec<double> error = momentum_errors(map, problem.sys, problem.start, problem.h, run_length, is_momentum);
  std::string evidence = "errors";
  double worst = 0;
  for (int k = 0; k < error.size(); ++k) {
    if (is_momentum[static_cast<std::size_t>(k)])
      evidence += " " + problem.sys.labels().invariants[static_cast<std::size_t>(k)] + text(" %.1e", error[k]);
    keep_largest(worst, error[k]);
  }
  return {worst <= Bounds::round_off, evidence};
}

Verdict keeps_energy(const MethodEntry& entry, const Problem& problem) {
  NumericalMap<double> map(entry, problem.sys);
  State<double> x = problem.start;
  map(x, problem.h, problem.about.settle);
  const EnergyDrift energy = energy_drift(map, problem.sys, x, problem.h, problem.about.energy_steps);
  // A method that keeps the energy exactly has no band to compare with, but a random walk of rounding errors.
  const double noise = Bounds::round_off * std::sqrt(static_cast<double>(problem.about.energy_steps)) * energy.size;
  return {std::abs(energy.drift) <= std::max(Bounds::energy_drift * energy.band(), noise),
          text("drift %.1e in a band of %.1e (%.4f), %ld steps", energy.drift, energy.band(),
               energy.drift / energy.band(), problem.about.energy_steps)};
}

const std::vector<Property>& properties() {
  static const std::vector<Property> all{
      {"order", [](const MethodInfo& info, const Case&) { return info.order > 0; }, has_order},
      {"symmetry", [](const MethodInfo& info, const Case&) { return info.symmetric; }, is_symmetric},
      {"reversibility", [](const MethodInfo& info, const Case&) { return info.symmetric; }, is_reversible},
      {"position", [](const MethodInfo& info, const Case& on) { return info.keeps_position && on.constraints > 0; },
       keeps_position},
      {"hidden", [](const MethodInfo& info, const Case& on) { return info.keeps_hidden && on.constraints > 0; },
       keeps_hidden},
      {"tangents", [](const MethodInfo& info, const Case&) { return info.symplectic; }, is_symplectic_by_tangents},
      {"loops", [](const MethodInfo& info, const Case&) { return info.symplectic; }, is_symplectic_by_loops},
      {"momenta", [](const MethodInfo& info, const Case& on) { return info.momentum_maps && on.momenta > 0; },
       keeps_momenta},
      {"energy", [](const MethodInfo& info, const Case&) { return info.symplectic; }, keeps_energy},
  };
  return all;
}

Verdict info_is_complete(const MethodInfo& info) {
  std::string missing;
  if (info.key.empty()) missing += " key";
  if (info.title.empty()) missing += " title";
  if (info.citation.empty()) missing += " citation";
  if (info.order <= 0) missing += " order";
  if (missing.empty() && methods().find(info.key).info.key != info.key) missing += " a key that leads back";
  return {missing.empty(), missing.empty() ? "complete" : "missing:" + missing};
}

}  // namespace holonom::contract
