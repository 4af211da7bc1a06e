#include "checks.hpp"

#include <cstdarg>
#include <cstdio>
#include <map>

#include "choice.hpp"
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

// Of properties that must hold at every step. Methods for comparison leave the motion in the long run.
long run_length(const MethodEntry& entry) { return entry.info.symplectic ? 300 : 50; }
constexpr std::initializer_list<long> few_steps{1, 10};  // of local properties
constexpr long most_substeps = 400000;                   // in the search for an energy drift of compositions

// The step of the model; of its stiff springs, if the method is not for steps that are long for them.
double usual_step(const MethodEntry& entry, const Problem& problem) {
  return problem.about.stiff() && !is_for_stiff(entry.info) ? problem.about.resolved : problem.h;
}
// Less, if substeps would be longer than that.
double local_step(const MethodEntry& entry, const Problem& problem) {
  return usual_step(entry, problem) / std::max(1.0, substeps(entry.info).largest);
}

// |h q'| / |q|
double travel(const MethodEntry& entry, const Problem& problem) {
  return usual_step(entry, problem) * problem.speed / problem.size.q;
}
double rounding_of(const MethodEntry& entry, const Problem& problem) {
  return holonom::rounding_of(entry.info, travel(entry, problem),
                              local_step(entry, problem) / usual_step(entry, problem));
}

Verdict judge(const OrderFit& fit, const MethodInfo& info, bool may_exceed, double reference_error) {
  std::string evidence = text("slopes %.4f (q) %.4f (p) from %d points; errors", fit.slope_q, fit.slope_p, fit.used);
  double smallest = 1;
  for (const OrderPoint& point : fit.points) {
    evidence += text(" %.1e/%.1e", point.error_q, point.error_p);
    smallest = std::min({smallest, point.error_q, point.error_p});
  }
  evidence += text("; reference %.1e", reference_error);
  const double bound = order_bound(info);
  const auto near = [&](double slope, int order) {
    return slope >= order - bound && (may_exceed || slope <= order + bound);
  };
  const int order_q = info.order_q > 0 ? info.order_q : info.order;
  return {fit.used >= 3 && near(fit.slope_q, order_q) && near(fit.slope_p, info.order) &&
              reference_error <= 1e-2 * smallest,
          evidence};
}

// Whether V has no force along the manifold at the start.
bool starts_without_force(const Problem& problem) {
  if (!knows(problem.sys, Quantity::V)) return false;
  State<double> x = problem.start;
  problem.sys.V_q(x.q, x.p);
  const double whole = std::sqrt(dot(x.p, x.p));
  if (!Manifold<double>(problem.sys).project_momentum(x).ok()) return false;
  return std::sqrt(dot(x.p, x.p)) <= 1e-6 * std::max(whole, problem.size.p);
}

// Methods with stages that are not made for constraints have a higher order without.
bool is_hindered_by_constraints(const MethodInfo& info) { return info.stages > 0 && !info.symplectic; }
// Whether the manifold is flat along the motion, g_qq(v, v) = 0, or there is none: then such methods have that order.
bool moves_on_a_flat_manifold(const Problem& problem) {
  Vec<double> v(problem.sys.n()), c(problem.sys.m()), error(problem.sys.n()), size(problem.sys.m());
  for (const State<double>& x : problem.states) {
    problem.sys.H_p(x.q, x.p, v);
    problem.sys.g_qq(x.q, v, v, c);
    like_rounding_errors(v, error);
    problem.sys.g_qq(x.q, v, error, size);
    for (int k = 0; k < c.size(); ++k)
      if (!(std::abs(c[k]) <= 1e-10 * std::abs(size[k]))) return false;
  }
  return true;
}

// The exact solution at the problem's time, to some thirty digits: of each model once.
const ReferenceSolution<quad>& exact_solution(const ModelSystem<quad>& sys, const State<quad>& start, const Case& on) {
  static std::map<std::string_view, ReferenceSolution<quad>> known;
  if (const auto found = known.find(on.model); found != known.end()) return found->second;
  ReferenceFlow<quad> flow(sys);
  const auto precise = [](const ReferenceSolution<quad>& x) { return x.error < 1e-30; };
  return known.emplace(on.model, reference_solution(flow, start, quad(on.time), 32, 2048, precise)).first->second;
}

// Errors of high orders are through double's sixteen digits after two or three halvings of the step: these are
// measured in quad. The coarsest run has 8 times longer substeps than those for order 2; of implicit Runge-Kutta
// methods 4 times longer steps.
Verdict has_high_order(const MethodEntry& entry, const Problem& problem) {
  const ModelSystem<quad> sys(problem.compiled);
  const State<quad> start = initial_state(sys).state;
  const quad time(problem.about.time);
  const ReferenceSolution<quad>& exact = exact_solution(sys, start, problem.about);
  const double largest = substeps(entry.info).largest * (entry.info.order == 1 ? 64 : entry.info.stages > 0 ? 2 : 1);
  long coarsest = std::max(4L, std::lround(static_cast<double>(problem.about.coarsest) * largest / 8));
  // Slopes that are off by O(h) creep to their limit, and may agree by chance on the way.
  const double settled = entry.info.symmetric ? 0.05 : 0.02;
  const int times = entry.info.symmetric ? 1 : 2;
  const auto fit = [&] {
    for (;; coarsest *= 2) {
      try {
        return settled_order(entry, sys, start, exact.state, time, coarsest, settled, times);
      } catch (const StepFailed&) {  // long steps may, of explicit methods on stiff springs
        if (coarsest > 8 * problem.about.coarsest) throw;
      }
    }
  }();
  return judge(fit, entry.info, is_hindered_by_constraints(entry.info) && moves_on_a_flat_manifold(problem),
               exact.error);
}

}  // namespace

bool measures_order_in_quad(const MethodInfo& info, const Case& on) {
  // In double rounding errors are larger than those of motions in which stiff springs hardly ring; and with long steps
  // slopes of methods that are hindered by constraints are those of their higher order. Errors of order 2 without
  // symmetry have a next term of order 3: slopes settle at short steps.
  return std::max(info.order, info.order_q) > 2 || is_hindered_by_constraints(info) || on.stiff() ||
         (info.order == 2 && !info.symmetric);
}

Verdict has_order(const MethodEntry& entry, const Problem& problem) {
  if (measures_order_in_quad(entry.info, problem.about)) return has_high_order(entry, problem);
  // Symplectic Euler is RATTLE between half a kick and its inverse: where the first does nothing, its q are of order 2,
  // and its p as well without forces.
  const bool may_exceed = entry.info.order == 1 && starts_without_force(problem);
  const long n = entry.info.order == 1 ? 8 * problem.about.coarsest : problem.about.coarsest;
  return judge(convergence_order(entry, problem.sys, problem.start, problem.states.back(), problem.about.time,
                                 {n, 2 * n, 4 * n, 8 * n}),
               entry.info, may_exceed, problem.reference_error);
}

Verdict is_symmetric(const MethodEntry& entry, const Problem& problem) {
  NumericalMap<double> map(entry, problem.sys);
  double defect = 0;
  for (const State<double>& x : problem.states)
    for (const long steps : few_steps)
      keep_largest(defect, symmetry_defect(map, x, problem.size, local_step(entry, problem), steps));
  return {defect <= Bounds::round_off * rounding_of(entry, problem), text("defect %.1e", defect)};
}

Verdict is_reversible(const MethodEntry& entry, const Problem& problem) {
  NumericalMap<double> map(entry, problem.sys);
  double defect = 0;
  for (const State<double>& x : problem.states)
    for (const long steps : few_steps)
      keep_largest(defect, reversibility_defect(map, problem.sys.reversal(), x, problem.size,
                                                local_step(entry, problem), steps));
  return {defect <= Bounds::round_off * rounding_of(entry, problem), text("defect %.1e", defect)};
}

Verdict keeps_position(const MethodEntry& entry, const Problem& problem) {
  NumericalMap<double> map(entry, problem.sys);
  const double r =
      constraint_residuals(map, problem.sys, problem.start, local_step(entry, problem), run_length(entry)).position;
  return {r <= Bounds::round_off, text("|g| %.1e", r)};
}

Verdict keeps_hidden(const MethodEntry& entry, const Problem& problem) {
  NumericalMap<double> map(entry, problem.sys);
  const double r =
      constraint_residuals(map, problem.sys, problem.start, local_step(entry, problem), run_length(entry)).hidden;
  return {r <= Bounds::round_off, text("|G H_p| %.1e", r)};
}

// G H_p = O(h²), where it is not kept: half the step, a quarter of the residual.
Verdict keeps_hidden_to_order_two(const MethodEntry& entry, const Problem& problem) {
  NumericalMap<double> map(entry, problem.sys);
  // Where stiff springs ring with rounding errors, these are larger than what short steps leave.
  const double longest = usual_step(entry, problem) * (problem.about.stiff() ? 8 : 1);
  constexpr long steps = 10;
  const auto residual = [&](long parts) {
    return constraint_residuals(map, problem.sys, problem.states.front(), longest / static_cast<double>(parts),
                                parts * steps)
        .hidden;
  };
  const double whole = residual(2), half = residual(4), quarter = residual(8);
  const auto is_four = [](double ratio) { return std::abs(ratio - 4) <= 0.4; };
  // The locomotive keeps it, whatever the method: its wheels turn evenly. Rounding errors of p are ε/h then.
  const bool nothing =
      quarter <= 8 * Bounds::round_off * problem.size.q / (usual_step(entry, problem) * problem.size.p);
  return {nothing || (is_four(whole / half) && is_four(half / quarter)),
          text("|G H_p| %.2e, %.2e, %.2e: ratios %.3f %.3f", whole, half, quarter, whole / half, half / quarter)};
}

Verdict is_symplectic_by_tangents(const MethodEntry& entry, const Problem& problem) {
  const ModelSystem<Dual<double>> dual(problem.compiled);
  std::string evidence;
  double worst = 0;
  for (const long steps : few_steps) {
    double defect = 0;
    for (const State<double>& x : problem.states)
      keep_largest(defect,
                   symplectic_defect(entry, problem.sys, dual, x, problem.size, local_step(entry, problem), steps));
    evidence += text("%ld steps %.1e  ", steps, defect);
    keep_largest(worst, defect);
  }
  return {worst <= Bounds::tangent_defect, evidence};
}

// det Φ' = 1, by the same tangents
Verdict preserves_volume(const MethodEntry& entry, const Problem& problem) {
  const ModelSystem<Dual<double>> dual(problem.compiled);
  std::string evidence;
  double worst = 0;
  for (const long steps : few_steps) {
    double defect = 0;
    for (const State<double>& x : problem.states)
      keep_largest(defect, volume_defect(entry, dual, x, local_step(entry, problem), steps));
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
    return loop_integral(entry, problem.sys, x, problem.size, plan, count, local_step(entry, problem), steps);
  };
  const LoopIntegral<double> coarse = measure(points), fine = measure(2 * points);
  const double converged = std::abs(fine.after - coarse.after) / std::abs(fine.before);
  const double bound = Bounds::loop_defect * positions_to_momenta(entry.info, travel(entry, problem));
  return {coarse.change() <= bound && fine.change() <= bound && converged <= bound,
          text("action %.3e changes by %.1e with %d points, %.1e with %d", fine.before, coarse.change(), points,
               fine.change(), 2 * points)};
}

Verdict keeps_momenta(const MethodEntry& entry, const Problem& problem) {
  NumericalMap<double> map(entry, problem.sys);
  const std::vector<bool> is_momentum = momentum_maps(problem.sys, problem.states.front());
  const Vec<double> error =
      momentum_errors(map, problem.sys, problem.start, local_step(entry, problem), run_length(entry), is_momentum);
  std::string evidence = "errors";
  double worst = 0;
  for (int k = 0; k < error.size(); ++k) {
    if (is_momentum[static_cast<std::size_t>(k)])
      evidence += " " + problem.sys.labels().invariants[static_cast<std::size_t>(k)] + text(" %.1e", error[k]);
    keep_largest(worst, error[k]);
  }
  return {worst <= Bounds::round_off * rounding_of(entry, problem), evidence};
}

// Of a field, those that have a form which the method keeps.
Verdict keeps_first_integrals(const MethodEntry& entry, const Problem& problem) {
  NumericalMap<double> map(entry, problem.sys);
  const std::vector<InvariantForm> forms = invariant_forms(problem.sys, problem.states.front());
  const Vec<double> error =
      invariant_errors(map, problem.sys, problem.start, local_step(entry, problem), run_length(entry));
  std::string evidence = "errors";
  double worst = 0;
  for (std::size_t k = 0; k < forms.size(); ++k) {
    const bool claimed = (entry.info.bilinear_invariants && forms[k] == InvariantForm::bilinear) ||
                         (entry.info.quadratic_invariants && forms[k] != InvariantForm::other);
    if (!claimed) continue;
    evidence += " " + problem.sys.labels().invariants[k] + text(" %.1e", error[static_cast<int>(k)]);
    keep_largest(worst, error[static_cast<int>(k)]);
  }
  return {worst <= Bounds::round_off * rounding_of(entry, problem), evidence};
}

Verdict keeps_energy(const MethodEntry& entry, const Problem& problem) {
  NumericalMap<double> map(entry, problem.sys);
  State<double> x = problem.start;
  const auto [count, largest, sum] = substeps(entry.info);
  static_cast<void>(sum);
  // No less than twice the usual one: high orders shall have a band. But the energies of chaotic motions walk away with
  // steps that are too long.
  const double h = usual_step(entry, problem) / std::max(largest, problem.about.chaotic ? 1.0 : 0.5);
  long steps = problem.about.energy_steps;
  if (h < problem.h / 40) steps *= 40;  // the slow motion takes its time
  const bool large = problem.about.constraints >= 50;
  // (The symplectic projection solves each step of a composition several times.)
  const bool slow = large || entry.info.projection == "symplectic";
  if (count > 1) steps = std::min(steps, most_substeps / count / (slow ? 4 : 1));
  map(x, h, problem.about.settle);
  // What a run of this length cannot tell from none is decided by longer ones: a drift grows with them, and means of
  // oscillations fall. (Not so of chaotic motions: sooner or later a walk comes back. The error of the stiff chain
  // oscillates slowly, beside steps that resolve its springs.)
  for (int longer = 0;; ++longer, steps *= 4) {
    const EnergyDrift energy = energy_along(map, problem.sys, x, h, steps);
    const double noise =
        energy_noise(entry.info, rounding_of(entry, problem), problem.about.offers == Needs::hamiltonian,
                     problem.sys.has_roots(), energy.size, std::numeric_limits<double>::epsilon(), steps);
    const double allowed = std::max(Bounds::energy_drift * energy.band(), noise);
    const Trend& trend = energy.trend;
    const bool is_wander = problem.about.chaotic && trend.is_wander();
    const bool holds = std::abs(trend.change) <= allowed + (is_wander ? trend.interval : 0);
    if (!holds && longer < 2 && (!problem.about.chaotic || problem.about.stiff()) && !trend.is_seen()) continue;
    return {
        holds,
        text("drift %.1e ± %.1e in a band of %.1e (%.4f), memory %.2f, added up %.2f, %ld steps; rounding errors %.1e",
             trend.change, trend.interval, energy.band(), trend.change / energy.band(), trend.memory, trend.added_up,
             steps, noise)};
  }
}

const std::vector<Property>& properties() {
  static const std::vector<Property> all{
      {"order", [](const MethodInfo&, const Case&) { return true; }, has_order},
      {"symmetry", [](const MethodInfo& info, const Case&) { return info.symmetric; }, is_symmetric},
      {"reversibility", [](const MethodInfo& info, const Case& on) { return info.symmetric && on.reversible; },
       is_reversible},
      {"position", [](const MethodInfo& info, const Case& on) { return info.keeps_position && on.constraints > 0; },
       keeps_position},
      {"hidden", [](const MethodInfo& info, const Case& on) { return info.keeps_hidden && on.constraints > 0; },
       keeps_hidden},
      {"hidden O(h^2)",
       [](const MethodInfo& info, const Case& on) {
         return info.symplectic && info.keeps_position && !info.keeps_hidden && on.constraints > 0;
       },
       keeps_hidden_to_order_two},
      {"tangents", [](const MethodInfo& info, const Case&) { return info.symplectic; }, is_symplectic_by_tangents},
      {"loops", [](const MethodInfo& info, const Case&) { return info.symplectic; }, is_symplectic_by_loops},
      {"volume", [](const MethodInfo& info, const Case& on) { return info.volume && on.field; }, preserves_volume},
      {"momenta", [](const MethodInfo& info, const Case& on) { return info.momentum_maps && on.momenta > 0; },
       keeps_momenta},
      {"first integrals",
       [](const MethodInfo& info, const Case& on) {
         return on.field && (info.bilinear_invariants || info.quadratic_invariants);
       },
       keeps_first_integrals},
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
