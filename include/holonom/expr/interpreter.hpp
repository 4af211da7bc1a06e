// Runs a Program in any scalar. It owns its registers: one interpreter a thread, no allocation in a
// call.
#pragma once

#include <memory>

#include "holonom/expr/program.hpp"
#include "holonom/scalar.hpp"

namespace holonom {

template <class S>
class Interpreter {
 public:
  Interpreter() = default;
  explicit Interpreter(std::shared_ptr<const Program> program) : program_(std::move(program)) {
    register_.resize(program_->registers, S(0));
    for (std::size_t k = 0; k < program_->constants.size(); ++k) {
      using std::acos;
      const std::string& text = program_->constants[k];
      // acos in the reals: its slope at -1 is infinite, and a dual would take it along.
      register_[k] = text == "pi" ? S(Real<S>(acos(Real<S>(-1)))) : exact_number<S>(text);
    }
    execute(program_->prologue, program_->prologue_arguments.data(),
            register_.data() + program_->constants.size());
  }

  // in: one pointer for each input block; out: one for each output block.
  void operator()(std::initializer_list<const S*> in, std::initializer_list<S*> out) {
    const Program& program = *program_;
    S* r = register_.data() + program.first_input;
    const std::uint32_t* size = program.input_sizes.data();
    for (const S* block : in) {
      const std::uint32_t count = *size++;
      for (std::uint32_t i = 0; i < count; ++i) r[i] = block[i];
      r += count;
    }
    execute(program.body, program.body_arguments.data(), r);
    const auto* block_registers = program.output_registers.data();
    for (S* block : out) {
      for (const std::uint32_t k : *block_registers) *block++ = register_[k];
      ++block_registers;
    }
  }

  explicit operator bool() const { return program_ != nullptr; }
  const Program& program() const { return *program_; }

 private:
  void execute(const std::vector<Run>& runs, const std::uint32_t* a, S* d) {
    using std::sqrt, std::exp, std::log, std::sin, std::cos, std::tan, std::asin, std::acos, std::atan,
        std::atan2, std::sinh, std::cosh, std::tanh, std::abs, std::pow;
    const S* r = register_.data();
    const auto unary = [&](std::uint32_t count, auto f) {
      for (std::uint32_t i = 0; i < count; ++i) d[i] = f(r[a[i]]);
      a += count;
      d += count;
    };
    const auto binary = [&](std::uint32_t count, auto f) {
      for (std::uint32_t i = 0; i < count; ++i, a += 2) d[i] = f(r[a[0]], r[a[1]]);
      d += count;
    };
    for (const Run& run : runs) {
      const std::uint32_t n = run.count;
      switch (run.op) {
        case Op::add: binary(n, [](const S& x, const S& y) { return x + y; }); break;
        case Op::sub: binary(n, [](const S& x, const S& y) { return x - y; }); break;
        case Op::mul: binary(n, [](const S& x, const S& y) { return x * y; }); break;
        case Op::div: binary(n, [](const S& x, const S& y) { return x / y; }); break;
        case Op::neg: unary(n, [](const S& x) { return S(-x); }); break;
        case Op::pow: binary(n, [](const S& x, const S& y) { return S(pow(x, y)); }); break;
        case Op::sqrt: unary(n, [](const S& x) { return S(sqrt(x)); }); break;
        case Op::exp: unary(n, [](const S& x) { return S(exp(x)); }); break;
        case Op::log: unary(n, [](const S& x) { return S(log(x)); }); break;
        case Op::sin: unary(n, [](const S& x) { return S(sin(x)); }); break;
        case Op::cos: unary(n, [](const S& x) { return S(cos(x)); }); break;
        case Op::tan: unary(n, [](const S& x) { return S(tan(x)); }); break;
        case Op::asin: unary(n, [](const S& x) { return S(asin(x)); }); break;
        case Op::acos: unary(n, [](const S& x) { return S(acos(x)); }); break;
        case Op::atan: unary(n, [](const S& x) { return S(atan(x)); }); break;
        case Op::atan2: binary(n, [](const S& x, const S& y) { return S(atan2(x, y)); }); break;
        case Op::sinh: unary(n, [](const S& x) { return S(sinh(x)); }); break;
        case Op::cosh: unary(n, [](const S& x) { return S(cosh(x)); }); break;
        case Op::tanh: unary(n, [](const S& x) { return S(tanh(x)); }); break;
        case Op::abs: unary(n, [](const S& x) { return S(abs(x)); }); break;
        case Op::sign: unary(n, [](const S& x) { return S(x > S(0) ? 1 : x < S(0) ? -1 : 0); }); break;
        case Op::min: binary(n, [](const S& x, const S& y) { return x < y ? x : y; }); break;
        case Op::max: binary(n, [](const S& x, const S& y) { return y < x ? x : y; }); break;
        case Op::less: binary(n, [](const S& x, const S& y) { return S(x < y ? 1 : 0); }); break;
        case Op::less_equal: binary(n, [](const S& x, const S& y) { return S(x <= y ? 1 : 0); }); break;
        case Op::equal: binary(n, [](const S& x, const S& y) { return S(x == y ? 1 : 0); }); break;
        case Op::select:
          for (std::uint32_t i = 0; i < n; ++i, a += 3) d[i] = r[a[0]] == S(0) ? r[a[2]] : r[a[1]];
          d += n;
          break;
        case Op::constant:
        case Op::pi:
        case Op::input:
        case Op::powi: break;  // lowered away
      }
    }
  }

  std::shared_ptr<const Program> program_;
  std::vector<S> register_;
};

}  // namespace holonom
