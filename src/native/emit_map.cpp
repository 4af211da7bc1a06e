// A kernel in a loop over the rows of an index table. Lanes are rows: vector arithmetic does for each
// row what scalar arithmetic would, and results are added row by row, so lanes change no bit.
#include <llvm/ADT/STLExtras.h>

#include "arithmetic.hpp"
#include "emit.hpp"

namespace holonom::native {

namespace {

using llvm::Value;

class MapEmitter {
 public:
  MapEmitter(llvm::Module& module, const std::string& name, const StraightLine& code, const MapSignature& signature)
      : module_(module), name_(name), code_(code), signature_(signature), b_(module.getContext()) {
    real_ = b_.getDoubleTy();
    pair_ = llvm::FixedVectorType::get(real_, 2);
    integer_ = b_.getInt32Ty();
    long_ = b_.getInt64Ty();
    used_.resize(code.registers, false);
    for (const Instruction& x : code.body)
      for (const std::uint32_t r : x.argument) used_[r] = true;
    for (const auto& block : code.outputs)
      for (const std::uint32_t r : block) used_[r] = true;
  }

  void row_by_row(const std::string& kernel = {}) {
    begin();
    if (!kernel.empty()) prepare_call(kernel);
    loop(1);
    b_.CreateRetVoid();
  }

  void in_lanes(unsigned lanes, const std::string& rest) {
    begin();
    Value* row = loop(lanes, repeatable());
    const auto callee = module_.getOrInsertFunction(rest, function_->getFunctionType());
    auto* remains = llvm::BasicBlock::Create(module_.getContext(), "", function_);
    auto* done = llvm::BasicBlock::Create(module_.getContext(), "", function_);
    b_.CreateCondBr(b_.CreateICmpSLT(row, function_->getArg(1)), remains, done);
    b_.SetInsertPoint(remains);
    llvm::SmallVector<Value*, 5> arguments{row};
    for (unsigned i = 1; i < 5; ++i) arguments.push_back(function_->getArg(i));
    b_.CreateCall(callee, arguments);
    b_.CreateBr(done);
    b_.SetInsertPoint(done);
    b_.CreateRetVoid();
  }

 private:
  // Pointers and broadcast values are read once, before the loops.
  void begin() {
    llvm::Type* array = llvm::PointerType::getUnqual(real_);
    llvm::Type* column = llvm::PointerType::getUnqual(integer_);
    llvm::Type* arguments[] = {long_, long_, llvm::PointerType::getUnqual(array), llvm::PointerType::getUnqual(column),
                               llvm::PointerType::getUnqual(array)};
    auto* type = llvm::FunctionType::get(b_.getVoidTy(), arguments, false);
    function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name_, module_);
    function_->setDoesNotThrow();
    b_.SetInsertPoint(llvm::BasicBlock::Create(module_.getContext(), "", function_));
    const auto pointer = [&](unsigned argument, llvm::Type* to, std::size_t k) {
      return b_.CreateLoad(to, b_.CreateConstInBoundsGEP1_64(to, function_->getArg(argument), k));
    };
    const auto need_column = [&](std::size_t k) {
      if (column_.size() <= k) column_.resize(k + 1, nullptr);
      if (column_[k] == nullptr) column_[k] = pointer(3, column, k);
    };
    std::uint32_t r = code_.first_input;
    for (std::size_t k = 0; k < signature_.inputs.size(); ++k) {
      const std::uint32_t size = code_.input_sizes[k];
      in_.push_back(size == 0 ? nullptr : pointer(2, array, k));
      if (size > 0 && signature_.inputs[k].kind == MapInput::Kind::gathered) need_column(signature_.inputs[k].column);
      for (std::uint32_t i = 0; i < size; ++i, ++r) {
        const bool read = used_[r] && signature_.inputs[k].kind == MapInput::Kind::broadcast;
        broadcast_.push_back(read ? b_.CreateLoad(real_, element(in_[k], i)) : nullptr);
      }
    }
    for (std::size_t k = 0; k < signature_.outputs.size(); ++k) {
      const bool empty = code_.outputs[k].empty();
      out_.push_back(empty ? nullptr : pointer(4, array, k));
      if (!empty && signature_.outputs[k].kind == MapOutput::Kind::scattered) need_column(signature_.outputs[k].column);
    }
  }

  Value* element(Value* array, std::size_t k) { return b_.CreateConstInBoundsGEP1_64(real_, array, k); }
  // array[item · stride]
  Value* item(Value* array, Value* number, std::uint32_t stride) {
    return b_.CreateInBoundsGEP(real_, array, b_.CreateNSWMul(number, b_.getInt64(stride)));
  }

  // Where each component of the summed outputs is kept.
  std::vector<Value*> sum_places() {
    std::vector<Value*> list;
    for (std::size_t k = 0; k < out_.size(); ++k)
      if (signature_.outputs[k].kind == MapOutput::Kind::summed)
        for (std::size_t i = 0; i < code_.outputs[k].size(); ++i) list.push_back(element(out_[k], i));
    return list;
  }

  // Whether a row may be done twice: nothing is added to anything.
  bool repeatable() const {
    return llvm::all_of(signature_.outputs, [](const MapOutput& x) { return x.kind == MapOutput::Kind::stored; });
  }

  // All rows that fill the lanes. Returns the first row after them. With `overlap`, rows that remain at the end
  // fill the lanes together with some that are done already, so that none remain unless all are too few.
  Value* loop(unsigned lanes, bool overlap = false) {
    llvm::LLVMContext& context = module_.getContext();
    const Arithmetic arithmetic(module_, b_, lanes);
    std::vector<Value*> value(code_.registers, nullptr);
    for (std::uint32_t r = 0; r < code_.first_input; ++r) value[r] = arithmetic.constant(code_.constants[r]);
    for (std::uint32_t i = 0; i < broadcast_.size(); ++i)
      if (broadcast_[i] != nullptr) value[code_.first_input + i] = arithmetic.spread(broadcast_[i]);
    const std::vector<Value*> places = sum_places();
    std::vector<Value*> start;
    for (Value* place : places) start.push_back(b_.CreateLoad(real_, place));

    auto* before = b_.GetInsertBlock();
    auto* head = llvm::BasicBlock::Create(context, "", function_);
    auto* body = llvm::BasicBlock::Create(context, "", function_);
    auto* after = llvm::BasicBlock::Create(context, "", function_);
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    auto* row = b_.CreatePHI(long_, 2);
    row->addIncoming(function_->getArg(0), before);
    std::vector<llvm::PHINode*> sums;  // they stay in registers
    for (Value* x : start) {
      sums.push_back(b_.CreatePHI(real_, 2));
      sums.back()->addIncoming(x, before);
    }
    Value* next = b_.CreateNSWAdd(row, b_.getInt64(lanes));
    b_.CreateCondBr(b_.CreateICmpSLE(next, function_->getArg(1)), body, after);

    b_.SetInsertPoint(body);
    const Rows rows = number(row, lanes);
    read(arithmetic, rows, value);
    if (kernel_ != nullptr) {
      call(value);
    } else {
      for (const Instruction& x : code_.body)
        value[x.result] = arithmetic.apply(x.op, value[x.argument[0]], value[x.argument[1]], value[x.argument[2]]);
    }
    std::vector<Value*> running(sums.begin(), sums.end());
    write(arithmetic, rows, value, running);
    if (overlap) {
      Value* end = function_->getArg(1);
      Value* last = b_.CreateNSWSub(end, b_.getInt64(lanes));  // the last row at which the lanes can begin
      Value* remain = b_.CreateAnd(b_.CreateICmpSGT(next, last), b_.CreateICmpSLT(next, end));
      next = b_.CreateSelect(remain, last, next);
    }
    row->addIncoming(next, b_.GetInsertBlock());
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i]->addIncoming(running[i], b_.GetInsertBlock());
    b_.CreateBr(head);

    b_.SetInsertPoint(after);
    for (std::size_t i = 0; i < sums.size(); ++i) b_.CreateStore(sums[i], places[i]);
    return row;
  }

  // A kernel that is a function finds its inputs, block by block, in one array, and leaves its outputs in
  // another.
  void prepare_call(const std::string& kernel) {
    kernel_ = module_.getFunction(kernel);
    llvm::Type* array = llvm::PointerType::getUnqual(real_);
    const auto blocks = [&](const auto& sizes, Value*& values) {
      std::size_t total = 0;
      for (const std::size_t size : sizes) total += size;
      values = b_.CreateAlloca(real_, b_.getInt64(total));
      Value* pointers = b_.CreateAlloca(array, b_.getInt64(sizes.size()));
      std::size_t start = 0;
      for (std::size_t k = 0; k < sizes.size(); start += sizes[k++])
        b_.CreateStore(element(values, start), b_.CreateConstInBoundsGEP1_64(array, pointers, k));
      return pointers;
    };
    std::vector<std::size_t> output_sizes;
    for (const auto& block : code_.outputs) output_sizes.push_back(block.size());
    inputs_ = blocks(code_.input_sizes, input_values_);
    outputs_ = blocks(output_sizes, output_values_);
  }

  void call(std::vector<Value*>& value) {
    for (std::uint32_t r = code_.first_input; r < code_.first_temporary; ++r)
      if (used_[r]) b_.CreateStore(value[r], element(input_values_, r - code_.first_input));
    b_.CreateCall(kernel_, {inputs_, outputs_});
    std::size_t i = 0;
    for (const auto& block : code_.outputs)
      for (const std::uint32_t r : block) value[r] = b_.CreateLoad(real_, element(output_values_, i++));
  }

  struct Rows {
    std::vector<Value*> row;                 // for each lane
    std::vector<std::vector<Value*>> index;  // for each column that is used and each lane
  };
  Rows number(Value* row, unsigned lanes) {
    Rows rows;
    rows.index.resize(column_.size());
    for (unsigned w = 0; w < lanes; ++w) {
      rows.row.push_back(w == 0 ? row : b_.CreateNSWAdd(row, b_.getInt64(w)));
      for (std::size_t c = 0; c < column_.size(); ++c)
        if (column_[c] != nullptr) {
          Value* place = b_.CreateConstInBoundsGEP1_64(integer_, b_.CreateInBoundsGEP(integer_, column_[c], row), w);
          rows.index[c].push_back(b_.CreateSExt(b_.CreateLoad(integer_, place), long_));
        }
    }
    return rows;
  }

  void read(const Arithmetic& arithmetic, const Rows& rows, std::vector<Value*>& value) {
    std::uint32_t r = code_.first_input;
    for (std::size_t k = 0; k < in_.size(); ++k) {
      const MapInput& input = signature_.inputs[k];
      const std::uint32_t size = code_.input_sizes[k];
      if (size == 0 || input.kind == MapInput::Kind::broadcast) {
        r += size;
        continue;
      }
      const std::vector<Value*>& number = input.kind == MapInput::Kind::gathered ? rows.index[input.column] : rows.row;
      llvm::SmallVector<Value*, 8> places;
      for (Value* i : number) places.push_back(item(in_[k], i, input.stride));
      for (std::uint32_t i = 0; i < size; ++i) {
        if (i + 1 < size && places.size() > 1 && used_[r + i] && used_[r + i + 1]) {
          const auto [x, y] = load_pair(places, i);
          value[r + i] = x;
          value[r + i + 1] = y;
          ++i;
        } else if (used_[r + i]) {
          llvm::SmallVector<Value*, 8> lanes;
          for (Value* place : places) lanes.push_back(b_.CreateLoad(real_, element(place, i)));
          value[r + i] = arithmetic.join(lanes);
        }
      }
      r += size;
    }
  }

  // Components i and i + 1 of an item in each lane: neighbours in memory, hence one load for both and a
  // transposition (x0 y0 x2 y2), (x1 y1 x3 y3) -> (x0 x1 x2 x3), (y0 y1 y2 y3), which costs two operations.
  std::pair<Value*, Value*> load_pair(llvm::ArrayRef<Value*> places, std::uint32_t i) {
    llvm::SmallVector<Value*, 4> pair;
    for (Value* place : places) pair.push_back(b_.CreateAlignedLoad(pair_, as_pair(element(place, i)), llvm::Align(8)));
    if (pair.size() == 2) return {mix(pair[0], pair[1], {0, 2}), mix(pair[0], pair[1], {1, 3})};
    Value* even = mix(pair[0], pair[2], {0, 1, 2, 3});
    Value* odd = mix(pair[1], pair[3], {0, 1, 2, 3});
    return {mix(even, odd, {0, 4, 2, 6}), mix(even, odd, {1, 5, 3, 7})};
  }
  // The way back: (x, y) of each lane.
  llvm::SmallVector<Value*, 4> split_pair(Value* x, Value* y, unsigned lanes) {
    if (lanes == 2) return {mix(x, y, {0, 2}), mix(x, y, {1, 3})};
    Value* even = mix(x, y, {0, 4, 2, 6});
    Value* odd = mix(x, y, {1, 5, 3, 7});
    return {mix(even, even, {0, 1}), mix(odd, odd, {0, 1}), mix(even, even, {2, 3}), mix(odd, odd, {2, 3})};
  }
  Value* mix(Value* x, Value* y, std::initializer_list<int> which) {
    return b_.CreateShuffleVector(x, y, llvm::ArrayRef<int>(which));
  }
  Value* as_pair(Value* place) { return b_.CreateBitCast(place, llvm::PointerType::getUnqual(pair_)); }

  // What each lane writes to an item: pairs of neighbours, and a single one if their number is odd.
  struct Part {
    std::uint32_t component;
    llvm::SmallVector<Value*, 4> lane;
  };
  std::vector<Part> parts(const Arithmetic& arithmetic, const std::vector<std::uint32_t>& registers,
                          const std::vector<Value*>& value, unsigned lanes) {
    std::vector<Part> list;
    for (std::uint32_t i = 0; i < registers.size(); ++i) {
      if (lanes > 1 && i + 1 < registers.size()) {
        list.push_back({i, split_pair(value[registers[i]], value[registers[i + 1]], lanes)});
        ++i;
      } else {
        list.push_back({i, {}});
        for (unsigned w = 0; w < lanes; ++w) list.back().lane.push_back(arithmetic.lane(value[registers[i]], w));
      }
    }
    return list;
  }

  void write(const Arithmetic& arithmetic, const Rows& rows, const std::vector<Value*>& value,
             std::vector<Value*>& sums) {
    const auto lanes = static_cast<unsigned>(rows.row.size());
    auto sum = sums.begin();
    std::vector<Scattered> scattered;
    for (std::size_t k = 0; k < out_.size(); ++k) {
      if (out_[k] == nullptr) continue;
      const MapOutput& output = signature_.outputs[k];
      const auto& registers = code_.outputs[k];
      if (output.kind == MapOutput::Kind::summed) {
        for (const std::uint32_t r : registers) {
          for (unsigned w = 0; w < lanes; ++w) *sum = b_.CreateFAdd(*sum, arithmetic.lane(value[r], w));
          ++sum;
        }
        continue;
      }
      Scattered x{registers.size(), parts(arithmetic, registers, value, lanes), {}};
      const bool stored = output.kind == MapOutput::Kind::stored;
      for (Value* i : stored ? rows.row : rows.index[output.column]) x.item.push_back(item(out_[k], i, output.stride));
      if (!stored) {
        scattered.push_back(std::move(x));
        continue;
      }
      for (unsigned w = 0; w < lanes; ++w)
        for (const Part& part : x.parts) store(part.lane[w], x.item[w], part);
    }
    if (scattered.empty()) return;
    if (lanes == 1)
      add_row_by_row(scattered);
    else
      add(scattered);
  }

  struct Scattered {
    std::size_t size;
    std::vector<Part> parts;
    std::vector<Value*> item;  // where each lane adds to
  };

  // Tables often come with many rows of one item together (i in all pairs i < j). To add to it through
  // memory makes each row wait for the row before. If all lanes have the same item in the first block,
  // and no other block touches it, that block is added up in registers: the same sum, sooner.
  void add(const std::vector<Scattered>& blocks) {
    const Scattered& first = blocks.front();
    const auto lanes = first.item.size();
    llvm::SmallVector<Value*, 4> address;
    for (Value* x : first.item) address.push_back(b_.CreatePtrToInt(x, long_));
    Value* together = b_.getTrue();
    for (std::size_t w = 1; w < lanes; ++w) together = b_.CreateAnd(together, b_.CreateICmpEQ(address[w], address[0]));
    for (std::size_t k = 1; k < blocks.size(); ++k)
      for (Value* x : blocks[k].item) {
        const std::size_t length = 8 * blocks[k].size;
        Value* distance = b_.CreateSub(b_.CreatePtrToInt(x, long_), address[0]);
        Value* shifted = b_.CreateAdd(distance, b_.getInt64(length - 1));  // below 0 as an unsigned number: far
        together = b_.CreateAnd(together, b_.CreateICmpUGE(shifted, b_.getInt64(8 * first.size + length - 1)));
      }
    llvm::LLVMContext& context = module_.getContext();
    auto* fast = llvm::BasicBlock::Create(context, "", function_);
    auto* slow = llvm::BasicBlock::Create(context, "", function_);
    auto* after = llvm::BasicBlock::Create(context, "", function_);
    b_.CreateCondBr(together, fast, slow);

    b_.SetInsertPoint(fast);
    for (const Part& part : first.parts) {
      Value* sum = load(part.lane[0]->getType(), first.item[0], part);
      for (Value* y : part.lane) sum = b_.CreateFAdd(sum, y);
      store(sum, first.item[0], part);
    }
    add_row_by_row(llvm::makeArrayRef(blocks).drop_front());
    b_.CreateBr(after);

    b_.SetInsertPoint(slow);
    add_row_by_row(blocks);
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
  }

  void add_row_by_row(llvm::ArrayRef<Scattered> blocks) {
    if (blocks.empty()) return;
    for (std::size_t w = 0; w < blocks[0].item.size(); ++w)
      for (const Scattered& block : blocks)
        for (const Part& part : block.parts) {
          Value* y = part.lane[w];
          store(b_.CreateFAdd(load(y->getType(), block.item[w], part), y), block.item[w], part);
        }
  }

  Value* place(llvm::Type* type, Value* of, const Part& part) {
    Value* x = element(of, part.component);
    return type == real_ ? x : as_pair(x);
  }
  Value* load(llvm::Type* type, Value* of, const Part& part) {
    return b_.CreateAlignedLoad(type, place(type, of, part), llvm::Align(8));
  }
  void store(Value* y, Value* to, const Part& part) {
    b_.CreateAlignedStore(y, place(y->getType(), to, part), llvm::Align(8));
  }

  llvm::Module& module_;
  const std::string& name_;
  const StraightLine& code_;
  const MapSignature& signature_;
  llvm::IRBuilder<> b_;
  llvm::Type *real_, *pair_, *integer_, *long_;
  llvm::Function* function_ = nullptr;
  llvm::Function* kernel_ = nullptr;  // if it is called, with what it reads and writes
  Value *inputs_ = nullptr, *outputs_ = nullptr, *input_values_ = nullptr, *output_values_ = nullptr;
  std::vector<bool> used_;         // registers that the kernel reads
  std::vector<Value*> in_, out_;   // arrays; null for empty blocks
  std::vector<Value*> column_;     // null for columns that are not used
  std::vector<Value*> broadcast_;  // of each input component; null if it is not one
};

}  // namespace

void emit_map(llvm::Module& module, const std::string& name, const StraightLine& code, const MapSignature& signature) {
  MapEmitter(module, name, code, signature).row_by_row();
}

void emit_map(llvm::Module& module, const std::string& name, const StraightLine& code, const MapSignature& signature,
              unsigned lanes, const std::string& rest) {
  MapEmitter(module, name, code, signature).in_lanes(lanes, rest);
}

void emit_map_of_calls(llvm::Module& module, const std::string& name, const StraightLine& code,
                       const MapSignature& signature, const std::string& kernel) {
  MapEmitter(module, name, code, signature).row_by_row(kernel);
}

}  // namespace holonom::native
