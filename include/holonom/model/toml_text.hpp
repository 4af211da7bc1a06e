// A model as the text of a model file (docs/model-file.md), from its data: whatever it was made from. What is read from
// the text is the same model, and has the same text.
#pragma once

#include "holonom/model/view_formulas.hpp"

namespace holonom {

// Throws InputError if the model is not complete, or has what no model file can say.
std::string toml_text(const Model& model);
// The same with a [view]
std::string toml_text(const Model& model, const ViewFormulas& view);

}  // namespace holonom
