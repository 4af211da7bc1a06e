// Numbers that come out of linear algebra in double, as the exact ones that they are meant to be: fractions of small
// integers, or multiples of a model's parameters. A guess, to be proved by whoever uses it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "holonom/model/model.hpp"

namespace holonom {

struct ExactCoefficients {
  std::vector<double> values;
  std::vector<NodeId> nodes;
  std::vector<std::string> texts;  // "-1/2", "az", "2*az"
};

// All coefficients with a common factor, which is chosen so that they become integers if possible; with may_scale =
// false each by itself.
std::optional<ExactCoefficients> exact_coefficients(const Model& model, const std::vector<double>& numbers,
                                                    bool may_scale = true);

}  // namespace holonom
