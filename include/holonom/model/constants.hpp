// Formulas of parameters alone, such as parameters themselves and --sample, evaluated in any scalar.
#pragma once

#include "holonom/expr/interpreter.hpp"
#include "holonom/model/model.hpp"

namespace holonom {

template <class S>
std::vector<S> evaluate_constants(const Model& model, const std::vector<NodeId>& nodes) {
  std::vector<S> values(nodes.size(), S(0));
  Interpreter<S> evaluate(
      std::make_shared<Program>(*model.graph, std::vector<Program::Block>{}, std::vector<Program::Block>{nodes}));
  evaluate({}, {values.data()});
  return values;
}

}  // namespace holonom
