// Of constants.hpp; for translation units that instantiate it for a scalar of their own.
#pragma once

#include "holonom/expr/interpreter.hpp"
#include "holonom/model/constants.hpp"

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
