// Every registered method on every model: each property that its info claims.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "checks.hpp"
#include "holonom/analysis/conservation.hpp"
#include "holonom/analysis/symmetry.hpp"

namespace holonom::contract {
namespace {

struct Claim {
  std::string method, model, property;
  friend std::ostream& operator<<(std::ostream& out, const Claim& c) { return out << c.method << " on " << c.model << ": " << c.property; }
};

std::vector<Claim> claims() {
  std::vector<Claim> all;
  for (const MethodEntry& entry : methods().all())
    for (const Case& c : cases())
      for (const Property& property : properties())
        if (property.claimed(entry.info)) all.push_back({entry.info.key, c.model, property.name});
  return all;
}

std::string identifier(std::string name) {
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

class Contract : public testing::TestWithParam<Claim> {};

TEST_P(Contract, Holds) {
  const auto& [method, model, property_name] = GetParam();
  const MethodEntry entry = methods().find(method);
  const Problem problem(case_of(model));
  if (entry.info.needs == Needs::separable && !problem.sys.lacks_separable().empty())
    GTEST_SKIP() << method << " is for separable systems; here " << problem.sys.lacks_separable();
  const auto property = std::find_if(properties().begin(), properties().end(), [&](const Property& p) { return p.name == property_name; });
  const Verdict verdict = property->check(entry, problem);
  RecordProperty("evidence", verdict.evidence);
  EXPECT_TRUE(verdict.holds) << verdict.evidence;
}

INSTANTIATE_TEST_SUITE_P(Registry, Contract, testing::ValuesIn(claims()), [](const testing::TestParamInfo<Claim>& claim) {
  return identifier(claim.param.method + "__" + claim.param.model + "__" + claim.param.property);
});

TEST(Registry, HasCompleteInfo) {
  ASSERT_FALSE(methods().all().empty());
  for (const MethodEntry& entry : methods().all()) {
    const Verdict verdict = info_is_complete(entry.info);
    EXPECT_TRUE(verdict.holds) << entry.info.key << ": " << verdict.evidence;
  }
}

TEST(Registry, HasUniqueKeys) {
  std::set<std::string> keys;
  for (const MethodEntry& entry : methods().all()) EXPECT_TRUE(keys.insert(entry.info.key).second) << entry.info.key;
}

TEST(Models, AreAllUnderContract) {
  std::set<std::string> files, known;
  for (const auto& file : std::filesystem::directory_iterator(HOLONOM_MODELS))
    if (file.path().extension() == ".toml") files.insert(file.path().stem());
  for (const Case& c : cases()) known.insert(c.model);
  EXPECT_EQ(files, known);
}

// Reversibility of a method means nothing unless ρ is one of the system; a momentum map is kept only if
// it is one.
TEST(Models, HaveTheSymmetriesThatTheySay) {
  for (const Case& c : cases()) {
    const Problem problem(c);
    EXPECT_LE(reversal_defect(problem.sys, problem.states.front()), 1e-13) << c.model;
    for (const double rate : invariant_rates(problem.sys, problem.states.front())) EXPECT_LE(rate, 1e-12) << c.model;
  }
}

TEST(Models, HaveMomentumMapsAmongTheirInvariants) {
  std::set<std::string> other;
  int count = 0;
  for (const Case& c : cases()) {
    const Problem problem(c);
    const std::vector<bool> linear = momentum_maps(problem.sys, problem.states.front());
    for (std::size_t k = 0; k < linear.size(); ++k) {
      if (linear[k]) ++count;
      else other.insert(problem.sys.labels().invariants[k]);
    }
  }
  EXPECT_EQ(other, std::set<std::string>{"A2"});  // of the Runge-Lenz vector
  EXPECT_GE(count, 15);
}

}  // namespace
}  // namespace holonom::contract
