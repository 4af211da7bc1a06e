// Means over time of what a run watches.
#include "holonom/run/time_averages.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace holonom::test {
namespace {

TEST(TimeAverages, AreThoseOfTheTrapezoidalRule) {
  TimeAverages<double> averages(2);
  Vec<double> f(2);
  for (const double t : {0.0, 1.0, 3.0}) {  // steps need not be equal
    f[0] = 2 * t + 1;
    f[1] = t * t;
    averages.add(t, f);
  }
  const auto summary = averages.summary();
  EXPECT_DOUBLE_EQ(summary[0].mean, 4);  // exact for straight lines
  EXPECT_DOUBLE_EQ(summary[1].mean, (0.5 * 1 + 5.0 * 2) / 3);
  EXPECT_EQ(summary[1].initial, 0);
  EXPECT_EQ(summary[1].last, 9);
  EXPECT_EQ(summary[1].least, 0);
  EXPECT_EQ(summary[1].largest, 9);
}

TEST(TimeAverages, LoseNothingInLongSums) {
  TimeAverages<double> averages(1);
  Vec<double> f(1);
  f[0] = 0.1;
  constexpr int steps = 10000000;
  for (int k = 0; k <= steps; ++k) averages.add(0.1 * k, f);
  EXPECT_NEAR(averages.summary()[0].mean, 0.1, 1e-16);
}

TEST(TimeAverages, RunBackwardsAsForwards) {
  TimeAverages<double> there(1), back(1);
  Vec<double> f(1);
  for (int k = 0; k <= 10; ++k) {
    f[0] = std::sin(k);
    there.add(k, f);
    back.add(-k, f);
  }
  EXPECT_DOUBLE_EQ(there.summary()[0].mean, back.summary()[0].mean);
}

TEST(TimeAverages, PassOverNothingThatIsNoNumber) {
  TimeAverages<double> averages(1);
  Vec<double> f(1);
  for (const double x : {1.0, std::nan(""), 2.0}) {
    f[0] = x;
    averages.add(x, f);
  }
  const auto summary = averages.summary();
  EXPECT_TRUE(std::isnan(summary[0].least));
  EXPECT_TRUE(std::isnan(summary[0].largest));
}

}  // namespace
}  // namespace holonom::test
