// What a model is, without a step of it: sizes, form, the start, and what its symmetries conserve.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "holonom/analysis/momentum_maps.hpp"
#include "holonom/solve/constraint_rank.hpp"

namespace holonom {

struct ModelReport {
  // ---- known without evaluating anything
  std::string model, file;  // file: empty if it was made by expressions
  bool is_field = false, has_parts = false, has_energy = true;
  std::size_t variables_in_q = 0, variables_in_p = 0;  // of a field
  int n = 0, m = 0, nonzeros = 0;                      // coordinates, constraints, and nonzeros of G
  CompiledModel::Form form = CompiledModel::Form::general;

  // ---- at the start
  struct Value {
    std::string name;
    double at_start = 0;
  };
  struct Event {
    std::string name;
    Direction direction = Direction::both;
    double at_start = 0;
  };
  double energy = 0;
  double position = 0, hidden = 0;  // |g|, |G H_p|
  bool projected = false;
  double moved = 0, energy_lost = 0;  // by the projection
  ConstraintRank rank;
  std::vector<std::string> constraints;  // names, for those that are dependent
  std::vector<Value> chart, observables;
  std::vector<Event> events;

  // ---- symmetries and what they conserve
  double reversal_defect = 0;
  bool reversal_given = false;
  std::vector<InvariantReport> invariants;
  MomentumMaps momentum_maps;

  std::string obstacle;  // why no run can start there: a singular position

  bool is_reversible() const { return reversal_defect < 1e-10; }
  int freedom() const { return n - rank.rank; }
};

// The first part alone; all of it. The second adds nodes to the graph of the model (not while other threads use it) and
// throws InputError if there is no start.
ModelReport outline_of(const ModelSystem<double>& sys);
ModelReport report_of(const ModelSystem<double>& sys);

}  // namespace holonom
