// Threads that share work: every part is done once, also where the machine gives no threads.
#include "holonom/solve/team.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <vector>

namespace holonom::test {
namespace {

std::vector<int> times_done(Team& team, int parts) {
  std::vector<int> times(static_cast<std::size_t>(parts));
  for (int round = 0; round < 3; ++round)
    team.share(parts, [&](int part, int) { ++times[static_cast<std::size_t>(part)]; });
  return times;
}

TEST(Team, SharesEveryPart) {
  for (const int threads : {1, 2, 5}) {
    Team team(threads);
    EXPECT_EQ(team.size(), threads);
    EXPECT_EQ(times_done(team, 7), std::vector<int>(7, 3));
  }
}

TEST(Team, IsSmallerWhereThereAreNoThreads) {
  pthread_attr_t before, huge;
  ASSERT_EQ(pthread_getattr_default_np(&before), 0);
  ASSERT_EQ(pthread_attr_init(&huge), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&huge, std::size_t(1) << 50), 0);
  ASSERT_EQ(pthread_setattr_default_np(&huge), 0);
  Team team(5);
  ASSERT_EQ(pthread_setattr_default_np(&before), 0);
  EXPECT_EQ(team.size(), 1);
  EXPECT_EQ(times_done(team, 7), std::vector<int>(7, 3));
}

}  // namespace
}  // namespace holonom::test
