// The wide scalars. Only translation units that instantiate templates for them need this header.
#pragma once

#include <boost/multiprecision/cpp_bin_float.hpp>
#if defined(__GNUC__) && !defined(__clang__) && !defined(__STRICT_ANSI__)
#define HOLONOM_NATIVE_QUAD 1
#include <boost/multiprecision/float128.hpp>
#endif

#include "holonom/memory.hpp"
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

#ifdef HOLONOM_NATIVE_QUAD
template <>
struct ExactBytes<quad> {
  static constexpr std::size_t size = sizeof(__float128);
  static void put(const quad& x, char* to) { std::memcpy(to, &x.backend().value(), size); }
  static void get(const char* from, quad& x) { std::memcpy(&x.backend().value(), from, size); }
};
#endif

// Sign, exponent and bits, which are all there is of it.
template <unsigned Digits, boost::multiprecision::backends::digit_base_type Base, class Allocator, class Exponent,
          Exponent least, Exponent most, boost::multiprecision::expression_template_option option>
struct ExactBytes<boost::multiprecision::number<
    boost::multiprecision::cpp_bin_float<Digits, Base, Allocator, Exponent, least, most>, option>> {
  using Number = boost::multiprecision::number<
      boost::multiprecision::cpp_bin_float<Digits, Base, Allocator, Exponent, least, most>, option>;
  using Backend = typename Number::backend_type;
  using Bits = typename Backend::rep_type;
  using Limb = std::remove_cvref_t<decltype(*std::declval<const Bits&>().limbs())>;
  using Power = typename Backend::exponent_type;
  static constexpr std::size_t limbs = (Backend::bit_count + 8 * sizeof(Limb) - 1) / (8 * sizeof(Limb));
  static constexpr std::size_t size = 1 + sizeof(Power) + limbs * sizeof(Limb);

  static void put(const Number& x, char* to) {
    const Backend& b = x.backend();
    const Power power = b.exponent();
    *to = static_cast<char>(b.sign());
    std::memcpy(to + 1, &power, sizeof power);
    std::memset(to + 1 + sizeof power, 0, limbs * sizeof(Limb));
    std::memcpy(to + 1 + sizeof power, b.bits().limbs(), b.bits().size() * sizeof(Limb));
  }
  static void get(const char* from, Number& x) {
    Backend& b = x.backend();
    Power power = 0;
    std::memcpy(&power, from + 1, sizeof power);
    b.bits().resize(limbs, limbs);
    std::memcpy(b.bits().limbs(), from + 1 + sizeof power, limbs * sizeof(Limb));
    b.bits().normalize();
    b.exponent() = power;
    b.sign() = *from != 0;
  }
};

}  // namespace holonom
