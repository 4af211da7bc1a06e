#include "holonom/analysis/model_report.hpp"

#include <limits>

#include "holonom/analysis/interruption.hpp"
#include "holonom/analysis/symmetry.hpp"
#include "holonom/model/start.hpp"
#include "holonom/run/preparation.hpp"
#include "holonom/solve/chart_point.hpp"
#include "holonom/solve/manifold.hpp"

namespace holonom {

namespace {

void look_at_start(ModelReport& report, const ModelSystem<double>& sys, const Start<double>& start) {
  const State<double>& x = start.state;
  const Labels& labels = sys.labels();
  const Model& model = sys.compiled().model();
  Manifold<double> manifold(sys);
  if (sys.has_energy()) report.energy = sys.H(x.q, x.p);
  report.position = manifold.position(x.q).absolute;
  report.hidden = manifold.hidden(x.q, x.p).absolute;
  report.projected = model.project;
  report.moved = start.moved;
  report.energy_lost = start.energy_lost;
  report.rank = constraint_rank(sys, x);
  if (const Parametrisation<double>* phi = parametrisation_of<double>(sys)) {
    ChartPoint<double> at(sys, *phi);
    (void)at.find(x.q);  // initial_state has found it
    for (int k = 0; k < at.freedom(); ++k)
      report.chart.push_back({phi->parameter_names()[static_cast<std::size_t>(k)], at.delta[k]});
  }
  if (!labels.observables.empty()) {
    State<double> with_forces = x;
    if (!manifold.multipliers(with_forces).ok()) fill(with_forces.lambda, std::numeric_limits<double>::quiet_NaN());
    Vec<double> observed(static_cast<int>(labels.observables.size()));
    sys.observables(with_forces, observed);
    for (std::size_t k = 0; k < labels.observables.size(); ++k)
      report.observables.push_back({labels.observables[k], observed[static_cast<int>(k)]});
  }
  Vec<double> value(static_cast<int>(model.events.size())), scale(value.size());
  sys.events(x.q, x.p, value, scale);
  for (std::size_t k = 0; k < model.events.size(); ++k)
    report.events.push_back({model.events[k].name, model.events[k].direction, value[static_cast<int>(k)]});
}

}  // namespace

ModelReport outline_of(const ModelSystem<double>& sys) {
  const Labels& labels = sys.labels();
  const Model& model = sys.compiled().model();
  ModelReport report;
  report.model = labels.model;
  if (!model.files.empty()) report.file = model.files.front();
  report.is_field = sys.is_field();
  report.has_parts = labels.has_parts();
  report.has_energy = sys.has_energy();
  report.variables_in_q = labels.coordinates.size();
  report.variables_in_p = labels.momenta();
  report.n = sys.n();
  report.m = sys.m();
  report.nonzeros = sys.pattern().nonzeros();
  report.form = sys.compiled().form();
  report.constraints = labels.constraints;
  report.reversal_given = model.reversal_given;
  return report;
}

ModelReport report_of(const ModelSystem<double>& sys) {
  ModelReport report = outline_of(sys);
  const Start<double> start = initial_state(sys);
  look_at_start(report, sys, start);
  stop_if_interrupted();
  report.reversal_defect = reversal_defect(sys, start.state);
  stop_if_interrupted();
  report.invariants = invariant_reports(sys, start.state);
  stop_if_interrupted();
  if (!sys.is_field()) report.momentum_maps = find_momentum_maps(sys, start.state);
  if (report.rank.singular_position) try {
      (void)rank_remarks<double>(sys, start.state, sys.compiled().model().place("initial.q"), {});
    } catch (const InputError& e) {
      report.obstacle = e.what();
    }
  return report;
}

}  // namespace holonom
