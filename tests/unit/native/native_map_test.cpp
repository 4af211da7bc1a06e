// Mapped kernels as native code: gathered, scattered, summed and stored, equal to the interpreter bit for bit.
#include "holonom/expr/derivative.hpp"
#include "maps.hpp"

namespace holonom::test {
namespace {

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

TEST(NativeMap, RefusesASignatureThatDoesNotFit) {
  const Program program = every_operation();
  const MapKernel maps[] = {{&program, {{MapInput::per_row(3)}, {}}}};
  EXPECT_TRUE(
      contains(message_of<std::invalid_argument>([&] { compile_native_map(maps); }), "one entry for each block"));
}

}  // namespace
}  // namespace holonom::test
