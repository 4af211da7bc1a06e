// All scalars that the library is compiled for.
#pragma once

#include "holonom/dual.hpp"
#include "holonom/wide.hpp"

namespace holonom {

// f.operator()<S>() for each scalar S
template <class F>
void for_each_scalar(F&& f) {
  f.template operator()<double>();
  f.template operator()<long double>();
  f.template operator()<quad>();
  f.template operator()<mp100>();
  f.template operator()<Dual<double>>();
  f.template operator()<Dual<quad>>();
}

}  // namespace holonom
