// A program as one function, or as pieces called one after the other: then values cross from piece to
// piece through memory.
#include <algorithm>

#include "arithmetic.hpp"
#include "emit.hpp"

namespace holonom::native {

namespace {

using llvm::Value;

constexpr std::size_t stack_limit = 8192;  // doubles; longer scratch comes from the heap

class ProgramEmitter {
 public:
  ProgramEmitter(llvm::Module& module, const std::string& name, const StraightLine& code)
      : module_(module), name_(name), code_(code), b_(module.getContext()), arithmetic_(module, b_, 1) {
    real_ = b_.getDoubleTy();
    array_ = llvm::PointerType::getUnqual(real_);
    arrays_ = llvm::PointerType::getUnqual(array_);
    std::uint32_t first = code.first_input;
    for (const std::uint32_t size : code.input_sizes) {
      block_start_.push_back(first);
      first += size;
    }
    value_.resize(code.registers, nullptr);
  }

  void whole() {
    begin(name_, llvm::Function::ExternalLinkage, arrays_);
    compute(0, code_.body.size());
    // All inputs are read before the first output is written.
    std::vector<std::pair<Value*, Value*>> stores;
    for (std::size_t k = 0; k < code_.outputs.size(); ++k) {
      Value* block = code_.outputs[k].empty() ? nullptr : array(function_->getArg(1), k);
      std::uint32_t component = 0;
      for (const std::uint32_t r : code_.outputs[k]) stores.emplace_back(get(r), element(block, component++));
    }
    for (const auto& [value, place] : stores) b_.CreateStore(value, place);
    b_.CreateRetVoid();
  }

  // The outputs are collected in the scratch, in their order, and copied at the very end.
  void in_pieces(std::size_t length) {
    plan_scratch(length);
    const std::size_t count = code_.body.size() + copies_.size();
    std::vector<llvm::Function*> pieces;
    for (std::size_t first = 0; first < count; first += length) {
      begin(name_ + "_" + std::to_string(pieces.size()), llvm::Function::InternalLinkage, array_);
      function_->addFnAttr(llvm::Attribute::NoInline);
      pieces.push_back(function_);
      scratch_ = function_->getArg(1);
      compute(first, std::min(count, first + length));
      b_.CreateRetVoid();
    }

    begin(name_, llvm::Function::ExternalLinkage, arrays_);
    const bool on_stack = scratch_size_ <= stack_limit;
    if (on_stack) {
      scratch_ = b_.CreateAlloca(real_, b_.getInt64(scratch_size_));
    } else {
      const auto allocate = module_.getOrInsertFunction("malloc", b_.getInt8PtrTy(), b_.getInt64Ty());
      scratch_ = b_.CreateBitCast(b_.CreateCall(allocate, b_.getInt64(8 * scratch_size_)), array_);
    }
    for (llvm::Function* piece : pieces) b_.CreateCall(piece, {function_->getArg(0), scratch_});
    std::size_t slot = 0;
    for (std::size_t k = 0; k < code_.outputs.size(); ++k) {
      const std::size_t size = code_.outputs[k].size();
      if (size == 0) continue;
      b_.CreateMemCpy(array(function_->getArg(1), k), llvm::Align(8), element(scratch_, slot), llvm::Align(8),
                      8 * size);
      slot += size;
    }
    if (!on_stack) {
      const auto release = module_.getOrInsertFunction("free", b_.getVoidTy(), b_.getInt8PtrTy());
      b_.CreateCall(release, b_.CreateBitCast(scratch_, b_.getInt8PtrTy()));
    }
    b_.CreateRetVoid();
  }

 private:
  static constexpr std::uint32_t nowhere = ~0U;
  struct Copy {
    std::uint32_t from, slot;
  };

  // A new function of `in` and of the outputs or the scratch; nothing is known in it yet.
  void begin(const std::string& name, llvm::Function::LinkageTypes linkage, llvm::Type* second) {
    auto* type = llvm::FunctionType::get(b_.getVoidTy(), {arrays_, second}, false);
    function_ = llvm::Function::Create(type, linkage, name, module_);
    function_->setDoesNotThrow();
    b_.SetInsertPoint(llvm::BasicBlock::Create(module_.getContext(), "", function_));
    for (const std::uint32_t r : known_) value_[r] = nullptr;
    known_.clear();
    input_block_.assign(code_.input_sizes.size(), nullptr);
  }

  Value* element(Value* block, std::size_t k) { return b_.CreateConstInBoundsGEP1_64(real_, block, k); }
  Value* array(Value* arrays, std::size_t k) {
    return b_.CreateLoad(array_, b_.CreateConstInBoundsGEP1_64(array_, arrays, k));
  }
  std::uint32_t& slot(std::uint32_t temporary) { return slot_[temporary - code_.first_temporary]; }

  Value* get(std::uint32_t r) {
    if (value_[r] == nullptr) set(r, fetch(r));
    return value_[r];
  }
  void set(std::uint32_t r, Value* x) {
    value_[r] = x;
    known_.push_back(r);
  }
  Value* fetch(std::uint32_t r) {
    if (code_.is_constant(r)) return arithmetic_.constant(code_.constants[r]);
    if (!code_.is_input(r)) return b_.CreateLoad(real_, element(scratch_, slot(r)));
    // The last block that starts at or before r: those before it, with the same start, are empty.
    const auto after = std::upper_bound(block_start_.begin(), block_start_.end(), r);
    const auto k = static_cast<std::size_t>(after - block_start_.begin()) - 1;
    if (input_block_[k] == nullptr) input_block_[k] = array(function_->getArg(0), k);
    return b_.CreateLoad(real_, element(input_block_[k], r - block_start_[k]));
  }

  // Instructions first ... last − 1; those beyond the body are copies.
  void compute(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      if (i >= code_.body.size()) {
        const Copy& copy = copies_[i - code_.body.size()];
        b_.CreateStore(get(copy.from), element(scratch_, copy.slot));
        continue;
      }
      const Instruction& x = code_.body[i];
      Value* a = get(x.argument[0]);
      Value* b = get(x.argument[1]);
      Value* c = get(x.argument[2]);
      Value* y = arithmetic_.apply(x.op, a, b, c);
      set(x.result, y);
      if (!slot_.empty() && slot(x.result) != nowhere) b_.CreateStore(y, element(scratch_, slot(x.result)));
    }
  }

  // Slots: one for each output, then one for each value that a later piece needs.
  void plan_scratch(std::size_t length) {
    slot_.assign(code_.registers - code_.first_temporary, nowhere);
    for (const auto& block : code_.outputs)
      for (const std::uint32_t r : block) {
        const auto place = static_cast<std::uint32_t>(scratch_size_++);
        if (r >= code_.first_temporary && slot(r) == nowhere)
          slot(r) = place;
        else
          copies_.push_back({r, place});
      }
    std::vector<std::size_t> made_in(slot_.size(), 0);
    for (std::size_t i = 0; i < code_.body.size(); ++i) {
      const Instruction& x = code_.body[i];
      made_in[x.result - code_.first_temporary] = i / length;
      for (const std::uint32_t r : x.argument)
        if (r >= code_.first_temporary && slot(r) == nowhere && made_in[r - code_.first_temporary] != i / length)
          slot(r) = static_cast<std::uint32_t>(scratch_size_++);
    }
  }

  llvm::Module& module_;
  const std::string& name_;
  const StraightLine& code_;
  llvm::IRBuilder<> b_;
  Arithmetic arithmetic_;
  llvm::Type *real_, *array_, *arrays_;
  std::vector<std::uint32_t> block_start_;  // the register of the first component of each input block

  llvm::Function* function_ = nullptr;  // the current one
  std::vector<Value*> value_;           // of each register in it
  std::vector<std::uint32_t> known_;    // the registers that have one
  std::vector<Value*> input_block_;
  Value* scratch_ = nullptr;

  std::size_t scratch_size_ = 0;
  std::vector<std::uint32_t> slot_;  // in the scratch, of each temporary
  std::vector<Copy> copies_;         // outputs that no instruction makes first
};

}  // namespace

void emit_program(llvm::Module& module, const std::string& name, const StraightLine& code, std::size_t longest) {
  ProgramEmitter emitter(module, name, code);
  if (longest == 0 || code.length() <= longest)
    emitter.whole();
  else
    emitter.in_pieces(longest);
}

}  // namespace holonom::native
