// The registry: families of methods, each of which turns a key such as "rattle" into a method. The
// command line, the documentation and the contract tests are all made from this one list.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "holonom/methods/any_method.hpp"
#include "holonom/wide.hpp"

namespace holonom {

template <class S>
using Maker = std::function<std::unique_ptr<AnyMethod<S>>(const AnySystem<S>&, const MethodOptions&)>;

// What to take instead of a method for Hamiltonian systems.
std::string advice_for_fields(const MethodInfo& info);

// One method in all scalars. A maker may be empty: the method does not exist in that scalar.
struct MethodEntry {
  MethodInfo info;
  std::tuple<Maker<double>, Maker<long double>, Maker<quad>, Maker<mp100>, Maker<Dual<double>>, Maker<Dual<quad>>>
      makers;

  // Throws Unsuitable if the system lacks what the method needs.
  template <class S>
  std::unique_ptr<AnyMethod<S>> make(const AnySystem<S>& sys, MethodOptions options = {}) const {
    const auto& maker = std::get<Maker<S>>(makers);
    if (!maker) throw Unsuitable(info.key + " is not available in this precision");
    if (sys.is_field() && !info.for_fields)
      throw Unsuitable(info.key + " is for Hamiltonian systems, and " + sys.labels().model +
                       " is a field y' = f(y): " + advice_for_fields(info));
    if (sys.is_field() && info.needs_parts && !sys.labels().has_parts())
      throw Unsuitable(info.key + " treats q and p differently, and the variables of " + sys.labels().model +
                       " do not come in two parts: write them as q = { ... } and p = { ... } in [field], or take a "
                       "Runge-Kutta method such as gauss-2 or rk-4");
    if (!options.compensated) options.compensated = info.compensated;
    return maker(sys, options);
  }
};

struct MethodFamily {
  std::string pattern;               // "rattle", "lobatto-<s>": what a user types
  std::vector<std::string> members;  // keys that stand for the family in lists and tests
  std::function<std::optional<MethodEntry>(std::string_view key)> parse;
};

class Registry {
 public:
  void add(MethodFamily family) { families_.push_back(std::move(family)); }
  const std::vector<MethodFamily>& families() const { return families_; }
  // Nothing if there is no such method.
  std::optional<MethodEntry> parse(std::string_view key) const;
  // Throws InputError with the nearest key if there is no such method.
  MethodEntry find(std::string_view key) const;
  // All members of all families.
  std::vector<MethodEntry> all() const;

 private:
  std::vector<MethodFamily> families_;
};

// The methods of this library; user code may add its own families.
Registry& methods();

}  // namespace holonom
