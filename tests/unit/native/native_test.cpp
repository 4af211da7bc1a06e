// Native code against the interpreter: not close, but equal, bit for bit. NaN equals NaN: its sign and
// payload are nobody's business.
#include "holonom/expr/native.hpp"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <random>
#include <thread>

#include "holonom/expr/derivative.hpp"
#include "holonom/expr/map_interpreter.hpp"
#include "holonom/model/compiled_model.hpp"
#include "holonom/model/toml.hpp"
#include "support.hpp"

namespace holonom::test {
namespace {

using std::size_t;
using std::vector;
using Blocks = vector<vector<double>>;

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b); }

::testing::AssertionResult same_bits(const Blocks& a, const Blocks& b) {
  for (size_t k = 0; k < a.size(); ++k)
    for (size_t i = 0; i < a[k].size(); ++i)
      if (!same_bits(a[k][i], b[k][i])) {
        char numbers[80];
        std::snprintf(numbers, sizeof numbers, "%a and %a", a[k][i], b[k][i]);
        return ::testing::AssertionFailure() << "block " << k << ", component " << i << ": " << numbers;
      }
  return ::testing::AssertionSuccess();
}

template <class T>
vector<T*> pointers(auto& blocks) {
  vector<T*> list;
  for (auto& block : blocks) list.push_back(block.data());
  return list;
}

Blocks outputs_of(const Program& program) {
  Blocks out;
  for (const auto& block : program.output_registers) out.emplace_back(block.size(), -1.0);
  return out;
}

// A program with all its inputs in one block and all its outputs in another, for the interpreter, whose
// blocks are listed at compile time.
class OneBlock {
 public:
  explicit OneBlock(const Program& program) : shape_(program) {
    auto flat = std::make_shared<Program>(program);
    std::uint32_t inputs = 0;
    for (const std::uint32_t size : program.input_sizes) inputs += size;
    flat->input_sizes = {inputs};
    flat->output_registers = {{}};
    for (const auto& block : program.output_registers)
      flat->output_registers[0].insert(flat->output_registers[0].end(), block.begin(), block.end());
    outputs_ = flat->output_registers[0].size();
    evaluate_ = Interpreter<double>(std::move(flat));
  }
  Blocks operator()(const Blocks& in) {
    vector<double> x, y(outputs_);
    for (const auto& block : in) x.insert(x.end(), block.begin(), block.end());
    evaluate_({x.data()}, {y.data()});
    Blocks out = outputs_of(shape_);
    size_t i = 0;
    for (auto& block : out)
      for (double& z : block) z = y[i++];
    return out;
  }

 private:
  Program shape_;
  Interpreter<double> evaluate_;
  size_t outputs_ = 0;
};

Blocks run(const NativeProgram& program, const Program& shape, const Blocks& in) {
  Blocks out = outputs_of(shape);
  program.function()(pointers<const double>(in).data(), pointers<double>(out).data());
  return out;
}

NativeProgram compile_one(const Program& program) {
  const Program* list[] = {&program};
  return compile_native(list)[0];
}

struct Random {
  std::mt19937_64 engine{1};
  double operator()(double a = -2, double b = 2) { return std::uniform_real_distribution<double>(a, b)(engine); }
  int below(int n) { return static_cast<int>(engine() % static_cast<std::uint64_t>(n)); }
  Blocks inputs(const Program& program) {
    Blocks in;
    for (const std::uint32_t size : program.input_sizes) {
      in.emplace_back(size);
      for (double& x : in.back()) x = (*this)();
    }
    return in;
  }
};

class Native : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!native_available()) GTEST_SKIP() << why_not_native();
  }
};

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

constexpr Op unary_operations[] = {Op::neg,  Op::sqrt, Op::exp,  Op::log,  Op::sin,  Op::cos, Op::tan,  Op::asin,
                                   Op::acos, Op::atan, Op::sinh, Op::cosh, Op::tanh, Op::abs, Op::sign, Op::floor};
constexpr Op binary_operations[] = {Op::add, Op::sub, Op::mul,  Op::div,        Op::pow,  Op::atan2,
                                    Op::min, Op::max, Op::less, Op::less_equal, Op::equal};

// Every operation of x, y and z, and integer powers.
Program every_operation() {
  Graph g;
  const NodeId x = g.input(), y = g.input(), z = g.input();
  vector<NodeId> out;
  for (const Op op : unary_operations) out.push_back(op == Op::neg ? g.neg(x) : g.apply(op, x));
  for (const Op op : binary_operations) out.push_back(g.apply(op, x, y));
  out.push_back(g.select(x, y, z));
  for (const int k : {-7, -1, 2, 3, 12}) out.push_back(g.powi(x, k));
  return Program(g, {{x, y, z}}, {out});
}

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

// A random program: long, tangled, with outputs of every kind.
Program random_program(int inputs, int instructions, int outputs) {
  Graph g;
  Random random;
  vector<NodeId> x(static_cast<size_t>(inputs));
  for (NodeId& i : x) i = g.input();
  const vector<NodeId> in = x;
  while (x.size() < static_cast<size_t>(inputs + instructions)) {
    const NodeId a = x[static_cast<size_t>(random.below(static_cast<int>(x.size())))];
    const NodeId b = x[static_cast<size_t>(random.below(static_cast<int>(x.size())))];
    const NodeId y = random.below(20) == 0 ? g.apply(Op::cos, a) : g.apply(binary_operations[random.below(4)], a, b);
    if (!g.is_number(y)) x.push_back(y);
  }
  vector<NodeId> out(x.end() - outputs / 2, x.end());
  while (out.size() < static_cast<size_t>(outputs))
    out.push_back(x[static_cast<size_t>(random.below(static_cast<int>(x.size())))]);
  return Program(g, {in}, {out, {in[0], g.pi()}});
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

// ---- mapped kernels

struct Table {
  vector<vector<std::int32_t>> column;
};

// What map_signature.hpp says, word for word.
void reference_map(const Program& kernel, const MapSignature& signature, long begin, long end, const Blocks& in,
                   const Table& table, vector<double*> out) {
  OneBlock evaluate(kernel);
  for (long row = begin; row < end; ++row) {
    Blocks x;
    for (size_t b = 0; b < in.size(); ++b) {
      const MapInput& input = signature.inputs[b];
      const long start = input.kind == MapInput::Kind::broadcast ? 0
                         : input.kind == MapInput::Kind::per_row
                             ? row * input.stride
                             : static_cast<long>(table.column[input.column][static_cast<size_t>(row)]) * input.stride;
      x.emplace_back();
      for (long k = 0; k < static_cast<long>(kernel.input_sizes[b]); ++k)
        x.back().push_back(in[b][static_cast<size_t>(start + k)]);
    }
    const Blocks y = evaluate(x);
    for (size_t b = 0; b < y.size(); ++b) {
      const MapOutput& output = signature.outputs[b];
      for (size_t k = 0; k < y[b].size(); ++k) switch (output.kind) {
          case MapOutput::Kind::stored: out[b][row * output.stride + static_cast<long>(k)] = y[b][k]; break;
          case MapOutput::Kind::scattered:
            out[b][static_cast<long>(table.column[output.column][static_cast<size_t>(row)]) * output.stride +
                   static_cast<long>(k)] += y[b][k];
            break;
          case MapOutput::Kind::summed: out[b][k] += y[b][k]; break;
        }
    }
  }
}

// Native code, the interpreter of maps and the reference, from the same start.
// array_of: the array of `start` that each output block goes to.
void compare_maps(const Program& kernel, const MapSignature& signature, const NativeMap& native, long begin, long end,
                  const Blocks& in, const Table& table, const Blocks& start, const vector<size_t>& array_of) {
  const auto at = [&](Blocks& arrays) {
    vector<double*> out;
    for (const size_t k : array_of) out.push_back(arrays[k].data());
    return out;
  };
  Blocks expected = start, by_native = start, interpreted = start;
  reference_map(kernel, signature, begin, end, in, table, at(expected));
  const auto index = pointers<const std::int32_t>(table.column);
  native.function()(begin, end, pointers<const double>(in).data(), index.data(), at(by_native).data());
  EXPECT_TRUE(same_bits(by_native, expected)) << "rows " << begin << " ... " << end;
  MapInterpreter<double> interpreter(std::make_shared<Program>(kernel), signature);
  interpreter(begin, end, pointers<const double>(in).data(), index.data(), at(interpreted).data());
  EXPECT_TRUE(same_bits(interpreted, expected)) << "interpreter, rows " << begin << " ... " << end;
}

vector<double> random_numbers(size_t n) {
  Random random;
  vector<double> x(n);
  for (double& z : x) z = random();
  return x;
}

// Two gathered vectors, a number for each row, a number for all; output of every kind.
struct EveryKind {
  static constexpr int items = 13, rows = 203;
  Graph g;
  vector<NodeId> a, b, c{g.input()}, d{g.input(), g.input()};
  Table table{{vector<std::int32_t>(rows), vector<std::int32_t>(rows)}};

  EveryKind() {
    for (int k = 0; k < 3; ++k) a.push_back(g.input());
    for (int k = 0; k < 3; ++k) b.push_back(g.input());
    Random random;
    // Long runs of one item in the first column, so that sums in registers happen; now and then the
    // second column meets it there.
    for (int row = 0; row < rows; ++row) {
      table.column[0][static_cast<size_t>(row)] = row < 60 ? row / 20 : row < 120 ? 5 : random.below(items);
      table.column[1][static_cast<size_t>(row)] = random.below(items);
    }
  }
  Program kernel() {
    NodeId r2 = c[0];
    for (size_t k = 0; k < 3; ++k) r2 = g.add(r2, g.powi(g.sub(a[k], b[k]), 2));
    const NodeId V = g.add(g.mul(d[0], g.apply(Op::exp, g.neg(r2))), g.div(d[1], g.apply(Op::sqrt, r2)));
    vector<NodeId> ab(a);
    ab.insert(ab.end(), b.begin(), b.end());
    const vector<NodeId> grad = gradient(g, V, ab);
    return Program(g, {a, b, c, d},
                   {{grad.begin(), grad.begin() + 3}, {grad.begin() + 3, grad.end()}, {V, r2}, {V, a[0], r2}});
  }
};

TEST_F(Native, MapsOfEveryKind) {
  EveryKind m;
  const Program kernel = m.kernel();
  const MapSignature signature{
      {MapInput::gathered(0, 3), MapInput::gathered(1, 3), MapInput::per_row(2), MapInput::broadcast()},
      {MapOutput::scattered(0, 3), MapOutput::scattered(1, 3), MapOutput::summed(), MapOutput::stored(4)}};
  const MapKernel list[] = {{&kernel, signature}};
  const NativeMap native = compile_native_map(list)[0];
  vector<double> positive = random_numbers(2 * EveryKind::rows);
  for (double& x : positive) x = x * x + 0.1;
  const vector<double> q = random_numbers(3 * EveryKind::items);
  const Blocks in{q, q, positive, {0.3, 0.7}};
  const Blocks start{random_numbers(3 * EveryKind::items),
                     random_numbers(3 * EveryKind::items),
                     {0.1, 0.2},
                     vector<double>(4 * EveryKind::rows, 7.0)};
  for (const vector<size_t>& arrays : {vector<size_t>{0, 0, 2, 3}, {0, 1, 2, 3}})  // forces into one array, or two
    for (const auto& [begin, end] :
         {std::pair{0L, 203L}, {0L, 0L}, {5L, 5L}, {7L, 8L}, {3L, 6L}, {0L, 4L}, {1L, 6L}, {50L, 131L}, {9L, 3L}})
      compare_maps(kernel, signature, native, begin, end, in, m.table, start, arrays);
}

TEST_F(Native, ConsecutiveRangesAreOneRange) {
  EveryKind m;
  const Program kernel = m.kernel();
  const MapSignature signature{
      {MapInput::gathered(0, 3), MapInput::gathered(1, 3), MapInput::per_row(1), MapInput::broadcast()},
      {MapOutput::scattered(0, 3), MapOutput::scattered(1, 3), MapOutput::summed(), MapOutput::stored(3)}};
  const MapKernel list[] = {{&kernel, signature}};
  const NativeMap native = compile_native_map(list)[0];
  const vector<double> q = random_numbers(3 * EveryKind::items), c(EveryKind::rows, 0.2), d{1, 2};
  Blocks whole{vector<double>(q.size()), vector<double>(2), vector<double>(3 * EveryKind::rows)}, parts = whole;
  const auto apply = [&](long begin, long end, Blocks& out) {
    native(begin, end, {q.data(), q.data(), c.data(), d.data()}, {m.table.column[0].data(), m.table.column[1].data()},
           {out[0].data(), out[0].data(), out[1].data(), out[2].data()});
  };
  apply(0, EveryKind::rows, whole);
  for (const long cut : {0L, 1L, 18L, 21L, 100L}) {
    for (auto& block : parts) std::fill(block.begin(), block.end(), 0.0);
    apply(0, cut, parts);
    apply(cut, EveryKind::rows, parts);
    EXPECT_TRUE(same_bits(parts, whole)) << cut;
  }
}

// If all outputs are stored, native code does some of the last rows twice: never a row outside of the range.
TEST_F(Native, StoredRowsOfAnyNumber) {
  constexpr int rows = 20;
  EveryKind m;
  const NodeId r2 = m.g.add(m.c[0], m.g.powi(m.g.sub(m.a[1], m.b[2]), 2));
  const Program kernel(m.g, {m.a, m.b, m.c, m.d}, {{r2}, {}, {m.a[0], m.g.mul(r2, m.d[1]), m.b[0]}});
  const MapSignature signature{
      {MapInput::gathered(0, 3), MapInput::gathered(1, 3), MapInput::per_row(1), MapInput::broadcast()},
      {MapOutput::stored(1), MapOutput::stored(1), MapOutput::stored(4)}};
  const MapKernel list[] = {{&kernel, signature}};
  const NativeMap native = compile_native_map(list)[0];
  const vector<double> q = random_numbers(3 * EveryKind::items);
  const Blocks in{q, q, random_numbers(rows), {0.3, 0.7}};
  const Blocks start{vector<double>(rows, 7.0), {}, vector<double>(4 * rows, 7.0)};
  for (long begin = 0; begin < 6; ++begin)
    for (long end = begin - 1; end <= rows; ++end)
      compare_maps(kernel, signature, native, begin, end, in, m.table, start, {0, 1, 2});
}

// Blocks that overlap in part (stride less than size), that meet in one row, that repeat for ever: the
// order of additions is the order of rows, then of blocks. Sums of numbers of very different size show it.
TEST_F(Native, AdditionsThatMeetKeepTheirOrder) {
  constexpr int rows = 64;
  Graph g;
  vector<NodeId> x{g.input(), g.input()};
  const NodeId big = g.mul(x[0], g.number("1e16")), small = g.add(x[1], g.number("0.1"));
  for (const size_t size : {size_t{1}, size_t{2}, size_t{3}, size_t{5}}) {
    vector<NodeId> first, second;
    for (size_t k = 0; k < size; ++k) {
      first.push_back(k % 2 == 0 ? big : small);
      second.push_back(k % 2 == 0 ? g.neg(small) : g.neg(big));
    }
    const Program kernel(g, {x}, {first, second});
    for (const std::uint32_t stride : {1U, 2U, 3U}) {
      const MapSignature signature{{MapInput::per_row(2)},
                                   {MapOutput::scattered(0, stride), MapOutput::scattered(1, stride)}};
      const MapKernel list[] = {{&kernel, signature}};
      const NativeMap native = compile_native_map(list)[0];
      for (int pattern = 0; pattern < 5; ++pattern) {
        Random random;
        Table table{{vector<std::int32_t>(rows), vector<std::int32_t>(rows)}};
        for (size_t row = 0; row < rows; ++row) {
          const int i = pattern == 0 ? 3 : pattern == 1 ? static_cast<int>(row) / 8 : random.below(9);
          const int j = pattern == 3 ? i : pattern == 4 ? (i + 1) % 9 : random.below(9);
          table.column[0][row] = i;
          table.column[1][row] = j;
        }
        compare_maps(kernel, signature, native, 0, rows, {random_numbers(2 * rows)}, table, {random_numbers(40)},
                     {0, 0});
      }
    }
  }
}

TEST_F(Native, LongKernelsAndStrangeNumbersInMaps) {
  constexpr int rows = 11;
  for (const int length : {30, 300, 3000}) {
    const Program kernel = random_program(6, length, 8);
    const MapSignature signature{{MapInput::gathered(0, 2)}, {MapOutput::scattered(0, 8), MapOutput::summed()}};
    const MapKernel list[] = {{&kernel, signature}};
    const NativeMap native = compile_native_map(list)[0];
    Table table{{{0, 3, 3, 3, 3, 1, 2, 0, 4, 4, 1}}};
    vector<double> q = random_numbers(16);
    compare_maps(kernel, signature, native, 0, rows, {q}, table, {random_numbers(40), {0, 0}}, {0, 1});
    q[3] = std::nan("");
    q[9] = std::numeric_limits<double>::infinity();
    compare_maps(kernel, signature, native, 0, rows, {q}, table, {random_numbers(40), {0, 0}}, {0, 1});
  }
}

TEST_F(Native, MapsAndProgramsCompileInOneBatch) {
  const Program program = every_operation();
  const Program* programs[] = {&program};
  const MapSignature rows{{MapInput::per_row(3)},
                          {MapOutput::stored(static_cast<std::uint32_t>(program.output_registers[0].size()))}};
  const MapKernel maps[] = {{&program, rows}, {&program, rows}};
  const NativeCode code = compile_native(programs, maps);
  ASSERT_EQ(code.programs.size(), 1U);
  ASSERT_EQ(code.maps.size(), 2U);
  const vector<double> x = random_numbers(3 * 21);
  const size_t n = program.output_registers[0].size();
  vector<double> y(21 * n);
  code.maps[1](0, 21, {x.data()}, {}, {y.data()});
  for (size_t row = 0; row < 21; ++row) {
    const Blocks expected = run(code.programs[0], program,
                                {{x.begin() + static_cast<long>(3 * row), x.begin() + static_cast<long>(3 * row + 3)}});
    EXPECT_TRUE(
        same_bits({{y.begin() + static_cast<long>(row * n), y.begin() + static_cast<long>((row + 1) * n)}}, expected))
        << row;
  }
}

// ---- models

vector<Formula> formulas_of(CompiledModel::Form form) {
  using enum Formula;
  vector<Formula> list{
      g,           G,    g_and_G, g_scale, g_qq, g_uu, g_qqq, lambda_g_qq, lambda_g_qqq, invariants, invariants_along,
      observables, start};
  switch (form) {
    case CompiledModel::Form::separable: list.insert(list.end(), {V, V_q, V_qq, V_qqq}); break;
    case CompiledModel::Form::mass_matrix:
      list.insert(list.end(), {V, V_q, V_qq, V_qqq, M, T_v, T_q, T_vq, T_qq, T_vqq, T_qqq});
      break;
    case CompiledModel::Form::general:
      list.insert(list.end(), {H, H_q, H_p, H_pp, H_pq, H_qp, H_qq, H_qqq, H_qqp, H_qpp, H_pqq, H_pqp, H_ppp});
      break;
  }
  return list;
}

vector<Formula> formulas_of(MappedTerm::Role role) {
  using enum Formula;
  switch (role) {
    case MappedTerm::Role::energy: return {V, V_q, V_qq, V_qqq};
    case MappedTerm::Role::constraint: return {g, G, g_and_G, g_scale, g_qq, g_uu, g_qqq, lambda_g_qq, lambda_g_qqq};
    case MappedTerm::Role::invariant: return {invariants, invariants_along};
    case MappedTerm::Role::event: return {events};
    case MappedTerm::Role::observable: return {observables};
  }
  return {};
}

// All formulas of a model, compiled in one batch.
struct CompiledFormulas {
  std::shared_ptr<const CompiledModel> model;
  vector<std::shared_ptr<const Program>> programs;
  vector<MapProgram> maps;
  vector<const MappedTerm*> term_of_map;
  NativeCode native;
  double seconds = 1e9;  // of processor time, to compile

  explicit CompiledFormulas(const std::string& file) : model(compile(load_model(file))) {
    vector<const Program*> list;
    for (const Formula f : formulas_of(model->form())) {
      programs.push_back(model->program(f));
      list.push_back(programs.back().get());
    }
    vector<MapKernel> kernels;
    for (const MappedTerm& term : model->model().terms)
      for (const Formula f : formulas_of(term.role)) {
        maps.push_back(model->map_program(term, f));
        term_of_map.push_back(&term);
        kernels.push_back({maps.back().kernel.get(), maps.back().signature, term.rows});
      }
    // The quickest of a few: others may have the processor's caches at any one time.
    for (int trial = 0; trial < 3; ++trial) {
      const auto begin = std::clock();
      native = compile_native(list, kernels);
      seconds = std::min(seconds, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    }
  }
  size_t instructions() const {
    size_t sum = 0;
    for (const auto& program : programs) sum += program->instructions();
    for (const auto& map : maps) sum += map.kernel->instructions();
    return sum;
  }
};

void compare_map_of_model(const MapProgram& map, const MappedTerm& term, const NativeMap& native, int n) {
  const auto rows = static_cast<size_t>(term.rows);
  Table table;
  for (const auto& gather : term.gathers) table.column.push_back(gather.first);
  Blocks in, start;
  vector<size_t> array_of;
  for (const MapInput& input : map.signature.inputs)
    in.push_back(random_numbers(input.kind == MapInput::Kind::per_row ? rows * input.stride : static_cast<size_t>(n)));
  for (size_t b = 0; b < map.signature.outputs.size(); ++b) {
    const MapOutput& output = map.signature.outputs[b];
    const bool scattered = output.kind == MapOutput::Kind::scattered;
    if (scattered && b > 0) {
      array_of.push_back(array_of.back());  // all forces go to one array
      continue;
    }
    array_of.push_back(start.size());
    start.push_back(random_numbers(scattered                                ? static_cast<size_t>(n)
                                   : output.kind == MapOutput::Kind::stored ? rows * output.stride
                                                                            : map.kernel->output_registers[b].size()));
  }
  compare_maps(*map.kernel, map.signature, native, 0, term.rows, in, table, start, array_of);
}

TEST_F(Native, AllFormulasOfAllModelsAgree) {
  compile_native(std::span<const Program* const>{});  // the first one warms up
  int models = 0;
  for (const auto& file : std::filesystem::directory_iterator(HOLONOM_MODELS)) {
    if (file.path().extension() != ".toml") continue;
    SCOPED_TRACE(file.path().filename());
    const CompiledFormulas x(file.path().string());
    std::printf("  %-24s %2zu programs, %2zu maps, %5zu instructions: compiled in %5.1f ms of processor time\n",
                file.path().stem().c_str(), x.programs.size(), x.maps.size(), x.instructions(), 1e3 * x.seconds);
    Random random;
    for (size_t k = 0; k < x.programs.size(); ++k) {
      const Program& program = *x.programs[k];
      OneBlock interpreted(program);
      for (int trial = 0; trial < 50; ++trial) {
        const Blocks in = random.inputs(program);
        ASSERT_TRUE(same_bits(run(x.native.programs[k], program, in), interpreted(in))) << "program " << k;
      }
    }
    for (size_t k = 0; k < x.maps.size(); ++k) {
      SCOPED_TRACE("map " + std::to_string(k));
      compare_map_of_model(x.maps[k], *x.term_of_map[k], x.native.maps[k], static_cast<int>(x.model->pattern().n));
    }
    ++models;
  }
  EXPECT_GT(models, 10);
}

TEST(NativeMap, RefusesASignatureThatDoesNotFit) {
  const Program program = every_operation();
  const MapKernel maps[] = {{&program, {{MapInput::per_row(3)}, {}}}};
  EXPECT_TRUE(
      contains(message_of<std::invalid_argument>([&] { compile_native_map(maps); }), "one entry for each block"));
}

}  // namespace
}  // namespace holonom::test
