// Native code against the interpreter: not close, but equal, bit for bit. NaN equals NaN: its sign and
// payload are nobody's business.
#include "holonom/expr/native.hpp"

#include <algorithm>
#include <ctime>
#include <thread>

#include "programs.hpp"

namespace holonom::test {
namespace {

TEST(NativeAvailability, SaysWhyNot) {
  if (native_available()) {
    EXPECT_EQ(why_not_native(), "");
    return;
  }
  EXPECT_NE(why_not_native(), "");
  const auto message = message_of<std::runtime_error>([] { compile_native(std::span<const Program* const>{}); });
  EXPECT_EQ(message, why_not_native());
}

// ---- operations

TEST_F(Native, EveryOperationIsTheInterpretersAtOrdinaryAndAtStrangeNumbers) {
  const Program program = every_operation();
  const NativeProgram native = compile_one(program);
  OneBlock interpreted(program);
  const double infinity = std::numeric_limits<double>::infinity(), least = std::numeric_limits<double>::denorm_min();
  vector<double> strange{0.0, 1.0, 0.5, 3.0, least, 1e-310, 1e300, 1e22, infinity, std::nan("")};
  for (const double x : vector(strange)) strange.push_back(-x);
  for (const double x : strange)
    for (const double y : strange)
      for (const double z : {-1.0, std::nan("")})
        EXPECT_TRUE(same_bits(run(native, program, {{x, y, z}}), interpreted({{x, y, z}})))
            << x << " " << y << " " << z;
  Random random;
  for (int trial = 0; trial < 20000; ++trial) {
    const double range = trial % 2 == 0 ? 1 : 1000;
    const Blocks in{{random(-range, range), random(-range, range), random()}};
    ASSERT_TRUE(same_bits(run(native, program, in), interpreted(in))) << in[0][0] << " " << in[0][1];
  }
}

TEST_F(Native, NaNComesThrough) {
  Playground p;
  const NodeId y = p.parse("x*sin(y) + sqrt(z)");
  const Program program(p.graph, {p.inputs()}, {{y}});
  const NativeProgram native = compile_one(program);
  const double nan = std::nan("");
  for (const vector<double>& x : {vector{nan, 1., 1.}, {1., nan, 1.}, {1., 1., nan}, {1., 1., -1.}})
    EXPECT_TRUE(std::isnan(run(native, program, {x})[0][0]));
  EXPECT_FALSE(std::isnan(run(native, program, {{1, 1, 1}})[0][0]));
}

TEST_F(Native, ConstantsAreTheInterpreters) {
  Playground p;
  vector<NodeId> out;
  for (const char* formula :
       {"0.1", "1/3", "pi", "sin(0.1)^3*pi", "sqrt(2)/7", "1e-320", "exp(1)*x", "x - 0.1", "log(0)"})
    out.push_back(p.parse(formula));
  const Program program(p.graph, {p.inputs()}, {out});
  OneBlock interpreted(program);
  const Blocks in{{0.3, 0, 0}};
  EXPECT_TRUE(same_bits(run(compile_one(program), program, in), interpreted(in)));
}

// ---- programs

// Outputs that are inputs, constants, twice the same; blocks that are empty.
TEST_F(Native, BlocksOfEveryKind) {
  Graph g;
  const NodeId x = g.input(), y = g.input();
  const NodeId s = g.apply(Op::sin, g.mul(x, y));
  const Program program(g, {{}, {x}, {}, {y}, {}}, {{}, {s, x, s}, {}, {g.number("0.1"), y, g.pi(), s}});
  OneBlock interpreted(program);
  const Blocks in{{}, {0.4}, {}, {0.7}, {}};
  EXPECT_TRUE(same_bits(run(compile_one(program), program, in), interpreted(in)));
}

TEST_F(Native, LongProgramsAgreeAndCompileInReasonableTime) {
  for (const int length : {150, 300, 500, 10000, 40000}) {
    const Program program = random_program(40, length, length);
    const auto begin = std::clock();
    const NativeProgram native = compile_one(program);
    const double cost = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    std::printf("  %6zu instructions: compiled in %6.1f ms of processor time\n", program.instructions(), 1e3 * cost);
    EXPECT_LT(cost, 0.1 + 1e-4 * length) << "some 5 μs an instruction are usual";
    OneBlock interpreted(program);
    Random random;
    for (int trial = 0; trial < 3; ++trial) {
      const Blocks in = random.inputs(program), expected = interpreted(in);
      EXPECT_TRUE(same_bits(run(native, program, in), expected)) << length << " instructions";
      const auto finite =
          std::count_if(expected[0].begin(), expected[0].end(), [](double x) { return std::isfinite(x); });
      EXPECT_GT(2 * finite, static_cast<long>(expected[0].size())) << "the test should be about numbers";
    }
  }
}

// The interpreter reads all inputs before it writes: so must native code, whole or in pieces.
TEST_F(Native, OutputsMayLieWhereInputsWere) {
  for (const int length : {20, 2000}) {
    const Program program = random_program(40, length, 40);
    OneBlock interpreted(program);
    Random random;
    Blocks in = random.inputs(program);
    const Blocks expected = interpreted(in);
    vector<double> rest(2);
    compile_one(program)({in[0].data()}, {in[0].data(), rest.data()});
    EXPECT_TRUE(same_bits({in[0], rest}, expected)) << length;
  }
}

TEST_F(Native, CodeOutlivesItsBatchAndServesAllThreads) {
  NativeProgram native;
  const Program program = random_program(10, 100, 10);
  {
    const Program other = every_operation();
    const Program* list[] = {&other, &program};
    native = compile_native(list)[1];
  }
  Random random;
  vector<std::thread> threads;
  vector<int> wrong(4, 0);
  for (int& w : wrong)
    threads.emplace_back([&w, native, program, in = random.inputs(program)] {
      OneBlock interpreted(program);
      const Blocks expected = interpreted(in);
      for (int i = 0; i < 1000; ++i) w += !same_bits(run(native, program, in), expected);
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, vector(4, 0));
}

}  // namespace
}  // namespace holonom::test
