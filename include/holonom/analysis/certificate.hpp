// What a method keeps on a problem with a step: each claim of its MethodInfo, measured, with the bound that it is held
// against.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "holonom/methods/registry.hpp"

namespace holonom {

struct Claim {
  enum class Verdict { holds, fails, not_claimed, not_measured };

  std::string property;
  bool claimed = false;
  double measured = 0, bound = 0;
  bool at_least = false;  // the bound is one from below: orders
  Verdict verdict = Verdict::not_measured;
  std::string remark;  // how it was measured, or why not

  bool within() const { return at_least ? measured >= bound : measured <= bound; }  // NaN is not
};

struct Certificate {
  std::vector<Claim> claims;
  std::string failure;  // a step failed within a measurement: which, and how
  std::string remedy;   // what to try

  bool all_hold() const {
    for (const Claim& c : claims)
      if (c.verdict == Claim::Verdict::fails) return false;
    return true;
  }
};

// What is known of an invariant by its formula (analysis/invariants.hpp): conserved everywhere, on the manifold only,
// or not at all.
enum class Conservation : std::uint8_t { strong, weak, none, unknown };

// `known`: of invariants by their names; others are tried in double. The order takes the longest, and hardly depends on
// the step. Starts are taken from a run of the method itself from `start`. Tangent maps exist over double and quad, for
// systems that can be had in dual numbers; else symplecticity is measured by loop integrals.
template <class S>
Certificate certify(const MethodEntry& entry, const AnySystem<S>& sys, const State<S>& start, const S& h,
                    const MethodOptions& options = {}, const std::map<std::string, Conservation>& known = {},
                    bool with_order = true);

}  // namespace holonom
