// Sums of twice the digits, against the same sums in 100 digits.
#include "holonom/solve/long_sum.hpp"

#include <random>

#include "holonom/wide.hpp"
#include "support.hpp"

namespace holonom::test {
namespace {

template <class S>
class LongSums : public ::testing::Test {};
using Scalars = ::testing::Types<double, long double, quad, Dual<double>>;
TYPED_TEST_SUITE(LongSums, Scalars);

template <class S>
S random_number(std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  S x(0);
  for (Real<S> unit(1); unit > epsilon<S>() / 8; unit *= Real<S>(0x1p-50)) x += S(unit * Real<S>(uniform(random)));
  return x;
}

TYPED_TEST(LongSums, LoseNothingOfAProduct) {
  using S = TypeParam;
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    const S a = random_number<S>(random), b = random_number<S>(random), product = a * b;
    const mp100 exact = mp100(value(a)) * mp100(value(b));
    ASSERT_EQ(mp100(value(product)) + mp100(value(lost_in_product(a, b, product))), exact) << i;
  }
}

TYPED_TEST(LongSums, AreRoundedOnce) {
  using S = TypeParam;
  std::mt19937 random(2);
  for (int i = 0; i < 1000; ++i) {
    LongSum<S> sum, products;
    mp100 exact_sum(0), exact_products(0);
    for (int k = 0; k < 12; ++k) {
      const S a = random_number<S>(random), b = random_number<S>(random);
      sum.add(a);
      products.add_product(a, b);
      exact_sum += mp100(value(a));
      exact_products += mp100(value(a)) * mp100(value(b));
    }
    ASSERT_EQ(value(sum.rounded()), static_cast<Real<S>>(exact_sum)) << i;
    ASSERT_EQ(value(products.rounded()), static_cast<Real<S>>(exact_products)) << i;
  }
}

}  // namespace
}  // namespace holonom::test
