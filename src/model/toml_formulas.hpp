// Formulas of a model as text that does not depend on how its graph was made: what is read from it has the same text.
#pragma once

#include "holonom/expr/formula_text.hpp"

namespace holonom {

struct NamedInput {
  NodeId input;
  std::string name;  // several inputs may have one: then they are the same variable
};

// Terms and factors stand in an order that follows from the names of inputs, in the order of `inputs`, and from the
// structure of the formulas. What is used more than once becomes an abbreviation.
FormulaTexts ordered_texts(const Graph& graph, std::span<const NodeId> roots, const std::vector<NamedInput>& inputs,
                           const std::string& abbreviation);

// One formula where abbreviations are not to be had. Throws InputError if it would be too long, or nested too deeply.
std::string ordered_text(const Graph& graph, NodeId root, const std::vector<NamedInput>& inputs,
                         const std::string& what);

}  // namespace holonom
