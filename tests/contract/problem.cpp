#include "problem.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <stdexcept>

namespace holonom::contract {

const std::vector<Case>& cases() {
  // Times are long enough for a generic part of the motion (not the start, where some models are at
  // rest), short enough for errors to be far from saturation; `coarsest` is inside the asymptotic regime.
  // Chaotic motions need many steps until the mean of H stands still.
  using enum Needs;
  constexpr bool small = true, chaotic = true, field = true, parts = true, reversible = true, sheared = true;
  static const std::vector<Case> all{
      {"charged-particle", 1, 1, 2.4, 80, 20000, 0, hamiltonian},
      {"double-pendulum", 2, 0, 1.2, 80, 20000, 0, separable, 0, small},
      {"four-bar", 3, 0, 0.3, 300, 20000},
      {"four-bar-redundant", 4, 0, 0.3, 300, 20000},
      {"geodesic-torus", 1, 1, 2.5, 50, 20000, 0, separable, 0, small},
      {"guiding-centre", 0, 0, 2.5, 50, 20000, 0, hamiltonian},
      {"hanging-chain", 100, 0, 0.4, 20, 100000, 15000, separable, 0, !small, chaotic},
      {"henon-heiles", 0, 0, 2.5, 50, 20000},
      {"kepler", 0, 1, 1.0, 100, 20000},
      {"kepler-sphere", 1, 1, 1.4, 160, 20000, 0, separable, 0, small},
      {"lj-chain", 6, 3, 2.0, 80, 20000, 0, separable, 0, !small, chaotic},
      {"locomotive", 2, 0, 0.5, 100, 20000},
      {"pendulum", 1, 0, 2.0, 40, 20000, 0, separable, 0, small},
      {"pendulum-quadratic", 1, 0, 2.0, 40, 20000, 0, separable, 0, small},
      {"rigid-body-free", 6, 3, 2.0, 40, 20000, 0, rigid_bodies, 0, small},
      {"rigid-body-heavy", 6, 1, 2.0, 80, 200000, 0, rigid_bodies, 0, small, chaotic},
      {"slider-crank", 2, 0, 0.1, 50, 20000, 0, hamiltonian},
      {"spherical-pendulum", 1, 1, 1.0, 100, 20000, 0, separable, 0, small},
      {"spring-chain", 5, 3, 1.0, 100, 100000, 0, separable, 0, !small, chaotic},
      {"two-body-sphere", 2, 3, 0.3, 150, 2000, 0, separable, 0, small, chaotic},  // its later encounters are too close
      {"two-tops", 12, 1, 1.0, 80, 100000, 0, rigid_bodies, 0, !small, chaotic},
      {"elastic-double-pendulum", 1, 0, 1.2, 120, 20000, 0, split, 0, small},
      {"stiff-pendulum-chain", 1, 0, 0.3, 2400, 20000, 0, split, 1.25e-4, !small, chaotic},
      {"toda", 0, 1, 1.5, 50, 20000},
      {"abc-flow", 0, 0, 1.0, 50, 0, 0, hamiltonian, 0, !small, !chaotic, field, !parts, !reversible, sheared},
      {"lotka-volterra", 0, 0, 2.5, 120, 0, 0, hamiltonian, 0, !small, !chaotic, field, parts, !reversible},
      {"reversible-pendulum", 0, 0, 2.0, 40, 0, 0, hamiltonian, 0, !small, !chaotic, field, parts, reversible},
      {"rigid-body-euler", 0, 0, 2.0, 40, 0, 0, hamiltonian, 0, !small, !chaotic, field, !parts, reversible, sheared},
  };
  return all;
}

const Case& case_of(std::string_view model) {
  for (const Case& c : cases())
    if (model == c.model) return c;
  throw std::invalid_argument("no case for the model " + std::string(model));
}

std::shared_ptr<const CompiledModel> load(const char* model, const Overrides& overrides) {
  return compile(load_model(std::string(HOLONOM_MODELS) + "/" + model + ".toml", overrides));
}

std::string test_name(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

const char* name_of(Form form) {
  constexpr const char* names[] = {"interpreted", "native", "dynamic-sizes"};
  return names[static_cast<int>(form)];
}

Form form_from_environment() {
  const char* name = std::getenv("HOLONOM_TEST_FORM");
  if (!name) return Form::interpreted;
  for (const Form form : {Form::interpreted, Form::native, Form::dynamic_sizes})
    if (std::string_view(name) == name_of(form)) return form;
  throw std::invalid_argument("HOLONOM_TEST_FORM=" + std::string(name));
}

MethodEntry in_form(const MethodEntry& entry, Form form) {
  MethodOptions options;
  options.fixed_sizes = form != Form::dynamic_sizes;
  return options.fixed_sizes ? entry : with_options(entry, options);
}

Problem::Problem(const Case& its_case, Form its_form)
    : about(its_case), form(its_form), compiled(load(about.model)), sys(compiled, engine_of(form)) {
  const Start<double> given = initial_state(sys);
  start = given.state;
  h = given.step.value();
  constexpr int parts = 4;
  const int reference_steps = about.stiff() ? 512 : 16;
  ReferenceFlow<double> flow(sys);
  Manifold<double> manifold(sys);
  State<double> x = start;
  Vec<double> v(sys.n());
  const auto include = [&](const State<double>& y) {
    size.include(y);
    sys.H_p(y.q, y.p, v);
    for (const double a : v) keep_largest(speed, std::abs(a));
  };
  include(x);
  for (int k = 0; k < parts; ++k) {
    x = flow(x, about.time / parts, reference_steps);
    State<double> y = x;  // the flow leaves the manifold by its truncation error
    if (!manifold.project(y).ok())
      throw std::runtime_error(std::string(about.model) + ": the reference solution is off the manifold");
    include(y);
    states.push_back(y);
  }
  // A rounding error δ of a position is a momentum of up to 4 δ/h after a step across stiff springs, or ω δ after steps
  // that resolve them.
  if (about.stiff()) size.p = std::max({size.p, 4 * size.q / h, size.q / (4 * about.resolved)});
  reference_error = distance(x, flow(start, about.time, parts * reference_steps / 2), size);
}

}  // namespace holonom::contract
