// A model as bytes: what is made of them again has runs with the same bits.
#pragma once

#include <string>
#include <string_view>

#include "holonom/model/model.hpp"

namespace holonom {

// Everything but the files that it was read from, whose names are kept.
std::string to_bytes(const Model& model);
// Throws MemoryError if these are not the bytes of a model, or those of another version of it.
Model model_from_bytes(std::string_view bytes);

}  // namespace holonom
