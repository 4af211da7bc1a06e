// Momentum maps of a model that nobody had to name: p·(A q + b) for each affine symmetry of its positions
// (point_symmetries.hpp), with coefficients as exact numbers, and proved on the graph.
#pragma once

#include "holonom/analysis/invariants.hpp"

namespace holonom {

struct MomentumMap {
  std::string name;     // J1, J2, ...
  std::string formula;  // as a model file would say it
  Conservation conservation = Conservation::strong;
  bool proved = false;   // else tested at random points, in double
  std::string evidence;  // the same in words
  // What can be added to the model, if the coefficients are known exactly: a formula, or one over a table.
  std::optional<NodeId> node;
  std::optional<MappedTerm> term;
};

struct MomentumMaps {
  std::vector<std::string> named;  // invariants of the model that are momentum maps of affine symmetries
  std::vector<MomentumMap> found;  // others, which are independent of these and of each other
};

// Adds nodes to the graph of the model: not while other threads use it. Fields have none.
MomentumMaps find_momentum_maps(const ModelSystem<double>& sys, const State<double>& start);

// The model with those that are proved as invariants of it, under their names. Weak ones are conserved by methods that
// keep the position constraint.
Model with_invariants(Model model, const MomentumMaps& maps, bool weak_ones);

}  // namespace holonom
