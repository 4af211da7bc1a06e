// Programs and mapped kernels as machine code, for double. An optional component: without it
// native_available() is false, and the interpreter does the same work, to the last bit.
//
// Agreement: the same operations in the same order, no contraction, no reassociation, the same
// functions of the C library; so results are the interpreter's bit for bit (0 ulp). The one exception
// is the sign and payload of a NaN, which IEEE 754 leaves open.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "holonom/expr/map_signature.hpp"
#include "holonom/expr/program.hpp"

namespace holonom {

bool native_available();
std::string why_not_native();  // for people; empty if native code is available

// A compiled Program. Copies share the code, which has no state: one object serves all threads.
class NativeProgram {
 public:
  // in: one pointer for each input block; out: one for each output block. As with the interpreter, all
  // inputs are read before any output is written: an output may lie where an input was.
  using Function = void (*)(const double* const* in, double* const* out);

  NativeProgram() = default;
  NativeProgram(Function f, std::shared_ptr<const void> code) : function_(f), code_(std::move(code)) {}

  void operator()(std::initializer_list<const double*> in, std::initializer_list<double*> out) const {
    function_(in.begin(), out.begin());
  }
  Function function() const { return function_; }  // valid as long as some copy of this object lives
  explicit operator bool() const { return function_ != nullptr; }

 private:
  Function function_ = nullptr;
  std::shared_ptr<const void> code_;
};

// A compiled kernel over the rows of an index table; see MapSignature for what it does.
class NativeMap {
 public:
  using Function = void (*)(long begin, long end, const double* const* in, const std::int32_t* const* index,
                            double* const* out);

  NativeMap() = default;
  NativeMap(Function f, std::shared_ptr<const void> code) : function_(f), code_(std::move(code)) {}

  void operator()(long begin, long end, std::initializer_list<const double*> in,
                  std::initializer_list<const std::int32_t*> index, std::initializer_list<double*> out) const {
    function_(begin, end, in.begin(), index.begin(), out.begin());
  }
  Function function() const { return function_; }
  explicit operator bool() const { return function_ != nullptr; }

 private:
  Function function_ = nullptr;
  std::shared_ptr<const void> code_;
};

struct MapKernel {
  const Program* program;  // for one row
  MapSignature signature;
  long expected_rows = 1000;  // a hint: a few rows are not worth the time to compile code for many at once
};

struct NativeCode {
  std::vector<NativeProgram> programs;
  std::vector<NativeMap> maps;
};

// Compiles a batch in one go: setting up the compiler costs more than a small program. The arguments
// may be destroyed afterwards. Throws std::runtime_error, with the reason, if there is no native code;
// std::invalid_argument if a signature does not fit its kernel.
NativeCode compile_native(std::span<const Program* const> programs, std::span<const MapKernel> maps);
std::vector<NativeProgram> compile_native(std::span<const Program* const> programs);
std::vector<NativeMap> compile_native_map(std::span<const MapKernel> maps);

}  // namespace holonom
