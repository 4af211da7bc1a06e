// The drift of series that are known: what is seen, what must not be, and how often chance decides otherwise.
#include "holonom/analysis/trend.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <random>

namespace holonom::test {
namespace {

constexpr int length = 4000, seeds = 100;
using Random = std::mt19937;
using Series = std::vector<double>;
using Make = std::function<Series(Random&)>;

template <class F>
Series series(F&& value) {
  Series all;
  for (int i = 0; i < length; ++i) all.push_back(value(static_cast<double>(i)));
  return all;
}
Make oscillation(double period, double drift) {
  return [=](Random& random) {
    std::uniform_real_distribution<double> phase(0, 2 * std::numbers::pi);
    const double a = phase(random), b = phase(random), w = 2 * std::numbers::pi / period;
    return series([=](double t) { return std::sin(w * t + a) + std::sin(1.618 * w * t + b) / 2 + drift * t / length; });
  };
}
// Noise of unit size that forgets within `memory` values, as the energy error of a chaotic motion does
Make coloured(double memory, double drift) {
  return [=](Random& random) {
    std::normal_distribution<double> normal;
    const double phi = std::exp(-1 / memory);
    double x = normal(random);
    return series([&](double t) {
      x = phi * x + std::sqrt(1 - phi * phi) * normal(random);
      return x + drift * t / length;
    });
  };
}
// 1 away from its start at the end, on average
Make walk(double drift, double jumps = 1) {
  return [=](Random& random) {
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> chance;
    double x = 0;
    return series([&](double t) {
      if (jumps >= 1 || chance(random) < jumps) x += normal(random) / std::sqrt(length * jumps);
      return x + drift * t / length;
    });
  };
}

struct Seen {
  double often = 0, interval = 0, memory = 0;
};
Seen seen(const Make& make) {
  Seen result;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    Random random(seed);
    const Trend drift = trend_of(make(random));
    result.often += drift.is_seen() ? 1.0 / seeds : 0;
    result.interval += drift.interval / seeds;
    result.memory += drift.memory / seeds;
  }
  return result;
}

TEST(Trend, IsNotSeenWhereThereIsNone) {
  for (const double period : {7.3, 50.0, 125.0, 260.0, 700.0, 1500.0})
    EXPECT_LE(seen(oscillation(period, 0)).often, 0.01) << "period " << period;
  for (const double memory : {0.1, 5.0, 30.0, 100.0, 300.0, 1000.0})
    EXPECT_LE(seen(coloured(memory, 0)).often, 0.01) << "memory " << memory;
  EXPECT_LE(seen(walk(0)).often, 0.02);
  EXPECT_LE(seen(walk(0, 0.005)).often, 0.02) << "rare jumps";
}

TEST(Trend, IsSeenWhereItIsLargerThanTheInterval) {
  EXPECT_GE(seen(oscillation(7.3, 1e-3)).often, 0.99) << "a thousandth of the band";
  EXPECT_GE(seen(oscillation(50, 0.3)).often, 0.99);
  EXPECT_GE(seen(coloured(5, 5)).often, 0.95) << "in chaos";
  EXPECT_GE(seen(coloured(30, 12)).often, 0.95);
  EXPECT_GE(seen(walk(8)).often, 0.99) << "eight times as far as the walk goes";
}

// Ten times the length: a drift is seen that was not, because a walk falls behind it.
TEST(Trend, OutgrowsAWalk) {
  EXPECT_LE(seen(walk(1)).often, 0.1);
  const double factor = 100;
  EXPECT_GE(seen(walk(std::sqrt(factor))).often, 0.99) << "the same in a run a hundred times as long";
}

TEST(Trend, KnowsHowItsNoiseRemembers) {
  EXPECT_LE(seen(coloured(5, 0)).memory, 0.05);
  EXPECT_GE(seen(walk(0)).memory, 0.5);
  EXPECT_LE(seen(coloured(0.1, 0)).interval, 1);
  EXPECT_GE(seen(walk(0)).interval, 2.5) << "a walk may go three times its size";
}

// A loss that comes to rest is no line, but it is one-way.
TEST(Trend, ThatSlowsDownIsSeen) {
  for (const double time : {200.0, 1000.0})
    EXPECT_TRUE(trend_of(series([=](double t) { return std::exp(-t / time) + 1e-9 * std::sin(t); })).is_seen()) << time;
  EXPECT_TRUE(trend_of(series([](double t) { return std::exp(t / 300) + std::sin(t) / 100; })).is_seen()) << "or up";
}

// Errors of steps that cancel are a wander; those that add up are not, though no drift is seen.
TEST(Trend, OfAWalkIsNoWander) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const Trend steps = trend_of(walk(0)(random)), bounded = trend_of(coloured(5, 0)(random));
    EXPECT_FALSE(steps.is_wander()) << steps.added_up;
    EXPECT_TRUE(bounded.is_wander()) << bounded.added_up;
    // A small walk under a large oscillation, as the energies of good methods are
    Series mixed = walk(0)(random);
    for (std::size_t i = 0; i < mixed.size(); ++i) mixed[i] += std::sin(0.7 * static_cast<double>(i));
    EXPECT_TRUE(trend_of(mixed).is_wander()) << trend_of(mixed).added_up;
  }
}

TEST(Trend, OfALineIsItsOwn) {
  const Trend drift = trend_of(series([](double t) { return 3 * t / length; }));
  EXPECT_NEAR(drift.change, 3, 1e-9);
  EXPECT_LE(drift.interval, 1e-6);
  EXPECT_LE(drift.band, 1e-9);
  EXPECT_TRUE(drift.is_seen());
  const Trend none = trend_of(series([](double) { return 2.0; }));
  EXPECT_EQ(none.change, 0);
  EXPECT_FALSE(none.is_seen());
  EXPECT_TRUE(std::isinf(trend_of({1, 2, 3}).interval));
  EXPECT_FALSE(trend_of({1, 2, 3}).is_seen());
}

}  // namespace
}  // namespace holonom::test
