// Exact numbers into every scalar: one division in 120 digits, then one rounding.
#include <boost/multiprecision/cpp_int.hpp>

#include "holonom/dual.hpp"
#include "holonom/expr/graph.hpp"
#include "holonom/wide.hpp"

namespace holonom {

namespace mp = boost::multiprecision;

namespace {
using Guard = mp::number<mp::cpp_bin_float<120>, mp::et_off>;

Guard guard_value(std::string_view text) {
  const mp::cpp_rational r{std::string(text)};
  return Guard(mp::numerator(r)) / Guard(mp::denominator(r));
}
}  // namespace

template <>
double exact_number<double>(std::string_view text) {
  return static_cast<double>(guard_value(text));
}
template <>
long double exact_number<long double>(std::string_view text) {
  return static_cast<long double>(guard_value(text));
}
template <>
mp100 exact_number<mp100>(std::string_view text) {
  return mp100(guard_value(text));
}
template <>
quad exact_number<quad>(std::string_view text) {
  return guard_value(text).convert_to<quad>();
}
template <>
Dual<double> exact_number<Dual<double>>(std::string_view text) {
  return exact_number<double>(text);
}
template <>
Dual<quad> exact_number<Dual<quad>>(std::string_view text) {
  return exact_number<quad>(text);
}

template <>
std::string precision_name<double>() {
  return "double";
}
template <>
std::string precision_name<long double>() {
  return "long";
}
template <>
std::string precision_name<quad>() {
  return "quad";
}
template <>
std::string precision_name<mp100>() {
  return "100";
}
template <>
std::string precision_name<Dual<double>>() {
  return precision_name<double>();
}
template <>
std::string precision_name<Dual<quad>>() {
  return precision_name<quad>();
}

namespace {
template <class S>
std::string wide_text(const S& x) {
  return x.str(std::numeric_limits<S>::max_digits10, std::ios_base::scientific);
}
std::string printed(const char* format, auto x) {
  char buffer[64];
  const int length = std::snprintf(buffer, sizeof buffer, format, x);
  return {buffer, static_cast<std::size_t>(length)};
}
}  // namespace

template <>
std::string to_text(const double& x) {
  return printed("%.17g", x);
}
template <>
std::string to_text(const long double& x) {
  return printed("%.21Lg", x);
}
template <>
std::string to_text(const quad& x) {
  return wide_text(x);
}
template <>
std::string to_text(const mp100& x) {
  return wide_text(x);
}

}  // namespace holonom
