// holonom check: reads a model, reports what it is, and runs nothing.
#include <cstdio>
#include <limits>

#include "commands.hpp"
#include "holonom/analysis/invariants.hpp"
#include "holonom/analysis/momentum_maps.hpp"
#include "holonom/analysis/symmetry.hpp"
#include "holonom/model/start.hpp"
#include "holonom/model/toml.hpp"
#include "holonom/run/preparation.hpp"
#include "holonom/solve/chart_point.hpp"
#include "holonom/solve/constraint_rank.hpp"
#include "holonom/solve/manifold.hpp"
#include "options.hpp"

namespace holonom {

namespace {

const char* form_name(CompiledModel::Form form) {
  switch (form) {
    case CompiledModel::Form::separable: return "H = p.M^-1 p/2 + V(q), constant mass";
    case CompiledModel::Form::mass_matrix: return "H = p.M(q)^-1 p/2 + V(q), mass matrix depends on the position";
    case CompiledModel::Form::general: return "general H(q, p)";
  }
  return "";
}

const char* conservation_name(Conservation conservation, bool constrained) {
  switch (conservation) {
    case Conservation::strong:
      return constrained ? "conserved by the exact flow, strong (on the manifold and off it)"
                         : "conserved by the exact flow, strong";
    case Conservation::weak: return "conserved by the exact flow, weak (on the manifold only)";
    case Conservation::none: return "NOT conserved by the exact flow";
    case Conservation::unknown: return "NOT known";
  }
  return "";
}

// What symmetries of positions conserve, beyond what the model calls an invariant
void print_momentum_maps(const ModelSystem<double>& sys, const State<double>& start) {
  if (sys.is_field()) return;
  const MomentumMaps maps = find_momentum_maps(sys, start);
  constexpr std::size_t shown = 12;
  if (maps.found.empty()) std::printf("  momentum maps    %s\n", maps.named.empty() ? "none found" : "no others found");
  for (std::size_t k = 0; k < std::min(shown, maps.found.size()); ++k) {
    const MomentumMap& map = maps.found[k];
    std::printf("  momentum map %-3s %s\n                   found, %s\n                   %s\n", map.name.c_str(),
                map.formula.c_str(), conservation_name(map.conservation, sys.m() > 0), map.evidence.c_str());
  }
  if (maps.found.size() > shown) std::printf("                   and %zu more\n", maps.found.size() - shown);
}

int check(const std::string& path, const std::vector<std::string>& set) {
  const auto compiled = compile(load_model(path, changes(set)));
  const ModelSystem<double> sys(compiled);
  const Labels& labels = sys.labels();
  std::printf("%s (%s)\n", labels.model.c_str(), path.c_str());
  if (sys.is_field()) {
    const std::size_t first = labels.coordinates.size(), second = labels.momenta();
    std::printf("  variables        %zu", first + second);
    if (labels.has_parts()) std::printf(", %zu in q and %zu in p", first, second);
    std::printf("\n  motion           a field, %s\n", labels.has_parts() ? "q' = g(q, p), p' = f(q, p)" : "y' = f(y)");
  } else {
    std::printf("  coordinates      %d\n  constraints      %d\n", sys.n(), sys.m());
    std::printf("  energy           %s\n", form_name(compiled->form()));
  }
  if (sys.m() > 0)
    std::printf("  Jacobian G       %d x %d, %d nonzeros (%.0f %%)\n", sys.m(), sys.n(), sys.pattern().nonzeros(),
                100.0 * sys.pattern().nonzeros() / (static_cast<double>(sys.m()) * sys.n()));

  const Start<double> start = initial_state(sys);
  Manifold<double> manifold(sys);
  const auto position = manifold.position(start.state.q), hidden = manifold.hidden(start.state.q, start.state.p);
  const ConstraintRank rank = constraint_rank(sys, start.state);
  if (sys.has_energy()) std::printf("  energy at start  %.15g\n", sys.H(start.state.q, start.state.p));
  if (sys.m() > 0) {
    std::printf("  consistency      |g| = %.1e, |G H_p| = %.1e%s\n", position.absolute, hidden.absolute,
                compiled->model().project ? " (projected)" : "");
    if (start.moved > 0) std::printf("                   projection moved a coordinate by %.1e at most\n", start.moved);
    if (start.energy_lost > 0)
      std::printf("                   projection of the motion took %.1e of the energy\n", start.energy_lost);
    std::printf("  rank of G        %d of %d%s\n", rank.rank, sys.m(),
                rank.rank == sys.m()     ? ""
                : rank.singular_position ? ": the start is a singular position"
                                         : ": redundant constraints");
    if (!rank.is_clear())
      std::printf(
          "                   there is no clear gap: the last constraint that counts has %.0f times the pivot of the "
          "next\n",
          rank.gap);
    constexpr std::size_t shown = 5;
    for (std::size_t i = 0; i < std::min(shown, rank.dependent.size()); ++i)
      std::printf("                   dependent: %s\n", quoted_list(labels.constraints, rank.dependent[i]).c_str());
    if (rank.dependent.size() > shown)
      std::printf("                   and %zu more sets\n", rank.dependent.size() - shown);
    std::printf("  freedom          %d degrees\n", sys.n() - rank.rank);
  }
  if (const Parametrisation<double>* phi = parametrisation_of<double>(sys)) {
    ChartPoint<double> at(sys, *phi);
    (void)at.find(start.state.q);  // initial_state has found it
    for (int k = 0; k < at.freedom(); ++k)
      std::printf("  %-16s %s = %.6g at the start\n", k == 0 ? "chart" : "",
                  phi->parameter_names()[static_cast<std::size_t>(k)].c_str(), at.delta[k]);
  }
  const double reversal = reversal_defect(sys, start.state);
  if (sys.is_field() && !compiled->model().reversal_given && !(reversal < 1e-10))
    std::printf("  reversibility    none is known: no [reversal] is given\n");
  else
    std::printf("  reversibility    %s (defect %.1e)\n",
                reversal < 1e-10 ? "the flow is reversible with the model's involution"
                                 : "NOT reversible with this involution: see [reversal]",
                reversal);
  for (const InvariantReport& invariant : invariant_reports(sys, start.state))
    std::printf(
        "  invariant %-8s %s%s%s\n", invariant.name.c_str(), conservation_name(invariant.conservation, sys.m() > 0),
        invariant.conservation == Conservation::unknown ? ": " : "\n                   ", invariant.evidence.c_str());
  print_momentum_maps(sys, start.state);
  if (!labels.observables.empty()) {
    State<double> x = start.state;
    if (!manifold.multipliers(x).ok()) fill(x.lambda, std::numeric_limits<double>::quiet_NaN());
    Vec<double> observed(static_cast<int>(labels.observables.size()));
    sys.observables(x, observed);
    for (std::size_t k = 0; k < labels.observables.size(); ++k)
      std::printf("  observable %-7s %.6g at the start\n", labels.observables[k].c_str(),
                  observed[static_cast<int>(k)]);
  }
  const auto& events = compiled->model().events;
  Vec<double> value(static_cast<int>(events.size())), scale(value.size());
  sys.events(start.state.q, start.state.p, value, scale);
  constexpr const char* directions[] = {"", ", upwards", ", downwards"};
  for (std::size_t k = 0; k < events.size(); ++k)
    std::printf("  event %-12s crosses zero%s; %.6g at the start\n", events[k].name.c_str(),
                directions[static_cast<int>(events[k].direction)], value[static_cast<int>(k)]);
  if (rank.singular_position)
    (void)rank_remarks<double>(sys, start.state, compiled->model().place("initial.q"), {});  // throws, with the reason
  return exit_done;
}

}  // namespace

void add_check(CLI::App& app, Command& chosen) {
  auto path = std::make_shared<std::string>();
  auto set = std::make_shared<std::vector<std::string>>();
  CLI::App* cmd = app.add_subcommand("check", "Read a model and report sizes, consistency, rank and symmetries");
  cmd->add_option("MODEL", *path, "A model file (TOML)")->required();
  add_set_option(*cmd, *set);
  cmd->callback([=, &chosen] { chosen = [=] { return check(*path, *set); }; });
}

}  // namespace holonom
