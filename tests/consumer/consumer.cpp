// A model from C++ expressions and an installed one, run with the installed library.
#include <cstdio>

#include "holonom/methods/registry.hpp"
#include "holonom/model/start.hpp"
#include "holonom/model/toml.hpp"
#include "holonom/run/driver.hpp"
#include "holonom/version.hpp"

using namespace holonom;

bool keeps_its_promises(const Model& model) {
  const ModelSystem<double> system(compile(model));
  const auto rattle = methods().find("rattle").make<double>(system);
  RunPlan plan;
  plan.steps = 1000;
  const RunResult<double> result = run<double>(system, *rattle, initial_state(system).state, 0.01, plan);
  std::printf("holonom %s, %s: energy error %.1e, constraint %.1e\n", version, model.name.c_str(), result.energy_error,
              result.position);
  return result.status == RunStatus::done && result.energy_error < 1e-4 && result.position < 1e-14;
}

int main() {
  Model pendulum("pendulum");
  const Expr x = pendulum.coordinate("x"), y = pendulum.coordinate("y");
  pendulum.set_mass({1, 1}).set_potential(y).add_constraint("rod", sqrt(x * x + y * y) - 1).start_at({1, 0});
  const bool mine = keeps_its_promises(pendulum), installed = keeps_its_promises(load_model(MODELS "/pendulum.toml"));
  return mine && installed ? 0 : 1;
}
