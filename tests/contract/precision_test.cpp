// Wide scalars reach their own round-off: both constraints, time reversal, and the wedge product in
// duals. Anything computed in double on the way would show at 1e-16.
#include <gtest/gtest.h>

#include "checks.hpp"
#include "holonom/analysis/conservation.hpp"
#include "holonom/analysis/reversal.hpp"
#include "holonom/analysis/tangent_map.hpp"

namespace holonom::contract {
namespace {

// Separable, general H, M(q), redundant, and quadratic constraints.
const auto some_models = testing::Values("double-pendulum", "charged-particle", "slider-crank", "four-bar-redundant", "rigid-body-heavy");

class Precision : public testing::TestWithParam<const char*> {
 protected:
  // A generic state: some models start at rest.
  template <class S>
  struct Motion {
    GraphSystem<S> sys;
    State<S> x;
    S h;
    StateSize<S> size;
  };
  template <class S>
  static Motion<S> motion(const MethodEntry& entry) {
    Motion<S> m{GraphSystem<S>(load(GetParam())), {}, S(0), {}};
    const Start<S> start = initial_state(m.sys);
    m.x = start.state;
    m.h = start.step.value();
    NumericalMap<S> map(entry, m.sys);
    m.size = motion_size(map, m.x, m.h, 10);
    map(m.x, m.h, 5);
    return m;
  }

  template <class S>
  static void reaches_round_off(long steps) {
    const S bound = S(64) * epsilon<S>();
    for (const MethodEntry& entry : methods().all()) {
      if (!std::get<Maker<S>>(entry.makers)) continue;
      const Motion<S> m = motion<S>(entry);
      NumericalMap<S> map(entry, m.sys);
      const auto r = constraint_residuals(map, m.sys, m.x, m.h, steps);
      const S reversal = symmetry_defect(map, m.x, m.size, m.h, steps);
      if (entry.info.keeps_position) EXPECT_LE(r.position, bound) << entry.info.key;
      if (entry.info.keeps_hidden) EXPECT_LE(r.hidden, bound) << entry.info.key;
      if (entry.info.symmetric) EXPECT_LE(reversal, bound) << entry.info.key;
      RecordProperty(entry.info.key, std::to_string(to_double(S(r.position / epsilon<S>()))) + " " +
                                         std::to_string(to_double(S(r.hidden / epsilon<S>()))) + " " +
                                         std::to_string(to_double(S(reversal / epsilon<S>()))) + " epsilon");
    }
  }
};

TEST_P(Precision, LongDouble) { reaches_round_off<long double>(20); }
TEST_P(Precision, Quad) { reaches_round_off<quad>(20); }
TEST_P(Precision, HundredDigits) { reaches_round_off<mp100>(5); }

TEST_P(Precision, QuadDualsAreSymplectic) {
  const quad bound = quad(Bounds::tangent_defect / std::numeric_limits<double>::epsilon()) * epsilon<quad>();
  for (const MethodEntry& entry : methods().all()) {
    if (!entry.info.symplectic || !std::get<Maker<Dual<quad>>>(entry.makers)) continue;
    const Motion<quad> m = motion<quad>(entry);
    const auto dual = m.sys.rebind<Dual<quad>>();
    for (const long steps : {1L, 10L}) {
      const quad defect = symplectic_defect<quad>(entry, m.sys, dual, m.x, m.size, m.h, steps);
      EXPECT_LE(defect, bound) << entry.info.key;
      RecordProperty(entry.info.key + std::to_string(steps), std::to_string(to_double(quad(defect / epsilon<quad>()))) + " epsilon");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(On, Precision, some_models, [](const auto& model) {
  std::string name = model.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace holonom::contract
