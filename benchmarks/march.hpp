// Fixed steps over many periods, with a look at the energy now and then.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "holonom/methods/registry.hpp"
#include "holonom/model/start.hpp"
#include "integrator.hpp"
#include "measure.hpp"

namespace bench {

// From a fresh start: begin(h), advance_by(h, count) and energy_now().
template <class Begin, class Advance, class Energy>
Outcome march(double period, double steps_a_period, double periods, double limit, Begin begin, Advance advance_by,
              Energy energy_now) {
  const double h = period / steps_a_period;
  const long steps = std::lround(std::ceil(periods * steps_a_period));
  const long every = std::max(1L, std::lround(sample_interval * steps_a_period));
  constexpr long look_at_the_clock = 16;
  constexpr double struggle =
      5e-4;  // seconds a step of these small systems: a solver that fights for each of its steps
  EnergyLog log(energy_now());
  const double began = cpu_seconds();
  if (!begin(h)) return {};
  long samples = 0;
  for (long k = 0; k < steps;) {
    const long count = std::min(every, steps - k);
    if (!advance_by(h, count)) return {};
    k += count;
    if (!log.add(static_cast<double>(k) / steps_a_period, energy_now())) return {};
    if (++samples % look_at_the_clock != 0) continue;
    const double spent = cpu_seconds() - began;
    if (spent > limit / 10 && spent > struggle * static_cast<double>(k)) return {};
    if (spent > limit) return Outcome::cut_at(spent);
  }
  return {cpu_seconds() - began, log};
}

// RATTLE itself may need ten million steps a period.
inline Integrator fixed_step(std::string name, const holonom::MethodInfo& info, double coarsest,
                             std::function<Outcome(double, double, double)> run) {
  return {std::move(name),
          Integrator::Knob::steps_a_period,
          static_cast<double>(info.order),
          !info.symplectic,
          coarsest,
          1e7,
          std::move(run)};
}

// A method of the registry on a text model; energies are measured in `unit`.
inline Integrator on_text_model(const holonom::ModelSystem<double>& sys, const holonom::MethodEntry& entry,
                                double period, double unit, double coarsest) {
  const auto run = [&sys, entry, period, unit](double fineness, double periods, double limit) {
    holonom::State<double> x = holonom::initial_state(sys).state;
    const auto method = entry.make<double>(sys);
    return march(
        period, fineness, periods, limit, [&](double h) { return method->begin(x, h).ok(); },
        [&](double h, long count) { return method->steps(x, h, count).ok(); }, [&] { return sys.H(x.q, x.p) / unit; });
  };
  return fixed_step(entry.info.key, entry.info, coarsest, run);
}

}  // namespace bench
