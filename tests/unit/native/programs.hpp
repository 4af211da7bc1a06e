// Native code and the interpreter on the same programs: whether all bits agree, and programs to try.
#pragma once

#include <cstring>
#include <random>

#include "holonom/expr/native.hpp"
#include "support.hpp"

namespace holonom::test {

using std::size_t;
using std::vector;
using Blocks = vector<vector<double>>;

inline bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b); }

inline ::testing::AssertionResult same_bits(const Blocks& a, const Blocks& b) {
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

inline Blocks outputs_of(const Program& program) {
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

inline Blocks run(const NativeProgram& program, const Program& shape, const Blocks& in) {
  Blocks out = outputs_of(shape);
  program.function()(pointers<const double>(in).data(), pointers<double>(out).data());
  return out;
}

inline NativeProgram compile_one(const Program& program) {
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

// ---- programs to try

inline constexpr Op unary_operations[] = {Op::neg,  Op::sqrt, Op::exp,  Op::log,  Op::sin,  Op::cos,
                                          Op::tan,  Op::asin, Op::acos, Op::atan, Op::sinh, Op::cosh,
                                          Op::tanh, Op::abs,  Op::sign, Op::floor};
inline constexpr Op binary_operations[] = {Op::add, Op::sub, Op::mul,  Op::div,        Op::pow,  Op::atan2,
                                           Op::min, Op::max, Op::less, Op::less_equal, Op::equal};

// Every operation of x, y and z, and integer powers.
inline Program every_operation() {
  Graph g;
  const NodeId x = g.input(), y = g.input(), z = g.input();
  vector<NodeId> out;
  for (const Op op : unary_operations) out.push_back(op == Op::neg ? g.neg(x) : g.apply(op, x));
  for (const Op op : binary_operations) out.push_back(g.apply(op, x, y));
  out.push_back(g.select(x, y, z));
  for (const int k : {-7, -1, 2, 3, 12}) out.push_back(g.powi(x, k));
  return Program(g, {{x, y, z}}, {out});
}

// A random program: long, tangled, with outputs of every kind.
inline Program random_program(int inputs, int instructions, int outputs) {
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

}  // namespace holonom::test
