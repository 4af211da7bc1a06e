// recommend of a model by its spec: what the program and other languages call.
#pragma once

#include "holonom/analysis/recommendation.hpp"
#include "holonom/model/model.hpp"
#include "holonom/run/run_spec.hpp"

namespace holonom {

// A recommendation, and what it is one for.
struct ModelRecommendation {
  std::string model, quantity, engine;
  double until = 0, accuracy = 0;
  std::string until_formula;  // as it was given, or its digits
  Recommendation made;
  std::vector<double> seconds;  // CPU time of each method's run that is to be expected here; nothing depends on it
  std::vector<std::string> warnings;

  std::string step_formula(const RecommendedMethod& method) const {
    return "(" + until_formula + ")/" + std::to_string(method.steps);
  }
  // How the first one was chosen, in words
  std::string how_chosen() const;
  // Why there is none, and what can be had
  std::string why_none() const;
};

// Of a spec: model, set, until, engine, accuracy and quantity. Throws InputError.
ModelRecommendation recommend_for_model(const RunSpec& spec);
// Of a model that was made here, by C++ expressions; so below.
ModelRecommendation recommend_for_model(Model model, const RunSpec& spec);

// The spec of a run with the method "auto", with the method and the step that are recommended. Throws InputError, also
// if the accuracy cannot be reached.
struct ChosenSpec {
  RunSpec spec;
  ModelRecommendation recommendation;
};
ChosenSpec choose_method(const RunSpec& spec);
ChosenSpec choose_method(Model model, const RunSpec& spec);

}  // namespace holonom
