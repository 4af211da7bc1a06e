#include "holonom/analysis/short_run.hpp"

#include "holonom/analysis/interruption.hpp"
#include "holonom/run/precision.hpp"
#include "holonom/run/run_of.hpp"

namespace holonom {

namespace {

template <class S>
ShortRun look_along(Run& run, long steps) {
  RunOf<S>& now = run.as<S>();
  ShortRun seen{.has_energy = now.system().has_energy(),
                .constraints = now.system().m(),
                .invariant_names = now.labels().invariants,
                .t = {},
                .energy_error = {},
                .position = {},
                .hidden = {},
                .invariant_error = std::vector<std::vector<double>>(now.labels().invariants.size())};
  for (long k = 0; k < steps && run.step() == RunStatus::done; ++k) {
    stop_if_interrupted();
    const Observation<S>& x = now.seen();
    const auto& first = now.result();
    seen.t.push_back(run.time());
    seen.energy_error.push_back(to_double(S(x.energy - first.energy_initial)));
    seen.position.push_back(to_double(x.position.absolute));
    seen.hidden.push_back(to_double(x.hidden.absolute));
    for (std::size_t i = 0; i < seen.invariant_error.size(); ++i) {
      const int at = static_cast<int>(i);
      seen.invariant_error[i].push_back(to_double(S(x.invariants[at] - first.invariant_initial[at])));
    }
  }
  return seen;
}

}  // namespace

ShortRun short_run(Model model, RunSpec spec, long steps) {
  spec.out.clear();
  spec.steps = steps;
  spec.until.reset();
  Run run(std::move(model), std::move(spec));
  return in_precision(run.spec().precision, [&]<class S> { return look_along<S>(run, steps); });
}

}  // namespace holonom
