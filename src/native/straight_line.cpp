#include "straight_line.hpp"

#include <algorithm>

#include "holonom/expr/interpreter.hpp"

namespace holonom::native {

namespace {

// The interpreter itself computes the constants, so that no bit of them can differ.
std::vector<double> constants_of(const Program& program) {
  const Interpreter<double> once(std::shared_ptr<const Program>(std::shared_ptr<void>(), &program));  // borrowed
  return {once.registers().begin(), once.registers().begin() + program.first_input};
}

std::vector<Instruction> instructions_of(const Program& program) {
  std::vector<Instruction> list;
  list.reserve(program.instructions());
  const std::uint32_t* a = program.body_arguments.data();
  std::uint32_t result = program.first_temporary;
  for (const SameOperations& run : program.body) {
    const int k = arity(run.op);
    for (std::uint32_t i = 0; i < run.count; ++i, a += k)
      list.push_back({run.op, result++, {a[0], k > 1 ? a[1] : a[0], k > 2 ? a[2] : a[0]}});
  }
  return list;
}

}  // namespace

StraightLine::StraightLine(const Program& program)
    : constants(constants_of(program)),
      first_input(program.first_input),
      first_temporary(program.first_temporary),
      registers(program.registers),
      input_sizes(program.input_sizes),
      outputs(program.output_registers) {
  const std::vector<Instruction> given = instructions_of(program);
  body.reserve(given.size());
  enum : char { unseen, open, done };
  std::vector<char> mark(given.size(), unseen);
  std::vector<std::uint32_t> stack;
  for (const auto& block : outputs)
    for (const std::uint32_t root : block) {
      if (root >= first_temporary) stack.push_back(root);
      while (!stack.empty()) {
        const std::uint32_t r = stack.back();
        char& state = mark[r - first_temporary];
        const Instruction& x = given[r - first_temporary];
        if (state == unseen) {
          state = open;
          // Deeper arguments have higher registers. They go first (on top of the stack): what needs many
          // registers is done while few are taken.
          std::uint32_t arguments[] = {x.argument[0], x.argument[1], x.argument[2]};
          std::sort(std::begin(arguments), std::end(arguments));
          for (const std::uint32_t argument : arguments)
            if (argument >= first_temporary && mark[argument - first_temporary] == unseen) stack.push_back(argument);
        } else {
          stack.pop_back();
          if (state == open) body.push_back(x);
          state = done;
        }
      }
    }
}

}  // namespace holonom::native
