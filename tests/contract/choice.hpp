// Which methods are tested where. Compositions differ in their coefficients only, so not every one of them has to
// run on every model and in every scalar; all else does.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "holonom/coefficients/composition.hpp"
#include "holonom/methods/registry.hpp"
#include "problem.hpp"

namespace holonom::contract {

// "suzuki-4/respa-4", "suzuki-4": the scheme and the base of a composition; no scheme: all else.
struct KeyParts {
  const CompositionScheme* scheme = nullptr;
  std::string base;
};
inline KeyParts parts_of(std::string_view key) {
  const auto slash = key.find('/');
  const CompositionScheme* scheme = find_composition(key.substr(0, slash));
  if (!scheme) return {nullptr, std::string(key)};
  return {scheme, slash == std::string_view::npos ? "rattle" : std::string(key.substr(slash + 1))};
}

// What a step of a method is made of: steps c₁h, ..., c_s h of its base.
struct Substeps {
  int count = 1;
  double largest = 1, sum = 1;  // of |c_i|
};
inline Substeps substeps(std::string_view key) {
  const CompositionScheme* scheme = parts_of(key).scheme;
  if (!scheme) return {};
  Substeps result{0, 0, 0};
  for (const double c : coefficients<double>(*scheme)) {
    ++result.count;
    result.sum += std::abs(c);
    result.largest = std::max(result.largest, std::abs(c));
  }
  return result;
}

// Orders above 2 are measured on these: regular motions, far from saturation, without and with a general H(q, p),
// with a mass matrix M(q), with a split potential.
inline bool measures_high_orders(const Case& on) {
  constexpr std::array models{"pendulum", "double-pendulum", "charged-particle", "slider-crank",
                              "elastic-double-pendulum"};
  return std::find(models.begin(), models.end(), std::string_view(on.model)) != models.end();
}

// Whether a method is under contract on a model that suits it. Compositions are on those above, on a redundant one, on
// two with quadratic constraints and momenta; those of split methods where the potential is split.
inline bool under_contract(const MethodInfo& info, const Case& on) {
  const KeyParts parts = parts_of(info.key);
  // Steps that are long for the springs are for the implicit midpoint rule. Compositions of it are not under contract
  // here: they run from the model's start, but from states along the exact motion Newton's iteration fails within ten
  // steps. Why is not known.
  if (on.stiff) return !parts.scheme && parts.base.ends_with("midpoint");
  if (!parts.scheme) return true;
  constexpr std::array further{"four-bar-redundant", "spherical-pendulum", "rigid-body-heavy"};
  if (std::string_view(on.model) == "elastic-double-pendulum") return info.needs == Needs::split;
  return measures_high_orders(on) ||
         std::find(further.begin(), further.end(), std::string_view(on.model)) != further.end();
}

// Whether a method is for systems like this one, without a look at the system.
inline bool may_suit(const MethodEntry& entry, const Case& on) {
  return entry.info.needs == Needs::hamiltonian || entry.info.needs == on.offers ||
         (entry.info.needs == Needs::separable && on.offers == Needs::split);
}

// For tests in many scalars: every method that is no composition, and of the compositions of each base, which have
// their code in common, the one with the fewest substeps.
inline std::vector<MethodEntry> representatives() {
  std::vector<MethodEntry> chosen;
  for (MethodEntry& entry : methods().all()) {
    const KeyParts parts = parts_of(entry.info.key);
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
