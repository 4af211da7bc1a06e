// Decimals of tables.
#include "holonom/expr/decimal.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "holonom/wide.hpp"

namespace holonom::test {
namespace {

TEST(Decimals, AreRoundedOnceHoweverTheyAreWritten) {
  for (const char* text : {"0.1", "-0.1", "+0.1", "1e22", "1e+22", "9007199254740993", "5.", ".5", "1_000.5",
                           "4.9e-324", "2.2250738585072011e-308", "0.30000000000000004", "-0"})
    EXPECT_EQ(decimal_number<double>(text), exact_number<double>(exact_text(text))) << text;
  EXPECT_EQ(decimal_number<double>("1e400"), INFINITY);
  EXPECT_EQ(decimal_number<double>("1e-400"), 0);
  EXPECT_THROW(decimal_number<double>("0,1"), std::invalid_argument);
}

TEST(Decimals, KeepTheirDigitsInWideScalars) {
  EXPECT_EQ(decimal_number<quad>("0.1") * quad(10), quad(1));
  EXPECT_NE(decimal_number<quad>("0.1"), quad(0.1));
}

}  // namespace
}  // namespace holonom::test
