// The formula of shadow energies, and the line through their values.
#include "holonom/run/shadow_window.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "holonom/run/line_fit.hpp"
#include "holonom/wide.hpp"

namespace holonom {
namespace {

mp100 power(int x, int n) {
  mp100 result(1);
  for (int k = 0; k < n; ++k) result *= x;
  return result;
}

TEST(ShadowWeights, OfTwoSteps) {
  const ShadowWeights<double> w(2);
  EXPECT_EQ(w(1, 0), 2.0 / 3);
  EXPECT_EQ(w(2, 1), 2.0 / 3);
  EXPECT_EQ(w(2, 0), -1.0 / 6);
}
// Σ w (a − b) = 1 and Σ w (a + b − M)^2i (a − b)^(2j+1) = 0 for j ≥ 1, i + j ≤ M − 1: order 2M, and no more
TEST(ShadowWeights, HaveTheirOrder) {
  for (int M = 1; M <= ShadowWeights<mp100>::most; ++M) {
    const ShadowWeights<mp100> w(M);
    mp100 size(0);
    const auto moment = [&](int i, int j) {
      mp100 sum(0);
      size = mp100(0);
      for (int a = 1; a <= M; ++a)
        for (int b = 0; b < a; ++b) {
          const mp100 term = w(a, b) * power(a + b - M, 2 * i) * power(a - b, 2 * j + 1);
          sum += term;
          size += magnitude(term);
        }
      return sum;
    };
    const mp100 one = moment(0, 0);
    EXPECT_LT(magnitude(mp100(one - 1)), mp100(1e-95));
    for (int j = 1; j < M; ++j)
      for (int i = 0; i + j < M; ++i) {
        const mp100 vanishes = moment(i, j);
        EXPECT_LT(magnitude(vanishes), mp100(1e-95) * size) << "M = " << M << ", i = " << i << ", j = " << j;
      }
    const mp100 first = moment(0, M);
    EXPECT_GT(magnitude(first), mp100(1e-30) * size) << M;
  }
}
TEST(ShadowWeights, SumOfSizes) {
  const ShadowWeights<double> w(8);
  double sum = 0;
  for (int a = 1; a <= 8; ++a)
    for (int b = 0; b < a; ++b) sum += std::abs(w(a, b));
  EXPECT_NEAR(sum, 2.7, 0.05);
}
TEST(ShadowWeights, WindowsThatDoNotExist) {
  EXPECT_THROW(ShadowWeights<double>(0), std::invalid_argument);
  EXPECT_THROW(ShadowWeights<double>(33), std::invalid_argument);
}

// The exact flow of an oscillator, H = (p² + q²)/2 = 1/2, with its action ∫ (p² − H) dt = ¼ (sin 2t₁ − sin 2t₀)
double of_oscillator(int M, double h, int from, bool restart = false) {
  ShadowWindow<double> window(1, M);
  const auto state = [&](int n) {
    State<double> x(1, 0);
    x.q = {-std::cos(n * h)};
    x.p = {std::sin(n * h)};
    return x;
  };
  const auto action = [&](int n) { return (std::sin(2 * (n - 1) * h) - std::sin(2 * n * h)) / 4; };
  window.begin(state(0));
  EXPECT_FALSE(window.is_full());
  for (int n = 1; n <= from + M; ++n) {
    if (restart && n == from)
      window.begin(state(n));
    else
      window.add(state(n), action(n));
  }
  EXPECT_TRUE(window.is_full());
  return window.value(ShadowWeights<double>(M), h);
}
TEST(ShadowWindow, IsTheEnergyOfAFlow) {
  for (const int from : {0, 1, 5, 23}) {  // the ring goes round
    EXPECT_NEAR(of_oscillator(8, 0.1, from), 0.5, 1e-14);
    EXPECT_NEAR(of_oscillator(1, 0.1, from), 0.5, 2e-3);
    EXPECT_NEAR(of_oscillator(2, 0.1, from), 0.5, 1e-5);
  }
  EXPECT_GT(std::abs(of_oscillator(2, 0.1, 5) - 0.5), 1e-8);
  EXPECT_EQ(of_oscillator(8, 0.1, 5, true), of_oscillator(8, 0.1, 5));
}

TEST(LineFit, Line) {
  LineFit<double> line;
  for (int k = 0; k <= 1000; ++k) line.add(k, 1e6 + 2e-3 * k + (k % 2 == 0 ? 1e-4 : -1e-4));
  EXPECT_NEAR(line().drift, 2, 1e-6);
  EXPECT_NEAR(line().rms, 1e-4, 1e-8);
  EXPECT_EQ(LineFit<double>()().drift, 0);
}

}  // namespace
}  // namespace holonom
