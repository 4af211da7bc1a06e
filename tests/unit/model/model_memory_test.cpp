// Models as bytes and with a graph of their own: runs have the same bits.
#include "holonom/model/model_memory.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "holonom/memory.hpp"
#include "holonom/model/toml.hpp"
#include "holonom/run/run_of.hpp"

namespace holonom {
namespace {

std::vector<double> numbers_after(Model model, int steps) {
  RunSpec spec;
  spec.steps = steps;
  holonom::Run run(std::move(model), spec);
  run.advance();
  run.finish();
  RunResult<double> r = run.as<double>().result();
  std::vector<double> x(r.state.q.begin(), r.state.q.end());
  x.insert(x.end(), r.state.p.begin(), r.state.p.end());
  x.insert(x.end(), r.state.lambda.begin(), r.state.lambda.end());
  x.insert(x.end(), r.invariant_initial.begin(), r.invariant_initial.end());
  x.push_back(r.energy_final);
  return x;
}

TEST(ModelMemory, GivesRunsWithTheSameBits) {
  int models = 0;
  for (const auto& entry : std::filesystem::directory_iterator(HOLONOM_MODELS)) {
    if (entry.path().extension() != ".toml") continue;
    ++models;
    const Model model = load_model(entry.path().string());
    const std::string bytes = to_bytes(model);
    const std::vector<double> expected = numbers_after(load_model(entry.path().string()), 5);
    EXPECT_EQ(numbers_after(model_from_bytes(bytes), 5), expected) << entry.path();
    const std::string again = to_bytes(model_from_bytes(bytes));
    EXPECT_EQ(to_bytes(model_from_bytes(again)), again) << entry.path();
  }
  EXPECT_GT(models, 20);
}

TEST(ModelMemory, RefusesWhatIsNoModel) {
  const std::string bytes = to_bytes(load_model(HOLONOM_MODELS "/four-bar.toml"));
  EXPECT_THROW(model_from_bytes(""), MemoryError);
  EXPECT_THROW(model_from_bytes("no model"), MemoryError);
  EXPECT_THROW(model_from_bytes(bytes + "x"), MemoryError);
  for (std::size_t cut = 0; cut < bytes.size(); cut += 101)
    EXPECT_THROW(model_from_bytes(bytes.substr(0, cut)), MemoryError) << cut;
}

}  // namespace
}  // namespace holonom
