// A run as an object: the same bits at once, in parts, and from a checkpoint.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "holonom/model/toml.hpp"
#include "holonom/run/precision.hpp"
#include "holonom/run/run_of.hpp"
#include "support.hpp"
#include "temporary_file.hpp"

namespace holonom {
namespace {

using test::contains;
using test::message_of;
using test::TemporaryFile;

RunSpec double_pendulum(long steps) {
  RunSpec spec;
  spec.model = HOLONOM_MODELS "/double-pendulum.toml";
  spec.steps = steps;
  spec.event = {"x1"};
  spec.observe = {"x1*x2"};
  return spec;
}

// All that a run knows in the end, but for the time that it took
template <class S>
std::string everything(Run& run) {
  RunResult<S> r = run.as<S>().result();
  MemoryWriter out;
  out("state", r.state);
  out("counters", r.counters);
  for (S* x : {&r.energy_initial, &r.energy_final, &r.energy_error, &r.position, &r.position_relative, &r.hidden,
               &r.hidden_relative})
    out("number", *x);
  out("invariant_initial", r.invariant_initial);
  out("invariant_error", r.invariant_error);
  for (ObservableSummary<S>& o : r.observables) {
    out("observable", o);
    out("mean", o.mean);
  }
  for (const Event<S>& e : run.as<S>().events().first) out("event", e);
  return out.bytes();
}

std::string at_once(const RunSpec& spec) {
  holonom::Run run(spec);
  EXPECT_EQ(run.advance(), RunStatus::done);
  run.finish();
  return in_precision(spec.precision, [&]<class S> { return everything<S>(run); });
}

TEST(Run, HasTheSameBitsInParts) {
  const RunSpec spec = double_pendulum(300);
  holonom::Run run(spec);
  for (long k = 0; k < 30; ++k) EXPECT_EQ(run.step(7), RunStatus::done);
  EXPECT_EQ(run.done(), 210);
  EXPECT_FALSE(run.is_over());
  EXPECT_EQ(run.advance(0.12 * 250), RunStatus::done);
  EXPECT_EQ(run.done(), 250);
  EXPECT_EQ(run.advance(1e9), RunStatus::done);  // not beyond the end
  EXPECT_TRUE(run.is_over());
  run.finish();
  EXPECT_EQ(everything<double>(run), at_once(spec));
}

TEST(Run, GoesOnFromACheckpointInEveryPrecision) {
  const TemporaryFile file(".checkpoint");
  for (const Precision precision : {Precision::double_, Precision::long_, Precision::quad_, Precision::digits_100}) {
    RunSpec spec = double_pendulum(precision == Precision::double_ ? 300 : 60);
    spec.precision = precision;
    spec.method = "kahan-li-8";
    {
      holonom::Run run(spec);
      run.step(25);
      run.save(file.path());
      run.step(5);
    }
    holonom::Run run(spec);
    run.load(file.path());
    EXPECT_EQ(run.done(), 25);
    run.advance();
    run.finish();
    EXPECT_EQ(in_precision(precision, [&]<class S> { return everything<S>(run); }), at_once(spec));
  }
}

TEST(Run, SavingChangesNothing) {
  const TemporaryFile file(".checkpoint");
  const RunSpec spec = double_pendulum(100);
  holonom::Run run(spec);
  for (int k = 0; k < 100; ++k) {
    run.save(file.path());
    run.step();
  }
  run.finish();
  EXPECT_EQ(everything<double>(run), at_once(spec));
}

TEST(Run, OfAModelMadeHere) {
  Model model("pendulum");
  const Expr x = model.coordinate("x"), y = model.coordinate("y");
  model.set_mass({1, 1}).set_potential(y);
  model.add_constraint("rod", sqrt(x * x + y * y) - 1).start_at({1, 0});
  RunSpec spec;
  spec.step = "1/100";
  spec.steps = 200;
  holonom::Run run(model, spec);
  EXPECT_EQ(run.method().key, "rattle");
  run.advance();
  run.finish();
  EXPECT_NEAR(run.time(), 2, 1e-15);
  const State<double>& end = run.as<double>().state();  // ORACLE, section A: the exact state at t = 2
  EXPECT_NEAR(end.q[0], -0.204193214788280, 1e-4);
  EXPECT_NEAR(end.q[1], -0.978930605831908, 1e-4);
}

TEST(Run, RefusesTheCheckpointOfAnother) {
  const TemporaryFile file(".checkpoint");
  RunSpec spec = double_pendulum(50);
  holonom::Run(spec).save(file.path());
  spec.method = "yoshida-4";
  holonom::Run other(spec);
  EXPECT_TRUE(contains(message_of<InputError>([&] { other.load(file.path()); }),
                       "its method was 'rattle', this run has 'yoshida-4'"));
  spec = double_pendulum(60);
  holonom::Run longer(spec);
  EXPECT_TRUE(contains(message_of<InputError>([&] { longer.load(file.path()); }),
                       "its end was '50 steps', this run has '60 steps'"));
}

// Messages of the library name its own fields; the program gives them another name.
TEST(Run, NamesTheFieldsOfTheSpec) {
  RunSpec spec = double_pendulum(5);
  spec.step = "0/1";
  EXPECT_TRUE(contains(message_of<InputError>([&] { const holonom::Run run(spec); }),
                       "step 0/1: the step must be a finite number other than zero"));
  spec.prefix = "--";
  EXPECT_TRUE(contains(message_of<InputError>([&] { const holonom::Run run(spec); }),
                       "--step 0/1: the step must be a finite number other than zero"));
}

TEST(Checkpoint, NamesTheFirstDifference) {
  const RunIdentity one{{"method", "rattle"}, {"model text", "a\nb\nc\n"}, {"end", "5 steps"}};
  RunIdentity two = one;
  EXPECT_EQ(difference(one, two), "");
  two[1].second = "a\nb\nC\n";
  EXPECT_EQ(difference(one, two), "the model text has changed, from line 3 on");
  two[0].second = "";
  EXPECT_EQ(difference(one, two), "its method was 'rattle', this run has none");
  two.erase(two.begin());
  two[0].second = one[1].second;
  EXPECT_EQ(difference(one, two), "its method was 'rattle', this run has none");
  EXPECT_EQ(difference(two, one), "it has no method, this run has 'rattle'");
}

TEST(Checkpoint, IsWholeOrNotThere) {
  const TemporaryFile file(".checkpoint");
  write_checkpoint(file.path(), {{"method", "rattle"}}, 7, "first");
  EXPECT_THROW(write_checkpoint(file.path() + "/no/such/folder", {}, 0, ""), OutputError);
  write_checkpoint(file.path(), {{"method", "rattle"}}, 7, std::string(1000, 'x'));
  EXPECT_EQ(read_checkpoint(file.path()).memory, std::string(1000, 'x'));
  EXPECT_EQ(read_checkpoint(file.path()).done, 7);
  std::ifstream in(file.path(), std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  // Whatever byte is lost or changed, somebody notices.
  for (std::size_t i = 0; i < bytes.size(); i += 7) {
    std::string cut = bytes.substr(0, i), flipped = bytes;
    flipped[i] = static_cast<char>(flipped[i] ^ 4);
    for (const std::string& spoiled : {cut, flipped}) {
      std::ofstream(file.path(), std::ios::binary) << spoiled;
      EXPECT_THROW(read_checkpoint(file.path()), InputError) << i;
    }
  }
}

}  // namespace
}  // namespace holonom
