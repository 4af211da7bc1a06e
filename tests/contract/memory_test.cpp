// A run that is resumed is the same run, to the last bit: states, multipliers, counters and the memory of the method.
#include <gtest/gtest.h>

#include "choice.hpp"
#include "memory_models.hpp"
#include "memory_support.hpp"

namespace holonom::contract {
namespace {

// A tangent, for dual numbers: any that is not zero.
template <class R>
Departure<Dual<R>> with_tangent(const Departure<R>& start) {
  const auto dual = [](const Vec<R>& x, int k) {
    Vec<Dual<R>> y(x.size());
    for (int i = 0; i < x.size(); ++i) y[i] = Dual<R>(x[i], R(1) / R(i + k));
    return y;
  };
  Departure<Dual<R>> result;
  result.x.q = dual(start.x.q, 1);
  result.x.p = dual(start.x.p, 2);
  result.h = Dual<R>(start.h);
  return result;
}

// Of a run that fails early there is not much to see: most must not.
struct Tally {
  int runs = 0, ended = 0;
  ~Tally() { EXPECT_GE(2 * ended, runs); }
};

// Whether a run that is interrupted at any of these moments is the same as one that is not.
template <class S, class Make>
void resumes(const std::string& name, Make&& make, const Departure<S>& from, const std::vector<long>& steps,
             Tally* tally = nullptr) {
  SCOPED_TRACE(name);
  const std::vector<Moment<S>> moments = whole_run<S>(make(), from, steps);
  if (tally) {
    ++tally->runs;
    tally->ended += moments.size() == steps.size();
  }
  if (moments.empty()) return;
  const Moment<S>& end = moments.back();
  for (const Moment<S>& moment : moments) {
    SCOPED_TRACE("interrupted after " + std::to_string(moment.step) + " of " + std::to_string(end.step));
    Process<S> resumed = make();
    resumed.x = moment.x;
    MemoryReader in(moment.memory);
    ASSERT_TRUE(resumed.method->load(in, resumed.x, from.h).ok());
    EXPECT_TRUE(in.at_end());
    EXPECT_TRUE(resumed.appearance() == moment.appearance && resumed.memory() == moment.memory)
        << "what was loaded is not what was saved";
    ASSERT_EQ(resumed.go(from.h, end.step - moment.step), end.step - moment.step);
    EXPECT_TRUE(resumed.appearance() == end.appearance) << "another run";
    EXPECT_TRUE(resumed.memory() == end.memory) << "another memory";
  }
}
const std::vector<long> usual_steps{0, 2, 16, 32};

// ---- every method

class Resuming : public testing::TestWithParam<Case> {};

TEST_P(Resuming, IsTheSameRun) {
  const auto compiled = load(GetParam().model);
  const ModelSystem<double> sys(compiled);
  Tally tally;
  const auto check = [&](const MethodEntry& entry, bool compensated, double longer, Form form, std::uint64_t every) {
    const std::string name = entry.info.key + (compensated ? " compensated " : " ") + name_of(form) + " with " +
                             std::to_string(longer) + " h";
    if (HasFatalFailure() || !in_rotation(GetParam().model + name, every)) return;
    const auto make = [&] { return Process<double>(entry, compiled, compensated, form); };
    // Most methods have to resolve stiff springs.
    const bool resolve = GetParam().stiff() && !is_for_stiff(entry.info);
    Departure<double> from = departure<double>(compiled);
    from.h = longer * (resolve ? GetParam().resolved : from.h);
    resumes<double>(name, make, from, usual_steps, longer == 1 ? &tally : nullptr);
  };
  for (const MethodEntry& entry : with_general_form(methods().all())) {
    if (!suits(entry, sys)) continue;
    for (const bool compensated : {false, true}) {
      check(entry, compensated, 1, Form::interpreted, compensated ? other_forms : 2);
      check(entry, compensated, 25, Form::interpreted, other_pairs);  // where paths are followed, and flags matter
    }
    for (const Form form : forms(entry.info, GetParam()))
      if (form != Form::interpreted) check(entry, false, 1, form, other_forms);
  }
  EXPECT_GT(tally.runs, 0);
  RecordProperty("runs", tally.runs);
}

INSTANTIATE_TEST_SUITE_P(On, Resuming, testing::ValuesIn(cases()),
                         [](const auto& on) { return test_name(on.param.model); });

TEST(ResumingOnFormulations, IsTheSameRun) {
  for (const char* model : {"charged-particle", "double-pendulum", "slider-crank"}) {
    const auto compiled = load(model);
    for (const char* key :
         {"gauss-2@dirac", "gauss-1@h-m+orthogonal:3", "gauss-2@h-m+symplectic", "lobatto-3@dirac+symplectic",
          "rattle@h-m+symplectic", "gauss-1@dirac+stage:2", "bdf-2@weak", "rk-4@baumgarte:2+orthogonal",
          "lobatto-3@dirac", "rattle@dirac", "radau-2a-2@underlying", "radau-2a-2@index-2", "bdf-3@index-2",
          "gauss-2@state-space:partition", "gauss-2@state-space:every:3"})
      for (const bool compensated : {false, true}) {
        const MethodEntry entry = methods().find(key);
        const auto make = [&] { return Process<double>(entry, compiled, compensated); };
        resumes<double>(std::string(model) + ", " + key, make, departure<double>(compiled), usual_steps);
      }
  }
}

// K is factored with the momentum before the last projection.
TEST(ResumingOnFormulations, IsTheSameRunWhereMassesDependOnMomenta) {
  const auto compiled = from_text(relativistic(""));
  for (const char* key : {"gauss-2@h-m+symplectic", "lobatto-3@dirac+symplectic", "rattle@h-m+symplectic"}) {
    const auto make = [&] { return Process<double>(methods().find(key), compiled, false); };
    resumes<double>(key, make, departure<double>(compiled), usual_steps);
  }
}

// Coordinates of a chart are memory: an angle of several turns is not that of its position.
TEST(ResumingOnFormulations, IsTheSameRunInAChart) {
  for (const char* model : {"slider-crank", "geodesic-torus"}) {
    const auto compiled = load(model);
    for (const char* key : {"gauss-2@state-space:own", "rattle@state-space:own", "rk-4@state-space:own",
                            "bdf-2@state-space:own", "gauss-1@state-space:own-velocity"})
      for (const bool compensated : {false, true}) {
        const MethodEntry entry = methods().find(key);
        const auto make = [&] { return Process<double>(entry, compiled, compensated); };
        resumes<double>(std::string(model) + ", " + key, make, departure<double>(compiled), {0, 2, 16, 32, 400, 700});
      }
  }
}

TEST(ResumingOnOwnModels, IsTheSameRun) {
  for (const auto& own : own_models())
    for (const MethodEntry& entry : with_general_form(representatives())) {
      const auto& model = own.name;
      const auto& compiled = own.compiled;
      if (!suits(entry, ModelSystem<double>(compiled))) continue;
      for (const double longer : {1., 10.})
        for (const bool compensated : {false, true}) {
          const auto make = [&] { return Process<double>(entry, compiled, compensated); };
          resumes<double>(std::string(model) + ", " + entry.info.key + (compensated ? " compensated " : " ") +
                              std::to_string(longer) + " h",
                          make, departure<double>(compiled, longer), usual_steps);
        }
      if (HasFatalFailure()) return;
    }
}

// Many constraints, of which one is left out.
TEST(ResumingOnOwnModels, IsTheSameRunWithAConstraintLeftOut) {
  const auto compiled = from_text(chain(310, true, "{ r = 1 }"));
  for (const char* key : {"rattle", "midpoint", "shake", "lobatto-2"}) {
    const auto make = [&] { return Process<double>(methods().find(key), compiled, false); };
    resumes<double>(key, make, departure<double>(compiled), {1, 12, 24});
  }
}

// Where a dead centre is passed the rank would be another one, if it were looked for there.
TEST(ResumingNearADeadCentre, IsTheSameRun) {
  const auto compiled = compile(load_model(HOLONOM_TEST_MODELS "/parallelogram.toml"));
  std::vector<long> all;
  for (long k = 0; k <= 120; ++k) all.push_back(k);
  for (const MethodEntry& entry : {methods().find("rattle"), methods().find("geodesic-3"), methods().find("lobatto-2"),
                                   methods().find("shake"), general_form()}) {
    const auto make = [&] { return Process<double>(entry, compiled, false); };
    resumes<double>(entry.info.key, make, departure<double>(compiled), all);
  }
}

// ---- every scalar

class ResumingIn : public testing::TestWithParam<const char*> {
 protected:
  template <class S, class Depart>
  static void all(long most, std::uint64_t every, Depart&& depart) {
    const auto compiled = load(GetParam());
    Tally tally;
    for (const MethodEntry& entry : representatives()) {
      if (!suits(entry, ModelSystem<S>(compiled))) continue;
      if (case_of(GetParam()).stiff() && !is_for_stiff(entry.info)) continue;
      for (const bool compensated : {false, true}) {
        const std::string name = entry.info.key + (compensated ? " compensated" : "");
        if (!in_rotation(std::string(GetParam()) + precision_name<Real<S>>() + name, every)) continue;
        const auto make = [&] { return Process<S>(entry, compiled, compensated); };
        resumes<S>(name, make, depart(compiled), {1, most / 2, most}, &tally);
        if (HasFatalFailure()) return;
      }
    }
  }
};

TEST_P(ResumingIn, LongDouble) {
  all<long double>(24, 4, [](const auto& compiled) { return departure<long double>(compiled); });
}
TEST_P(ResumingIn, Quad) {
  all<quad>(24, 4, [](const auto& compiled) { return departure<quad>(compiled); });
}
TEST_P(ResumingIn, HundredDigits) {
  all<mp100>(14, 16, [](const auto& compiled) { return departure<mp100>(compiled); });
}
TEST_P(ResumingIn, Duals) {
  all<Dual<double>>(24, 4, [](const auto& compiled) { return with_tangent(departure<double>(compiled)); });
}
TEST_P(ResumingIn, QuadDuals) {
  all<Dual<quad>>(14, 4, [](const auto& compiled) { return with_tangent(departure<quad>(compiled)); });
}

INSTANTIATE_TEST_SUITE_P(On, ResumingIn,
                         testing::Values("double-pendulum", "charged-particle", "slider-crank", "four-bar-redundant",
                                         "rigid-body-heavy", "elastic-double-pendulum", "stiff-pendulum-chain",
                                         "lotka-volterra"),
                         [](const auto& on) { return test_name(on.param); });

}  // namespace
}  // namespace holonom::contract
