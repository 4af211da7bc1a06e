// [view] as text.
#pragma once

#include <functional>

#include "holonom/model/view_formulas.hpp"
#include "toml_names.hpp"

namespace holonom {

std::vector<NodeId> formulas_of(const ViewFormulas& view);

// `value` is the text of a formula, as a value in TOML.
std::string view_text(const ViewFormulas& view, const Model& model, const TomlNames& names,
                      const std::function<std::string(NodeId)>& value);

}  // namespace holonom
