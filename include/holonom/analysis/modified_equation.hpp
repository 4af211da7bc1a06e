// The modified equation of a method, section 4 of Hairer, Lubich and Wanner (2003): the field
//   y' = F(y) + h F₂(y) + h² F₃(y) + ...                                                                       (4.2)
// whose exact flow over the time h is one step of the method on y' = F(y), as a formal series. Its terms are formulas
// of the model's graph, by the recursion (4.6).
#pragma once

#include "holonom/analysis/taylor_map.hpp"

namespace holonom {

struct ModifiedEquation {
  std::string method;
  std::vector<NodeId> y;               // (q, p)
  std::vector<std::vector<NodeId>> F;  // F[j − 1] is F_j, and F₁ = F; what is proved to be zero is Graph::zero
  // H_j with F_j = J⁻¹∇H_j (4.11), and H₁ = H: for a symplectic method on a Hamiltonian system; else nothing.
  std::vector<NodeId> H;
};

// F₁, ..., F_terms. Throws InputError if the model has constraints, vector coordinates or tables, or if the method has
// no expansion (taylor_map.hpp) or does not suit the model.
ModifiedEquation modified_equation(const Model& model, const std::string& method, int terms);

// The recursion (4.6) alone.
std::vector<std::vector<NodeId>> modified_terms(Graph& graph, const TaylorMap& map);

// (4.4): the modified equation after so many terms, with a number h, as a model of its own: a field, with the start of
// the old one. With H_j, the sum of them is its energy.
Model truncated(const Model& model, const ModifiedEquation& equation, int terms, NodeId h);

}  // namespace holonom
