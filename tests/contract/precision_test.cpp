// Wide scalars reach their own round-off: both constraints, time reversal, and the wedge product in
// duals. Anything computed in double on the way would show at 1e-16.
#include <gtest/gtest.h>

#include <algorithm>

#include "checks.hpp"
#include "choice.hpp"
#include "holonom/analysis/conservation.hpp"
#include "holonom/analysis/reversal.hpp"
#include "holonom/analysis/tangent_map.hpp"

namespace holonom::contract {
namespace {

class Precision : public testing::TestWithParam<const char*> {
 protected:
  // A generic state: some models start at rest.
  template <class S>
  struct Motion {
    State<S> x;
    S h;
    StateSize<S> size;
  };
  template <class S>
  static Motion<S> motion(const MethodEntry& entry, const ModelSystem<S>& sys) {
    const Start<S> start = initial_state(sys);
    Motion<S> m{start.state, start.step.value(), {}};
    NumericalMap<S> map(entry, sys);
    m.size = motion_size(map, m.x, m.h, 10);
    map(m.x, m.h, 5);
    return m;
  }

  template <class S>
  static void reaches_round_off(long steps) {
    const ModelSystem<S> sys(load(GetParam()));
    for (const MethodEntry& entry : representatives()) {
      if (!suits(entry, sys)) continue;
      const double bound = 64 * rounding_of(entry.info, 1);  // in ε of the scalar; steps are the model's own
      const Motion<S> m = motion(entry, sys);
      NumericalMap<S> map(entry, sys);
      const auto r = constraint_residuals(map, sys, m.x, m.h, steps);
      const auto at_most = [&](bool claimed, const char* what, const S& measured) {
        const double in_epsilons = to_double(S(measured / epsilon<S>()));
        RecordProperty(entry.info.key + " " + what, std::to_string(in_epsilons) + " epsilon");
        EXPECT_TRUE(!claimed || in_epsilons <= bound)
            << entry.info.key << ": " << what << " " << in_epsilons << " epsilon";
      };
      at_most(entry.info.keeps_position, "position", r.position);
      at_most(entry.info.keeps_hidden, "hidden", r.hidden);
      at_most(entry.info.symmetric, "reversal", symmetry_defect(map, m.x, m.size, m.h, steps));
    }
  }
};

TEST_P(Precision, LongDouble) { reaches_round_off<long double>(20); }
TEST_P(Precision, Quad) { reaches_round_off<quad>(20); }
TEST_P(Precision, HundredDigits) { reaches_round_off<mp100>(5); }

class QuadDuals : public Precision {};

TEST_P(QuadDuals, AreSymplectic) {
  const quad bound = quad(Bounds::tangent_defect / std::numeric_limits<double>::epsilon()) * epsilon<quad>();
  const ModelSystem<quad> sys(load(GetParam()));
  const ModelSystem<Dual<quad>> dual = sys.rebind<Dual<quad>>();
  for (const MethodEntry& entry : representatives()) {
    if (!entry.info.symplectic || !suits(entry, dual)) continue;
    const Motion<quad> m = motion(entry, sys);
    for (const long steps : {1L, 10L}) {
      const quad defect = symplectic_defect<quad>(entry, sys, dual, m.x, m.size, m.h, steps);
      EXPECT_LE(defect, bound) << entry.info.key;
      RecordProperty(entry.info.key + std::to_string(steps),
                     std::to_string(to_double(quad(defect / epsilon<quad>()))) + " epsilon");
    }
  }
}

std::string identifier(const testing::TestParamInfo<const char*>& model) {
  std::string name = model.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// Separable, general H, M(q), redundant, quadratic constraints, sparse, split.
INSTANTIATE_TEST_SUITE_P(On, Precision,
                         testing::Values("double-pendulum", "charged-particle", "slider-crank", "four-bar-redundant",
                                         "rigid-body-heavy", "hanging-chain", "elastic-double-pendulum"),
                         identifier);
INSTANTIATE_TEST_SUITE_P(On, QuadDuals,
                         testing::Values("double-pendulum", "charged-particle", "slider-crank", "four-bar-redundant",
                                         "rigid-body-heavy", "elastic-double-pendulum"),
                         identifier);

}  // namespace
}  // namespace holonom::contract
