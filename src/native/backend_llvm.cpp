// Machine code by LLVM 14: which code is worth how much care, and how it comes into this process.
#include <llvm/ADT/STLExtras.h>
#include <llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/Support/TargetSelect.h>

#include <stdexcept>

#include "backend.hpp"
#include "emit.hpp"

namespace holonom::native {

namespace {

// LLVM's careful instruction selection takes some 20 to 60 μs an instruction, and more in long
// functions; its quick one 2 μs, for code that is at most a quarter slower if the program is long.
constexpr std::size_t worth_care = 200;        // instructions and stores
constexpr std::size_t longest_function = 400;  // of a program that is compiled quickly
constexpr long few_rows = 16;

template <class T>
T value_or_throw(llvm::Expected<T> x) {
  if (!x) throw std::runtime_error("native code: " + llvm::toString(x.takeError()));
  return std::move(*x);
}
void check(llvm::Error error) {
  if (error) throw std::runtime_error("native code: " + llvm::toString(std::move(error)));
}

bool initialise() {
  static const bool done = !llvm::InitializeNativeTarget() && !llvm::InitializeNativeTargetAsmPrinter();
  return done;
}

// The machine this runs on. Code and constants are close together and address each other relatively.
llvm::orc::JITTargetMachineBuilder host_machine() {
  auto host = value_or_throw(llvm::orc::JITTargetMachineBuilder::detectHost());
  host.setRelocationModel(llvm::Reloc::PIC_).setCodeModel(llvm::CodeModel::Small);
  host.getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;  // the interpreter does not fuse either
  return host;
}

// Links object code into this process. JITLink, because it allots code and constants together.
std::shared_ptr<llvm::orc::LLJIT> make_linker(const llvm::orc::JITTargetMachineBuilder& host) {
  std::shared_ptr<llvm::orc::LLJIT> linker =
      value_or_throw(llvm::orc::LLJITBuilder()
                         .setJITTargetMachineBuilder(host)
                         .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                         .setObjectLinkingLayerCreator([](llvm::orc::ExecutionSession& session, const llvm::Triple&)
                                                           -> llvm::Expected<std::unique_ptr<llvm::orc::ObjectLayer>> {
                           auto memory = llvm::jitlink::InProcessMemoryManager::Create();
                           if (!memory) return memory.takeError();
                           return std::make_unique<llvm::orc::ObjectLinkingLayer>(session, std::move(*memory));
                         })
                         .create());
  llvm::orc::SymbolMap symbols;
  for (const Callee& x : callees())
    symbols[linker->mangleAndIntern(x.name)] =
        llvm::JITEvaluatedSymbol(llvm::pointerToJITTargetAddress(x.address), llvm::JITSymbolFlags::Exported);
  check(linker->getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols))));
  return linker;
}

// Functions of one optimisation level, compiled together. The emitted code leaves nothing to do for
// LLVM's optimiser, only for its code generator.
class Workshop {
 public:
  Workshop(llvm::orc::JITTargetMachineBuilder host, llvm::CodeGenOpt::Level level)
      : machine_(value_or_throw(host.setCodeGenOptLevel(level).createTargetMachine())), module_("holonom", context_) {
    module_.setDataLayout(machine_->createDataLayout());
    module_.setTargetTriple(machine_->getTargetTriple().str());
  }
  llvm::Module& module() { return module_; }

  void compile_into(llvm::orc::LLJIT& linker) {
    if (module_.empty()) return;
    check(linker.addObjectFile(value_or_throw(llvm::orc::SimpleCompiler(*machine_)(module_))));
  }

 private:
  std::unique_ptr<llvm::TargetMachine> machine_;
  llvm::LLVMContext context_;
  llvm::Module module_;
};

}  // namespace

std::string obstacle() { return initialise() ? "" : "LLVM has no code generator for this machine"; }

NativeCode compile(std::span<const StraightLine> programs, std::span<const Kernel> maps) {
  if (!initialise()) throw std::runtime_error(obstacle());
  const auto host = host_machine();
  Workshop careful(host, llvm::CodeGenOpt::Less), quick(host, llvm::CodeGenOpt::None);

  const unsigned lanes = llvm::is_contained(host.getFeatures().getFeatures(), "+avx") ? 4 : 2;
  const auto program_name = [](std::size_t k) { return "program_" + std::to_string(k); };
  const auto map_name = [](std::size_t k) { return "map_" + std::to_string(k); };
  for (std::size_t k = 0; k < programs.size(); ++k) {
    const StraightLine& code = programs[k];
    if (code.length() <= worth_care)
      emit_program(careful.module(), program_name(k), code);
    else
      emit_program(quick.module(), program_name(k), code, longest_function);
  }
  for (std::size_t k = 0; k < maps.size(); ++k) {
    const auto& [code, signature, expected_rows] = maps[k];
    const std::string name = map_name(k);
    if (code.length() > worth_care) {
      emit_program(quick.module(), name + "_kernel", code, longest_function);
      emit_map_of_calls(quick.module(), name, code, signature, name + "_kernel");
    } else if (expected_rows < few_rows) {
      emit_map(quick.module(), name, code, signature);
    } else {
      emit_map(careful.module(), name, code, signature, lanes, name + "_rest");
      emit_map(quick.module(), name + "_rest", code, signature);
    }
  }
  const auto linker = make_linker(host);
  careful.compile_into(*linker);
  quick.compile_into(*linker);

  NativeCode result;
  const auto address = [&](const std::string& name) { return value_or_throw(linker->lookup(name)).getAddress(); };
  for (std::size_t k = 0; k < programs.size(); ++k)
    result.programs.emplace_back(llvm::jitTargetAddressToFunction<NativeProgram::Function>(address(program_name(k))),
                                 linker);
  for (std::size_t k = 0; k < maps.size(); ++k)
    result.maps.emplace_back(llvm::jitTargetAddressToFunction<NativeMap::Function>(address(map_name(k))), linker);
  return result;
}

}  // namespace holonom::native
