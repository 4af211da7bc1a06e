// Formulas of parameters alone, such as parameters themselves and --sample, evaluated in any scalar.
#pragma once

#include "holonom/model/model.hpp"

namespace holonom {

template <class S>
std::vector<S> evaluate_constants(const Model& model, const std::vector<NodeId>& nodes);

}  // namespace holonom
