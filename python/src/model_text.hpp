// What a model is called in files and checkpoints of its runs.
#pragma once

#include "holonom/model/model.hpp"

namespace holonom {

// A copy with a graph of its own. One that was made of expressions gets the text of a model file; where it has none, or
// where that would be long, a comment with a number that tells it from other models.
Model with_text(const Model& model);

// The text that the model was read from, if reading it gives this model: not if it was read with other parameters, or
// with formulas beside the text.
std::string source_of(const Model& model);

}  // namespace holonom
