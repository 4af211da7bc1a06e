// compare of a model by its spec: what the program and other languages call.
#pragma once

#include <functional>

#include "holonom/analysis/comparison.hpp"
#include "holonom/model/compiled_model.hpp"
#include "holonom/run/run_spec.hpp"

namespace holonom {

struct CompareSpec {
  std::string model;                                     // a model file
  std::vector<std::pair<std::string, std::string>> set;  // parameters to replace
  std::vector<std::string> methods;
  // Each method on each of these, as they stand behind the @ of a key, and "direct"; none: the keys as they are
  std::vector<std::string> formulations;
  std::vector<std::string> steps;               // formulas of parameters; none: the step of the model
  std::optional<std::string> until, reference;  // without: that of the model; the exact flow. Else METHOD:STEP
  Precision precision = Precision::double_;
  EngineChoice engine = EngineChoice::automatic;
  double tolerance = 0;
  StageMatrix newton = StageMatrix::automatic;
  int threads = 0;  // for rows; 0: as many as there are cores

  // How the fields above are called in messages: the program says "--until".
  std::string prefix;
  std::string steps_name = "step";  // the program says it once for all of them
  std::string name_of(const std::string& field) const { return prefix + field; }
  std::string name_of_steps() const { return prefix + steps_name; }
};

// A comparison that has been put together, and may be made.
class ModelComparison {
 public:
  // Throws InputError.
  explicit ModelComparison(const CompareSpec& spec);
  // Of a model that was made here, by C++ expressions.
  ModelComparison(Model model, CompareSpec spec);

  const Labels& labels() const { return labels_; }
  const std::string& precision() const { return precision_; }
  const std::string& engine() const { return engine_; }
  double until() const { return until_; }
  const std::string& until_digits() const { return until_digits_; }
  const std::vector<std::string>& step_digits() const { return step_digits_; }  // of those that are taken: until/N
  const std::vector<std::string>& inputs() const { return inputs_; }            // files that have been read
  const std::vector<std::string>& warnings() const { return warnings_; }

  // Throws InputError if there is no reference.
  Comparison compare();
  // What should be known of a comparison.
  std::vector<std::string> remarks(const Comparison& made) const;

 private:
  void find_methods();
  template <class S>
  void put_together(const std::shared_ptr<const CompiledModel>& compiled, const std::vector<NodeId>& values);

  CompareSpec spec_;
  std::vector<MethodEntry> methods_;
  std::optional<MethodEntry> reference_;
  Labels labels_;
  std::string precision_, engine_, until_digits_;
  std::vector<std::string> step_digits_, inputs_, warnings_, invariant_places_;
  double until_ = 0, epsilon_ = 0;
  std::function<Comparison()> compare_;
};

}  // namespace holonom
