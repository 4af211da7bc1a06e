// A Program is a set of expressions lowered to straight-line code, independent of the scalar.
// Registers: [constants | values computed from constants alone | inputs | temporaries].
// Instructions of equal operation and depth stand side by side, so that a large program
// dispatches once for many of them, and results are written one after the other.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "holonom/expr/graph.hpp"

namespace holonom {

// So many instructions of one kind, side by side.
struct SameOperations {
  Op op;
  std::uint32_t count;
};

class Program {
 public:
  // Inputs and outputs come in blocks (q, p, u, ... and g, G, ...), one array each.
  using Block = std::vector<NodeId>;
  Program() = default;
  Program(Graph& graph, const std::vector<Block>& inputs, const std::vector<Block>& outputs);

  std::vector<std::string> constants;          // exact texts; "pi" is the one that is not rational
  std::vector<SameOperations> prologue, body;  // prologue: once per scalar; body: at every call
  std::vector<std::uint32_t> prologue_arguments, body_arguments;
  std::uint32_t first_input = 0, registers = 0;
  std::vector<std::uint32_t> input_sizes;
  std::vector<std::vector<std::uint32_t>> output_registers;

  std::size_t instructions() const { return registers - first_temporary; }
  std::uint32_t first_temporary = 0;
};

}  // namespace holonom
