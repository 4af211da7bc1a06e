// Programs and mapped kernels as LLVM functions.
#pragma once

#include <llvm/IR/Module.h>

#include <span>
#include <string>

#include "holonom/expr/map_signature.hpp"
#include "straight_line.hpp"

namespace holonom::native {

// Adds void name(const double* const* in, double* const* out), in functions of at most `longest` instructions
// (0: in one function): the time to compile a function grows faster than its length.
void emit_program(llvm::Module& module, const std::string& name, const StraightLine& code, std::size_t longest = 0);

// Adds void name(long begin, long end, const double* const* in, const int32_t* const* index, double* const* out),
// which goes row by row.
void emit_map(llvm::Module& module, const std::string& name, const StraightLine& code, const MapSignature& signature);
// The same, with 2 or 4 rows (`lanes`) at a time; what remains is left to the function `rest`, of the same type. If
// all outputs are stored, the last rows are done together with some before them, a second time, and little remains.
void emit_map(llvm::Module& module, const std::string& name, const StraightLine& code, const MapSignature& signature,
              unsigned lanes, const std::string& rest);
// The same, row by row, for a kernel that is a function of the module already.
void emit_map_of_calls(llvm::Module& module, const std::string& name, const StraightLine& code,
                       const MapSignature& signature, const std::string& kernel);

// The functions that emitted code calls, by the names it uses for them.
struct Callee {
  const char* name;
  void* address;
};
std::span<const Callee> callees();

}  // namespace holonom::native
