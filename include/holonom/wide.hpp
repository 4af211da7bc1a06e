// The wide scalars. Only translation units that instantiate templates for them need this header.
#pragma once

#include <boost/multiprecision/cpp_bin_float.hpp>
#if defined(__GNUC__) && !defined(__clang__) && !defined(__STRICT_ANSI__)
#define HOLONOM_NATIVE_QUAD 1
#include <boost/multiprecision/float128.hpp>
#endif

#include "holonom/scalar.hpp"
#include "holonom/version.hpp"

#if HOLONOM_LIBRARY_HAS_NATIVE_QUAD && !defined(HOLONOM_NATIVE_QUAD)
#error "this Holonom was built with __float128: compile with g++ and -std=gnu++20 (in CMake: CMAKE_CXX_EXTENSIONS ON)"
#endif

namespace holonom {

#ifdef HOLONOM_NATIVE_QUAD
using quad = boost::multiprecision::float128;
#else
using quad = boost::multiprecision::cpp_bin_float_quad;
#endif

// 100 decimal digits. No expression templates: with them a Vec element would not be an S.
using mp100 = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<100>, boost::multiprecision::et_off>;

}  // namespace holonom
