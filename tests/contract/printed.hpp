// Comparison with numbers as they are printed: to the last digit.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <string>

#include "holonom/scalar.hpp"

namespace holonom::contract {

// |value − printed| is at most half a unit of the last digit, with a little for digits that end in 5.
inline testing::AssertionResult as_printed(double value, const std::string& printed, int most_digits = 11) {
  int digits = 0;
  for (const char c : printed) {
    if (c == 'e') break;
    if (std::isdigit(static_cast<unsigned char>(c)) && (digits > 0 || c != '0')) ++digits;
  }
  const double expected = std::stod(printed);
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(expected))) - std::min(digits, most_digits) + 1);
  if (std::abs(value - expected) <= 0.55 * unit) return testing::AssertionSuccess();
  char text[128];
  std::snprintf(text, sizeof text, "%.17g is not %s (off by %.2g units of digit %d)", value, printed.c_str(),
                (value - expected) / unit, std::min(digits, most_digits));
  return testing::AssertionFailure() << text;
}

template <class Values>
void expect_printed(const Values& values, std::initializer_list<const char*> printed, int first = 0,
                    int most_digits = 11) {
  int i = first;
  for (const char* text : printed) {
    EXPECT_TRUE(as_printed(to_double(values[i]), text, most_digits)) << "entry " << i;
    ++i;
  }
}

}  // namespace holonom::contract
