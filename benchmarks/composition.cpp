// A substep of a composition: hand-written, and the library on an own C++ type with static sizes.
#include "holonom/coefficients/composition.hpp"

#include "hand_written.hpp"
#include "holonom/methods/rattle.hpp"
#include "measure.hpp"
#include "own_system.hpp"

using namespace holonom;

namespace {

template <class P>
void compare(const std::string& problem, const std::string& key, double h) {
  constexpr int steps = 2000, rounds = 41;
  const std::vector<double> c = coefficients<double>(*find_composition(key));

  hand::Composition<P> by_hand(c);
  const Own<P> own;
  auto x = make_state(own);
  for (int i = 0; i < P::n; ++i) x.q[i] = P::q0[static_cast<std::size_t>(i)];
  Composition<Own<P>> composed(own, compose(rattle_word<double>(), c, false));
  if (!composed.begin(own, x, h).ok()) std::abort();

  std::vector<Contestant> contestants{{"hand-written",
                                       [&] {
                                         for (int i = 0; i < steps; ++i) by_hand.step(h);
                                       },
                                       {}},
                                      {"own C++ type, static sizes",
                                       [&] {
                                         for (int i = 0; i < steps; ++i)
                                           if (!composed.step(own, x, h).ok()) std::abort();
                                       },
                                       {}}};
  measure(contestants, rounds);
  report(key + ", " + problem + ", h = " + (h > 0.02 ? "0.05" : "0.01"), contestants,
         steps * static_cast<double>(c.size()), "substep");
  double apart = 0;
  for (int i = 0; i < P::n; ++i) apart = std::max(apart, std::abs(by_hand.q[i] - x.q[i]));
  std::printf("  (both ran %d steps; their positions differ by %.1e)\n\n", steps * (rounds + 1), apart);
}

}  // namespace

int main() {
  for (const char* key : {"yoshida-4", "kahan-li-8"})
    for (const double h : {0.05, 0.01}) {
      compare<hand::Pendulum>("pendulum", key, h);
      compare<hand::DoublePendulum>("double pendulum", key, h);
    }
}
