// Formulas as text. Values are scalars or vectors; names are looked up in a Scope.
#pragma once

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

#include "holonom/expr/expression.hpp"

namespace holonom {

using FormulaValue = std::variant<Expr, ExprVector>;

// A mistake at a place of the text, counted in characters from 0.
class FormulaError : public std::runtime_error {
 public:
  FormulaError(std::size_t place, const std::string& what) : std::runtime_error(what), offset(place) {}
  std::size_t offset;
};

struct Scope {
  Graph* graph;
  std::map<std::string, FormulaValue, std::less<>> names;
  std::vector<NodeId> q, v;  // for rate(f) = ∂f/∂q · v
  // Coordinates with many items, and what r[index] means. gather may throw std::invalid_argument.
  std::vector<std::string> vectors{};
  std::function<FormulaValue(std::string_view vector, NodeId index)> gather{};
  // Adds the items that a formula uses to q, and their velocities to v.
  std::function<void(NodeId formula, std::vector<NodeId>& q, std::vector<NodeId>& v)> item_rates{};
};

FormulaValue parse_formula(std::string_view text, const Scope& scope);

bool is_function_name(std::string_view name);
bool is_valid_name(std::string_view name);

// The candidate that looks most like `name`, or nothing if none is near.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);
// " Did you mean 'x'?", or nothing
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);
// The same, or " <heading>: a, b, c." if none is near
std::string suggestion(std::string_view name, const std::vector<std::string>& candidates, const std::string& heading);

}  // namespace holonom
