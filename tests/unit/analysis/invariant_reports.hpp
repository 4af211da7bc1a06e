// Reports of the invariants of a model, by name, for unit tests.
#pragma once

#include <map>

#include "holonom/analysis/invariants.hpp"
#include "models.hpp"

namespace holonom::test {

using Reports = std::map<std::string, InvariantReport>;

inline Reports reports_of(const std::shared_ptr<const CompiledModel>& compiled) {
  const ModelSystem<double> sys(compiled);
  Reports reports;
  for (InvariantReport& report : invariant_reports(sys, initial_state(sys).state)) {
    const std::string name = report.name;
    reports.emplace(name, std::move(report));
  }
  return reports;
}

inline void expect_proved(const Reports& reports, const std::string& name) {
  EXPECT_TRUE(reports.at(name).conservation == Conservation::strong && reports.at(name).proved)
      << name << ": " << reports.at(name).evidence;
}
inline void expect_tested(const Reports& reports, const std::string& name, Conservation conservation) {
  EXPECT_TRUE(reports.at(name).conservation == conservation && !reports.at(name).proved)
      << name << ": " << reports.at(name).evidence;
}

}  // namespace holonom::test
