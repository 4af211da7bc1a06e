// The scalar in which coefficients are computed: 30 digits more than the widest scalar of a run.
#pragma once

#include "holonom/coefficients/tableau.hpp"
#include "holonom/dual.hpp"
#include "holonom/wide.hpp"

namespace holonom {

using Guard = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<130>, boost::multiprecision::et_off>;

// To the nearest number of S. Boost's cast to __float128 adds up parts of the number and misses by up to 1e-3 of a
// unit; through its own type of the same width it does not.
template <class S>
struct Nearest {
  S operator()(const Guard& x) const {
    using boost::multiprecision::cpp_bin_float_quad;
    if constexpr (std::is_same_v<Real<S>, quad>)
      return S(static_cast<quad>(static_cast<cpp_bin_float_quad>(x)));
    else
      return S(static_cast<Real<S>>(x));
  }
};

}  // namespace holonom
