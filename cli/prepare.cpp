#include "prepare.hpp"

#include <algorithm>
#include <cmath>

#include "holonom/analysis/rank.hpp"
#include "holonom/expr/native.hpp"

namespace holonom {

void warn(const std::string& what) { std::fprintf(stderr, "holonom: warning: %s\n", readable(what).c_str()); }

MethodEntry method_entry(const std::string& key, const std::string& place, const std::string& projection) {
  try {
    MethodEntry plain = methods().find(key);
    if (projection.empty()) return plain;
    for (const MethodFamily& family : methods().families())
      if (family.pattern.ends_with("[+" + projection + "]"))
        if (auto projected = family.parse(key + "+" + projection)) return *projected;
    if (key.ends_with("+" + projection))
      throw InputError("--projection " + projection + ": '" + key + "' is projected already");
    throw InputError(
        "--projection " + projection + ": there is no projected form of '" + key +
        (plain.info.keeps_position && plain.info.keeps_hidden ? "', which keeps both constraints without" : "'"));
  } catch (const InputError& e) {
    throw InputError(place + e.what());
  }
}

std::string advice_without_constraints(const MethodInfo& info) {
  const auto has_projected = [&](const MethodFamily& family) { return family.parse(info.key + "+jay").has_value(); };
  const bool projected = std::any_of(methods().families().begin(), methods().families().end(), has_projected);
  return info.key + " is no method for systems with constraints, and a smaller step does not help: take lobatto-" +
         std::to_string(info.stages + 1) + (projected ? ", or " + info.key + "+jay (--projection jay)." : ".");
}

// Native code costs some 10 to 40 ms to make: `auto` takes it for runs that are longer than that.
bool use_native(const std::string& engine, const std::string& precision, const Model& model, double substeps) {
  if (engine == "interp") return false;
  if (engine == "llvm") {
    if (precision != "double") throw InputError("--engine llvm: native code exists in double precision only");
    if (!native_available()) throw InputError("--engine llvm: " + why_not_native());
    return true;
  }
  constexpr double worth_it = 2e6;
  return precision == "double" && native_available() && substeps * (model.n() + model.m()) > worth_it;
}

void report_rank(const GraphSystem<double>& sys, const State<double>& x) {
  const ConstraintRank rank = constraint_rank(sys, x);
  const std::vector<std::string>& names = sys.labels().constraints;
  if (rank.singular_position) {
    const std::string which = quoted_list(names, rank.dependent.front());
    throw InputError(sys.compiled().model().place("initial.q") +
                     "the initial position is a singular one (such as a dead centre): there " +
                     (rank.dependent.front().size() == 1 ? "the gradient of constraint " + which + " vanishes"
                                                         : "the constraints " + which + " are dependent") +
                     ". Start from another position");
  }
  if (!rank.is_clear())
    warn("the rank of the constraints, " + std::to_string(rank.rank) + " of " + std::to_string(sys.m()) +
         ", is not clear: the last one that counts has only " + std::to_string(std::lround(rank.gap)) +
         " times the pivot of the next. They are nearly dependent, or nearly independent");
  if (rank.rank == sys.m()) return;
  constexpr std::size_t shown = 5;
  std::string which;
  for (std::size_t i = 0; i < std::min(shown, rank.dependent.size()); ++i)
    which += (i == 0 ? "" : "; ") + quoted_list(names, rank.dependent[i]);
  if (rank.dependent.size() > shown) which += "; and " + std::to_string(rank.dependent.size() - shown) + " more sets";
  warn("redundant constraints, " + std::to_string(sys.m()) + " of rank " + std::to_string(rank.rank) +
       ": one follows from the others among " + which +
       ". The motion is not affected; their multipliers are not unique");
}

}  // namespace holonom
