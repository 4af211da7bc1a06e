// Results about a model that was made in memory: the same as of its file; reports; and work that is interrupted.
#include <thread>

#include "holonom/analysis/interruption.hpp"
#include "holonom/analysis/result_text.hpp"
#include "holonom/analysis/short_run.hpp"
#include "holonom/model/model_copy.hpp"
#include "holonom/model/toml.hpp"
#include "models.hpp"

namespace holonom::test {
namespace {

std::string file_of(const std::string& name) { return std::string(HOLONOM_MODELS) + "/" + name + ".toml"; }

// A pendulum of length one, with no file
Model expressions() {
  Model model("made here");
  const Expr x = model.coordinate("x"), y = model.coordinate("y");
  model.set_mass({1, 1}).set_potential(y);
  model.add_constraint("rod", (x * x + y * y - 1) / 2).start_at({1, 0});
  return model;
}

// Steps are timed: all but times is compared.
void expect_same(const Comparison& a, const Comparison& b) {
  EXPECT_EQ(a.reference, b.reference);
  ASSERT_EQ(a.rows.size(), b.rows.size());
  for (std::size_t k = 0; k < a.rows.size(); ++k) {
    EXPECT_EQ(a.rows[k].method, b.rows[k].method);
    EXPECT_EQ(a.rows[k].error.q, b.rows[k].error.q);
    EXPECT_EQ(a.rows[k].energy, b.rows[k].energy);
    EXPECT_EQ(a.rows[k].counters.force, b.rows[k].counters.force);
  }
}

TEST(ModelResults, CertificateOfAModelInMemory) {
  RunSpec spec;
  spec.method = "rattle";
  spec.step = "T/100";
  spec.model = file_of("pendulum");
  const std::string of_file = json_of(certify_model(spec));
  spec.model.clear();
  EXPECT_EQ(json_of(certify_model(load_model(file_of("pendulum")), spec)), of_file);
  spec.step = "0.05";
  const ModelCertificate made = certify_model(expressions(), spec);
  EXPECT_EQ(made.model, "made here");
  EXPECT_TRUE(made.certificate.all_hold());
  EXPECT_GT(made.certificate.claims.size(), 5U);
}

TEST(ModelResults, ComparisonOfAModelInMemory) {
  CompareSpec spec;
  spec.methods = {"rattle", "kahan-li-8"};
  spec.steps = {"T/50", "T/100"};
  spec.until = "T";
  spec.model = file_of("pendulum");
  const Comparison of_file = ModelComparison(spec).compare();
  spec.model.clear();
  expect_same(ModelComparison(load_model(file_of("pendulum")), spec).compare(), of_file);
  spec.steps = {"0.1"};
  spec.until = "1";
  const Comparison made = ModelComparison(expressions(), spec).compare();
  EXPECT_LT(made.rows[1].error.q, 1e-9);
  spec.methods.clear();
  EXPECT_THROW(ModelComparison(expressions(), spec), InputError);
}

TEST(ModelResults, RecommendationForAModelInMemory) {
  RunSpec spec;
  spec.accuracy = 1e-5;
  spec.until = "T";
  spec.model = file_of("pendulum");
  const ModelRecommendation of_file = recommend_for_model(spec);
  const ChosenSpec chosen_of_file = choose_method(spec);
  spec.model.clear();
  const ModelRecommendation made = recommend_for_model(load_model(file_of("pendulum")), spec);
  ASSERT_FALSE(made.made.methods.empty());
  EXPECT_EQ(made.made.methods.front().method.info.key, of_file.made.methods.front().method.info.key);
  EXPECT_EQ(made.made.methods.front().steps, of_file.made.methods.front().steps);
  const ChosenSpec chosen = choose_method(load_model(file_of("pendulum")), spec);
  EXPECT_EQ(chosen.spec.method, chosen_of_file.spec.method);
  EXPECT_EQ(chosen.spec.step, chosen_of_file.spec.step);
  EXPECT_EQ(chosen.spec.method, made.made.methods.front().method.info.key);
  spec.until = "5";
  EXPECT_FALSE(recommend_for_model(expressions(), spec).made.methods.empty());
  spec.step = "0.1";
  EXPECT_THROW(choose_method(expressions(), spec), InputError);
  spec.accuracy.reset();
  EXPECT_THROW(recommend_for_model(expressions(), spec), InputError);
}

TEST(ModelResults, StabilityOfAModelInMemory) {
  RunSpec spec;
  spec.formulation = "baumgarte";
  spec.steps = 20;
  spec.every = 10;
  spec.model = file_of("pendulum");
  const std::string of_file = json_of(model_stability(spec));
  spec.model.clear();
  EXPECT_EQ(json_of(model_stability(load_model(file_of("pendulum")), spec)), of_file);
  spec.step = "0.1";
  EXPECT_EQ(model_stability(expressions(), spec).report.rows.size(), 3U);
  spec.formulation = "direct";
  EXPECT_THROW(model_stability(expressions(), spec), InputError);
}

TEST(ModelResults, ACopyHasAGraphOfItsOwn) {
  const Model model = expressions();
  const NodeId known = model.graph->mul(model.q[0], model.graph->number("0.3"));
  const std::size_t before = model.graph->size();
  Model copy = own_copy(model);
  EXPECT_EQ(copy.graph->mul(copy.q[0], copy.graph->number("0.3")), known);
  EXPECT_EQ(copy.graph->size(), before);
  EXPECT_NE(copy.graph->input(), copy.q[0]);
  EXPECT_EQ(copy.graph->number("1"), Graph::one);
  (void)copy.constant("3/7", "test");
  EXPECT_GT(copy.graph->size(), before);
  EXPECT_EQ(model.graph->size(), before);
  EXPECT_EQ(json_of(report_of(ModelSystem<double>(compile(std::move(copy))))),
            json_of(report_of(ModelSystem<double>(compile(expressions())))));
  EXPECT_EQ(model.graph->size(), before);
}

TEST(ModelResults, Report) {
  const ModelReport r = report_of(ModelSystem<double>(compile(load_model(file_of("double-pendulum")))));
  EXPECT_EQ(r.n, 4);
  EXPECT_EQ(r.m, 2);
  EXPECT_EQ(r.nonzeros, 6);
  EXPECT_EQ(r.freedom(), 2);
  EXPECT_EQ(r.file, file_of("double-pendulum"));
  EXPECT_EQ(r.form, CompiledModel::Form::separable);
  EXPECT_TRUE(r.is_reversible());
  EXPECT_TRUE(r.momentum_maps.found.empty());
  EXPECT_TRUE(r.obstacle.empty());
  const ModelReport kepler = report_of(ModelSystem<double>(compile(load_model(file_of("kepler-sphere")))));
  ASSERT_EQ(kepler.invariants.size(), 1U);
  EXPECT_EQ(kepler.invariants.front().conservation, Conservation::strong);
  EXPECT_TRUE(kepler.invariants.front().proved);
  EXPECT_TRUE(report_of(ModelSystem<double>(compile(expressions()))).file.empty());
  const ModelReport outline = outline_of(ModelSystem<double>(compile(expressions())));
  EXPECT_EQ(outline.n, 2);
  EXPECT_TRUE(outline.rank.rank == 0 && outline.invariants.empty());
}

TEST(ModelResults, ShortRunEndsWhereAStepFails) {
  RunSpec spec;
  spec.step = "0.05";
  const ShortRun run = short_run(expressions(), spec, 100);
  ASSERT_EQ(run.t.size(), 100U);
  EXPECT_NEAR(run.t.back(), 5, 1e-12);
  EXPECT_LT(*std::max_element(run.position.begin(), run.position.end()), 1e-14);
  EXPECT_GT(std::abs(*std::min_element(run.energy_error.begin(), run.energy_error.end())), 1e-6);
  spec.step = "3";
  EXPECT_LT(short_run(expressions(), spec, 100).t.size(), 100U);
}

// A flag that is set ends every kind of measurement, also on the threads that it starts.
TEST(ModelResults, AreInterrupted) {
  const std::atomic<bool> set{true};
  const InterruptScope scope(&set);
  RunSpec spec;
  spec.step = "0.01";
  spec.until = "1";
  EXPECT_THROW(certify_model(expressions(), spec), Interrupted);
  EXPECT_THROW(short_run(expressions(), spec), Interrupted);
  spec.accuracy = 1e-6;
  EXPECT_THROW(recommend_for_model(expressions(), spec), Interrupted);
  spec.formulation = "dirac";
  EXPECT_THROW(model_stability(expressions(), spec), Interrupted);
  EXPECT_THROW(report_of(ModelSystem<double>(compile(expressions()))), Interrupted);
  CompareSpec compared;
  compared.methods = {"rattle", "yoshida-4"};
  compared.steps = {"0.01", "0.005"};
  compared.until = "1";
  for (const int threads : {1, 3}) {
    compared.threads = threads;
    EXPECT_THROW(ModelComparison(expressions(), compared).compare(), Interrupted);
  }
  const InterruptScope nobody(nullptr);
  EXPECT_NO_THROW(ModelComparison(expressions(), compared).compare());
}

// Rows that would take a long time, one on each thread
TEST(ModelResults, AreInterruptedWithinLongRuns) {
  std::atomic<bool> flag{false};
  const InterruptScope scope(&flag);
  CompareSpec spec;
  spec.methods = {"rattle"};
  spec.steps = {"1e-8", "2e-8", "4e-8"};
  spec.until = "1000";
  spec.threads = 3;
  ModelComparison comparison(expressions(), spec);
  const std::jthread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    flag = true;
  });
  EXPECT_THROW(comparison.compare(), Interrupted);
}

}  // namespace
}  // namespace holonom::test
