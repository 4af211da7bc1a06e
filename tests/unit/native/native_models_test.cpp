// All formulas of all models as native code: equal to the interpreter bit for bit.
#include <algorithm>
#include <ctime>
#include <filesystem>

#include "holonom/model/compiled_model.hpp"
#include "holonom/model/toml.hpp"
#include "maps.hpp"

namespace holonom::test {
namespace {

vector<Formula> formulas_of(CompiledModel::Form form) {
  using enum Formula;
  vector<Formula> list{
      g,           G,    g_and_G, g_scale, g_qq, g_uu, g_qqq, lambda_g_qq, lambda_g_qqq, invariants, invariants_along,
      observables, start};
  switch (form) {
    case CompiledModel::Form::separable: list.insert(list.end(), {V, V_q, V_qq, V_qqq}); break;
    case CompiledModel::Form::mass_matrix:
      list.insert(list.end(), {V, V_q, V_qq, V_qqq, M, T_v, T_q, T_vq, T_qq, T_vqq, T_qqq});
      break;
    case CompiledModel::Form::general:
      list.insert(list.end(), {H, H_q, H_p, H_pp, H_pq, H_qp, H_qq, H_qqq, H_qqp, H_qpp, H_pqq, H_pqp, H_ppp});
      break;
  }
  return list;
}

vector<Formula> formulas_of(MappedTerm::Role role) {
  using enum Formula;
  switch (role) {
    case MappedTerm::Role::energy: return {V, V_q, V_qq, V_qqq};
    case MappedTerm::Role::constraint: return {g, G, g_and_G, g_scale, g_qq, g_uu, g_qqq, lambda_g_qq, lambda_g_qqq};
    case MappedTerm::Role::invariant: return {invariants, invariants_along};
    case MappedTerm::Role::event: return {events};
    case MappedTerm::Role::observable: return {observables};
  }
  return {};
}

// All formulas of a model, compiled in one batch.
struct CompiledFormulas {
  std::shared_ptr<const CompiledModel> model;
  vector<std::shared_ptr<const Program>> programs;
  vector<MapProgram> maps;
  vector<const MappedTerm*> term_of_map;
  NativeCode native;
  double seconds = 1e9;  // of processor time, to compile

  explicit CompiledFormulas(const std::string& file) : model(compile(load_model(file))) {
    vector<const Program*> list;
    for (const Formula f : formulas_of(model->form())) {
      programs.push_back(model->program(f));
      list.push_back(programs.back().get());
    }
    vector<MapKernel> kernels;
    for (const MappedTerm& term : model->model().terms)
      for (const Formula f : formulas_of(term.role)) {
        maps.push_back(model->map_program(term, f));
        term_of_map.push_back(&term);
        kernels.push_back({maps.back().kernel.get(), maps.back().signature, term.rows});
      }
    // The quickest of a few: others may have the processor's caches at any one time.
    for (int trial = 0; trial < 3; ++trial) {
      const auto begin = std::clock();
      native = compile_native(list, kernels);
      seconds = std::min(seconds, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    }
  }
  size_t instructions() const {
    size_t sum = 0;
    for (const auto& program : programs) sum += program->instructions();
    for (const auto& map : maps) sum += map.kernel->instructions();
    return sum;
  }
};

void compare_map_of_model(const MapProgram& map, const MappedTerm& term, const NativeMap& native, int n) {
  const auto rows = static_cast<size_t>(term.rows);
  Table table;
  for (const auto& gather : term.gathers) table.column.push_back(gather.first);
  Blocks in, start;
  vector<size_t> array_of;
  for (const MapInput& input : map.signature.inputs)
    in.push_back(random_numbers(input.kind == MapInput::Kind::per_row ? rows * input.stride : static_cast<size_t>(n)));
  for (size_t b = 0; b < map.signature.outputs.size(); ++b) {
    const MapOutput& output = map.signature.outputs[b];
    const bool scattered = output.kind == MapOutput::Kind::scattered;
    if (scattered && b > 0) {
      array_of.push_back(array_of.back());  // all forces go to one array
      continue;
    }
    array_of.push_back(start.size());
    start.push_back(random_numbers(scattered                                ? static_cast<size_t>(n)
                                   : output.kind == MapOutput::Kind::stored ? rows * output.stride
                                                                            : map.kernel->output_registers[b].size()));
  }
  compare_maps(*map.kernel, map.signature, native, 0, term.rows, in, table, start, array_of);
}

TEST_F(Native, AllFormulasOfAllModelsAgree) {
  compile_native(std::span<const Program* const>{});  // the first one warms up
  int models = 0;
  for (const auto& file : std::filesystem::directory_iterator(HOLONOM_MODELS)) {
    if (file.path().extension() != ".toml") continue;
    SCOPED_TRACE(file.path().filename());
    const CompiledFormulas x(file.path().string());
    std::printf("  %-24s %2zu programs, %2zu maps, %5zu instructions: compiled in %5.1f ms of processor time\n",
                file.path().stem().c_str(), x.programs.size(), x.maps.size(), x.instructions(), 1e3 * x.seconds);
    Random random;
    for (size_t k = 0; k < x.programs.size(); ++k) {
      const Program& program = *x.programs[k];
      OneBlock interpreted(program);
      for (int trial = 0; trial < 50; ++trial) {
        const Blocks in = random.inputs(program);
        ASSERT_TRUE(same_bits(run(x.native.programs[k], program, in), interpreted(in))) << "program " << k;
      }
    }
    for (size_t k = 0; k < x.maps.size(); ++k) {
      SCOPED_TRACE("map " + std::to_string(k));
      compare_map_of_model(x.maps[k], *x.term_of_map[k], x.native.maps[k], static_cast<int>(x.model->pattern().n));
    }
    ++models;
  }
  EXPECT_GT(models, 10);
}

}  // namespace
}  // namespace holonom::test
