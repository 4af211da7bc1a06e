// Shadow energies along runs: which window a row has, that looking changes nothing, that every action is right also
// where several steps are one, and what `shadow_energy` says of what it sees.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "choice.hpp"
#include "holonom/analysis/shadow_energy.hpp"
#include "holonom/methods/composition.hpp"
#include "holonom/methods/projected_map.hpp"
#include "holonom/run/driver.hpp"
#include "model_run.hpp"
#include "printed.hpp"

namespace holonom::contract {
namespace {

struct Rows final : Recorder<double> {
  void record(const State<double>& x, const Observation<double>& seen) override {
    states.push_back(x);
    values.push_back(seen.invariants[seen.invariants.size() - 1]);
  }
  std::vector<State<double>> states;
  std::vector<double> values;
};
struct ShadowRun {
  RunResult<double> result;
  Rows rows;
};
void run_shadow(ShadowRun& to, const AnySystem<double>& sys, const State<double>& x, const char* key, double h, int M,
                const RunPlan& plan) {
  const MethodEntry entry = methods().find(key);
  const auto method = entry.make<double>(sys);
  Driver<double> driver(sys, *method, x, h, plan, {&to.rows});
  Shadow<double> shadow(sys, entry, MethodOptions{}, *method, M);
  driver.accompany(shadow);
  driver.begin();
  driver.advance(plan.steps);
  driver.finish();
  to.result = driver.result();
}

TEST(ShadowRun, RowsHaveTheWindowThatEndsThere) {
  ModelRun model("double-pendulum");
  ShadowRun all;
  RunPlan plan;
  plan.steps = 60;
  run_shadow(all, model.sys, model.x, "rattle", 0.06, 8, plan);
  // By the states and actions themselves
  const auto method = methods().find("rattle").make<double>(model.sys);
  ASSERT_EQ(method->track_action(), "");
  ShadowWindow<double> window(4, 8);
  const ShadowWeights<double> weights(8);
  State<double> x = model.x;
  window.begin(x);
  ASSERT_TRUE(method->begin(x, 0.06).ok());
  std::vector<double> expected;
  for (int k = 1; k <= 60; ++k) {
    ASSERT_TRUE(method->step(x, 0.06).ok());
    window.add(x, method->action());
    if (window.is_full()) expected.push_back(window.value(weights, 0.06));
  }
  ASSERT_EQ(all.rows.values.size(), 61U);
  for (std::size_t k = 0; k <= 60; ++k) EXPECT_EQ(all.rows.values[k], expected[k < 8 ? 0 : k - 8]) << k;
  EXPECT_EQ(all.result.invariant_initial[0], expected[0]);
  // Between recorded states several steps are one, and only the last are looked at.
  for (const long every : {5L, 8L, 9L, 25L}) {
    plan.every = every;
    plan.watch_all = false;
    ShadowRun some;
    run_shadow(some, model.sys, model.x, "rattle", 0.06, 8, plan);
    ASSERT_EQ(some.rows.values.size(), static_cast<std::size_t>(60 / every) + (60 % every == 0 ? 1 : 2));
    for (std::size_t k = 0; k < some.rows.values.size(); ++k) {
      const std::size_t n = std::min<std::size_t>(k * static_cast<std::size_t>(every), 60);
      EXPECT_NEAR(some.rows.values[k], all.rows.values[n], 1e-13) << every << ", row " << k;
    }
  }
}

// A step that is asked for its action makes the same state.
TEST(ShadowRun, ChangesNoBit) {
  const std::vector<std::pair<const char*, const char*>> pairs{{"double-pendulum", "rattle"},
                                                               {"double-pendulum", "kahan-li-8"},
                                                               {"double-pendulum", "lobatto-3"},
                                                               {"double-pendulum", "midpoint"},
                                                               {"double-pendulum", "shake"},
                                                               {"charged-particle", "rattle"},
                                                               {"charged-particle", "lobatto-3"},
                                                               {"slider-crank", "midpoint"},
                                                               {"henon-heiles", "gauss-2"},
                                                               {"elastic-double-pendulum", "respa-outer-4"},
                                                               {"double-pendulum", "gauss-2@h-m+symplectic"}};
  for (const auto& [model, key] : pairs) {
    ModelRun run(model, key);
    const double h = std::string_view(model) == "slider-crank" ? 0.001 : 0.02;
    const MethodEntry entry = methods().find(key);
    std::vector<State<double>> ends;
    for (const bool tracked : {false, true}) {
      const auto method = entry.make<double>(run.sys);
      if (tracked) {
        ASSERT_EQ(method->track_action(), "") << key;
      }
      State<double> x = run.x;
      ASSERT_TRUE(method->begin(x, h).ok());
      for (int k = 0; k < 40; ++k) ASSERT_TRUE(method->step(x, h).ok()) << key;
      ends.push_back(x);
    }
    for (int i = 0; i < run.sys.n(); ++i) {
      EXPECT_EQ(ends[0].q[i], ends[1].q[i]) << key << " on " << model;
      EXPECT_EQ(ends[0].p[i], ends[1].p[i]) << key << " on " << model;
    }
  }
}

// The action of several steps at once is the sum of theirs, whatever the method makes of them.
TEST(ShadowRun, ActionsOfSeveralSteps) {
  for (const char* key :
       {"rattle", "yoshida-4", "lobatto-3", "midpoint", "shake", "gauss-2@dirac", "gauss-1@state-space:fixed"}) {
    for (const Form form : {Form::interpreted, Form::dynamic_sizes}) {
      ModelRun run("double-pendulum");
      const MethodEntry entry = in_form(methods().find(key), form);
      const auto one = entry.make<double>(run.sys), all = entry.make<double>(run.sys);
      ASSERT_EQ(one->track_action(), "") << key;
      ASSERT_EQ(all->track_action(), "") << key;
      State<double> x = run.x, y = run.x;
      ASSERT_TRUE(one->begin(x, 0.01).ok() && all->begin(y, 0.01).ok());
      double sum = 0;
      for (int k = 0; k < 20; ++k) {
        ASSERT_TRUE(one->step(x, 0.01).ok()) << key;
        sum += one->action();
      }
      ASSERT_TRUE(all->steps(y, 0.01, 20).ok()) << key;
      EXPECT_NEAR(all->action(), sum, 1e-14) << key;
      EXPECT_GT(std::abs(sum), 0.1);
    }
  }
}

// ---- what is refused, and why

void expect_refusal(const char* model, const char* key, const std::string& words) {
  const ModelSystem<double> sys(load(model));
  const State<double> x = initial_state(sys).state;
  try {
    (void)shadow_energy<double>(methods().find(key), sys, x, 0.01, 10);
    ADD_FAILURE() << key << " on " << model << " was not refused";
  } catch (const Unsuitable& e) {
    EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
  }
}
TEST(ShadowEnergyIsRefused, WhereThereIsNone) {
  expect_refusal("double-pendulum", "rk-4", "rk-4 is not symplectic");
  expect_refusal("double-pendulum", "radau-2a-2", "is not symplectic");
  expect_refusal("double-pendulum", "gauss-2", "gauss-2 is not symplectic with constraints");
  expect_refusal("double-pendulum", "gauss-2+jay", "is not symplectic");
  expect_refusal("double-pendulum", "bdf-2", "is not symplectic");
  expect_refusal("double-pendulum", "gauss-2@h-m+orthogonal", "is not symplectic");
  expect_refusal("double-pendulum", "gauss-2@weak", "is not symplectic");
  expect_refusal("double-pendulum", "gauss-1@state-space:partition", "is not symplectic");
  expect_refusal("slider-crank", "gauss-1@state-space:own-velocity", "is not symplectic");
  expect_refusal("lotka-volterra", "gauss-2", "a field y' = f(y) has no symplectic form");
}

// A map that does not know its action, and the same with it
template <class Sys>
class Verlet {
  using S = ScalarOf<Sys>;

 public:
  explicit Verlet(const Sys& sys) : f_(size_q(sys)), v_(size_q(sys)) {}
  Status operator()(const Sys& sys, QVec<Sys>& q, QVec<Sys>& p, const S& h, Counters&) {
    action_ = -h / 2 * sys.V(q);
    sys.V_q(q, f_);
    axpy(S(-h / 2), f_, p);
    sys.mass().solve(p, v_);
    axpy(h, v_, q);
    action_ += h * dot(p, v_) / 2 - h / 2 * sys.V(q);
    sys.V_q(q, f_);
    axpy(S(-h / 2), f_, p);
    return {};
  }

 protected:
  S action_{0};

 private:
  QVec<Sys> f_, v_;
};
template <class Sys>
class VerletWithAction : public Verlet<Sys> {
 public:
  using Verlet<Sys>::Verlet;
  std::string track_action(const Sys&) { return {}; }
  ScalarOf<Sys> action() const { return this->action_; }
};
template <class Sys>
using Silent = MapMotion<Sys, Verlet>;
template <class Sys>
using Telling = MapMotion<Sys, VerletWithAction>;
template <template <class> class Motion>
MethodEntry wrapped(const char* key) {
  MethodEntry entry;
  entry.info.key = key;
  entry.info.symplectic = entry.info.symmetric = true;
  std::get<Maker<double>>(entry.makers) = [key](const AnySystem<double>& sys, const MethodOptions& options) {
    using View = SeparableView<double>;
    return make_on<Composition<View, Motion>, View>(key, sys, options, Word<double>{move(0.5, 0.5)});
  };
  return entry;
}
TEST(ShadowEnergyOfAnOwnMap, IsThatOfItsAction) {
  const ModelSystem<double> sys(load("double-pendulum"));
  const State<double> x = initial_state(sys).state;
  EXPECT_THROW((void)shadow_energy<double>(wrapped<Silent>("silent"), sys, x, 0.03, 100), Unsuitable);
  const ShadowEnergy found = shadow_energy<double>(wrapped<Telling>("telling"), sys, x, 0.03, 2000, 4);
  EXPECT_TRUE(as_printed(found.range, "4.223e-10"));  // the wrapped Verlet method is RATTLE
}

// ---- what is seen

TEST(ShadowEnergyFinds, WhatLimitsIt) {
  const ModelSystem<double> sys(load("double-pendulum"));
  const State<double> x = initial_state(sys).state;
  const auto of = [&](const char* key, double h, int M) {
    return shadow_energy<double>(methods().find(key), sys, x, h, 2000, M);
  };
  const ShadowEnergy short_window = of("rattle", 0.03, 4), enough = of("rattle", 0.02, 12),
                     change = of("rattle", 0.12, 16), unresolved = of("kahan-li-8", 0.12, 12);
  EXPECT_EQ(short_window.limit, ShadowLimit::window) << short_window.remark();
  EXPECT_TRUE(as_printed(short_window.range, "4.223e-10"));
  EXPECT_TRUE(as_printed(short_window.shorter_range, "1.764e-6"));
  EXPECT_TRUE(as_printed(short_window.energy_range, "4.270e-4"));
  EXPECT_EQ(enough.limit, ShadowLimit::rounding) << enough.range << " against " << enough.rounding;
  EXPECT_LT(std::abs(enough.drift), 1e-14);
  EXPECT_EQ(change.limit, ShadowLimit::change);
  EXPECT_NEAR(change.range, 2.402e-6, 0.3e-6);
  EXPECT_EQ(unresolved.limit, ShadowLimit::unresolved);
  EXPECT_FALSE(unresolved.resolved());
}

// What the window leaves out, subtracted: below the range of H, where H̃ alone is far above it. The middle states are
// 8, 28, 48, ...
TEST(ShadowEnergyByReference, KahanLi8) {
  ModelRun run("double-pendulum", "kahan-li-8");
  const MethodEntry entry = methods().find("kahan-li-8");
  const auto at = [&](double h, int M) {
    return shadow_energy_by_reference<double>(entry, run.sys, run.after(h, 8 - M / 2), h, 100, 20, M);
  };
  const std::map<int, const char*> printed{{2, "6.38e-10"}, {4, "5.63e-10"}, {8, "4.86e-10"}},
      raw{{2, "4.10e-4"}, {4, "1.22e-5"}, {8, "6.63e-7"}};
  for (const int M : {2, 4, 8}) {
    const ShadowEnergy found = at(0.12, M);
    EXPECT_TRUE(as_printed(found.range, printed.at(M))) << M;
    EXPECT_TRUE(as_printed(found.shorter_range, raw.at(M))) << M;
    EXPECT_TRUE(as_printed(found.energy_range, "1.40e-9"));
    EXPECT_TRUE(found.resolved());
  }
  const ShadowEnergy fine = at(0.08, 8);
  EXPECT_TRUE(as_printed(fine.energy_range, "3.52e-11"));
  EXPECT_LT(fine.range, 5e-13);
  EXPECT_THROW((void)shadow_energy_by_reference<double>(methods().find("symplectic-euler"), run.sys, run.x, 0.1, 2, 2),
               Unsuitable);
}

}  // namespace
}  // namespace holonom::contract
