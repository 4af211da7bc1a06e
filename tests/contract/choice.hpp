// What is tested where: every method on every model that suits it. Not every pair can run every time: some have their
// turn.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "holonom/expr/native.hpp"
#include "holonom/methods/registry.hpp"
#include "holonom/methods/substeps.hpp"
#include "problem.hpp"

namespace holonom::contract {

inline bool is_one_of(const Case& on, std::initializer_list<std::string_view> models) {
  return std::find(models.begin(), models.end(), std::string_view(on.model)) != models.end();
}

// What is not under contract, and where. Each is a line of docs/known-deficits.md, which says why.
struct Deficit {
  const char* line;  // words by which it is found there
  bool (*covers)(std::string_view property, const MethodInfo& info, const Case& on);
};
inline const std::vector<Deficit>& deficits() {
  static const std::vector<Deficit> all{
      {"Orders above 10 need more digits than quad has",
       [](std::string_view property, const MethodInfo& info, const Case&) {
         return property == "order" && info.order > 10;
       }},
      {"Orders of 8 and 10 on the stiff chain",
       [](std::string_view property, const MethodInfo& info, const Case& on) {
         return property == "order" && (info.order >= 8 || info.key == "bdf-6") && on.stiff();
       }},
      {"The order of `rkf-78` settles at rounding errors only",
       [](std::string_view property, const MethodInfo& info, const Case& on) {
         return property == "order" && info.key == "rkf-78" &&
                is_one_of(on, {"four-bar", "four-bar-redundant", "kepler-sphere"});
       }},
      {"The order of `radau-2a-2` on the elastic double pendulum and on Kepler's sphere",
       [](std::string_view property, const MethodInfo& info, const Case& on) {
         return property == "order" && info.key == "radau-2a-2" &&
                is_one_of(on, {"elastic-double-pendulum", "kepler-sphere"});
       }},
      {"BDF of orders 1 and 2 on Kepler's sphere",
       [](std::string_view property, const MethodInfo& info, const Case& on) {
         return property != "order" && (info.key == "bdf-1" || info.key == "bdf-2") && is_one_of(on, {"kepler-sphere"});
       }},
      {"Tangents of SHAKE on the chain of 100 links",
       [](std::string_view property, const MethodInfo& info, const Case& on) {
         return property == "tangents" && !info.one_step && on.constraints >= 50;
       }},
      {"Loops on the stiff chain",
       [](std::string_view property, const MethodInfo&, const Case& on) { return property == "loops" && on.stiff(); }},
      {"Energies of symplectic Euler on the guiding centre",
       [](std::string_view property, const MethodInfo& info, const Case& on) {
         return property == "energy" && info.order == 1 && is_one_of(on, {"guiding-centre"});
       }},
      {"The energy of chaotic motions",
       [](std::string_view property, const MethodInfo& info, const Case& on) {
         return property == "energy" && on.chaotic && substeps(info).count > 1;
       }},
  };
  return all;
}
inline bool is_deficit(std::string_view property, const MethodInfo& info, const Case& on) {
  const auto covers = [&](const Deficit& d) { return d.covers(property, info, on); };
  return std::any_of(deficits().begin(), deficits().end(), covers);
}

// Methods for steps that are long for stiff springs. (Compositions of them have substeps that are longer still.)
inline bool is_for_stiff(const MethodInfo& info) {
  return (info.family == "base" && info.base.ends_with("midpoint")) || info.key == "variational-midpoint";
}

// Whether it differs from others in its coefficients alone.
inline bool is_one_of_many(const MethodInfo& info) {
  return !info.scheme.empty() || (info.member > 0 && !(info.family == "lobatto" && info.member <= 3));
}

// Sanitizers look at code, not at numbers: with them each form of a system has one model, orders in quad have their
// turn, and so has what differs in coefficients alone.
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

// Pairs that run every time. Compositions and members of a family differ in their coefficients only: on most models
// they have their turn.
inline bool is_usual(const MethodInfo& info, const Case& on) {
  if (sanitized && (is_one_of_many(info) ||
                    !is_one_of(on, {"double-pendulum", "charged-particle", "slider-crank", "four-bar-redundant",
                                    "elastic-double-pendulum", "kepler", "lotka-volterra"})))
    return false;
  if (on.stiff()) return is_for_stiff(info);
  // Coefficients that are rounded alike in every step show there first, as a drift.
  if (info.family == "lobatto" && is_one_of(on, {"pendulum-quadratic"})) return true;
  return !is_one_of_many(info) ||
         is_one_of(on, {"pendulum", "double-pendulum", "charged-particle", "slider-crank", "elastic-double-pendulum",
                        "four-bar-redundant", "spherical-pendulum", "rigid-body-heavy"});
}
// Orders that are measured in quad run every time on these. (On the slider-crank, whose steps cost most, those of a
// family have their turn.)
inline bool is_usual_in_quad(const MethodInfo& info, const Case& on) {
  if (sanitized) return false;
  if (is_one_of_many(info) && is_one_of(on, {"slider-crank"})) return false;
  return is_one_of(on, {"pendulum", "double-pendulum", "charged-particle", "slider-crank", "elastic-double-pendulum",
                        "henon-heiles"});
}

// Whether a method is for systems like this one, without a look at the system.
inline bool may_suit(const MethodEntry& entry, const Case& on) {
  if (on.field && !(entry.info.for_fields && (on.parts || !entry.info.needs_parts))) return false;
  if (entry.info.needs == Needs::unconstrained) return on.constraints == 0;
  if (entry.info.needs == Needs::shears) return on.shears;
  // Tables are no formulas, and a Hamiltonian that is not quadratic in p has no Lagrangian.
  if (entry.info.needs == Needs::lagrangian) return !is_one_of(on, {"hanging-chain", "guiding-centre"});
  return entry.info.needs == Needs::hamiltonian || entry.info.needs == on.offers ||
         (entry.info.needs == Needs::separable && (on.offers == Needs::split || on.offers == Needs::rigid_bodies));
}

// The forms in which a method runs on a model. Only words of drifts and Lobatto pairs have compile-time sizes.
inline std::vector<Form> forms(const MethodInfo& info, const Case& on) {
  std::vector<Form> list{Form::interpreted};
  if (native_available()) list.push_back(Form::native);
  if (on.small && info.fixed_sizes) list.push_back(Form::dynamic_sizes);
  return list;
}

// Not everything has to run every time. HOLONOM_TEST_ALL=1 (make test-full) runs all there is; else one of `every`
// runs. Which one depends on HOLONOM_TEST_SEED (make test: the commit): all have their turn, and a failure can be
// repeated.
inline bool runs_everything() {
  const char* all = std::getenv("HOLONOM_TEST_ALL");
  return all && std::string_view(all) != "0";
}
inline bool in_rotation(std::string_view name, std::uint64_t every) {
  if (runs_everything()) return true;
  const char* seed = std::getenv("HOLONOM_TEST_SEED");
  std::uint64_t hash = 0xcbf29ce484222325;  // Fowler, Noll, Vo
  const auto add = [&](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  };
  add(seed ? seed : "");
  add(name);
  return (hash ^ (hash >> 29)) % every == 0;
}
constexpr std::uint64_t other_forms = 8, other_pairs = 16;  // one of so many

// For tests in many scalars: every method that is no member of a family with its code in common. Of the compositions of
// each base the one with the fewest substeps, of implicit Runge-Kutta methods and BDF the ones named here.
inline std::vector<MethodEntry> representatives() {
  std::vector<MethodEntry> chosen;
  for (MethodEntry& entry : methods().all()) {
    const MethodInfo& info = entry.info;
    constexpr std::array of_family{"lobatto-3", "lobatto-6", "gauss-2+jay", "radau-2a-2", "bdf-3"};
    if (info.member > 0 && std::find(of_family.begin(), of_family.end(), info.key) == of_family.end()) continue;
    const auto same = std::find_if(chosen.begin(), chosen.end(), [&](const MethodEntry& other) {
      return !other.info.scheme.empty() && other.info.base == info.base;
    });
    if (info.scheme.empty() || same == chosen.end())
      chosen.push_back(std::move(entry));
    else if (info.substeps.size() < same->info.substeps.size())
      *same = std::move(entry);
  }
  return chosen;
}

}  // namespace holonom::contract
