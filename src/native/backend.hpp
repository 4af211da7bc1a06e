// What a native back end offers to native.cpp: LLVM's (backend_llvm.cpp, in a library of its own) or
// none (unavailable.cpp).
#pragma once

#include <span>
#include <string>

#include "holonom/expr/native.hpp"
#include "straight_line.hpp"

#define HOLONOM_EXPORT __attribute__((visibility("default")))

namespace holonom::native {

struct Kernel {
  StraightLine code;
  MapSignature signature;
  long expected_rows;
};

// Why there is no native code; empty if there is.
HOLONOM_EXPORT std::string obstacle();

// Throws std::runtime_error with the reason if it fails.
HOLONOM_EXPORT NativeCode compile(std::span<const StraightLine> programs, std::span<const Kernel> maps);

}  // namespace holonom::native
