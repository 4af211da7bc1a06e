// One method on one model has one result: native code and the interpreter agree to the last bit, whatever the length of
// the run, so that `--engine auto` may choose by cost. Small models have code with compile-time sizes, and they have it
// with every engine.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

#include "choice.hpp"
#include "holonom/expr/native.hpp"
#include "holonom/model/toml.hpp"
#include "problem.hpp"

namespace holonom::contract {
namespace {

class Engines : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (!native_available()) GTEST_SKIP() << why_not_native();
  }
};

bool same_bits(const Vec<double>& x, const Vec<double>& y) {
  for (int i = 0; i < x.size(); ++i)
    if (std::bit_cast<std::uint64_t>(x[i]) != std::bit_cast<std::uint64_t>(y[i])) return false;
  return true;
}

// Where a run of at most `steps` steps ends: there, or where a step fails.
struct End {
  State<double> x;
  long steps = 0;
  Status status;
};
End end_of_run(const MethodEntry& entry, const ModelSystem<double>& sys, const MethodOptions& options, long steps) {
  const Start<double> start = initial_state(sys);
  End end{start.state, 0, {}};
  const auto method = entry.make<double>(sys, options);
  end.status = method->begin(end.x, *start.step);
  while (end.status.ok() && end.steps < steps) {
    end.status = method->step(end.x, *start.step);
    if (end.status.ok()) ++end.steps;
  }
  return end;
}

// How many of the steps were compared.
long expect_same(const MethodEntry& entry, const ModelSystem<double>& one, const ModelSystem<double>& other,
                 long steps) {
  long least = steps;
  for (const bool compensated : {false, true}) {
    MethodOptions options;
    options.compensated = compensated;
    const End x = end_of_run(entry, one, options, steps), y = end_of_run(entry, other, options, steps);
    const std::string where = entry.info.key + " on " + one.labels().model + (compensated ? ", compensated" : "");
    EXPECT_EQ(x.steps, y.steps) << where;
    EXPECT_EQ(x.status.failure, y.status.failure) << where;
    EXPECT_TRUE(same_bits(x.x.q, y.x.q) && same_bits(x.x.p, y.x.p))
        << where << ": off by " << largest_difference(x.x.q, y.x.q) << " after " << x.steps << " steps";
    least = std::min(least, x.steps);
  }
  return least;
}

TEST_P(Engines, AgreeToTheLastBit) {
  const Case& on = GetParam();
  const auto compiled = load(on.model);
  const ModelSystem<double> interpreted(compiled), native(compiled, Engine::native);
  ASSERT_EQ(native.is_small(), interpreted.is_small());
  ASSERT_EQ(native.small_code().machine, native.is_small());
  ASSERT_FALSE(interpreted.small_code().machine);
  for (const MethodEntry& entry : representatives()) {
    if (!suits(entry, interpreted)) continue;
    const long compared = expect_same(entry, interpreted, native, 1000);
    RecordProperty(test_name(entry.info.key), std::to_string(compared) + " steps");
    // Others may fail earlier with the model's own step, at the same step with both engines.
    if (entry.info.key == "rattle" && !on.stiff()) {
      EXPECT_EQ(compared, 1000);
    }
  }
}

TEST_P(Engines, AgreeOnFormulationsToTheLastBit) {
  if (GetParam().constraints == 0) return;  // that they are made of
  const auto compiled = load(GetParam().model);
  const ModelSystem<double> interpreted(compiled), native(compiled, Engine::native);
  for (const char* key :
       {"gauss-1@dirac", "rattle@h-m", "gauss-1@weak+orthogonal", "gauss-1@h-m+symplectic", "rk-4@baumgarte:2",
        "gauss-1@underlying+stage", "radau-2a-2@index-2", "gauss-1@state-space:partition"}) {
    const MethodEntry entry = methods().find(key);
    if (suits(entry, interpreted)) expect_same(entry, interpreted, native, 20);
  }
}

INSTANTIATE_TEST_SUITE_P(On, Engines, testing::ValuesIn(cases()),
                         [](const auto& on) { return test_name(on.param.model); });

// A small system whose constraints depend on each other is beyond compile-time sizes: the method goes on with dynamic
// ones.
constexpr const char* twice_held = R"(
format = 1
name = "a rod that is held twice"
[coordinates]
names = ["x", "y", "z"]
[energy]
mass = [1, 1, 1]
potential = "z"
[constraints]
root = "sqrt(x^2 + y^2 + z^2) - 1"
square = "(x^2 + y^2 + z^2 - 1)/2"
[initial]
q = { x = 1, y = 0, z = 0 }
v = { y = 1 }
)";

TEST(SmallSystems, MayHaveRedundantConstraints) {
  const auto compiled = compile(parse_model(twice_held, "twice held"));
  const ModelSystem<double> sys(compiled);
  ASSERT_TRUE((sys.as<SmallView<3, 2>>()));
  const double h = 0.05;
  for (const char* key : {"rattle", "yoshida-4", "lobatto-3"}) {
    State<double> fixed = initial_state(sys).state, dynamic = fixed;
    MethodOptions options;
    NumericalMap<double> map(methods().find(key), sys, options);
    ASSERT_NO_THROW(map(fixed, h, 200)) << key;
    options.fixed_sizes = false;
    NumericalMap<double> reference(methods().find(key), sys, options);
    reference(dynamic, h, 200);
    EXPECT_TRUE(same_bits(fixed.q, dynamic.q) && same_bits(fixed.p, dynamic.p)) << key;
  }
}

// The two forms are the same method: they differ by rounding errors.
TEST(SmallSystems, CompileTimeSizesChangeRoundingErrorsOnly) {
  int small = 0;
  for (const Case& on : cases()) {
    const Problem problem(on);
    if (!on.small) continue;
    ++small;
    for (const char* key : {"rattle", "kahan-li-8", "lobatto-3"}) {
      State<double> fixed = problem.start, dynamic = problem.start;
      MethodOptions options;
      NumericalMap<double> map(methods().find(key), problem.sys, options);
      options.fixed_sizes = false;
      NumericalMap<double> reference(methods().find(key), problem.sys, options);
      map(fixed, problem.h / 4, 20);
      reference(dynamic, problem.h / 4, 20);
      EXPECT_LE(distance(fixed, dynamic, problem.size), 1e-12) << key << " on " << on.model;
    }
  }
  EXPECT_GE(small, 10);
}

}  // namespace
}  // namespace holonom::contract
