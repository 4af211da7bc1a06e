#include "holonom/analysis/model_recommendation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "holonom/analysis/interruption.hpp"
#include "holonom/analysis/thread_time.hpp"
#include "holonom/expr/parser.hpp"
#include "holonom/model/constants.hpp"
#include "holonom/model/start.hpp"
#include "holonom/model/toml.hpp"
#include "holonom/run/preparation.hpp"

namespace holonom {

namespace {

WantedQuantity find_quantity(const RunSpec& spec, const AnySystem<double>& sys) {
  const std::string word = spec.quantity.value_or("position");
  const std::string what = spec.name_of("quantity") + " " + word + ": ";
  using Kind = WantedQuantity::Kind;
  if (word == "energy") {
    if (!sys.has_energy()) throw InputError(what + "this field has no energy; give [field] one, or take position");
    return {Kind::energy, 0};
  }
  if (word == "position") return {Kind::position, 0};
  const Labels& labels = sys.labels();
  std::vector<std::string> known{"energy", "position"};
  for (const auto& [kind, names] :
       {std::pair(Kind::coordinate, &labels.coordinates), std::pair(Kind::invariant, &labels.invariants),
        std::pair(Kind::observable, &labels.observables)}) {
    if (const auto at = std::find(names->begin(), names->end(), word); at != names->end())
      return {kind, static_cast<int>(at - names->begin())};
    known.insert(known.end(), names->begin(), names->end());
  }
  throw InputError(what + "there is no coordinate, invariant or observable of this name." +
                   suggestion(word, known, "Quantities"));
}

std::string two_digits(double x) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.1e", x);
  return buffer;
}

// Bare steps, as a long run takes them
double seconds_of_run(const AnySystem<double>& sys, const State<double>& start, const RecommendedMethod& r, double h) {
  const auto method = r.method.make<double>(sys);
  State<double> x = start;
  if (!method->begin(x, h).ok()) return std::numeric_limits<double>::quiet_NaN();
  const double begin = thread_cpu_seconds();
  long done = 0;
  for (double now = begin; done < r.steps && now - begin < enough_seconds; now = thread_cpu_seconds()) {
    stop_if_interrupted();
    const long some = std::min(r.steps - done, std::max(1L, done));
    for (long k = 0; k < some; ++k)
      if (!method->step(x, h).ok()) return std::numeric_limits<double>::quiet_NaN();
    done += some;
  }
  return (thread_cpu_seconds() - begin) / static_cast<double>(done) * static_cast<double>(r.steps);
}

void require_accuracy(const RunSpec& spec) {
  if (!spec.accuracy) throw InputError("no accuracy: give " + spec.name_of("accuracy") + ", such as 1e-6");
  if (!(*spec.accuracy > 0 && *spec.accuracy < 0.1))
    throw InputError(spec.name_of("accuracy") + " " + shorten(*spec.accuracy) +
                     ": this is a relative error, a number between 0 and 0.1");
}

// What has nothing to say to a method that is chosen
void require_free_choice(const RunSpec& spec) {
  const auto refuse = [&](const std::string& field, const std::string& why) {
    throw InputError(spec.name_of(field) + ": " + why);
  };
  if (spec.step) refuse("step", spec.name_of("method") + " auto chooses the step; leave it out, or name the method");
  if (spec.steps >= 0) refuse("steps", spec.name_of("method") + " auto needs " + spec.name_of("until") + " instead");
  if (spec.formulation != "direct" || !spec.projection.empty())
    refuse("formulation", spec.name_of("method") + " auto chooses among methods for the constrained system itself");
  if (spec.tolerance > 0) refuse("tolerance", spec.name_of("method") + " auto measures solves at round-off");
}

ChosenSpec first_of(const RunSpec& spec, ModelRecommendation made) {
  if (made.made.methods.empty()) throw InputError(made.why_none());
  ChosenSpec chosen{spec, std::move(made)};
  const RecommendedMethod& best = chosen.recommendation.made.methods.front();
  chosen.spec.method = best.method.info.key;
  chosen.spec.step = chosen.recommendation.step_formula(best);
  chosen.spec.chosen = chosen.recommendation.how_chosen();
  return chosen;
}

}  // namespace

std::string ModelRecommendation::why_none() const {
  const std::string wanted = "an error of " + shorten(accuracy) + " in " + quantity + " until t = " + shorten(until);
  const std::string in_double = " (rounding errors of double, which the motion magnifies)";
  if (made.is_chaotic)
    return wanted +
           " cannot be reached: exact solutions that differ by rounding errors are that far apart after about t = " +
           shorten(made.horizon) +
           (made.least_error > 0 ? ", and " + two_digits(std::min(1.0, made.least_error)) + " at the end" : "") +
           in_double + ". Until then it can be had; take a shorter time, a lower accuracy, or ask for the energy";
  if (made.least_error_of.empty())
    return wanted + " was not reached: no method came near the motion with the work that is allowed for the search";
  return wanted + " was not reached. The least that was seen is " + two_digits(made.least_error) + ", by " +
         made.least_error_of +
         "; rounding errors of double may be in the way. Take a lower accuracy, or a wider precision";
}

std::string ModelRecommendation::how_chosen() const {
  const RecommendedMethod& best = made.methods.front();
  return "as the cheapest of " + std::to_string(made.candidates) + " methods for an error of " + shorten(accuracy) +
         " in " + quantity + " until t = " + shorten(until) + " (" + (best.is_checked ? "measured " : "expected ") +
         two_digits(best.error) + ", " + two_digits(best.work) + " operations)";
}

ModelRecommendation recommend_for_model(const RunSpec& spec) {
  require_accuracy(spec);
  ModelChanges changes(spec.set);
  changes.observe = spec.observe;
  changes.prefix = spec.prefix;
  return recommend_for_model(load_model(spec.model, changes), spec);
}

ModelRecommendation recommend_for_model(Model source, const RunSpec& spec) {
  require_accuracy(spec);
  replace_formulas(spec, source);
  const auto compiled = compile(std::move(source));
  const Model& model = compiled->model();
  const bool native = use_native(spec.engine, Precision::double_, model, std::numeric_limits<double>::infinity(),
                                 spec.name_of("engine") + " llvm");
  const ModelSystem<double> sys(compiled, native ? Engine::native : Engine::interpreter);
  const Start<double> start = initial_state(sys);
  if (!start.until)
    throw InputError("no end of the run: give " + spec.name_of("until") + ", or until in [integrate] of the model");
  const std::string until_place = model.place("integrate.until");
  if (!std::isfinite(*start.until) || *start.until == 0)
    throw InputError(until_place + "the end of the run must be a finite number other than zero");
  RecommendationPlan plan{.until = *start.until,
                          .accuracy = *spec.accuracy,
                          .wanted = find_quantity(spec, sys),
                          .weights = work_weights(sys),
                          .candidates = recommendable(sys)};
  ModelRecommendation result{.model = sys.labels().model,
                             .quantity = spec.quantity.value_or("position"),
                             .engine = engine_name(native),
                             .until = *start.until,
                             .accuracy = *spec.accuracy,
                             .until_formula = spec.until.value_or(to_text(*start.until)),
                             .made = {},
                             .seconds = {},
                             .warnings = rank_remarks<double>(sys, start.state, model.place("initial.q"), {})};
  try {
    result.made = recommend(sys, start.state, plan);
  } catch (const std::runtime_error& e) {
    throw InputError(std::string("nothing can be recommended: ") + e.what() + ". Take a shorter " +
                     spec.name_of("until") + ", or another start");
  }
  for (const RecommendedMethod& r : result.made.methods)
    result.seconds.push_back(seconds_of_run(sys, start.state, r, plan.until / static_cast<double>(r.steps)));
  return result;
}

ChosenSpec choose_method(const RunSpec& spec) {
  require_free_choice(spec);
  return first_of(spec, recommend_for_model(spec));
}

ChosenSpec choose_method(Model model, const RunSpec& spec) {
  require_free_choice(spec);
  return first_of(spec, recommend_for_model(std::move(model), spec));
}

}  // namespace holonom
