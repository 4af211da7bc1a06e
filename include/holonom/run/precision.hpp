// From a precision known at run time to its scalar.
#pragma once

#include "holonom/run/run_spec.hpp"
#include "holonom/wide.hpp"

namespace holonom {

// f.operator()<S>() in the scalar of a precision.
template <class F>
decltype(auto) in_precision(Precision precision, F&& f) {
  switch (precision) {
    case Precision::long_: return f.template operator()<long double>();
    case Precision::quad_: return f.template operator()<quad>();
    case Precision::digits_100: return f.template operator()<mp100>();
    default: return f.template operator()<double>();
  }
}

}  // namespace holonom
