// A model from C++ expressions, run with the installed library.
#include <cstdio>

#include "holonom/methods/registry.hpp"
#include "holonom/model/start.hpp"
#include "holonom/run/driver.hpp"
#include "holonom/version.hpp"

using namespace holonom;

int main() {
  Model pendulum("pendulum");
  const Expr x = pendulum.coordinate("x"), y = pendulum.coordinate("y");
  pendulum.set_mass({1, 1}).set_potential(y).add_constraint("rod", sqrt(x * x + y * y) - 1).start_at({1, 0});

  const GraphSystem<double> system(compile(pendulum));
  const auto rattle = methods().find("rattle").make<double>(system);
  const RunResult<double> result = run<double>(system, *rattle, initial_state(system).state, 0.01, {.steps = 1000, .every = 1, .interrupt = nullptr, .progress = {}});
  std::printf("holonom %s: energy error %.1e, constraint %.1e\n", version, result.energy_error, result.position);
  return result.status == RunStatus::done && result.energy_error < 1e-4 && result.position < 1e-14 ? 0 : 1;
}
