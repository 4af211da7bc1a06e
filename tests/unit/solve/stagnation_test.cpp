// When a linearly convergent iteration has become rounding errors, and when it only seems so.
#include "holonom/solve/stagnation.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace holonom::test {
namespace {

using Verdict = Stagnation<double>::Verdict;

// The verdict after each pair of changes: of all unknowns, and of the positions alone
std::vector<Verdict> verdicts(const std::vector<std::pair<double, double>>& changes) {
  Stagnation<double> stagnation(epsilon<double>(), NewtonOptions{});
  std::vector<Verdict> seen;
  for (const auto& [all, positions] : changes) seen.push_back(stagnation(all, positions));
  return seen;
}

TEST(Stagnation, EndsWhereMomentaAreLeftWithRoundingErrorsOfStiffForces) {
  const auto seen =
      verdicts({{1e-3, 1e-5}, {2e-5, 4e-10}, {8e-9, 8e-14}, {6e-12, 9e-17}, {3e-12, 2e-16}, {7e-12, 2e-16}});
  for (std::size_t k = 0; k + 1 < seen.size(); ++k) EXPECT_EQ(seen[k], Verdict::go_on) << k;
  EXPECT_EQ(seen.back(), Verdict::done);
}

// Positions from the momenta of the iteration before: of a stiff pendulum chain with a step that is too long, where the
// fourth change of positions is nothing, and momenta diverge.
TEST(Stagnation, IsNotDeceivedByPositionsThatWaitForMomenta) {
  const auto seen = verdicts({{1.07e-5, 1.07e-5}, {4.43e-5, 1.74e-15}, {2.07e-10, 2.07e-10}, {7.51e-4, 8.38e-21}});
  for (const Verdict v : seen) EXPECT_EQ(v, Verdict::go_on);
  // even if all of them are small
  for (const Verdict v : verdicts({{1e-5, 1e-13}, {4e-5, 2e-15}, {2e-5, 2e-16}, {7e-4, 8e-21}}))
    EXPECT_EQ(v, Verdict::go_on);
}

TEST(Stagnation, FailsWhereNothingContracts) {
  std::vector<std::pair<double, double>> changes;
  for (int k = 0; k < 12; ++k) changes.emplace_back(1e-3 * (1 << k), 1e-3 * (1 << k));
  EXPECT_EQ(verdicts(changes).back(), Verdict::failed);
  EXPECT_EQ(verdicts({{1e31, 1}}).back(), Verdict::failed);
}

}  // namespace
}  // namespace holonom::test
