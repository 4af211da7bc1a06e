// What is read from the text of a model: is it the same model?
#pragma once

#include <random>

#include "holonom/model/constants.hpp"
#include "holonom/model/toml_text.hpp"
#include "models.hpp"

namespace holonom::test {

inline std::vector<std::string> names_of(const std::vector<Named>& list) {
  std::vector<std::string> names;
  for (const Named& x : list) names.push_back(x.name);
  return names;
}

inline void expect_same_constant(const Model& a, const std::optional<NodeId>& x, const Model& b,
                                 const std::optional<NodeId>& y) {
  ASSERT_EQ(x.has_value(), y.has_value());
  if (!x) return;
  EXPECT_EQ(evaluate_constants<quad>(a, {*x}), evaluate_constants<quad>(b, {*y}));
}

// All that is no formula. Abbreviations have no names in a model: their units are left out.
inline void expect_same_data(const Model& a, const Model& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.coordinates, b.coordinates);
  EXPECT_EQ(a.n(), b.n());
  EXPECT_EQ(a.m(), b.m());
  ASSERT_EQ(a.vectors.size(), b.vectors.size());
  for (std::size_t k = 0; k < a.vectors.size(); ++k) {
    EXPECT_EQ(a.vectors[k].name, b.vectors[k].name);
    EXPECT_EQ(a.vectors[k].count, b.vectors[k].count);
    EXPECT_EQ(a.vectors[k].dim, b.vectors[k].dim);
    EXPECT_EQ(a.vectors[k].offset, b.vectors[k].offset);
  }
  ASSERT_EQ(a.terms.size(), b.terms.size());
  for (std::size_t k = 0; k < a.terms.size(); ++k) {
    EXPECT_EQ(a.terms[k].role, b.terms[k].role);
    EXPECT_EQ(a.terms[k].name, b.terms[k].name);
    EXPECT_EQ(a.terms[k].rows, b.terms[k].rows);
    EXPECT_EQ(a.terms[k].fast, b.terms[k].fast);
    EXPECT_EQ(a.terms[k].single, b.terms[k].single);
    EXPECT_EQ(a.terms[k].event, b.terms[k].event);
  }
  EXPECT_EQ(names_of(a.constraints), names_of(b.constraints));
  EXPECT_EQ(names_of(a.phase_constraints), names_of(b.phase_constraints));
  EXPECT_EQ(names_of(a.invariants), names_of(b.invariants));
  EXPECT_EQ(names_of(a.observables), names_of(b.observables));
  ASSERT_EQ(a.events.size(), b.events.size());
  for (std::size_t k = 0; k < a.events.size(); ++k) {
    EXPECT_EQ(a.events[k].name, b.events[k].name);
    EXPECT_EQ(a.events[k].direction, b.events[k].direction);
    EXPECT_EQ(a.events[k].stop, b.events[k].stop);
  }
  EXPECT_EQ(a.chart.names, b.chart.names);
  EXPECT_EQ(a.reversal_given, b.reversal_given);
  if (!a.flip_p.empty()) {  // else nothing was said, which means all momenta
    EXPECT_EQ(a.flip_q, b.flip_q);
    EXPECT_EQ(a.flip_p, b.flip_p);
  }
  EXPECT_EQ(a.start_is_velocity, b.start_is_velocity);
  EXPECT_EQ(a.project, b.project);
  EXPECT_EQ(a.keep_q, b.keep_q);
  EXPECT_EQ(a.keep_v, b.keep_v);
  EXPECT_EQ(a.method, b.method);
  EXPECT_EQ(a.every, b.every);
  expect_same_constant(a, a.step, b, b.step);
  expect_same_constant(a, a.until, b, b.until);
  ASSERT_EQ(a.parameters.size(), b.parameters.size());
  for (const auto& [name, node] : a.parameters) {
    ASSERT_TRUE(b.parameters.contains(name)) << name;
    expect_same_constant(a, node, b, b.parameters.at(name));
  }
  for (const auto& [name, unit] : b.units) EXPECT_EQ(a.units.at(name), unit);
}

// Gradients add what several terms give in the order in which the nodes of a graph were made: they may differ in the
// last bits. All else is computed by the same operations.
inline constexpr double of_gradients = 64;

inline void expect_close(const Vec<double>& a, const Vec<double>& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  double size = 0;
  for (int i = 0; i < a.size(); ++i) size = std::max(size, std::abs(a[i]));
  for (int i = 0; i < a.size(); ++i)
    EXPECT_LE(std::abs(a[i] - b[i]), of_gradients * epsilon<double>() * size) << what << " " << i;
}
inline void expect_same(const Vec<double>& a, const Vec<double>& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (int i = 0; i < a.size(); ++i) EXPECT_EQ(a[i], b[i]) << what << " " << i;
}

inline void expect_same_values(const ModelSystem<double>& a, const ModelSystem<double>& b, const State<double>& x) {
  const int n = a.n(), m = a.m();
  // A mass matrix that depends on q is a second derivative of the kinetic energy.
  if (a.compiled().form() == CompiledModel::Form::mass_matrix) {
    EXPECT_TRUE(agree(a.H(x.q, x.p), b.H(x.q, x.p), of_gradients));
  } else if (a.has_energy()) {
    EXPECT_EQ(a.H(x.q, x.p), b.H(x.q, x.p));
  }
  Vec<double> u(n), w(n);
  a.H_q(x.q, x.p, u);
  b.H_q(x.q, x.p, w);
  expect_close(u, w, "H_q");
  a.H_p(x.q, x.p, u);
  b.H_p(x.q, x.p, w);
  expect_close(u, w, "H_p");
  if (m > 0) {
    Vec<double> g(m), h(m);
    a.g(x.q, g);
    b.g(x.q, h);
    expect_same(g, h, "g");
    Jacobian<double> G(a.pattern()), K(b.pattern());
    a.G(x.q, G);
    b.G(x.q, K);
    Vec<double> row_sums(m), other_sums(m), ones(n);
    for (int i = 0; i < n; ++i) ones[i] = 1 + 0.1 * i;
    multiply(G, ones, row_sums);
    multiply(K, ones, other_sums);
    expect_close(row_sums, other_sums, "G");
  }
  const auto count = static_cast<int>(a.labels().invariants.size());
  Vec<double> I(count), J(count);
  a.invariants(x.q, x.p, I);
  b.invariants(x.q, x.p, J);
  expect_same(I, J, "invariants");
}

inline void expect_same_observables(const ModelSystem<double>& a, const ModelSystem<double>& b,
                                    const State<double>& x) {
  const auto count = static_cast<int>(a.labels().observables.size());
  if (count == 0) return;
  Vec<double> u(count), w(count);
  a.observables(x, u);
  b.observables(x, w);
  expect_close(u, w, "observables");
}

inline State<double> elsewhere(State<double> x, std::mt19937& random) {
  std::uniform_real_distribution<double> shift(-0.05, 0.05);
  for (auto* part : {&x.q, &x.p})
    for (double& a : *part) a += shift(random);
  return x;
}

inline void expect_same_motion(const ModelSystem<double>& a, const ModelSystem<double>& b, const State<double>& start) {
  const Model& model = a.compiled().model();
  const double h = model.step ? evaluate_constants<double>(model, {*model.step})[0] : 1e-3;
  const auto& method = methods().find(model.method);
  const auto first = method.make<double>(a), second = method.make<double>(b);
  State<double> x = start, y = start;
  ASSERT_TRUE(first->begin(x, h).ok() && second->begin(y, h).ok());
  for (int k = 0; k < 100; ++k) {
    ASSERT_TRUE(first->step(x, h).ok() && second->step(y, h).ok()) << "step " << k;
    for (int i = 0; i < x.q.size(); ++i) {
      // Last bits of gradients grow with the steps.
      const double tolerance = 1e-11;
      ASSERT_NEAR(x.q[i], y.q[i], tolerance * (1 + std::abs(x.q[i]))) << "step " << k;
      ASSERT_NEAR(x.p[i], y.p[i], tolerance * (1 + std::abs(x.p[i]))) << "step " << k;
    }
  }
}

// A model and what is read from its text, which is returned
inline std::string expect_same_model(const Model& model, const ViewFormulas& view = {}, bool motion = true) {
  const std::string text = toml_text(model, view);
  SCOPED_TRACE(text.size() < 5000 ? text : std::string("a long text"));
  try {
    const ModelAndView again = parse_model_and_view(text, "again.toml");
    EXPECT_EQ(toml_text(again.model, again.view), text) << "not the same text again";
    expect_same_data(model, again.model);
    const ModelSystem<double> a(compile(model)), b(compile(again.model));
    const State<double> start = initial_state(a).state, other = initial_state(b).state;
    if (model.project) {
      expect_close(start.q, other.q, "q0");
      expect_close(start.p, other.p, "p0");
    } else {
      expect_same(start.q, other.q, "q0");
      expect_close(start.p, other.p, "p0");
    }
    expect_same_observables(a, b, start);
    std::mt19937 random(1);
    for (int k = 0; k < 5; ++k) expect_same_values(a, b, elsewhere(start, random));
    if (motion) expect_same_motion(a, b, start);
  } catch (const InputError& e) {
    ADD_FAILURE() << e.what();
  }
  return text;
}

}  // namespace holonom::test
