// A composition of one's own, from a TOML file.
//   name = "triple jump"
//   coefficients = ["1/(2 - 2^(1/3))", "-2^(1/3)/(2 - 2^(1/3))", "1/(2 - 2^(1/3))"]
//   adjoint = false      # true: a₁, b₁, a₂, b₂, ..., where every second substep is one of the adjoint of the base
//   order = 4            # optional: what is claimed, and refused if the order conditions say otherwise
//   citation = "..."     # optional
// half = [...] instead of coefficients is the first half of a palindrome: c₁, ..., c_k for c₁, ..., c_k, ..., c₁, and
// with an adjoint a₁, b₁, ..., b_k for a₁, b₁, ..., b_k, b_k, ..., b₁, a₁. Entries are numbers, or formulas in quotes;
// they keep their value in every scalar.
#pragma once

#include "holonom/coefficients/composition.hpp"

namespace holonom {

// An order condition: the coefficient of a word in the Y_k (composition_order.hpp).
struct OrderCondition {
  int weight = 0;
  std::string text;     // "the sum of the coefficients must be 1"
  double residual = 0;  // what it is missed by
};

struct SchemeOrder {
  int order = 0;
  OrderCondition failing;  // the first one that does not hold; weight 0: none up to most_order
};

constexpr int most_order = 12;  // conditions of higher orders are not looked at
constexpr int most_substeps = 1000;

// The order, from the conditions of a symmetric base, or of a base and its adjoint. The coefficients are taken as they
// are written; a condition holds if it is missed by no more than coefficients that are right to rounding errors of
// relative size epsilon can miss it: 64 ε times its sensitivity, and never more than √ε.
SchemeOrder scheme_order(const CompositionScheme& scheme, bool symmetric_base, double epsilon);

// c₁, ..., c_s is a palindrome, up to 64 ε.
bool is_palindrome(const CompositionScheme& scheme, double epsilon);

// The order of the scheme is that of the file, 0 if it has none; nothing is checked but the form. Throw InputError
// (model/model.hpp) with file, line and column.
CompositionScheme load_scheme(const std::string& path);
CompositionScheme parse_scheme(std::string text, const std::string& file_name);

}  // namespace holonom
