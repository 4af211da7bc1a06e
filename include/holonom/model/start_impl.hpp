// initial_state, for the translation units that instantiate it.
#pragma once

#include <functional>

#include "holonom/model/chart_checks.hpp"
#include "holonom/model/kept_projection.hpp"
#include "holonom/model/start.hpp"
#include "holonom/model/start_checks.hpp"

namespace holonom {

namespace detail {

// "rod (0.1), pin (2e-3)": the constraints that are not satisfied, with their residuals
template <class S>
std::string list_residuals(const AnySystem<S>& sys, const Vec<S>& r) {
  std::string list;
  double largest = 0;
  for (const S& x : r) largest = std::max(largest, static_cast<double>(magnitude(x)));
  constexpr int shown = 5;
  int count = 0;
  for (int k = 0; k < sys.m(); ++k) {
    if (static_cast<double>(magnitude(r[k])) < 1e-3 * largest) continue;
    if (++count <= shown)
      list += (list.empty() ? "'" : ", '") + sys.labels().constraints[static_cast<std::size_t>(k)] + "' (" +
              short_number(to_double(r[k])) + ")";
  }
  return count > shown ? list + " and " + std::to_string(count - shown) + " more" : list;
}

// The start of a model with project = { keep = [...] }.
template <class S>
void project_keeping(const ModelSystem<S>& sys, State<S>& x, const Vec<S>& motion) {
  const Model& model = sys.compiled().model();
  const State<S> start = x;
  KeptProjection<S> projection(sys);
  const auto fail = [&](const std::string& what, const std::vector<int>& kept, const std::string& remedy) {
    Manifold<S> manifold(sys);
    if (what == "position")
      (void)manifold.position(start.q);
    else
      (void)manifold.hidden(x.q, start.p);
    throw InputError(model.place("initial.project") + "no " + what +
                     (what == "position" ? " satisfies" : " is tangent to") + " the constraints" +
                     (kept.empty() ? "" : " with " + quoted_list(sys.labels().coordinates, kept) + " kept as given") +
                     "; residuals of the initial values: " + list_residuals(sys, manifold.last_residual()) + ". " +
                     remedy);
  };
  if (!projection.position(x, model.keep_q).ok())
    fail("position", model.keep_q,
         "Keep fewer coordinates (the others must be able to follow them), or give better initial values");
  if (model.start_is_velocity && !sys.momentum(x.q, motion, x.p))
    throw InputError(model.place("initial.v") +
                     "no momenta were found that belong to the initial velocities; give initial.p instead");
  if (!projection.momentum(x, motion, model.keep_v).ok())
    fail("motion", model.keep_v,
         "Keep fewer velocities: no more than the system has degrees of freedom, and only what can be chosen freely");
}

// Finite values, and formulas that have derivatives there. `place`: where a part of the model was written.
template <class S, class Place>
void check_values(const AnySystem<S>& sys, const State<S>& x, Place&& place) {
  if (const std::string trouble = sys.diagnose(x.q, x.p); !trouble.empty())
    throw InputError(place(sys.is_field() ? "initial" : "initial.q") + "at the initial values " + trouble);
  for (const FormulaTrouble& trouble :
       {flat_constraint(sys, x.q), degenerate_energy(sys, x), undefined_invariant(sys, x)})
    if (!trouble.part.empty()) throw InputError(place(trouble.part) + trouble.what);
}

// How a start gets onto the manifold, if it may.
template <class S>
struct StartRules {
  bool project = false;
  std::string motion_part = "initial.p";
  std::string advice;                                         // how to have it projected
  std::function<std::string(const std::string& part)> place;  // where a part was written
  std::function<void(State<S>&)> projection;                  // instead of the usual one, if there is another
  std::function<void(State<S>&)> find_momentum;               // anew at a position that has moved, if p depends on it
};

template <class S>
void onto_manifold(const AnySystem<S>& sys, Start<S>& start, const StartRules<S>& rules) {
  const auto fail = [&](const std::string& part, const std::string& what) {
    throw InputError(rules.place(part) + what);
  };
  State<S>& x = start.state;
  Manifold<S> manifold(sys);
  const Real<S> tolerance = epsilon<S>() * Real<S>(1000);
  const Residual<Real<S>> position = manifold.position(x.q);
  const std::string position_list = list_residuals(sys, manifold.last_residual());
  const Residual<Real<S>> hidden = manifold.hidden(x.q, x.p);
  const std::string hidden_list = list_residuals(sys, manifold.last_residual());
  const bool good_position = position.relative <= tolerance, good_momentum = hidden.relative <= tolerance;
  if (good_position && good_momentum) return;

  State<S> projected = x;
  const auto set_moved = [&] {
    for (int i = 0; i < sys.n(); ++i)
      start.moved = std::max(start.moved, static_cast<double>(magnitude(S(projected.q[i] - x.q[i]))));
  };
  if (rules.projection) {
    rules.projection(projected);
    set_moved();
    x = projected;
    return;
  }
  Status status = manifold.project_position(projected);
  if (!status.ok()) {
    const auto sets = manifold.dependent(projected, Real<S>(1e-7));
    if (const auto flat = dependent_rows(manifold.gram_matrix(x), Real<S>(1e-7));
        !flat.empty() && flat.front().size() == 1)
      fail("initial.q", "the gradient of constraint " + quoted_list(sys.labels().constraints, flat.front()) +
                            " vanishes at the initial position, which does not satisfy it. Correct the initial values");
    if (!sets.empty() && sets.front().size() > 1)
      fail("constraints." + sys.labels().constraints[static_cast<std::size_t>(sets.front().back())],
           "the constraints " + quoted_list(sys.labels().constraints, sets.front()) +
               " contradict each other: they are dependent, and cannot all be zero (residuals " + position_list +
               "). Remove or correct one of them");
    fail("initial.q", "the initial position does not satisfy the constraints " + position_list +
                          ", and no position nearby was found that does. Correct the initial values");
  }
  if (rules.find_momentum) rules.find_momentum(projected);
  Vec<S> velocity(sys.n());
  sys.H_p(projected.q, projected.p, velocity);
  const S energy = sys.H(projected.q, projected.p), kinetic = dot(projected.p, velocity) / S(2);
  status = manifold.project_momentum(projected);
  if (!status.ok())
    fail(rules.motion_part, "the initial momenta could not be projected onto the hidden constraint G(q) H_p = 0");
  if (!rules.project) {
    const std::string advice = ". Correct the initial values, or " + rules.advice + " to have them projected";
    if (!good_position)
      fail("initial.q", "the initial position does not satisfy g(q) = 0; residuals: " + position_list + advice);
    fail(rules.motion_part,
         "the initial motion is not tangent to the constraints, G(q) H_p = 0; residuals: " + hidden_list + advice);
  }
  set_moved();
  // What the finite digits of a start take is not worth a word.
  const double lost = to_double(S(energy - sys.H(projected.q, projected.p))), before = to_double(kinetic);
  if (lost > 1e-4 * before) start.energy_lost = lost;
  x = projected;
}

}  // namespace detail

template <class S>
Start<S> initial_state(const AnySystem<S>& sys, const State<S>& given, bool project) {
  const auto nowhere = [](const std::string&) { return std::string(); };
  if (given.q.size() != sys.n() || given.p.size() != sys.n())
    throw InputError("the start has " + std::to_string(given.q.size()) + " positions and " +
                     std::to_string(given.p.size()) + " momenta, and " + sys.labels().model + " " +
                     std::to_string(sys.n()) + " coordinates");
  Start<S> start;
  start.state = given;
  start.state.lambda = Vec<S>(sys.m());
  for (int i = 0; i < sys.n() && !sys.is_field(); ++i)  // (check_values says it of a field)
    if (!is_finite(given.q[i]) || !is_finite(given.p[i]))
      throw InputError("the initial value of '" + sys.labels().coordinates[static_cast<std::size_t>(i)] +
                       "' or of its momentum is not finite");
  detail::check_values(sys, start.state, nowhere);
  detail::StartRules<S> rules;
  rules.project = project;
  rules.advice = "ask";
  rules.place = nowhere;
  detail::onto_manifold(sys, start, rules);
  return start;
}

template <class S>
Start<S> initial_state(const ModelSystem<S>& sys) {
  const Model& model = sys.compiled().model();
  const auto place = [&](const std::string& part) { return model.place(part); };
  const std::string motion_part = model.start_is_velocity ? "initial.v" : "initial.p";
  Start<S> start;
  start.state = State<S>(sys.n(), sys.m());
  State<S>& x = start.state;
  Vec<S> motion(sys.n()), defaults(model.step.has_value() + model.until.has_value());
  sys.start(x.q, motion, defaults);
  if (model.step) start.step = defaults[0];
  if (model.until) start.until = defaults[model.step ? 1 : 0];

  const std::string cause = "' is not finite (a division by zero, or a function outside its domain)";
  if (sys.is_field()) {
    const auto require = [&](const S& value, const std::string& name) {
      if (!is_finite(value)) throw InputError(place("initial." + name) + "the initial value of '" + name + cause);
    };
    const Labels& labels = sys.labels();
    for (std::size_t i = 0; i < labels.coordinates.size(); ++i)
      require(x.q[static_cast<int>(i)], labels.coordinates[i]);
    for (std::size_t i = 0; i < labels.momenta(); ++i) require(motion[static_cast<int>(i)], labels.momentum(i));
    x.p = motion;
    detail::check_values(sys, x, place);
    return start;
  }
  for (int i = 0; i < sys.n(); ++i) {
    const std::string& name = sys.labels().coordinates[static_cast<std::size_t>(i)];
    if (!is_finite(x.q[i])) throw InputError(place("initial.q." + name) + "the initial value of '" + name + cause);
    if (!is_finite(motion[i]))
      throw InputError(place(motion_part + "." + name) + "the initial " +
                       (model.start_is_velocity ? "velocity" : "momentum") + " of '" + name + cause);
  }
  const auto find_momentum = [&](State<S>& y) {
    if (!sys.momentum(y.q, motion, y.p))
      throw InputError(place(motion_part) +
                       "no momenta were found that belong to the initial velocities; give initial.p instead");
  };
  x.p = motion;
  if (model.start_is_velocity) find_momentum(x);
  detail::check_values(sys, x, place);

  detail::StartRules<S> rules;
  rules.project = model.project;
  rules.motion_part = motion_part;
  rules.advice = "write project = true in [initial]";
  rules.place = place;
  if (model.start_is_velocity) rules.find_momentum = find_momentum;
  if (!model.keep_q.empty() || !model.keep_v.empty())
    rules.projection = [&](State<S>& y) { detail::project_keeping(sys, y, motion); };
  detail::onto_manifold(sys, start, rules);
  if (const auto trouble = detail::wrong_chart(sys, x); !trouble.part.empty())
    throw InputError(place(trouble.part) + trouble.what);
  return start;
}

}  // namespace holonom
