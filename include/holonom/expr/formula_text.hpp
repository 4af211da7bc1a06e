// Expressions as text, in the language of model files: what the parser reads is the same expression again, with the
// same bits when it is evaluated. Parentheses are where they are needed for that.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "holonom/expr/graph.hpp"

namespace holonom {

using InputNames = std::unordered_map<NodeId, std::string>;

struct FormulaStyle {
  // What is used more than once, and is longer than this, becomes an abbreviation; 0: nothing does.
  std::size_t longest_repeated = 40;
  std::string abbreviation = "s";  // s1, s2, ...; no input may have such a name
  // Numbers with more digits are rounded to so many; 0: all numbers are exact.
  int digits = 0;
  // 9.81*x instead of 981*x/100, and 1e400: numbers that end are decimals, but for x/2 to x/8.
  bool decimals = false;
};

struct FormulaTexts {
  std::vector<std::pair<std::string, std::string>> let;  // abbreviations, each made of those before it, as in [let]
  std::vector<std::string> formulas;                     // one for each root
};

// Throws std::invalid_argument for an input without a name.
FormulaTexts formula_texts(const Graph& graph, std::span<const NodeId> roots, const InputNames& names,
                           const FormulaStyle& style = {});

// One formula, without abbreviations.
std::string formula_text(const Graph& graph, NodeId root, const InputNames& names);

}  // namespace holonom
