// Decimals of tables into a scalar.
#pragma once

#include <charconv>
#include <string>
#include <type_traits>

#include "holonom/expr/graph.hpp"

namespace holonom {

// In every locale
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The value of a decimal that was checked before, rounded once. Tables have millions of them: in double the standard
// library does it, thirty times as fast as exact numbers. What it does not read (underscores, a plus, numbers beyond
// double) goes the exact way.
template <class S>
S decimal_number(const std::string& text) {
  if constexpr (std::is_same_v<S, double>) {
    double x = 0;
    const char* end = text.data() + text.size();
    if (const auto [at, error] = std::from_chars(text.data(), end, x); error == std::errc() && at == end) return x;
  }
  return exact_number<S>(exact_text(text));
}

}  // namespace holonom
