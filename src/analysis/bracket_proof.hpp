// Proofs that functions are strong invariants of a model: {I, H} = 0 and {I, g} = 0, identically. Of a field, whose q'
// and −p' stand for H_p and H_q: dI/dt = 0.
#pragma once

#include <unordered_map>

#include "holonom/expr/derivative.hpp"
#include "holonom/model/model.hpp"

namespace holonom {

// For models whose H and g stand in formulas: has_tables(model) is false. Derivatives are made once for all invariants:
// there may be thousands.
class BracketProof {
 public:
  explicit BracketProof(const Model& model);

  // Of the invariant with this number; false: not proved.
  bool vanish(std::size_t invariant);
  // {I, H} = 0, and {I, g} = C g with C by rows: on the manifold I is conserved.
  bool vanish_on_manifold(std::size_t invariant, std::span<const NodeId> C);

 private:
  bool with_constraints(std::size_t invariant, class ZeroProver& prover, std::span<const NodeId> C = {});
  NodeId with_energy(std::size_t invariant);

  const Model& model_;
  Graph& graph_;
  SparseJacobian I_q_, I_p_;
  std::vector<std::vector<std::size_t>> constraints_of_;  // of a coordinate
  // As functions of (q, p); or of (q, v), where p = T_v.
  std::vector<NodeId> H_q_, H_p_, T_v_;
  std::unordered_map<NodeId, std::size_t> momenta_;
  long brackets_left_;
};

// Where there are sums and stacks over tables: of each kernel by itself. An invariant without a table is one of one
// row.
bool kernel_brackets_vanish(const Model& model, const MappedTerm& invariant);

}  // namespace holonom
