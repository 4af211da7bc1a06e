// Runs a Program in any scalar. It owns its registers: one interpreter a thread, no allocation in a
// call.
#pragma once

#include <memory>

#include "holonom/expr/operations.hpp"
#include "holonom/expr/program.hpp"
#include "holonom/scalar.hpp"

namespace holonom {

// A constant of a program: an exact number, or pi.
template <class S>
S constant_value(const std::string& text) {
  using std::acos;
  // acos in the reals: its slope at -1 is infinite, and a dual would take it along.
  return text == "pi" ? S(Real<S>(acos(Real<S>(-1)))) : exact_number<S>(text);
}

template <class S>
class Interpreter {
 public:
  Interpreter() = default;
  explicit Interpreter(std::shared_ptr<const Program> program) : program_(std::move(program)) {
    register_.resize(program_->registers, S(0));
    for (std::size_t k = 0; k < program_->constants.size(); ++k)
      register_[k] = constant_value<S>(program_->constants[k]);
    execute(program_->prologue, program_->prologue_arguments.data(), register_.data() + program_->constants.size());
  }

  // in: one pointer for each input block; out: one for each output block.
  void operator()(const S* const* in, S* const* out) {
    const Program& program = *program_;
    S* r = register_.data() + program.first_input;
    for (const std::uint32_t count : program.input_sizes) {
      const S* block = *in++;
      for (std::uint32_t i = 0; i < count; ++i) r[i] = block[i];
      r += count;
    }
    execute(program.body, program.body_arguments.data(), r);
    for (const auto& block_registers : program.output_registers) {
      S* block = *out++;
      for (const std::uint32_t k : block_registers) *block++ = register_[k];
    }
  }
  void operator()(std::initializer_list<const S*> in, std::initializer_list<S*> out) {
    (*this)(in.begin(), out.begin());
  }

  explicit operator bool() const { return program_ != nullptr; }
  const Program& program() const { return *program_; }
  // Constants and what follows from them alone: the registers before the inputs.
  const std::vector<S>& registers() const { return register_; }

 private:
  void execute(const std::vector<SameOperations>& runs, const std::uint32_t* a, S* d) {
    const S* r = register_.data();
    for (const SameOperations& run : runs) {
      const std::uint32_t n = run.count;
      with_operation<S>(
          run.op,
          [&](auto f) {
            for (std::uint32_t i = 0; i < n; ++i) d[i] = f(r[a[i]]);
            a += n;
          },
          [&](auto f) {
            for (std::uint32_t i = 0; i < n; ++i, a += 2) d[i] = f(r[a[0]], r[a[1]]);
          },
          [&](auto f) {
            for (std::uint32_t i = 0; i < n; ++i, a += 3) d[i] = f(r[a[0]], r[a[1]], r[a[2]]);
          });
      d += n;
    }
  }

  std::shared_ptr<const Program> program_;
  std::vector<S> register_;
};

}  // namespace holonom
