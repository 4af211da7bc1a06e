// The parts of a field by the sparsity of its derivative (shears.hpp).
#pragma once

#include "holonom/model/model.hpp"
#include "holonom/shears.hpp"

namespace holonom {

// Of a model with a field.
ShearParts shear_parts(const Model& model);

}  // namespace holonom
