// RATTLE on the pendulum and the double pendulum: hand-written, as an own C++ type (static sizes), and
// as a text model (interpreted).
#include "holonom/methods/rattle.hpp"

#include "hand_written.hpp"
#include "holonom/expr/native.hpp"
#include "holonom/methods/registry.hpp"
#include "holonom/model/start.hpp"
#include "holonom/model/toml.hpp"
#include "measure.hpp"
#include "own_system.hpp"

using namespace holonom;

namespace {

template <class P>
void compare(const std::string& title, const std::string& model) {
  constexpr double h = 0.01;
  constexpr int steps = 20000, rounds = 41;

  hand::Rattle<P> by_hand;

  const Own<P> own;
  auto x = make_state(own);
  for (int i = 0; i < P::n; ++i) x.q[i] = P::q0[static_cast<std::size_t>(i)];
  Rattle<Own<P>> rattle(own);
  if (!rattle.begin(own, x, h).ok()) std::abort();

  const ModelSystem<double> text(compile(parse_model(model, "benchmark")));
  State<double> y = initial_state(text).state;
  const auto interpreted = methods().find("rattle").make<double>(text);
  if (!interpreted->begin(y, h).ok()) std::abort();

  // The same model with native code, where it is available.
  std::optional<ModelSystem<double>> native;
  std::unique_ptr<AnyMethod<double>> compiled;
  State<double> z = y;
  if (native_available()) {
    native.emplace(text.compiled_model(), Engine::native);
    compiled = methods().find("rattle").make<double>(*native);
    if (!compiled->begin(z, h).ok()) std::abort();
  }

  std::vector<Contestant> contestants{{"hand-written",
                                       [&] {
                                         for (int i = 0; i < steps; ++i) by_hand.step(h);
                                       },
                                       {}},
                                      {"own C++ type, static sizes",
                                       [&] {
                                         for (int i = 0; i < steps; ++i)
                                           if (!rattle.step(own, x, h).ok()) std::abort();
                                       },
                                       {}},
                                      {"text model, interpreted",
                                       [&] {
                                         for (int i = 0; i < steps; ++i)
                                           if (!interpreted->step(y, h).ok()) std::abort();
                                       },
                                       {}}};
  if (compiled)
    contestants.push_back({"text model, native code",
                           [&] {
                             for (int i = 0; i < steps; ++i)
                               if (!compiled->step(z, h).ok()) std::abort();
                           },
                           {}});
  measure(contestants, rounds);
  report(title, contestants, steps, "step");
  double apart = 0;
  for (int i = 0; i < P::n; ++i)
    apart = std::max({apart, std::abs(by_hand.q[i] - x.q[i]), std::abs(by_hand.q[i] - y.q[i])});
  std::printf("  (all ran %d steps; their positions differ by %.1e)\n\n", steps * (rounds + 1), apart);
}

}  // namespace

int main() {
  compare<hand::Pendulum>("RATTLE, pendulum, h = 0.01", R"(
format = 1
[coordinates]
names = ["x", "y"]
[energy]
mass = [1, 1]
potential = "y"
[constraints]
rod = "(x^2 + y^2 - 1)/2"
[initial]
q = { x = 1, y = 0 }
)");
  compare<hand::DoublePendulum>("RATTLE, double pendulum, h = 0.01", R"(
format = 1
[coordinates]
names = ["x1", "y1", "x2", "y2"]
[energy]
mass = [1, 1, 1, 1]
potential = "y1 + y2"
[constraints]
upper = "(x1^2 + y1^2 - 1)/2"
lower = "((x2 - x1)^2 + (y2 - y1)^2 - 1)/2"
[initial]
q = { x1 = "1/2", y1 = "-sqrt(3)/2", x2 = "1/2", y2 = "-sqrt(3)/2 - 1" }
)");
}
