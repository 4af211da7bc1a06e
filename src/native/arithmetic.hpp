// The operations of a Program in LLVM's terms, on one row or on several rows side by side (lanes).
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "straight_line.hpp"

namespace holonom::native {

class Arithmetic {
 public:
  Arithmetic(llvm::Module& module, llvm::IRBuilder<>& builder, unsigned lanes);

  llvm::Type* type() const { return type_; }
  llvm::Value* constant(double x) const;
  llvm::Value* spread(llvm::Value* scalar) const;  // the same in all lanes
  llvm::Value* lane(llvm::Value* x, unsigned i) const;
  llvm::Value* join(llvm::ArrayRef<llvm::Value*> lanes) const;
  llvm::Value* apply(Op op, llvm::Value* x, llvm::Value* y, llvm::Value* z) const;

 private:
  llvm::Value* call(const char* name, llvm::ArrayRef<llvm::Value*> arguments) const;
  llvm::Value* intrinsic(unsigned id, llvm::Value* x) const;
  llvm::Value* truth(llvm::Value* condition) const;  // 1 or 0

  llvm::Module& module_;
  llvm::IRBuilder<>& b_;
  unsigned lanes_;
  llvm::Type* type_;
};

}  // namespace holonom::native
