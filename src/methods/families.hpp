// One function for each family; one maker for each family and scalar, instantiated in a translation
// unit of its own (see CMakeLists.txt).
#pragma once

#include "holonom/methods/registry.hpp"

namespace holonom {

template <class S>
Maker<S> rattle_maker();

MethodFamily rattle_family();

// The makers of a family in all scalars: all_scalars([]<class S> { return rattle_maker<S>(); })
template <class F>
auto all_scalars(F&& maker) {
  return std::tuple{maker.template operator()<double>(),       maker.template operator()<long double>(),
                    maker.template operator()<quad>(),         maker.template operator()<mp100>(),
                    maker.template operator()<Dual<double>>(), maker.template operator()<Dual<quad>>()};
}

}  // namespace holonom
