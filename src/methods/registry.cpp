#include "holonom/methods/registry.hpp"

#include "families.hpp"
#include "holonom/errors.hpp"
#include "holonom/expr/parser.hpp"

namespace holonom {

std::string advice_for_fields(const MethodInfo& info) {
  if (!info.formulation.empty()) return "formulations are made of systems with constraints; leave the formulation out";
  const bool position = info.base == "position-verlet";
  const std::string verlet = position ? "verlet-b" : "verlet-a";
  if (info.family == "base" && (position || info.base == "rattle"))
    return "take " + verlet + ", which is what this is without constraints, or a Runge-Kutta method";
  if (info.family == "composition" && !info.scheme.empty() && (position || info.base == "rattle") && info.file.empty())
    return "take " + info.scheme + "/" + verlet + ", or a Runge-Kutta method";
  return "take verlet-a or verlet-b, a Runge-Kutta method such as gauss-2 or rk-4, or bdf";
}

std::optional<MethodEntry> Registry::parse(std::string_view key) const {
  for (const MethodFamily& family : families_)
    if (auto entry = family.parse(key)) return entry;
  return std::nullopt;
}

MethodEntry Registry::find(std::string_view key) const {
  if (auto entry = parse(key)) return *entry;
  std::vector<std::string> known;
  for (const MethodFamily& family : families_) known.insert(known.end(), family.members.begin(), family.members.end());
  const std::string hint = did_you_mean(key, known);
  throw InputError("unknown method '" + std::string(key) + "'." +
                   (hint.empty() ? " 'holonom methods' lists all of them." : hint));
}

std::vector<MethodEntry> Registry::all() const {
  std::vector<MethodEntry> entries;
  for (const MethodFamily& family : families_)
    for (const std::string& key : family.members) entries.push_back(family.parse(key).value());
  return entries;
}

Registry& methods() {
  static Registry registry = [] {
    Registry r;
    r.add(formulated_family());
    r.add(base_family());
    r.add(composition_family());
    r.add(scheme_family());
    r.add(shake_family());
    r.add(variational_family());
    r.add(lobatto_family());
    r.add(pair_family());
    r.add(gauss_family());
    r.add(radau_family());
    r.add(bdf_family());
    r.add(explicit_rk_family());
    return r;
  }();
  return registry;
}

}  // namespace holonom
