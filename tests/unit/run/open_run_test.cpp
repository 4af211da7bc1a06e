// A run without an end: listeners that come and go, states that are put in, memory without a file.
#include <gtest/gtest.h>

#include "holonom/model/toml.hpp"
#include "holonom/run/run_of.hpp"
#include "support.hpp"

namespace holonom {
namespace {

using test::contains;
using test::message_of;

RunSpec open_pendulum() {
  RunSpec spec;
  spec.model = HOLONOM_MODELS "/double-pendulum.toml";
  spec.step = "1/50";
  spec.steps = open_end;
  spec.extend = true;
  spec.every = 3;
  return spec;
}

struct Times final : Recorder<double> {
  std::vector<double> t;
  bool all = false;
  int restarts = 0;
  bool needs_every_step() const override { return all; }
  void record(const State<double>& x, const Observation<double>&) override { t.push_back(x.t); }
  void restart(const State<double>&) override { ++restarts; }
};

std::vector<double> numbers(const Vec<double>& x) { return {x.begin(), x.end()}; }
std::vector<double> positions(holonom::Run& run) { return numbers(run.as<double>().state().q); }
std::vector<double> momenta(holonom::Run& run) { return numbers(run.as<double>().state().p); }

std::vector<double> last_position(const RunSpec& spec) {
  holonom::Run run(spec);
  run.advance();
  return positions(run);
}

TEST(OpenRun, HasTheBitsOfOneWithAnEnd) {
  holonom::Run run(open_pendulum());
  for (int k = 0; k < 40; ++k) EXPECT_EQ(run.step(5), RunStatus::done);
  EXPECT_FALSE(run.is_over());
  EXPECT_EQ(run.time(), 200 * 0.02);
  RunSpec closed = open_pendulum();
  closed.steps = 200;
  EXPECT_EQ(positions(run), last_position(closed));
}

TEST(OpenRun, ListenersSeeTheFirstTheDueAndTheLastState) {
  holonom::Run run(open_pendulum());
  run.step(1);
  auto& driver = run.as<double>().driver();
  Times due, all;
  all.all = true;
  driver.attach(due);
  driver.attach(all);
  run.step(6);
  driver.detach(due);
  run.step(1);
  driver.detach(all);
  run.step(5);
  const auto at = [](std::initializer_list<int> steps) {
    std::vector<double> t;
    for (const int k : steps) t.push_back(k * 0.02);
    return t;
  };
  EXPECT_EQ(due.t, at({1, 3, 6, 7}));
  EXPECT_EQ(all.t, at({1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(OpenRun, ListenersChangeNothing) {
  holonom::Run run(open_pendulum()), other(open_pendulum());
  Times all;
  all.all = true;
  run.step(0);
  run.as<double>().driver().attach(all);
  run.step(50);
  run.as<double>().driver().detach(all);
  other.step(50);
  EXPECT_EQ(positions(run), positions(other));
  EXPECT_EQ(momenta(run), momenta(other));
}

// Forwards, momenta turned, and back: the time goes on, the motion returns to within rounding errors.
TEST(OpenRun, GoesOnFromAStateThatIsPutIn) {
  RunSpec spec = open_pendulum();
  spec.event = {"x1"};
  holonom::Run run(spec);
  run.step(0);
  const State<double> start = run.as<double>().state();
  run.step(40);
  auto& driver = run.as<double>().driver();
  Times listener;
  driver.attach(listener);
  const State<double> turned = driver.state();
  Vec<double> p = turned.p;
  for (double& x : p) x = -x;
  EXPECT_EQ(driver.restart(turned.q, p), RunStatus::done);
  EXPECT_EQ(listener.restarts, 1);
  run.step(40);
  driver.detach(listener);
  EXPECT_EQ(run.time(), 80 * 0.02);
  for (int i = 0; i < start.q.size(); ++i) {
    EXPECT_NEAR(driver.state().q[i], start.q[i], 1e-10);
    EXPECT_NEAR(driver.state().p[i], -start.p[i], 1e-10);
  }
}

// A state that is put in is where errors begin, and a run from there has the bits of a run that began there.
TEST(OpenRun, BeginsAnewFromAStateThatIsPutIn) {
  for (const char* method : {"rattle", "kahan-li-8", "lobatto-3"}) {
    RunSpec spec = open_pendulum();
    spec.method = method;
    holonom::Run run(spec), fresh(spec);
    run.step(0);
    const State<double> start = run.as<double>().state();
    run.step(17);
    EXPECT_GT(run.as<double>().result().energy_error, 0);
    EXPECT_EQ(run.as<double>().driver().restart(start.q, start.p), RunStatus::done);
    EXPECT_EQ(run.as<double>().result().energy_error, 0);
    run.step(30);
    fresh.step(30);
    EXPECT_EQ(positions(run), positions(fresh)) << method;
    EXPECT_EQ(run.as<double>().result().energy_error, fresh.as<double>().result().energy_error) << method;
    EXPECT_EQ(run.done(), 47);
  }
}

// The jump from one state to the other is no crossing; the crossing behind it is one.
TEST(OpenRun, AJumpIsNoEvent) {
  RunSpec spec = open_pendulum();
  spec.model = HOLONOM_MODELS "/pendulum.toml";
  spec.event = {"x"};
  holonom::Run run(spec);
  run.step(50);  // from x = 1, less than a quarter of the period
  EXPECT_EQ(run.as<double>().events().counts[0].total(), 0);
  Vec<double> q = run.as<double>().state().q, p = run.as<double>().state().p;
  EXPECT_GT(q[0], 0);
  q[0] = -q[0];
  p[0] = -p[0];
  run.as<double>().driver().restart(q, p);
  run.step(20);
  EXPECT_EQ(run.as<double>().events().counts[0].total(), 0);
  run.step(80);
  EXPECT_EQ(run.as<double>().events().counts[0].up, 1);
  EXPECT_EQ(run.as<double>().events().counts[0].total(), 1);
}

TEST(OpenRun, GoesOnBehindAnEventThatStops) {
  RunSpec spec = open_pendulum();
  spec.model = HOLONOM_MODELS "/pendulum.toml";
  spec.event = {"low=x"};
  spec.stop_at = {"low"};
  holonom::Run run(spec);
  std::vector<long> stops;
  for (int k = 0; k < 3; ++k) {
    run.as<double>().watch().go_on();
    EXPECT_EQ(run.step(10000), RunStatus::done);
    EXPECT_TRUE(run.is_over());
    stops.push_back(run.done());
  }
  EXPECT_LT(stops[0], stops[1]);
  EXPECT_LT(stops[1], stops[2]);
}

TEST(OpenRun, GoesOnFromMemory) {
  RunSpec spec = open_pendulum();
  spec.method = "kahan-li-8";
  holonom::Run run(spec);
  run.step(13);
  holonom::Run other(run.compiled(), spec);
  other.load(run.checkpoint(), "copy");
  run.step(20);
  other.step(20);
  EXPECT_EQ(positions(run), positions(other));
  spec.method = "rattle";
  holonom::Run third(run.compiled(), spec);
  EXPECT_TRUE(contains(message_of<InputError>([&] { third.load(run.checkpoint(), "copy"); }),
                       "copy: the run cannot be continued: its method was 'kahan-li-8'"));
}

TEST(OpenRun, HasAStartOfItsOwn) {
  const RunSpec spec = open_pendulum();
  holonom::Run run(spec);
  run.step(10);
  State<double> there = run.as<double>().state();
  there.t = 0;
  RunOf<double> own(spec, run.compiled(), there);
  own.open(OpenMode::create, nullptr, nullptr, {});
  own.begin();
  own.advance(5);
  holonom::Run other(spec);
  other.step(0);
  other.as<double>().driver().restart(there.q, there.p);
  other.step(5);
  EXPECT_EQ(numbers(own.state().q), positions(other));
  there.q[0] += 0.1;
  EXPECT_TRUE(contains(message_of<InputError>([&] { RunOf<double>(spec, run.compiled(), there); }),
                       "does not satisfy g(q) = 0"));
}

}  // namespace
}  // namespace holonom
