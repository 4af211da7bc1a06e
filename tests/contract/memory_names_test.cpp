// What the memory of a method holds: all that is missed without it, and little else; that of others is refused.
#include <gtest/gtest.h>

#include <set>

#include "choice.hpp"
#include "memory_models.hpp"
#include "memory_support.hpp"

namespace holonom::contract {
namespace {

// A name is there because some run is another one without it.
TEST(Memory, NothingOfItCanBeForgotten) {
  std::set<std::string> all, missed;
  const auto try_all = [&](const MethodEntry& entry, const std::shared_ptr<const CompiledModel>& compiled,
                           bool compensated, double longer) {
    const auto make = [&] { return Process<double>(entry, compiled, compensated); };
    const Departure<double> from = departure<double>(compiled, longer);
    const std::vector<Moment<double>> moments = whole_run<double>(make(), from, {2, 8, 16, 20, 32});
    if (moments.size() < 2) return;
    const Moment<double>&middle = moments[(moments.size() - 1) / 2], &end = moments.back();
    // Whether the run is the same without the memory of this name.
    const auto same_without = [&](const std::string& forgotten, std::set<std::string>* names) {
      Process<double> resumed = make();
      resumed.x = middle.x;
      MemoryReader in(middle.memory);
      in.forget([&](std::string_view name) {
        if (names) names->emplace(name);
        return name == forgotten;
      });
      try {
        if (!resumed.method->load(in, resumed.x, from.h).ok() || resumed.appearance() != middle.appearance)
          return false;
      } catch (const MemoryError&) {
        return false;
      }
      return resumed.go(from.h, end.step - middle.step) == end.step - middle.step &&
             resumed.appearance() == end.appearance && resumed.memory() == end.memory;
    };
    std::set<std::string> names;
    ASSERT_TRUE(same_without("", &names));
    all.insert(names.begin(), names.end());
    for (const std::string& name : names)
      if (!missed.contains(name) && !same_without(name, nullptr)) missed.insert(name);
  };
  std::vector<std::shared_ptr<const CompiledModel>> models;
  for (const char* model : {"pendulum", "elastic-double-pendulum", "stiff-pendulum-chain", "locomotive", "slider-crank",
                            "rigid-body-heavy"})
    models.push_back(load(model));
  for (const OwnModel& own : own_models()) models.push_back(own.compiled);
  for (const auto& compiled : models)
    for (const MethodEntry& entry : with_general_form(representatives()))
      if (suits(entry, ModelSystem<double>(compiled)))
        for (const double longer : {1., 10., 40.}) {
          try_all(entry, compiled, longer == 1, longer);
          if (HasFatalFailure()) return;
        }
  for (const std::string& name : all) EXPECT_TRUE(missed.contains(name)) << name << " is not missed by any run";
}

// Factors and other work space are found again, not saved: a checkpoint is a few times the size of the state.
TEST(Memory, IsNotMuchMoreThanTheState) {
  const auto compiled = load("hanging-chain", {{"N", "1000"}});
  const Departure<double> start = departure<double>(compiled);
  for (const auto& [key, most] : {std::pair{"rattle", 10}, {"lobatto-2", 30}, {"shake", 12}, {"bdf-3", 20}}) {
    Process<double> run(methods().find(key), compiled, false);
    run.x = start.x;
    ASSERT_TRUE(run.method->begin(run.x, start.h).ok());
    ASSERT_EQ(run.go(start.h, 5), 5);
    EXPECT_LE(run.memory().size(), static_cast<std::size_t>(most) * 2000 * sizeof(double)) << key;
    RecordProperty(key, static_cast<int>(run.memory().size()));
  }
}

TEST(Memory, OfAnotherMethodOrSystemIsRefused) {
  const auto memory_of = [](const char* key, const char* model, bool compensated) {
    Process<double> run(methods().find(key), load(model), compensated);
    const Departure<double> start = departure<double>(load(model));
    run.x = start.x;
    EXPECT_TRUE(run.method->begin(run.x, start.h).ok());
    EXPECT_EQ(run.go(start.h, 3), 3);
    return run.memory();
  };
  const auto load_into = [](const char* key, const char* model, std::string_view memory) {
    const auto compiled = load(model);
    Process<double> run(methods().find(key), compiled, false);
    const Departure<double> start = departure<double>(compiled);
    MemoryReader in(memory);
    const bool good = run.method->load(in, start.x, start.h).ok();
    return good && in.at_end();
  };
  const std::string memory = memory_of("rattle", "double-pendulum", false);
  EXPECT_TRUE(load_into("rattle", "double-pendulum", memory));
  EXPECT_THROW((void)load_into("rattle", "pendulum", memory), MemoryError);
  EXPECT_THROW((void)load_into("rattle", "four-bar-redundant", memory_of("rattle", "four-bar", false)), MemoryError);
  EXPECT_THROW((void)load_into("lobatto-4", "double-pendulum", memory_of("lobatto-3", "double-pendulum", false)),
               MemoryError);
  EXPECT_THROW((void)load_into("bdf-2", "double-pendulum", memory_of("bdf-4", "double-pendulum", false)), MemoryError);
  EXPECT_THROW((void)load_into("lobatto-3", "double-pendulum", memory), MemoryError);
  EXPECT_THROW((void)load_into("yoshida-4", "double-pendulum", memory), MemoryError);
  EXPECT_THROW((void)load_into("rattle", "double-pendulum", memory_of("rattle", "double-pendulum", true)), MemoryError);
  for (std::size_t length = 0; length < memory.size(); length += 7)
    EXPECT_THROW((void)load_into("rattle", "double-pendulum", std::string_view(memory).substr(0, length)), MemoryError);
}

// A method of somebody else need not have a memory; then it says so.
class Forgetful final : public AnyMethod<double> {
 public:
  Status begin(const State<double>&, const double&) override { return {}; }
  Status step(State<double>&, const double&) override { return {}; }
  const Counters& counters() override { return counters_; }

 private:
  Counters counters_;
};

TEST(Memory, IsNotNamedByEveryMethod) {
  Forgetful method;
  MemoryWriter out;
  MemoryReader in("");
  EXPECT_THROW(method.save(out), MemoryError);
  EXPECT_THROW((void)method.load(in, State<double>(), 1), MemoryError);
}

}  // namespace
}  // namespace holonom::contract
