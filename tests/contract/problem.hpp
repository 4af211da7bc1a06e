// The problems of the contract: every file of models/, with the times and steps at which properties are
// measured. All data of a problem come from its file and from the exact flow, none from a method.
#pragma once

#include "holonom/analysis/numerical_map.hpp"
#include "holonom/analysis/reference_flow.hpp"
#include "holonom/model/start.hpp"
#include "holonom/model/toml.hpp"

namespace holonom::contract {

// How the formulas of a model are evaluated, and whether small systems have their sizes at compile time. What a method
// claims, it claims with all of them.
enum class Form : std::uint8_t { interpreted, native, dynamic_sizes };
const char* name_of(Form form);
// The form that the environment variable HOLONOM_TEST_FORM names ("native", "dynamic-sizes"); else the first.
Form form_from_environment();

struct Case {
  const char* model;  // the name of the file, without .toml
  int constraints;
  int momenta;        // momentum maps among its invariants
  double time;        // orders are measured at this time, states for local properties lie before it
  long coarsest;      // steps to `time` of the coarsest run of an order measurement
  long energy_steps;  // steps of the model's own size in the search for an energy drift,
  long settle = 0;    // after so many: the error of H moves while a chaotic motion spreads from a regular start
  Needs offers = Needs::separable;  // what its system has
  double resolved = 0;     // the step that resolves its stiff springs; its own is far too long for most methods
  bool small = false;      // its size is one of those that are known at compile time
  bool chaotic = false;    // the mean of its energy stands still after very many steps only
  bool field = false;      // a first-order system: nothing is symplectic there,
  bool parts = true;       // its variables may be in one part,
  bool reversible = true;  // and it need not be reversible
  bool shears = false;     // no rate of the field depends on its own variable

  bool stiff() const { return resolved > 0; }
};

// One line for each file of models/.
const std::vector<Case>& cases();

// A model: the system, its start, the size of its motion, and states along it.
struct Problem {
  explicit Problem(const Case& its_case, Form its_form = form_from_environment());

  Case about;
  Form form;
  std::shared_ptr<const CompiledModel> compiled;
  ModelSystem<double> sys;
  State<double> start;
  double h = 0;  // the step of [integrate]
  StateSize<double> size;
  double speed = 0;                   // largest |H_p|
  std::vector<State<double>> states;  // on the manifold; the last one is the exact solution at `time`
  double reference_error = 0;         // of that one, relative

  const Model& model() const { return compiled->model(); }
};

inline Engine engine_of(Form form) { return form == Form::native ? Engine::native : Engine::interpreter; }
// The method, made for this form.
MethodEntry in_form(const MethodEntry& entry, Form form);

std::shared_ptr<const CompiledModel> load(const char* model, const Overrides& overrides = {});
// Throws if there is no such case.
const Case& case_of(std::string_view model);
// A name for a test.
std::string test_name(std::string name);

}  // namespace holonom::contract
