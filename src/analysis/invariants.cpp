#include "holonom/analysis/invariants.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "../model/tables.hpp"
#include "bracket_proof.hpp"
#include "holonom/analysis/symmetry.hpp"
#include "holonom/wide.hpp"
#include "largest_rates.hpp"

namespace holonom {

namespace {

// At how many random points invariants are tested: in 100 digits as long as one point takes about a second at most, and
// one will tell what is not zero; else in double.
constexpr int many_points = 20, points_in_double = 3;

// Operations at one state, of formulas and of solves that are dense. It must not depend on the machine.
double size_of(const ModelSystem<double>& sys) {
  const Model& model = sys.compiled().model();
  const double n = sys.n(), m = sys.m();
  const bool diagonal = sys.compiled().form() == CompiledModel::Form::separable && sys.compiled().mass_is_diagonal();
  double size = n + m + (diagonal || sys.compiled().mass_pattern() ? 0 : n * n);
  const auto nodes = [&](NodeId f) { return static_cast<double>(model.graph->reachable(std::span(&f, 1)).size()); };
  for (const MappedTerm& term : model.terms)
    if (term.role != MappedTerm::Role::observable) size += term.rows * nodes(term.kernel);
  for (const auto* formula : {&model.hamiltonian, &model.kinetic, &model.potential})
    if (*formula) size += nodes(**formula);
  if (model.field)
    for (const auto* rates : {&model.field->q_rate, &model.field->p_rate})
      for (const NodeId rate : *rates) size += nodes(rate);
  for (const auto* named : {&model.constraints, &model.invariants})
    for (const Named& formula : *named) size += nodes(formula.node);
  if (m == 0) return size;
  Vec<double> uses(sys.n());  // of a coordinate, by constraints: G H_pp Gᵀ has about Σ uses² entries
  for (const int j : sys.pattern().column) ++uses[j];
  const double entries = std::min(m * m, dot(uses, uses));
  return size + entries * entries / m / 6;
}

// Rates below these are rounding errors, of solves with G H_pp Gᵀ and of positions far from the origin as well.
template <class S>
double round_off() {
  return std::is_same_v<S, double> ? 1e-9 : 1e-70;
}

struct InvariantTrial {
  std::string precision;
  double tolerance = 0;
  LargestRates on, off;
};

template <class S>
InvariantTrial trial(const ModelSystem<double>& sys, const State<double>& start, int points) {
  const ModelSystem<S> wide(sys.compiled_model());
  Manifold<S> manifold(wide);
  const auto states_in_S = [&](const std::vector<State<double>>& states, bool project) {
    std::vector<State<S>> result;
    for (const State<double>& x : states) {
      State<S> y(sys.n(), sys.m());
      for (int i = 0; i < sys.n(); ++i) {
        y.q[i] = S(x.q[i]);
        y.p[i] = S(x.p[i]);
      }
      if (!project || manifold.project(y).ok()) result.push_back(std::move(y));
    }
    return result;
  };
  std::vector<State<double>> on = nearby_states(sys, start, points + 1);
  on.erase(on.begin());
  InvariantTrial result{precision_name<S>(), round_off<S>(), {}, {}};
  result.on = largest_rates<S>(wide, states_in_S(on, true));
  if (sys.m() > 0) result.off = largest_rates<S>(wide, states_in_S(states_off_manifold(sys, start, points), false));
  return result;
}

InvariantTrial trial(const ModelSystem<double>& sys, const State<double>& start) {
  constexpr double worth = 4e5;
  const int points = static_cast<int>(std::min<double>(worth / size_of(sys), many_points));
  if (points == 0) return trial<double>(sys, start, points_in_double);
  // Linkages that only move because of their lengths do not in 100 digits, if these were rounded.
  InvariantTrial wide = trial<mp100>(sys, start, points);
  return wide.on.states > 0 ? wide : trial<double>(sys, start, points);
}

std::string printed(const char* format, double x) {
  char text[32];
  std::snprintf(text, sizeof text, format, x);
  return text;
}

void judge(InvariantReport& report, const InvariantTrial& trial, std::size_t k, bool constrained) {
  report.precision = trial.precision;
  report.points = trial.on.states;
  report.largest = trial.on.largest[k];
  if (!is_finite(report.largest)) {
    report.evidence = "dI/dt is not finite at states near the start";
    return;
  }
  report.conservation = report.largest > trial.tolerance ? Conservation::none : Conservation::strong;
  const bool look_off = constrained && report.conservation == Conservation::strong;
  if (look_off) {
    report.points_off = trial.off.states;
    report.largest_off = trial.off.largest[k];
    if (!(report.largest_off <= trial.tolerance)) report.conservation = Conservation::weak;
  }
  report.evidence =
      "tested at " + std::to_string(report.points) + (report.points == 1 ? " random point" : " random points");
  if (look_off && report.points_off != report.points)
    report.evidence += " on the manifold and " + std::to_string(report.points_off) + " off it";
  report.evidence += trial.precision == "double" ? " in double" : " in " + trial.precision + " digits";
  report.evidence += ": largest rate " + printed("%.1e", report.largest) + " of its terms";
  if (look_off)
    report.evidence += " on the manifold, " +
                       (is_finite(report.largest_off) ? printed("%.1e", report.largest_off) : "not finite") + " off it";
}

// Whether a formula has jumps, at which its rate is not what becomes of it. Row values do not change.
bool may_jump(const Graph& graph, const MappedTerm& invariant) {
  std::vector<NodeId> fixed;
  for (const MappedTerm::RowValue& value : invariant.values) fixed.push_back(value.input);
  const auto moves = [&](NodeId f) {
    const std::vector<NodeId> nodes = graph.reachable(std::span(&f, 1));
    return std::any_of(nodes.begin(), nodes.end(), [&](NodeId i) {
      return graph[i].op == Op::input && std::find(fixed.begin(), fixed.end(), i) == fixed.end();
    });
  };
  const std::vector<NodeId> nodes = graph.reachable(std::span(&invariant.kernel, 1));
  return std::any_of(nodes.begin(), nodes.end(), [&](NodeId i) {
    const Op op = graph[i].op;
    const bool jumps = op == Op::floor || op == Op::sign || op == Op::less || op == Op::less_equal || op == Op::equal;
    return jumps && moves(i);
  });
}

// The invariants in the order of the labels: those without a table are terms of one row, of which the coordinates with
// names of their own are read.
std::vector<MappedTerm> invariant_terms(const Model& model) {
  using From = MappedTerm::Gather::From;
  std::vector<MappedTerm> terms;
  for (const Named& invariant : model.invariants) {
    MappedTerm& term = terms.emplace_back();
    term.rows = 1;
    term.kernel = invariant.node;
    if (!model.vectors.empty()) term.gathers = {{From::position, model.q, {0}}, {From::momentum, model.p, {0}}};
  }
  for (const MappedTerm& term : model.terms)
    if (term.role == MappedTerm::Role::invariant) terms.push_back(term);
  return terms;
}

// {I, H} = 0 and {I, g} = 0
class Proof {
 public:
  explicit Proof(const Model& model) : model_(model) {
    if (!has_tables(model)) brackets_.emplace(model);
    for (const MappedTerm& term : model.terms) rows_ += term.rows;
  }
  bool operator()(std::size_t k, const MappedTerm& invariant) {
    if (brackets_) return brackets_->vanish(k);
    if (model_.vectors.empty() || (rows_left_ -= rows_ + model_.n()) < 0) return false;
    return kernel_brackets_vanish(model_, invariant);
  }

 private:
  const Model& model_;
  std::optional<BracketProof> brackets_;
  long rows_ = 0, rows_left_ = 20'000'000;  // each takes some tenths of a microsecond
};

}  // namespace

std::vector<InvariantReport> invariant_reports(const ModelSystem<double>& sys, const State<double>& start) {
  const Model& model = sys.compiled().model();
  const std::vector<double> rates = invariant_rates(sys, start);
  std::vector<InvariantReport> reports(rates.size());
  if (reports.empty()) return reports;
  const std::vector<MappedTerm> invariants = invariant_terms(model);
  Proof proof(model);
  std::optional<InvariantTrial> tested;
  for (std::size_t k = 0; k < reports.size(); ++k) {
    InvariantReport& report = reports[k];
    report.name = sys.labels().invariants[k];
    if (!is_finite(rates[k])) {  // what has no value is not conserved, whatever algebra says
      report.evidence = "dI/dt is not finite at states near the start";
      continue;
    }
    if (proof(k, invariants[k])) {
      report.conservation = Conservation::strong;
      report.proved = true;
      report.evidence = sys.is_field() ? "proved: dI/dt = 0"
                        : sys.m() > 0  ? "proved: {I, H} = 0 and {I, g} = 0"
                                       : "proved: {I, H} = 0";
      if (!model.vectors.empty()) report.evidence += ", kernel by kernel";
    } else {
      if (!tested) tested = trial(sys, start);
      judge(report, *tested, k, sys.m() > 0);
    }
    if ((report.conservation == Conservation::strong || report.conservation == Conservation::weak) &&
        may_jump(*model.graph, invariants[k]))
      report.evidence += "; as long as its floors, signs and comparisons do not change";
  }
  return reports;
}

}  // namespace holonom
