// Whether the functions that a model calls invariants are conserved, in which sense, and how that is known. Along the
// underlying equation q' = H_p, p' = −H_q − Gᵀλ(q, p), which is the constrained motion and continues it off the
// manifold (solve/underlying.hpp),
//   dI/dt = {I, H} + {I, g} λ,   {a, b} = a_q b_pᵀ − a_p b_qᵀ.
// I is a strong invariant if this vanishes at all (q, p), and a weak one if it does on {g = 0, G H_p = 0} only
// (Leimkuhler and Reich 1994, section 3.1). If {I, H} and {I, g} both vanish identically, then by Jacobi's identity so
// do the brackets of I with ψ = {g, H}, {g, ψ} and {ψ, H}, hence with λ: I is a strong invariant of every formulation
// made of these. The energy itself is weak: dH/dt = −λ·G H_p.
#pragma once

#include <string>
#include <vector>

#include "holonom/analysis/certificate.hpp"
#include "holonom/model/model_system.hpp"

namespace holonom {

struct InvariantReport {
  std::string name;
  Conservation conservation = Conservation::unknown;
  bool proved = false;  // by algebra, else tested
  // Of a test: how many random points, in which scalar ("100", "double"), and the largest |dI/dt| relative to the terms
  // that it is made of. Off the manifold there is no test without constraints, nor if it fails on it.
  int points = 0, points_off = 0;
  std::string precision;
  double largest = 0, largest_off = 0;
  std::string evidence;  // the same in words
};

// One for each invariant, in the order of the labels. Random points are near the start, and always the same. Proofs add
// nodes to the graph of the model: not while other threads use it.
std::vector<InvariantReport> invariant_reports(const ModelSystem<double>& sys, const State<double>& start);

}  // namespace holonom
