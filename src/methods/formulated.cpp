// Methods on formulations: keys, and what is claimed.
#include <charconv>

#include "families.hpp"
#include "holonom/errors.hpp"
#include "holonom/expr/parser.hpp"
#include "holonom/methods/formulated_key.hpp"

namespace holonom {

std::optional<FormulatedKey> FormulatedKey::parse(const std::string& key) {
  const auto at = key.rfind('@');
  if (at == std::string::npos) return std::nullopt;
  FormulatedKey found;
  found.method = key.substr(0, at);
  std::string formulation = key.substr(at + 1);
  // (the plus of a number has no letter behind it)
  if (const auto plus = formulation.rfind('+');
      plus != std::string::npos && plus + 1 < formulation.size() && formulation[plus + 1] >= 'a') {
    std::string projection = formulation.substr(plus + 1);
    formulation.resize(plus);
    if (const auto colon = projection.find(':'); colon != std::string::npos) {
      const std::string every = projection.substr(colon + 1);
      const auto [end, error] = std::from_chars(every.data(), every.data() + every.size(), found.projection.every);
      if (error != std::errc() || end != every.data() + every.size() || found.projection.every < 1)
        throw InputError("'" + key + "': what is behind the last colon must be a number of steps");
      projection.resize(colon);
    }
    const std::vector<std::string> known{"orthogonal", "stage", "symplectic"};
    if (std::find(known.begin(), known.end(), projection) == known.end())
      throw InputError("'" + key + "': there is no projection '" + projection + "' for formulations." +
                       suggestion(projection, known, "Projections"));
    found.projection.name = projection;
  }
  found.formulation = Formulation::parse(formulation);
  if (!found.formulation) throw InputError("'" + key + "': leave '@direct' out");
  return found;
}

namespace {

// Why a method, a formulation and a projection do not go together; empty if they do.
std::string obstacle(const MethodInfo& method, const FormulatedKey& key) {
  const FormulationInfo& formulation = *key.formulation.info;
  if (!method.formulation.empty()) return "it is on a formulation already";
  if (!method.projection.empty())
    return "the projection of " + method.key + " is one of the constrained system itself: take " +
           method.key.substr(0, method.key.find('+')) + "@" + key.formulation.key() + "+orthogonal";
  if (formulation.name == "state-space" && !key.formulation.has_own_chart() && method.family != "gauss" &&
      method.family != "radau-2a")
    return "state space forms are solved by the stages of implicit Runge-Kutta methods: take a gauss or a radau-2a "
           "method";
  if (formulation.name == "index-2" && method.family != "radau-2a" && method.family != "bdf")
    return "the equations of index 2 are for methods that end on their last stage: take a radau-2a or a bdf method";
  if (formulation.on_manifold && !key.projection.name.empty())
    return "states of " + formulation.name + " are on the manifold without a projection";
  if (!key.formulation.is_hamiltonian() && !method.for_fields)
    return key.formulation.key() + " is a field y' = f(y), and " + method.key +
           " is for Hamiltonian systems: take a Runge-Kutta method or bdf, or one of the formulations h-m and dirac";
  if (method.needs == Needs::shears)
    return method.key +
           " is for fields of a model of its own, by what their formulas depend on: take a Runge-Kutta method";
  if (method.needs == Needs::lagrangian)
    return method.key +
           " takes the Lagrangian of a model as formulas, and a formulation has an energy of its own that is none of "
           "the model: take rattle or midpoint";
  if (method.needs == Needs::rigid_bodies)
    return method.key + " is for the constraints of rigid bodies, which a formulation has in its energy: take rattle";
  if ((method.needs == Needs::separable || method.needs == Needs::split) && !formulation.separable &&
      !formulation.on_manifold)
    return method.key + " is for H = p.M^-1 p/2 + V(q), and with the multipliers in it that of " +
           key.formulation.key() + " is no such sum: take rattle, midpoint or a gauss method";
  if (key.projection.name.empty()) return {};
  if (!method.one_step)
    return method.key + " carries a history along, which a projection would change: take a one-step method";
  if (key.projection.name == "symplectic") {
    if (!formulation.no_impulses.empty())
      return "the projection (31) of Reich is not for the formulation " + formulation.name + ": " +
             formulation.no_impulses + ". Take h-m or dirac, or the projection orthogonal";
    if (!method.on(0).symplectic)
      return "the projection (31) of Reich is for symplectic methods: take gauss-" +
             std::to_string(std::max(1, method.stages)) + ", or the projection orthogonal";
    if (key.projection.every > 1) return "the projection (31) of Reich is part of every step";
  }
  if (key.projection.name == "stage" && method.family != "gauss" && method.family != "radau-2a")
    return "the projection stage is one of the stages of implicit Runge-Kutta methods: take a gauss or a radau-2a "
           "method";
  if (formulation.name == "penalty")
    return "the positions of the formulation penalty are not to be on the manifold: a projection would damp it";
  return {};
}

MethodInfo claims(const MethodInfo& method, const FormulatedKey& key) {
  const FormulationInfo& formulation = *key.formulation.info;
  const bool orthogonal = key.projection.name == "orthogonal", stage = key.projection.name == "stage",
             symplectic = key.projection.name == "symplectic";
  MethodInfo info = method.on(0, !key.formulation.is_hamiltonian());
  info.key = key.text();
  info.family = "formulated";
  info.formulation = key.formulation.key();
  info.projection = key.projection.key().substr(key.projection.name.empty() ? 0 : 1);
  info.title = method.key + " on " + formulation.title;
  if (orthogonal) info.title += "; endpoint projection";
  if (stage) info.title += "; projection of the stages";
  if (symplectic) info.title += "; projection (31) of Reich";
  info.order = std::max(method.order, method.order_q);  // that of the method without constraints
  info.order_q = 0;
  info.constrained = true;
  const bool state_space = formulation.name == "state-space";
  info.keeps_position = info.keeps_hidden =
      formulation.on_manifold || symplectic || (orthogonal && key.projection.every == 1);
  if (!key.formulation.is_reversible()) info.symmetric = false;
  if (orthogonal || stage) info.symmetric = info.symplectic = info.momentum_maps = false;
  if (symplectic || formulation.on_manifold) info.compensated = false;
  info.stage_multipliers = info.fixed_sizes = info.for_fields = info.from_positions = false;
  info.needs = Needs::hamiltonian;
  info.citation = formulation.citation;
  if (state_space) {
    info.momentum_maps = false;  // they are no quadratic functions of the coordinates of a chart
    if (key.formulation.has_own_chart()) {
      const bool canonical = key.formulation.is_hamiltonian();
      if (!canonical) info.title = method.key + " on coordinates of the manifold and their velocities";
      info.remark = canonical ? "in a chart of the model's own: symplectic if the method is, as far as the chart goes"
                              : "velocities are no canonical momenta: not symplectic, to compare with";
      return info;
    }
    const bool fixed = key.formulation.parameter == "fixed";
    const bool partition = key.formulation.parameter.starts_with("partition");
    if (!fixed) info.symmetric = info.symplectic = false;
    info.remark = fixed       ? "symplectic; ends where the chart of its start does"
                  : partition ? "each step has a symplectic differential, but every chart has its own modified "
                                "Hamiltonian: energy drifts with the number of switches"
                              : "charts depend on the state: not symplectic";
    return info;
  }
  info.remark = formulation.name == "h-m" && !symplectic && !orthogonal
                    ? "residuals of the constraints grow exponentially: for short times, or with a projection"
                    : "";
  return info;
}

}  // namespace

MethodFamily formulated_family() {
  MethodFamily family;
  family.pattern = "<method>@<formulation>[:number][+orthogonal[:steps]|+stage[:steps]|+symplectic]";
  family.parse = [](std::string_view text) -> std::optional<MethodEntry> {
    const auto key = FormulatedKey::parse(std::string(text));
    if (!key) return std::nullopt;
    const MethodEntry entry = methods().find(key->method);
    if (const std::string reason = obstacle(entry.info, *key); !reason.empty())
      throw InputError("'" + std::string(text) + "': " + reason);
    return MethodEntry{claims(entry.info, *key), all_scalars([&]<class S> {
                         return formulated_maker<S>(entry, key->formulation, key->projection);
                       })};
  };
  return family;
}

}  // namespace holonom
