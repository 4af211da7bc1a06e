#include "holonom/run/preparation.hpp"

#include <algorithm>
#include <cmath>

#include "holonom/expr/native.hpp"
#include "holonom/expr/parser.hpp"
#include "holonom/formulations/formulation.hpp"
#include "holonom/solve/constraint_rank.hpp"
#include "holonom/solve/projection.hpp"

namespace holonom {

MethodEntry find_method(const std::string& key, const std::string& place) {
  try {
    return methods().find(key);
  } catch (const InputError& e) {
    throw InputError(place + e.what());
  }
}

namespace {

// On a formulation without constraints, with what the spec says of it
MethodEntry find_formulated(const RunSpec& spec, const std::string& key, const std::string& place) {
  if (spec.formulation == "direct") {
    if (spec.chart)
      throw InputError(spec.name_of("chart") + " " + *spec.chart + ": this is for " + spec.name_of("formulation") +
                       " state-space");
    if (spec.alpha)
      throw InputError(spec.name_of("alpha") + " " + *spec.alpha + ": this is the number of a formulation; give " +
                       spec.name_of("formulation"));
    return find_method(key, place);
  }
  std::string whole = key + "@" + spec.formulation;
  if (spec.chart) {
    if (spec.formulation != "state-space")
      throw InputError(spec.name_of("chart") + " " + *spec.chart + ": charts belong to the formulation state-space");
    whole += ":" + *spec.chart;
  }
  if (spec.alpha) {
    if (spec.formulation.find(':') != std::string::npos)
      throw InputError(spec.name_of("alpha") + " " + *spec.alpha + ": the formulation " + spec.formulation +
                       " has a number already");
    whole += ":" + *spec.alpha;
  }
  if (!spec.projection.empty() && spec.projection != "none") whole += "+" + spec.projection;
  if (spec.project_every > 1) whole += ":" + std::to_string(spec.project_every);
  return find_method(whole, place);
}

}  // namespace

MethodEntry find_method(const RunSpec& spec, const Model& model) {
  const std::string& key = spec.method ? *spec.method : model.method;
  const std::string place = spec.method ? spec.name_of("method") + " " + key + ": " : model.place("integrate.method");
  const bool projects = !spec.projection.empty() && spec.projection != "none";
  if (spec.project_every > 1 && (!projects || spec.formulation == "direct"))
    throw InputError(spec.name_of("project-every") + ": this is for a " + spec.name_of("projection") +
                     " after steps on a " + spec.name_of("formulation"));
  MethodEntry plain = find_formulated(spec, key, place);
  if (!projects || spec.formulation != "direct") return plain;
  const std::string what = place + spec.name_of("projection") + " " + spec.projection + ": ";
  std::vector<std::string> known(projection_names.begin(), projection_names.end());
  if (const bool of_formulations =
          spec.projection == "orthogonal" || spec.projection == "stage" || spec.projection == "symplectic";
      of_formulations)
    throw InputError(what + "this projection is for methods on a formulation without constraints: give " +
                     spec.name_of("formulation") + ", such as dirac, h-m or underlying");
  if (std::find(known.begin(), known.end(), spec.projection) == known.end())
    throw InputError(what + "there is no projection of this name." + suggestion(spec.projection, known, "Projections"));
  if (!plain.info.projection.empty()) throw InputError(what + "'" + key + "' is projected already");
  if (const auto projected = methods().parse(key + "+" + spec.projection)) return *projected;
  const bool needs_none = plain.info.keeps_position && plain.info.keeps_hidden;
  throw InputError(what + "there is no projected form of '" + key +
                   (needs_none ? "', which keeps both constraints without" : "'"));
}

std::string advice_without_constraints(const MethodInfo& info, const RunSpec& spec) {
  const bool projected = methods().parse(info.key + "+jay").has_value();
  return info.key + " is no method for systems with constraints, and a smaller step does not help: take lobatto-" +
         std::to_string(info.stages + 1) +
         (projected ? ", or " + info.key + "+jay (" + spec.name_of("projection") + " jay)." : ".");
}

// Native code costs some 10 to 40 ms to make: `automatic` takes it for runs that are longer than that.
bool use_native(EngineChoice engine, Precision precision, const Model& model, double substeps,
                const std::string& what) {
  const bool in_double = precision == Precision::double_;
  if (engine == EngineChoice::interpreter) return false;
  if (engine == EngineChoice::native) {
    if (!in_double) throw InputError(what + ": native code exists in double precision only");
    if (!native_available()) throw InputError(what + ": " + why_not_native());
    return true;
  }
  constexpr double worth_it = 2e6;
  return in_double && native_available() && substeps * (model.n() + model.m()) > worth_it;
}

void replace_formulas(const RunSpec& spec, Model& model) {
  const auto replace = [&](const std::optional<std::string>& by, std::optional<NodeId>& value,
                           const std::string& field) {
    if (!by) return;
    value = model.constant(*by, spec.name_of(field));
    model.places["integrate." + field] = spec.name_of(field) + " " + *by;
  };
  replace(spec.step, model.step, "step");
  replace(spec.until, model.until, "until");
}

std::vector<std::string> rank_remarks_in_double(const AnySystem<double>& sys, const State<double>& x,
                                                const std::string& place, const std::vector<MethodInfo>& used) {
  const ConstraintRank rank = constraint_rank(sys, x);
  const std::vector<std::string>& names = sys.labels().constraints;
  if (rank.singular_position) {
    const std::string which = quoted_list(names, rank.dependent.front());
    throw InputError(place + "the initial position is a singular one (such as a dead centre): there " +
                     (rank.dependent.front().size() == 1 ? "the gradient of constraint " + which + " vanishes"
                                                         : "the constraints " + which + " are dependent") +
                     ". Start from another position");
  }
  std::vector<std::string> remarks;
  if (!rank.is_clear())
    remarks.push_back("the rank of the constraints, " + std::to_string(rank.rank) + " of " + std::to_string(sys.m()) +
                      ", is not clear: the last one that counts has only " + std::to_string(std::lround(rank.gap)) +
                      " times the pivot of the next. They are nearly dependent, or nearly independent");
  if (rank.rank == sys.m()) return remarks;
  constexpr std::size_t shown = 5;
  std::string which;
  for (std::size_t i = 0; i < std::min(shown, rank.dependent.size()); ++i)
    which += (i == 0 ? "" : "; ") + quoted_list(names, rank.dependent[i]);
  if (rank.dependent.size() > shown) which += "; and " + std::to_string(rank.dependent.size() - shown) + " more sets";
  const auto needs_independent = [](const std::string& text) {
    const Formulation formulation = Formulation::parse(text);
    return formulation.info->independent && !formulation.has_own_chart();  // a chart evaluates no constraint
  };
  for (const MethodInfo& method : used) {
    if (method.formulation.empty()) continue;
    const std::string missing = needs_independent(method.formulation) ? "the formulation " + method.formulation
                                : method.projection.empty()           ? ""
                                                                      : "the projection " + method.projection;
    if (missing.empty()) continue;
    throw InputError(method.key + ": the constraints are redundant, " + std::to_string(sys.m()) + " of rank " +
                     std::to_string(rank.rank) + ", one follows from the others among " + which +
                     ". Off the manifold they contradict each other, and " + missing +
                     " does not exist there: leave one of them out, or take the constrained equations themselves");
  }
  remarks.push_back("redundant constraints, " + std::to_string(sys.m()) + " of rank " + std::to_string(rank.rank) +
                    ": one follows from the others among " + which +
                    ". The motion is not affected; their multipliers are not unique");
  return remarks;
}

}  // namespace holonom
