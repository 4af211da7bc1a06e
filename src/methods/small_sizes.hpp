// The sizes of small systems that have code of their own: those of pendulums, of particles on curves and surfaces, of
// linkages with few bodies, and of the rigid body as a matrix.
#pragma once

#include "holonom/methods/any_method.hpp"

namespace holonom {

template <int N, int M>
struct Size {};

template <class Make, int... N, int... M>
std::unique_ptr<AnyMethod<double>> first_of(const AnySystem<double>& sys, Make&& make, Size<N, M>...) {
  std::unique_ptr<AnyMethod<double>> method;
  const auto attempt = [&]<int n, int m>(Size<n, m>) {
    if (const auto view = sys.as<SmallView<n, m>>()) method = make(*view);
    return method != nullptr;
  };
  static_cast<void>((attempt(Size<N, M>{}) || ...));
  return method;
}

// make(view) on the view of the right size; nullptr if there is none, or no machine code.
template <class Make>
std::unique_ptr<AnyMethod<double>> on_small(const AnySystem<double>& sys, Make&& make) {
  if (!sys.small_code()) return nullptr;
  return first_of(sys, make, Size<2, 1>{}, Size<3, 1>{}, Size<3, 2>{}, Size<4, 1>{}, Size<4, 2>{}, Size<4, 3>{}, Size<6, 2>{},
                  Size<6, 3>{}, Size<9, 6>{});
}

}  // namespace holonom
