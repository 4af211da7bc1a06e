#include "holonom/analysis/model_certificate.hpp"

#include "holonom/analysis/invariants.hpp"
#include "holonom/analysis/momentum_maps.hpp"
#include "holonom/analysis/numerical_map.hpp"
#include "holonom/methods/substeps.hpp"
#include "holonom/model/start.hpp"
#include "holonom/model/toml.hpp"
#include "holonom/run/precision.hpp"
#include "holonom/run/preparation.hpp"

namespace holonom {

namespace {

template <class S>
ModelCertificate certify_in(const RunSpec& spec, const std::shared_ptr<const CompiledModel>& compiled,
                            const std::map<std::string, Conservation>& known, const CertificateParts& parts) {
  const Model& model = compiled->model();
  const MethodEntry chosen = find_method(spec, model);
  constexpr double steps = 2e4;  // about
  const bool native = use_native(spec.engine, spec.precision, model, steps * substeps(chosen.info).count,
                                 spec.name_of("engine") + " llvm");
  const ModelSystem<S> sys(compiled, native ? Engine::native : Engine::interpreter);
  const Start<S> start = initial_state(sys);
  const S h = step_of(start, spec, model);
  (void)chosen.make<S>(sys);  // throws if the method does not suit the model
  const MethodOptions options{.newton = {.tolerance = spec.tolerance, .matrix = spec.newton}, .compensated = {}};
  ModelCertificate made{.model = sys.labels().model,
                        .precision = precision_name<S>(),
                        .engine = engine_name(native),
                        .method = chosen.info,
                        .step = to_text(h),
                        .certificate = {},
                        .advice = {},
                        .warnings = rank_remarks<S>(sys, start.state, model.place("initial.q"), {chosen.info})};
  made.certificate = certify<S>(chosen, sys, start.state, h, options, known, parts.order);
  if (!parts.advice) return made;
  const ModelSystem<double> rounded(compiled, native ? Engine::native : Engine::interpreter);
  made.advice = advise(chosen, rounded, initial_state(rounded).state, to_double(h), options, made.certificate);
  return made;
}

// The model with the momentum maps that its symmetries have, as invariants to be measured like those that it names.
struct WithMaps {
  std::shared_ptr<const CompiledModel> compiled;
  MomentumMaps maps;
};
WithMaps with_momentum_maps(const RunSpec& spec, const std::shared_ptr<const CompiledModel>& compiled) {
  const ModelSystem<double> sys(compiled);
  if (sys.is_field()) return {compiled, {}};
  const MethodInfo info = find_method(spec, compiled->model()).info;
  MomentumMaps maps = find_momentum_maps(sys, initial_state(sys).state);
  if (maps.found.empty()) return {compiled, {}};
  const bool on_manifold = info.keeps_position && info.formulation.empty();
  return {compile(with_invariants(compiled->model(), maps, on_manifold)), std::move(maps)};
}

// What `check` says of the invariants that the model names
std::map<std::string, Conservation> conservation_of_named(const std::shared_ptr<const CompiledModel>& compiled) {
  std::map<std::string, Conservation> known;
  const ModelSystem<double> sys(compiled);
  if (sys.labels().invariants.empty()) return known;
  for (const InvariantReport& report : invariant_reports(sys, initial_state(sys).state)) {
    // Off the manifold tests are along the underlying equation. It takes {I, H} = 0 and {I, g} = 0 to be kept by every
    // formulation: ψ is constant in that equation, and oscillates in that of Dirac.
    const bool everywhere = report.proved || sys.m() == 0 || report.conservation != Conservation::strong;
    known.emplace(report.name, everywhere ? report.conservation : Conservation::weak);
  }
  return known;
}

}  // namespace

ModelCertificate certify_model(const RunSpec& spec, const CertificateParts& parts) {
  ModelChanges changes(spec.set);
  changes.prefix = spec.prefix;
  return certify_model(load_model(spec.model, changes), spec, parts);
}

ModelCertificate certify_model(Model model, const RunSpec& spec, const CertificateParts& parts) {
  replace_formulas(spec, model);
  const std::shared_ptr<const CompiledModel> named = compile(std::move(model));
  const std::map<std::string, Conservation> known = conservation_of_named(named);
  const auto [compiled, maps] = with_momentum_maps(spec, named);
  ModelCertificate made =
      in_precision(spec.precision, [&, &in = compiled]<class S> { return certify_in<S>(spec, in, known, parts); });
  for (const MomentumMap& map : maps.found)
    for (Claim& claim : made.certificate.claims)
      if (claim.property == "momentum map " + map.name) claim.remark += "; " + map.name + " = " + map.formula;
  return made;
}

}  // namespace holonom
