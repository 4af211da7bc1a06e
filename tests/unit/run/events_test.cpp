// Events of a run: found once each, in order, in both directions of time, to the accuracy of the dense output.
#include "holonom/run/events.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "holonom/methods/registry.hpp"
#include "holonom/model/start.hpp"
#include "holonom/model/toml.hpp"
#include "holonom/run/driver.hpp"
#include "support.hpp"

namespace holonom {
namespace {

using test::contains;
using test::message_of;

template <class S>
struct Collected final : EventRecorder<S> {
  std::vector<Event<S>> list;
  void event(const Event<S>& e) override { list.push_back(e); }
};

template <class S>
struct Found {
  std::vector<Event<S>> events;
  std::vector<EventCount<S>> counts;
  RunResult<S> result;
};

// The events of a model of the collection, or of a text, in a run of `steps` steps of h.
template <class S>
Found<S> find(Model model, const std::string& method, const S& h, long steps) {
  const ModelSystem<S> sys(compile(std::move(model)));
  std::vector<Direction> directions;
  for (const EventFormula& e : sys.compiled().model().events) directions.push_back(e.direction);
  Collected<S> kept;
  EventFinder<S> finder(sys,
                        [&](const auto& q, const auto& p, auto& value, auto& scale) { sys.events(q, p, value, scale); },
                        directions, {&kept});
  const auto bound = methods().find(method).template make<S>(sys);
  RunPlan plan;
  plan.steps = steps;
  Found<S> found;
  found.result = run<S>(sys, *bound, initial_state(sys).state, h, plan, {&finder});
  found.events = kept.list;
  found.counts = finder.counts();
  return found;
}
Model with_events(const std::string& model, const std::vector<std::string>& events, const Overrides& set = {}) {
  ModelChanges changes(set);
  changes.event = events;
  return load_model(HOLONOM_MODELS "/" + model + ".toml", changes);
}
Model pendulum(const std::vector<std::string>& events) { return with_events("pendulum", events); }

// A free particle, q = t: methods are exact on it.
Model free_motion(const std::string& events, const std::string& start = "q = { x = 0 }\nv = { x = 1 }") {
  return parse_model(
      "format = 1\n[coordinates]\nnames = [\"x\"]\n[energy]\nmass = [1]\npotential = \"0\"\n[initial]\n" + start +
          "\n[events]\n" + events + "\n",
      "free.toml");
}

constexpr double period = 7.4162987092054877;

// Half periods apart, at T/4, 3T/4, ...; the error of the tenth-order run is far below that of the interpolation.
double period_error(double h) {
  const Found<double> found =
      find<double>(pendulum({"x"}), "sofroniou-spaletta-10", h, std::lround(std::floor(2 * period / h)));
  EXPECT_EQ(found.events.size(), 4U);
  double most = 0;
  for (std::size_t k = 0; k < found.events.size(); ++k) {
    const Event<double>& e = found.events[k];
    EXPECT_EQ(e.up, k % 2 == 1);
    EXPECT_LT(std::abs(e.state.q[0]), 1e-15);
    EXPECT_LT(e.seen.position.absolute, 1e-15);
    EXPECT_LT(e.seen.hidden.absolute, 1e-15);
    most = std::max(most, std::abs(e.state.t - period * (2 * static_cast<double>(k) + 1) / 4));
  }
  return most;
}

TEST(Events, ThePeriodOfThePendulum) {
  const double coarse = period_error(0.17), fine = period_error(0.085);
  EXPECT_LT(coarse, 1e-8);
  EXPECT_LT(fine, coarse / 60);
}

TEST(Events, TimesAreAsExactAsThePrecision) {
  const quad T("7.41629870920548767373540138878104018");
  const Found<quad> found = find<quad>(pendulum({"x"}), "sofroniou-spaletta-10", quad("0.002"), 2000);
  ASSERT_EQ(found.events.size(), 1U);
  EXPECT_LT(to_double(abs(quad(found.events[0].state.t - T / 4))), 1e-19);
  EXPECT_LT(to_double(abs(found.events[0].state.q[0])), 1e-33);
}

TEST(Events, AreFoundInOrder) {
  const Found<double> found = find<double>(
      free_motion("c = \"x - 0.3\"\na = \"x - 0.1\"\nb = \"x - 0.21\"\nd = \"2.5 - x\""), "rattle", 1.0, 3);
  ASSERT_EQ(found.events.size(), 4U);
  const double times[] = {0.1, 0.21, 0.3, 2.5};
  const int which[] = {1, 2, 0, 3};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(found.events[k].state.t, times[k], 1e-15);
    EXPECT_EQ(found.events[k].which, which[k]);
    EXPECT_EQ(found.events[k].up, k < 3);
    EXPECT_NEAR(found.events[k].seen.energy, 0.5, 1e-15);
  }
}

TEST(Events, OnAStepCountOnce) {
  // 0.25 k is exact: zero there, before and behind are different signs
  const Found<double> found = find<double>(free_motion("hit = \"x - 0.5\"\nback = \"0.75 - x\""), "rattle", 0.25, 8);
  ASSERT_EQ(found.events.size(), 2U);
  EXPECT_EQ(found.events[0].state.t, 0.5);
  EXPECT_EQ(found.events[1].state.t, 0.75);
  // 0.1 k is not
  const Found<double> tenths = find<double>(free_motion("hit = \"x - 0.3\"\nlater = \"x - 0.7\""), "rattle", 0.1, 10);
  ASSERT_EQ(tenths.events.size(), 2U);
  EXPECT_NEAR(tenths.events[0].state.t, 0.3, 1e-15);
}

TEST(Events, TheFirstStateIsNoneTheLastIsOne) {
  EXPECT_EQ(find<double>(free_motion("start = \"x\""), "rattle", 0.25, 4).events.size(), 0U);
  const Found<double> last = find<double>(free_motion("end = \"x - 1\""), "rattle", 0.25, 4);
  ASSERT_EQ(last.events.size(), 1U);
  EXPECT_EQ(last.events[0].state.t, 1.0);
}

TEST(Events, TouchingAndPolesAreNone) {
  const Found<double> found = find<double>(free_motion("touch = \"(x - 0.5)^2\"\npole = \"1/(x - 0.3)\"\nangle = "
                                                       "\"atan2(x - 0.3, -1)\"\nrational = \"(x - 0.61)/(x - 3)\""),
                                           "rattle", 0.25, 4);
  ASSERT_EQ(found.events.size(), 1U);
  EXPECT_EQ(found.events[0].which, 3);
  EXPECT_NEAR(found.events[0].state.t, 0.61, 1e-15);
}

TEST(Events, APoleInAStepIsNone) {
  for (const char* pole : {"1/(x - 0.5)", "(x + 1)/(x - 0.5)", "tan(pi*x)"}) {
    const std::string events = "pole = \"" + std::string(pole) + "\"";
    EXPECT_EQ(find<double>(free_motion(events), "rattle", 0.25, 4).events.size(), 0U) << pole;
    EXPECT_EQ(find<double>(free_motion(events), "rattle", 0.1, 9).events.size(), 0U) << pole;
  }
}

TEST(Events, AZeroThatLastsIsNone) {
  const std::string lasting = "half = \"max(0.35 - x, 0)\"";
  for (const int steps : {5, 7, 10})
    EXPECT_EQ(find<double>(free_motion(lasting), "rattle", 0.1, steps).events.size(), 0U) << steps;
}

TEST(Events, TwoCrossingsWithinAStepAreSeen) {
  const Found<double> found = find<double>(free_motion("twice = \"(x - 0.3)*(x - 0.55)\""), "rattle", 1.0, 1);
  ASSERT_EQ(found.events.size(), 2U);
  EXPECT_NEAR(found.events[0].state.t, 0.3, 1e-15);
  EXPECT_NEAR(found.events[1].state.t, 0.55, 1e-15);
  EXPECT_FALSE(found.events[0].up);
  EXPECT_TRUE(found.events[1].up);
}

TEST(Events, Directions) {
  const std::string swing = R"(u = { zero = "x", direction = "up" })"
                            "\n"
                            R"(d = { zero = "x", direction = "down" })"
                            "\n"
                            R"(b = { zero = "x", direction = "both" })";
  Model model = free_motion(swing, "q = { x = 0 }\nv = { x = 1 }");
  model.potential = (Expr{model.graph.get(), model.q[0]} * Expr{model.graph.get(), model.q[0]}).node;  // x² : ω = √2
  const Found<double> found = find<double>(std::move(model), "rattle", 0.01, 1000);  // to t = 10: 4 half periods
  EXPECT_EQ(found.counts[0].up, 2);
  EXPECT_EQ(found.counts[0].down, 0);
  EXPECT_EQ(found.counts[1].up, 0);
  EXPECT_EQ(found.counts[1].down, 2);
  EXPECT_EQ(found.counts[2].total(), 4);
}

// A run back from the end finds the same events, in reverse.
TEST(Events, BackwardsInTime) {
  const Found<double> there = find<double>(pendulum({"x"}), "kahan-li-8", 0.1, 200),
                      back = find<double>(pendulum({"x"}), "kahan-li-8", -0.1, 200);
  ASSERT_EQ(there.events.size(), back.events.size());
  for (std::size_t k = 0; k < there.events.size(); ++k) {
    // The motion is symmetric in time: x(−t) = x(t).
    EXPECT_DOUBLE_EQ(there.events[k].state.t, -back.events[k].state.t);
    EXPECT_NE(there.events[k].up, back.events[k].up);
  }
}

TEST(Events, AConstraintIsZeroAllAlong) {
  const Found<double> found =
      find<double>(pendulum({"rod=sqrt(x^2 + y^2) - L", "tangent=x*p_x + y*p_y", "x"}), "kahan-li-8", 0.2966, 1000);
  for (const int k : {0, 1}) {
    EXPECT_EQ(found.counts[static_cast<std::size_t>(k)].total(), 0);
    EXPECT_TRUE(found.counts[static_cast<std::size_t>(k)].always_zero);
  }
  EXPECT_FALSE(found.counts[2].always_zero);
  EXPECT_EQ(found.counts[2].total(), 80);  // 296.6 / (T/2), from T/4 on
  const Found<quad> wide =
      find<quad>(pendulum({"tangent=x*p_x + y*p_y"}), "kahan-li-8", quad("0.2966519483682195"), 100);
  EXPECT_EQ(wide.counts[0].total(), 0);
}

TEST(Events, WhereTheFunctionIsNotFinite) {
  const Found<double> found = find<double>(free_motion("root = \"sqrt(x - 0.42) - 0.1\""), "rattle", 0.25, 4);
  EXPECT_FALSE(found.counts[0].finite);
  EXPECT_EQ(found.counts[0].total(), 0);  // 0.43: nothing on its left has a sign
}

TEST(Events, DoNotChangeTheRun) {
  for (const char* method : {"rattle", "kahan-li-8", "midpoint"}) {
    const Found<double> with = find<double>(pendulum({"x", "y + 0.3"}), method, 0.1, 500),
                        without = find<double>(pendulum({}), method, 0.1, 500);
    EXPECT_GT(with.events.size(), 20U);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(with.result.state.q[i], without.result.state.q[i]);
      EXPECT_EQ(with.result.state.p[i], without.result.state.p[i]);
    }
    EXPECT_EQ(with.result.energy_error, without.result.energy_error);
  }
}

TEST(Events, FromExpressionsAndItems) {
  Model model("free");
  const Expr x = model.coordinate("x");
  model.set_mass({1}).set_potential(x * 0).start_at({0}, {1}).add_event("half", x - 0.5, Direction::up);
  EXPECT_EQ(find<double>(std::move(model), "rattle", 0.2, 5).counts[0].up, 1);
  const Found<double> chain = find<double>(
      with_events("hanging-chain", {"r[0].x", "sum=r[1].x*p_r[2].y + 0.1"}, {{"N", "3"}}), "rattle", 0.01, 300);
  EXPECT_GT(chain.counts[0].total(), 0);
  for (const Event<double>& e : chain.events)
    EXPECT_LT(std::abs(e.which == 0 ? e.state.q[0] : e.state.q[2] * e.state.p[5] + 0.1), 1e-14);
}

TEST(Events, BadOnesAreRefusedWithTheirPlace) {
  const auto said = [](const std::string& events) {
    return message_of<InputError>([&] { (void)free_motion(events); });
  };
  EXPECT_TRUE(contains(said("e = \"x - y\""), "free.toml:11:10: in event 'e': unknown name 'y'"));
  EXPECT_TRUE(contains(said("e = \"v_x\""), "free.toml:11:5: event 'e' uses v_x: write it with momenta p_<name>"));
  EXPECT_TRUE(contains(said("e = \"1 + 1\""), "free.toml:11:5: event 'e' depends on no coordinate and no momentum"));
  EXPECT_TRUE(
      contains(said("e = { zero = \"x\", direction = \"left\" }"), "direction must be \"up\", \"down\" or \"both\""));
  EXPECT_TRUE(contains(said("e = { direction = \"up\" }"), "event 'e' needs zero = \"formula\""));
  EXPECT_TRUE(contains(said("e = { zeros = \"x\" }"), "unknown key 'zeros' in events.e. Did you mean 'zero'?"));
  const auto option = [](const std::string& e) { return message_of<InputError>([&] { (void)pendulum({"x", e}); }); };
  EXPECT_TRUE(contains(option("s=x + yy"), "event s=x + yy: column 7: unknown name 'yy'. Did you mean 'y'?"));
  EXPECT_TRUE(contains(option("x"), "event 'x' is given twice"));
  EXPECT_TRUE(contains(option("2a=x"), "'2a' is not a name"));
  EXPECT_TRUE(contains(option("[x, y]"), "a number was expected, not a vector"));
  EXPECT_TRUE(contains(option("x <= y"), "event 'x <= y' is a comparison"));
}

}  // namespace
}  // namespace holonom
