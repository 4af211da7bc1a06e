// Copies of models with graphs of their own.
#include "holonom/model/model_copy.hpp"

#include <filesystem>

#include "models.hpp"

namespace holonom::test {
namespace {

TEST(ModelCopy, HasTheSameBits) {
  int count = 0;
  for (const auto& file : std::filesystem::directory_iterator(HOLONOM_MODELS)) {
    if (file.path().extension() != ".toml") continue;
    ++count;
    const Model model = load_model(file.path().string());
    const Model copy = own_copy(model);
    ASSERT_NE(copy.graph, model.graph);
    const ModelSystem<double> one(compile(Model(model))), other(compile(copy));
    const State<double> a = initial_state(one).state, b = initial_state(other).state;
    const int n = one.n(), m = one.m();
    Vec<double> slope_a(n), slope_b(n), g_a(m), g_b(m);
    for (int i = 0; i < n; ++i) EXPECT_EQ(a.q[i], b.q[i]) << file.path();
    one.H_q(a.q, a.p, slope_a);
    other.H_q(a.q, a.p, slope_b);
    one.g(a.q, g_a);
    other.g(a.q, g_b);
    for (int i = 0; i < n; ++i) EXPECT_EQ(slope_a[i], slope_b[i]) << file.path();
    for (int k = 0; k < m; ++k) EXPECT_EQ(g_a[k], g_b[k]) << file.path();
    EXPECT_EQ(one.labels().observables, other.labels().observables);
  }
  EXPECT_GE(count, 20);
}

TEST(ModelCopy, SharesNothing) {
  const Model model = load_model(HOLONOM_MODELS "/hanging-chain.toml", {{"N", "5"}});
  const std::size_t before = model.graph->size();
  const ModelSystem<double> sys(compile(own_copy(model)));
  EXPECT_EQ(model.graph->size(), before) << "lowering formulas adds nodes to the graph of the copy";
}

TEST(ModelCopy, KeepsNumbersExact) {
  Model model("m");
  const Expr x = model.coordinate("x");
  model.set_mass({1})
      .set_potential(x * model.number("0.1") - x * model.number("12345678901234567890.125"))
      .start_at({1});
  const Model copy = own_copy(model);
  const auto numbers = [](const Model& m) {
    std::vector<std::string> texts;
    for (const NodeId i : m.graph->reachable(std::span(&*m.potential, 1)))
      if (m.graph->is_number(i)) texts.push_back(m.graph->number_text(i));
    std::sort(texts.begin(), texts.end());
    return texts;
  };
  EXPECT_EQ(numbers(model), numbers(copy));
  EXPECT_FALSE(numbers(copy).empty());
}

}  // namespace
}  // namespace holonom::test
