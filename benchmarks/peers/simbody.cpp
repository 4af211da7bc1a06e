// Simbody's headers are C++17: C++20 finds their comparisons ambiguous.
#include "simbody.hpp"

#include <Simbody.h>

#include "../measure.hpp"

namespace bench {
namespace {

// Mass points on Translation mobilisers, held by Constraint::Rod. (In joint coordinates Simbody would need no
// constraint here; the comparison is about constraints.) The Runge-Kutta-Merson integrator, its default choice;
// CPodes gets stuck with rods below an accuracy of 1e-5. Constraints are held a hundred times better than the
// accuracy.
template <class P>
Outcome run(double fineness, double periods, double limit) {
  using SimTK::Vec3;
  constexpr int points = P::n / 2;
  double q[P::n], v[P::n];
  start<P>(q, v);

  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter(system);
  SimTK::GeneralForceSubsystem forces(system);
  SimTK::Force::UniformGravity(forces, matter, Vec3(0, -1, 0));
  const SimTK::Body::Rigid mass(SimTK::MassProperties(1, Vec3(0), SimTK::Inertia(0)));
  std::vector<SimTK::MobilizedBody> bodies{matter.Ground()};
  for (int i = 0; i < points; ++i) {
    bodies.push_back(SimTK::MobilizedBody::Translation(matter.Ground(), SimTK::Transform(), mass, SimTK::Transform()));
    SimTK::Constraint::Rod(bodies[static_cast<std::size_t>(i)], Vec3(0), bodies.back(), Vec3(0), 1.0);
  }
  system.realizeTopology();
  SimTK::State state = system.getDefaultState();
  for (int i = 0; i < points; ++i)
    bodies[static_cast<std::size_t>(i + 1)].setQToFitTranslation(state, Vec3(q[2 * i], q[2 * i + 1], 0));

  SimTK::RungeKuttaMersonIntegrator integrator(system);
  integrator.setAccuracy(1 / fineness);
  integrator.setConstraintTolerance(std::max(0.01 / fineness, 1e-14));
  SimTK::TimeStepper stepper(system, integrator);
  EnergyLog log(energy<P>(q, v));
  const double begin = cpu_seconds();
  try {
    stepper.initialize(state);
    const long samples = std::lround(std::ceil(periods / sample_interval));
    for (long k = 1; k <= samples; ++k) {
      const double t = static_cast<double>(k) * sample_interval;
      stepper.stepTo(t * P::period);
      const SimTK::State& now = integrator.getState();
      system.realize(now, SimTK::Stage::Velocity);
      for (int i = 0; i < points; ++i)
        for (int c = 0; c < 2; ++c) {
          q[2 * i + c] = bodies[static_cast<std::size_t>(i + 1)].getBodyOriginLocation(now)[c];
          v[2 * i + c] = bodies[static_cast<std::size_t>(i + 1)].getBodyOriginVelocity(now)[c];
        }
      if (!log.add(t, energy<P>(q, v))) return {};
      if (cpu_seconds() - begin > limit) return Outcome::cut_at(cpu_seconds() - begin);
    }
  } catch (const std::exception&) {  // step size underflow, or constraints that cannot be held
    return {};
  }
  return {cpu_seconds() - begin, log};
}

}  // namespace

template <class P>
std::vector<Integrator> simbody() {
  return {{"Simbody rods, Runge-Kutta-Merson", Integrator::Knob::inverse_tolerance, 1, true, 1e2, 1e13, run<P>}};
}
template std::vector<Integrator> simbody<Pendulum>();
template std::vector<Integrator> simbody<DoublePendulum>();

}  // namespace bench
