#include "arithmetic.hpp"

#include <llvm/IR/Intrinsics.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "emit.hpp"

namespace holonom::native {

using llvm::Value;

namespace {

template <class F>
void* address(F* f) {
  return reinterpret_cast<void*>(f);
}
using Unary = double(double);
using Binary = double(double, double);

}  // namespace

// Names of our own: a compiler that meets `sin` and `cos` of one argument calls sincos, one that meets
// pow may rewrite it, and the interpreter does neither.
std::span<const Callee> callees() {
  static const Callee list[] = {
      {"holonom_exp", address<Unary>(std::exp)},
      {"holonom_log", address<Unary>(std::log)},
      {"holonom_sin", address<Unary>(std::sin)},
      {"holonom_cos", address<Unary>(std::cos)},
      {"holonom_tan", address<Unary>(std::tan)},
      {"holonom_asin", address<Unary>(std::asin)},
      {"holonom_acos", address<Unary>(std::acos)},
      {"holonom_atan", address<Unary>(std::atan)},
      {"holonom_sinh", address<Unary>(std::sinh)},
      {"holonom_cosh", address<Unary>(std::cosh)},
      {"holonom_tanh", address<Unary>(std::tanh)},
      {"holonom_pow", address<Binary>(std::pow)},
      {"holonom_atan2", address<Binary>(std::atan2)},
      {"floor", address<Unary>(std::floor)},  // what the intrinsic becomes on processors without the instruction
      {"malloc", address(std::malloc)},
      {"free", address(std::free)},
      {"memcpy", address(std::memcpy)},
  };
  return list;
}

Arithmetic::Arithmetic(llvm::Module& module, llvm::IRBuilder<>& builder, unsigned lanes)
    : module_(module),
      b_(builder),
      lanes_(lanes),
      type_(lanes == 1 ? builder.getDoubleTy()
                       : static_cast<llvm::Type*>(llvm::FixedVectorType::get(builder.getDoubleTy(), lanes))) {}

Value* Arithmetic::constant(double x) const { return llvm::ConstantFP::get(type_, llvm::APFloat(x)); }

Value* Arithmetic::spread(Value* scalar) const { return lanes_ == 1 ? scalar : b_.CreateVectorSplat(lanes_, scalar); }

Value* Arithmetic::lane(Value* x, unsigned i) const { return lanes_ == 1 ? x : b_.CreateExtractElement(x, i); }

Value* Arithmetic::join(llvm::ArrayRef<Value*> lanes) const {
  if (lanes_ == 1) return lanes[0];
  Value* x = llvm::UndefValue::get(type_);
  for (unsigned i = 0; i < lanes_; ++i) x = b_.CreateInsertElement(x, lanes[i], i);
  return x;
}

// Lane by lane: there is no vector library whose results are those of the scalar one.
Value* Arithmetic::call(const char* name, llvm::ArrayRef<Value*> arguments) const {
  llvm::Type* real = b_.getDoubleTy();
  const llvm::SmallVector<llvm::Type*, 2> types(arguments.size(), real);
  llvm::FunctionCallee callee = module_.getOrInsertFunction(name, llvm::FunctionType::get(real, types, false));
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->setDoesNotAccessMemory();
  llvm::SmallVector<Value*, 8> results;
  for (unsigned i = 0; i < lanes_; ++i) {
    llvm::SmallVector<Value*, 2> scalars;
    for (Value* x : arguments) scalars.push_back(lane(x, i));
    results.push_back(b_.CreateCall(callee, scalars));
  }
  return join(results);
}

Value* Arithmetic::intrinsic(unsigned id, Value* x) const { return b_.CreateUnaryIntrinsic(id, x); }

Value* Arithmetic::truth(Value* condition) const { return b_.CreateSelect(condition, constant(1), constant(0)); }

// Comparisons are ordered, as in C++: false if an argument is NaN. min, max and select say which
// argument then remains, exactly as the interpreter writes them.
Value* Arithmetic::apply(Op op, Value* x, Value* y, Value* z) const {
  switch (op) {
    case Op::add: return b_.CreateFAdd(x, y);
    case Op::sub: return b_.CreateFSub(x, y);
    case Op::mul: return b_.CreateFMul(x, y);
    case Op::div: return b_.CreateFDiv(x, y);
    case Op::neg: return b_.CreateFNeg(x);
    case Op::pow: return call("holonom_pow", {x, y});
    case Op::sqrt: return intrinsic(llvm::Intrinsic::sqrt, x);
    case Op::exp: return call("holonom_exp", x);
    case Op::log: return call("holonom_log", x);
    case Op::sin: return call("holonom_sin", x);
    case Op::cos: return call("holonom_cos", x);
    case Op::tan: return call("holonom_tan", x);
    case Op::asin: return call("holonom_asin", x);
    case Op::acos: return call("holonom_acos", x);
    case Op::atan: return call("holonom_atan", x);
    case Op::atan2: return call("holonom_atan2", {x, y});
    case Op::sinh: return call("holonom_sinh", x);
    case Op::cosh: return call("holonom_cosh", x);
    case Op::tanh: return call("holonom_tanh", x);
    case Op::abs: return intrinsic(llvm::Intrinsic::fabs, x);
    case Op::sign: {
      Value* negative = b_.CreateSelect(b_.CreateFCmpOLT(x, constant(0)), constant(-1), constant(0));
      return b_.CreateSelect(b_.CreateFCmpOGT(x, constant(0)), constant(1), negative);
    }
    case Op::floor: return intrinsic(llvm::Intrinsic::floor, x);
    case Op::min: return b_.CreateSelect(b_.CreateFCmpOLT(x, y), x, y);
    case Op::max: return b_.CreateSelect(b_.CreateFCmpOLT(y, x), x, y);
    case Op::less: return truth(b_.CreateFCmpOLT(x, y));
    case Op::less_equal: return truth(b_.CreateFCmpOLE(x, y));
    case Op::equal: return truth(b_.CreateFCmpOEQ(x, y));
    case Op::select: return b_.CreateSelect(b_.CreateFCmpOEQ(x, constant(0)), z, y);
    case Op::constant:
    case Op::pi:
    case Op::input:
    case Op::powi: break;  // lowered away
  }
  llvm_unreachable("an operation that programs do not have");
}

}  // namespace holonom::native
