#include "holonom/expr/native.hpp"

#include <stdexcept>

#include "backend.hpp"

namespace holonom {

namespace {

void check_signature(const MapKernel& map) {
  if (map.signature.inputs.size() != map.program->input_sizes.size() ||
      map.signature.outputs.size() != map.program->output_registers.size())
    throw std::invalid_argument("the signature of a mapped kernel must have one entry for each block of the kernel");
}

}  // namespace

bool native_available() { return native::obstacle().empty(); }
std::string why_not_native() { return native::obstacle(); }

NativeCode compile_native(std::span<const Program* const> programs, std::span<const MapKernel> maps) {
  std::vector<native::StraightLine> lines;
  for (const Program* program : programs) lines.emplace_back(*program);
  std::vector<native::Kernel> kernels;
  for (const MapKernel& map : maps) {
    check_signature(map);
    kernels.push_back({native::StraightLine(*map.program), map.signature, map.expected_rows});
  }
  return native::compile(lines, kernels);
}

std::vector<NativeProgram> compile_native(std::span<const Program* const> programs) {
  return compile_native(programs, {}).programs;
}
std::vector<NativeMap> compile_native_map(std::span<const MapKernel> maps) { return compile_native({}, maps).maps; }

}  // namespace holonom
