// The checks of the contract can say no: broken methods go through them, and each is rejected for what it
// breaks. What it does not break still holds, so that a rejection means something.
#include <gtest/gtest.h>

#include <algorithm>

#include "broken_methods.hpp"
#include "checks.hpp"
#include "holonom/analysis/certificate.hpp"

namespace holonom::contract {
namespace {

using Names = std::vector<std::string>;

void expect(const MethodEntry& entry, std::string_view model, const Names& rejected, const Names& accepted) {
  const Problem problem(case_of(model));
  std::size_t found = 0;
  for (const Property& property : properties()) {
    const auto in = [&](const Names& names) {
      return std::find(names.begin(), names.end(), property.name) != names.end();
    };
    if (!in(rejected) && !in(accepted)) continue;
    ++found;
    const Verdict verdict = property.check(entry, problem);
    testing::Test::RecordProperty(entry.info.key + " " + property.name, verdict.evidence);
    EXPECT_EQ(verdict.holds, in(accepted))
        << entry.info.key << " on " << model << ": " << property.name << ": " << verdict.evidence;
  }
  EXPECT_EQ(found, rejected.size() + accepted.size()) << "a name in these lists is not that of a property";
}

Names all_claims(const MethodEntry& entry, std::string_view model) {
  Names names;
  for (const Property& property : properties())
    if (property.claimed(entry.info, case_of(model))) names.push_back(property.name);
  return names;
}

class Broken : public testing::TestWithParam<const char*> {};

// The method that the faults below are put into has none of its own.
TEST_P(Broken, FaultlessIsAccepted) {
  expect(textbook_rattle(), GetParam(), {}, all_claims(textbook_rattle(), GetParam()));
}

TEST_P(Broken, ProjectedEuler) {
  expect(projected_euler(), GetParam(),
         {"order", "symmetry", "reversibility", "tangents", "loops", "momenta", "energy"}, {"position", "hidden"});
}

// Positions are those of RATTLE, and a kick along Gᵀ is symplectic; but momenta are of order one.
TEST_P(Broken, WithoutFinalProjection) {
  expect(textbook_rattle({.final_projection = false}), GetParam(), {"order", "symmetry", "reversibility", "hidden"},
         {"position", "tangents", "loops", "momenta"});
}

// A symplectic method, for the wrong forces.
TEST_P(Broken, WholeKickOnOneSideHalfOnTheOther) {
  expect(textbook_rattle({.first_kick = 1}), GetParam(), {"order", "symmetry", "reversibility"},
         {"position", "hidden", "tangents", "loops", "momenta"});
}

// The symplectic Euler method: right forces, order one.
TEST_P(Broken, WholeKickOnOneSideNoneOnTheOther) {
  expect(textbook_rattle({.first_kick = 1, .last_kick = 0}), GetParam(), {"order", "symmetry", "reversibility"},
         {"position", "hidden", "tangents", "loops", "momenta", "energy"});
}

TEST_P(Broken, LooseNewton) {
  expect(loose_rattle(1e-4), GetParam(), {"symmetry", "reversibility", "position", "tangents", "loops"}, {"hidden"});
}

INSTANTIATE_TEST_SUITE_P(On, Broken, testing::Values("spring-chain", "two-body-sphere", "spherical-pendulum"),
                         [](const auto& model) {
                           std::string name = model.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// The general form has a Newton loop of its own.
TEST(BrokenGeneral, LooseNewton) {
  expect(loose_rattle(1e-4), "charged-particle", {"symmetry", "reversibility", "tangents", "loops"}, {});
}

// ---- Compositions of order 6: the scheme of Kahan and Li on a problem where orders are measured

constexpr const char* scheme = "kahan-li-6";
constexpr const char* problem_of_orders = "double-pendulum";

TEST(BrokenComposition, FaultlessIsAccepted) {
  expect(changed_composition(scheme, "faultless", [](auto&) {}), problem_of_orders, {},
         {"order", "symmetry", "reversibility", "position", "hidden", "tangents", "loops", "energy"});
}

// The conditions that know nothing of the order of the substeps still hold: order 3.
TEST(BrokenComposition, SubstepsInTheWrongOrder) {
  expect(changed_composition(scheme, "wrong order", [](auto& c) { std::swap(c[0], c[1]); }), problem_of_orders,
         {"order", "symmetry", "reversibility"}, {"position", "hidden", "tangents", "loops"});
}

// The substeps no longer add up to one step.
TEST(BrokenComposition, OneWrongSign) {
  expect(changed_composition(scheme, "wrong sign", [](auto& c) { c[3] = -c[3]; }), problem_of_orders,
         {"order", "symmetry", "reversibility"}, {"position", "hidden", "tangents", "loops"});
}

// Off in the fifth digit, in such a way that the scheme is a palindrome of sum 1: order 2, with a small error.
TEST(BrokenComposition, FifthDigit) {
  const auto change = [](auto& c) {
    using S = std::decay_t<decltype(c[0])>;
    const S off = S(1) / S(100000);
    c.front() += off;
    c.back() += off;
    c[c.size() / 2] -= S(2) * off;
  };
  expect(changed_composition(scheme, "fifth digit", change), problem_of_orders, {"order"},
         {"symmetry", "reversibility", "position", "hidden", "tangents", "loops"});
}

TEST(BrokenComposition, WithoutFinalProjection) {
  expect(changed_composition<UnprojectedDrift>(scheme, "unprojected", [](auto&) {}), problem_of_orders,
         {"order", "symmetry", "reversibility", "hidden"}, {"position", "tangents", "loops"});
}

TEST(BrokenComposition, LooseNewton) {
  expect(loose(scheme, 1e-4), problem_of_orders, {"symmetry", "reversibility", "position", "tangents", "loops"},
         {"hidden"});
}

// ---- Pairs whose energy error is that of rounding

TEST(BrokenLobatto, FaultlessIsAccepted) {
  for (const char* key : {"lobatto-8", "lobatto-11"}) expect(methods().find(key), "spherical-pendulum", {}, {"energy"});
}
TEST(BrokenLobatto, SteadyLossOfEnergy) {
  for (const char* key : {"lobatto-8", "lobatto-11"})
    expect(leaking(key), "spherical-pendulum", {"energy"}, {"position"});
}

// ---- Baselines: accurate, on the manifold, and not symplectic

TEST(Baselines, AreNotSymplectic) {
  for (const char* key : {"rk-4", "rkf-78"}) {
    const MethodEntry baseline = methods().find(key);
    EXPECT_FALSE(baseline.info.symplectic || baseline.info.symmetric || baseline.info.momentum_maps);
    expect(baseline, "double-pendulum", {"symmetry", "reversibility", "tangents", "loops", "energy"},
           {"position", "hidden"});
  }
}

// ---- certify finds the same, and nothing else

void expect_certificate(const MethodEntry& entry, std::string_view model, double part, const Names& failing) {
  const Problem problem(case_of(model));
  const Certificate result = certify<double>(entry, problem.sys, problem.start, problem.h * part);
  EXPECT_EQ(result.failure, "");
  Names found;
  for (const Claim& claim : result.claims) {
    testing::Test::RecordProperty(entry.info.key + " " + claim.property, claim.remark);
    if (claim.verdict == Claim::Verdict::fails) found.push_back(claim.property);
    const bool measured = claim.verdict == Claim::Verdict::fails || claim.verdict == Claim::Verdict::holds;
    // (a method of one's own need not know its action)
    EXPECT_TRUE(measured || claim.property == "shadow energy")
        << entry.info.key << " on " << model << ": " << claim.property << ": " << claim.remark;
  }
  EXPECT_EQ(found, failing) << entry.info.key << " on " << model;
}

TEST(Certificates, OfFaultlessMethods) {
  for (const char* model : {"spherical-pendulum", "double-pendulum"}) {
    expect_certificate(textbook_rattle(), model, 1, {});
    expect_certificate(changed_composition(scheme, "faultless", [](auto&) {}), model, 1, {});
  }
}
// Substeps of 2.8 h to and fro, whose rounded lengths do not sum to h: what is missing is made up for, without a drift.
TEST(Certificates, OfLongSubsteps) {
  expect_certificate(changed_composition("triple-jump-8", "faultless", [](auto&) {}), "rigid-body-free", 1, {});
}
TEST(Certificates, OfProjectedEuler) {
  const Names all{"symplecticity", "symmetry", "reversibility", "energy drift", "order"};
  expect_certificate(projected_euler(), "double-pendulum", 0.01, all);
  expect_certificate(projected_euler(), "spherical-pendulum", 0.1,
                     {"symplecticity", "symmetry", "reversibility", "momentum map Lz", "energy drift", "order"});
}
TEST(Certificates, OfWrongKicksAndProjections) {
  for (const char* model : {"spherical-pendulum", "double-pendulum"}) {
    expect_certificate(textbook_rattle({.first_kick = 1, .last_kick = 0}), model, 1,
                       {"symmetry", "reversibility", "order"});
    expect_certificate(textbook_rattle({.final_projection = false}), model, 1,
                       {"hidden constraint", "symmetry", "reversibility", "order"});
  }
}
TEST(Certificates, OfCompositionsInTheWrongOrder) {
  const auto swapped = [](auto& c) { std::swap(c[0], c[1]); };
  for (const char* model : {"spherical-pendulum", "double-pendulum"})
    expect_certificate(changed_composition(scheme, "wrong order", swapped), model, 1,
                       {"symmetry", "reversibility", "order"});
}

// ---- Fields

TEST(BrokenOnFields, IsRejected) {
  NewtonOptions loose;
  loose.tolerance = 1e-4;
  expect(methods().find("verlet-a"), "reversible-pendulum", {}, {"order", "symmetry", "reversibility"});
  expect(with_options(methods().find("verlet-a"), {.newton = loose, .compensated = {}}), "reversible-pendulum",
         {"symmetry", "reversibility"}, {});
  expect(methods().find("gauss-2"), "rigid-body-euler", {}, {"order", "symmetry", "reversibility", "first integrals"});
  MethodEntry pretender = methods().find("rk-4");
  pretender.info.quadratic_invariants = true;
  expect(pretender, "rigid-body-euler", {"symmetry", "reversibility", "first integrals"}, {"order"});
}

// Neither symmetry nor quadratic invariants make a method preserve volume.
TEST(BrokenOnFields, DoesNotPreserveVolume) {
  for (const char* key : {"volume-splitting", "yoshida-4/volume-splitting"})
    expect(methods().find(key), "abc-flow", {}, {"order", "symmetry", "volume"});
  expect(methods().find("gauss-2"), "abc-flow", {"volume"}, {"order", "symmetry"});
  expect(methods().find("rk-4"), "abc-flow", {"symmetry", "volume"}, {"order"});
}

TEST(BrokenInfo, IsIncomplete) {
  const MethodInfo complete = methods().find("rattle").info;
  EXPECT_TRUE(info_is_complete(complete).holds);
  const auto without = [&](auto&& remove) {
    MethodInfo info = complete;
    remove(info);
    return info_is_complete(info).holds;
  };
  EXPECT_FALSE(without([](MethodInfo& info) { info.citation.clear(); }));
  EXPECT_FALSE(without([](MethodInfo& info) { info.title.clear(); }));
  EXPECT_FALSE(without([](MethodInfo& info) { info.key.clear(); }));
  EXPECT_FALSE(without([](MethodInfo& info) { info.order = 0; }));
  EXPECT_THROW((void)without([](MethodInfo& info) { info.key = "no such method"; }), std::exception);
}

}  // namespace
}  // namespace holonom::contract
