// Which methods are tested where. Compositions differ in their coefficients only, so not every one of them has to
// run on every model and in every scalar; all else does.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "holonom/expr/native.hpp"
#include "holonom/methods/registry.hpp"
#include "holonom/methods/substeps.hpp"
#include "problem.hpp"

namespace holonom::contract {

// Orders above 2 are measured on these: regular motions, far from saturation, without and with a general H(q, p),
// with a mass matrix M(q), with a split potential.
inline bool measures_high_orders(const Case& on) {
  constexpr std::array models{"pendulum", "double-pendulum", "charged-particle", "slider-crank",
                              "elastic-double-pendulum"};
  return std::find(models.begin(), models.end(), std::string_view(on.model)) != models.end();
}

// The n of "<family>-<n>", or 0 for all else.
inline int member_of(std::string_view key, std::string_view family) {
  return key.starts_with(family) ? std::atoi(std::string(key.substr(family.size())).c_str()) : 0;
}

// Whether a method is under contract on a model that suits it. Lobatto methods with up to three stages are on all models;
// methods for comparison and all with more stages where compositions are. Compositions are on those above, on a redundant one, on
// two with quadratic constraints and momenta; those of split methods where the potential is split.
inline bool under_contract(const MethodInfo& info, const Case& on) {
  const KeyParts parts = parts_of(info.key);
  // Steps that are long for the springs are for the implicit midpoint rule. Compositions of it are not under contract
  // here: they run from the model's start, but from states along the exact motion Newton's iteration fails within ten
  // steps. Why is not known.
  if (on.stiff) return !parts.scheme && parts.base.ends_with("midpoint");
  if (!info.constrained) return on.constraints == 0;
  const bool few_models = parts.scheme || member_of(info.key, "lobatto-") > 3 || member_of(info.key, "radau-2a-") > 0 ||
                          member_of(info.key, "gauss-") > 0 || member_of(info.key, "bdf-") > 0;
  if (!few_models) return true;
  constexpr std::array further{"four-bar-redundant", "spherical-pendulum", "rigid-body-heavy"};
  if (std::string_view(on.model) == "elastic-double-pendulum") return info.needs == Needs::split || (!parts.scheme && info.symplectic);
  return measures_high_orders(on) ||
         std::find(further.begin(), further.end(), std::string_view(on.model)) != further.end();
}

// Whether a method is for systems like this one, without a look at the system.
inline bool may_suit(const MethodEntry& entry, const Case& on) {
  return entry.info.needs == Needs::hamiltonian || entry.info.needs == on.offers ||
         (entry.info.needs == Needs::separable && on.offers == Needs::split);
}

// The forms in which a method runs on a model. Only words of drifts and Lobatto pairs have compile-time sizes.
inline std::vector<Form> forms(const MethodInfo& info, const Case& on) {
  std::vector<Form> list{Form::interpreted};
  if (native_available()) list.push_back(Form::native);
  const std::string base = parts_of(info.key).base;
  const bool drifts = base.starts_with("rattle") || base.starts_with("symplectic-euler") ||
                      base.starts_with("position-verlet") || base.starts_with("geodesic");
  if (on.small && (drifts || member_of(info.key, "lobatto-") > 0)) list.push_back(Form::dynamic_sizes);
  return list;
}

// Not everything has to run every time. HOLONOM_TEST_ALL=1 (make test-full) runs all there is; else one of `every` runs.
// Which one depends on HOLONOM_TEST_SEED (make test: the commit): all have their turn, and a failure can be repeated.
inline bool in_rotation(std::string_view name, std::uint64_t every) {
  if (const char* all = std::getenv("HOLONOM_TEST_ALL"); all && std::string_view(all) != "0") return true;
  const char* seed = std::getenv("HOLONOM_TEST_SEED");
  std::uint64_t hash = 0xcbf29ce484222325;  // Fowler, Noll, Vo
  const auto add = [&](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  };
  add(seed ? seed : "");
  add(name);
  return (hash ^ (hash >> 29)) % every == 0;
}
constexpr std::uint64_t other_forms = 8;  // one of so many runs in another form than the first

// For tests in many scalars: every method that is no member of a family with its code in common. Of the compositions of
// each base the one with the fewest substeps, of implicit Runge-Kutta methods and BDF the ones named here.
inline std::vector<MethodEntry> representatives() {
  std::vector<MethodEntry> chosen;
  for (MethodEntry& entry : methods().all()) {
    const KeyParts parts = parts_of(entry.info.key);
    constexpr std::array of_family{"lobatto-3", "lobatto-6", "gauss-2+jay", "radau-2a-2", "bdf-3"};
    const std::string_view key = entry.info.key;
    const bool in_family = member_of(key, "lobatto-") + member_of(key, "gauss-") + member_of(key, "radau-2a-") + member_of(key, "bdf-") > 0;
    if (in_family && std::find(of_family.begin(), of_family.end(), key) == of_family.end()) continue;
    const auto same = std::find_if(chosen.begin(), chosen.end(), [&](const MethodEntry& other) {
      const KeyParts its = parts_of(other.info.key);
      return its.scheme && its.base == parts.base;
    });
    if (!parts.scheme || same == chosen.end())
      chosen.push_back(std::move(entry));
    else if (parts.scheme->coefficients.size() < parts_of(same->info.key).scheme->coefficients.size())
      *same = std::move(entry);
  }
  return chosen;
}

}  // namespace holonom::contract
