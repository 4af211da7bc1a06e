// Coefficients of more digits than a scalar has, against the same in 100 digits.
#include "holonom/solve/fine_coefficients.hpp"

#include <random>

#include "holonom/wide.hpp"
#include "support.hpp"

namespace holonom::test {
namespace {

template <class S>
class FineNumbers : public ::testing::Test {};
using Scalars = ::testing::Types<double, long double, quad, Dual<double>>;
TYPED_TEST_SUITE(FineNumbers, Scalars);

template <class S>
S random_number(std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  S x(0);
  for (Real<S> unit(1); unit > epsilon<S>() / 8; unit *= Real<S>(0x1p-50)) x += S(unit * Real<S>(uniform(random)));
  return x;
}

TYPED_TEST(FineNumbers, LoseNothingOfAProduct) {
  using S = TypeParam;
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    const S a = random_number<S>(random), b = random_number<S>(random), product = a * b;
    const mp100 exact = mp100(value(a)) * mp100(value(b));
    ASSERT_EQ(mp100(value(product)) + mp100(value(lost_in_product(a, b, product))), exact) << i;
  }
}

// What the parts of a coefficient miss, in rounding errors of numbers of the size 1
template <class S>
double error(const FineCoefficients<S>& A, int i, int j, const mp100& exact) {
  const mp100 parts = mp100(value(A.coarse(i, j))) + mp100(value(A.fine(i, j)));
  return to_double(mp100(abs(mp100(parts - exact)) / mp100(epsilon<S>())));
}

TYPED_TEST(FineNumbers, MakeProductsAndRowSumsOfFineCoefficients) {
  using S = TypeParam;
  constexpr int s = 7;
  std::mt19937 random(2);
  Square<S> A(s), A_rest(s), B(s), B_rest(s);
  for (Square<S>* X : {&A, &B})
    for (int i = 0; i < s; ++i)
      for (int j = 0; j < s; ++j) (*X)(i, j) = random_number<S>(random);
  for (Square<S>* X : {&A_rest, &B_rest})
    for (int i = 0; i < s; ++i)
      for (int j = 0; j < s; ++j) (*X)(i, j) = random_number<S>(random) * S(epsilon<S>() / 4);
  const FineCoefficients<S> fine_A(A, &A_rest), fine_B(B, &B_rest), product = fine_A * fine_B, sums = fine_A.row_sums();
  const auto exact = [](const Square<S>& X, const Square<S>& rest, int i, int j) {
    return mp100(value(X(i, j))) + mp100(value(rest(i, j)));
  };
  for (int i = 0; i < s; ++i) {
    mp100 sum(0);
    for (int j = 0; j < s; ++j) {
      mp100 path(0);
      for (int k = 0; k < s; ++k) path += exact(A, A_rest, i, k) * exact(B, B_rest, k, j);
      sum += exact(A, A_rest, i, j);
      EXPECT_LE(error(fine_A, i, j, exact(A, A_rest, i, j)), 1e-3);
      EXPECT_LE(error(product, i, j, path), 4e-3);
      EXPECT_EQ(value(S(product.coarse(i, j) * S(1024))), Real<S>(std::round(1024 * to_double(product(i, j)))));
    }
    EXPECT_LE(error(sums, i, 0, sum), 4e-3);
  }
}

TYPED_TEST(FineNumbers, CombineVectorsWithAllDigits) {
  using S = TypeParam;
  Square<S> A(2), rest(2);
  A(0, 0) = S(1) / S(3);
  rest(0, 0) = S(S(1) - S(3) * A(0, 0)) / S(3);
  const FineCoefficients<S> fine(A, &rest);
  EXPECT_NE(value(fine.coarse(0, 0)), value(A(0, 0)));
  std::vector<Vec<S>> x(2, Vec<S>(1));
  x[0][0] = S(3);
  Vec<S> out(1);
  fine.combine(0, x, out);
  EXPECT_LE(std::abs(to_double(S((out[0] - S(1)) / epsilon<S>()))), 1);
}

}  // namespace
}  // namespace holonom::test
