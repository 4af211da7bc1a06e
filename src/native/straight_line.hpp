// A Program prepared for a compiler: constants evaluated, instructions in the order of use. The
// interpreter wants equal operations side by side; registers want a value used soon after it is made.
#pragma once

#include <vector>

#include "holonom/expr/program.hpp"

namespace holonom::native {

struct Instruction {
  Op op;
  std::uint32_t result;
  std::uint32_t argument[3];
};

struct StraightLine {
  explicit StraightLine(const Program& program);

  std::vector<double> constants;  // the registers before first_input
  std::uint32_t first_input, first_temporary, registers;
  std::vector<std::uint32_t> input_sizes;
  std::vector<std::vector<std::uint32_t>> outputs;  // registers, block by block
  std::vector<Instruction> body;                    // only what the outputs need, arguments first

  // What there is to compile: instructions and stores.
  std::size_t length() const {
    std::size_t n = body.size();
    for (const auto& block : outputs) n += block.size();
    return n;
  }
  bool is_constant(std::uint32_t r) const { return r < first_input; }
  bool is_input(std::uint32_t r) const { return r >= first_input && r < first_temporary; }
};

}  // namespace holonom::native
