// Applies a kernel to the rows of an index table (map_signature.hpp), several rows at a time: each
// instruction is dispatched once for a whole strip of rows, and its loop over them vectorises. With
// per-row inputs and stored outputs the same class evaluates a formula for an ensemble of states.
#pragma once

#include "holonom/expr/interpreter.hpp"
#include "holonom/expr/map_signature.hpp"

namespace holonom {

template <class S>
class MapInterpreter {
 public:
  // A strip of registers must stay in the fast cache: some 50 registers of 64 doubles.
  static constexpr std::uint32_t width = sizeof(S) <= 16 ? 64 : 8;

  MapInterpreter() = default;
  MapInterpreter(std::shared_ptr<const Program> kernel, MapSignature signature)
      : kernel_(std::move(kernel)), signature_(std::move(signature)) {
    const Interpreter<S> once(kernel_);
    register_.resize(static_cast<std::size_t>(kernel_->registers) * width, S(0));
    for (std::uint32_t k = 0; k < kernel_->first_input; ++k)
      for (std::uint32_t l = 0; l < width; ++l) strip(k)[l] = once.registers()[k];
  }

  explicit operator bool() const { return kernel_ != nullptr; }
  const MapSignature& signature() const { return signature_; }

  // in, out: one pointer for each block; index: one for each column of the table.
  void operator()(long begin, long end, const S* const* in, const std::int32_t* const* index, S* const* out) {
    for (long row = begin; row < end; row += width) {
      const auto rows = static_cast<std::uint32_t>(std::min<long>(width, end - row));
      read(row, rows, in, index);
      execute(rows);
      write(row, rows, index, out);
    }
  }

 private:
  S* strip(std::uint32_t k) { return register_.data() + static_cast<std::size_t>(k) * width; }

  void read(long row, std::uint32_t rows, const S* const* in, const std::int32_t* const* index) {
    std::uint32_t r = kernel_->first_input;
    for (std::size_t b = 0; b < signature_.inputs.size(); ++b) {
      const MapInput& input = signature_.inputs[b];
      const std::uint32_t size = kernel_->input_sizes[b];
      for (std::uint32_t k = 0; k < size; ++k, ++r) {
        S* x = strip(r);
        switch (input.kind) {
          case MapInput::Kind::gathered: {
            const std::int32_t* i = index[input.column] + row;
            for (std::uint32_t l = 0; l < rows; ++l) x[l] = in[b][static_cast<long>(i[l]) * input.stride + k];
            break;
          }
          case MapInput::Kind::per_row:
            for (std::uint32_t l = 0; l < rows; ++l) x[l] = in[b][(row + l) * input.stride + k];
            break;
          case MapInput::Kind::broadcast:
            for (std::uint32_t l = 0; l < rows; ++l) x[l] = in[b][k];
            break;
        }
      }
    }
  }

  void execute(std::uint32_t rows) {
    const std::uint32_t* a = kernel_->body_arguments.data();
    std::uint32_t d = kernel_->first_temporary;
    for (const SameOperations& run : kernel_->body) {
      with_operation<S>(
          run.op,
          [&](auto f) {
            for (std::uint32_t i = 0; i < run.count; ++i, ++a) {
              const S* x = strip(a[0]);
              S* __restrict y = strip(d + i);
              for (std::uint32_t l = 0; l < rows; ++l) y[l] = f(x[l]);
            }
          },
          [&](auto f) {
            for (std::uint32_t i = 0; i < run.count; ++i, a += 2) {
              const S *x = strip(a[0]), *z = strip(a[1]);
              S* __restrict y = strip(d + i);
              for (std::uint32_t l = 0; l < rows; ++l) y[l] = f(x[l], z[l]);
            }
          },
          [&](auto f) {
            for (std::uint32_t i = 0; i < run.count; ++i, a += 3) {
              const S *c = strip(a[0]), *x = strip(a[1]), *z = strip(a[2]);
              S* __restrict y = strip(d + i);
              for (std::uint32_t l = 0; l < rows; ++l) y[l] = f(c[l], x[l], z[l]);
            }
          });
      d += run.count;
    }
  }

  // Sums are formed row by row, in the order of the table: no bit depends on the width of a strip.
  void write(long row, std::uint32_t rows, const std::int32_t* const* index, S* const* out) {
    bool in_turn = false;  // scattered blocks take turns within a row
    for (std::size_t b = 0; b < signature_.outputs.size(); ++b) {
      const MapOutput& output = signature_.outputs[b];
      const auto& registers = kernel_->output_registers[b];
      if (output.kind == MapOutput::Kind::scattered) {
        in_turn = true;
        continue;
      }
      for (std::size_t k = 0; k < registers.size(); ++k) {
        const S* y = strip(registers[k]);
        if (output.kind == MapOutput::Kind::stored) {
          for (std::uint32_t l = 0; l < rows; ++l) out[b][(row + l) * output.stride + static_cast<long>(k)] = y[l];
        } else {
          for (std::uint32_t l = 0; l < rows; ++l) out[b][k] += y[l];
        }
      }
    }
    if (!in_turn) return;
    for (std::uint32_t l = 0; l < rows; ++l)
      for (std::size_t b = 0; b < signature_.outputs.size(); ++b) {
        const MapOutput& output = signature_.outputs[b];
        if (output.kind != MapOutput::Kind::scattered) continue;
        const auto& registers = kernel_->output_registers[b];
        S* target = out[b] + static_cast<long>(index[output.column][row + l]) * output.stride;
        for (std::size_t k = 0; k < registers.size(); ++k) target[k] += strip(registers[k])[l];
      }
  }

  std::shared_ptr<const Program> kernel_;
  MapSignature signature_;
  std::vector<S> register_;
};

}  // namespace holonom
