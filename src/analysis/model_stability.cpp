#include "holonom/analysis/model_stability.hpp"

#include "holonom/model/start.hpp"
#include "holonom/model/toml.hpp"
#include "holonom/run/preparation.hpp"

namespace holonom {

namespace {

void require_residuals(const RunSpec& spec) {
  if (spec.formulation == "direct")
    throw InputError("the constrained equations themselves have no residuals: give " + spec.name_of("formulation") +
                     ", such as dirac");
  if (const Formulation asked = Formulation::parse(spec.formulation); asked.info->on_manifold)
    throw InputError(spec.name_of("formulation") + " " + spec.formulation + ": states of " + asked.info->name +
                     " are on the manifold: there are no residuals");
}

}  // namespace

ModelStability model_stability(const RunSpec& spec) {
  require_residuals(spec);
  ModelChanges changes(spec.set);
  changes.prefix = spec.prefix;
  return model_stability(load_model(spec.model, changes), spec);
}

ModelStability model_stability(Model source, const RunSpec& spec) {
  require_residuals(spec);
  replace_formulas(spec, source);
  const ModelSystem<double> sys(compile(std::move(source)));
  const Model& model = sys.compiled().model();
  RunSpec measured = spec;  // by a method that suits all formulations
  measured.method = "gauss-4";
  const MethodInfo method = find_method(measured, model).info;
  const Formulation formulation = Formulation::parse(method.formulation);
  const Start<double> start = initial_state(sys);
  ModelStability made{.model = sys.labels().model,
                      .formulation = method.formulation,
                      .step = step_of(start, spec, model),
                      .report = {},
                      .warnings = rank_remarks<double>(sys, start.state, model.place("initial.q"), {method})};
  const auto [steps, every] = length_of(start, spec, model, made.warnings);
  made.report = residual_stability(sys, formulation, start.state, made.step, steps, every);
  return made;
}

}  // namespace holonom
