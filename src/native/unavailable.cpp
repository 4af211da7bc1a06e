// The back end of a build without a native code generator.
#include <stdexcept>

#include "backend.hpp"

namespace holonom::native {

std::string obstacle() {
  return "this build has no native code generator (configure it with LLVM 14 and HOLONOM_LLVM=ON)";
}

NativeCode compile(std::span<const StraightLine>, std::span<const Kernel>) { throw std::runtime_error(obstacle()); }

}  // namespace holonom::native
