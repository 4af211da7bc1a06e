// initial_state, for the translation units that instantiate it.
#pragma once

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
void project_keeping(const GraphSystem<S>& sys, Start<S>& start, const Vec<S>& motion) {
  const Model& model = sys.compiled().model();
  State<S> x = start.state;
  KeptProjection<S> projection(sys);
  const auto fail = [&](const std::string& what, const std::vector<int>& kept, const std::string& remedy) {
    Manifold<S> manifold(sys);
    if (what == "position")
      (void)manifold.position(start.state.q);
    else
      (void)manifold.hidden(x.q, start.state.p);
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
  for (int i = 0; i < sys.n(); ++i)
    start.moved = std::max(start.moved, static_cast<double>(magnitude(S(x.q[i] - start.state.q[i]))));
  start.state = x;
}

}  // namespace detail

template <class S>
Start<S> initial_state(const GraphSystem<S>& sys) {
  const Model& model = sys.compiled().model();
  const std::string motion_part = model.start_is_velocity ? "initial.v" : "initial.p";
  const auto fail = [&](const std::string& part, const std::string& what) {
    throw InputError(model.place(part) + what);
  };
  Start<S> start;
  start.state = State<S>(sys.n(), sys.m());
  State<S>& x = start.state;
  Vec<S> motion(sys.n()), defaults(model.step.has_value() + model.until.has_value());
  sys.start(x.q, motion, defaults);
  if (model.step) start.step = defaults[0];
  if (model.until) start.until = defaults[model.step ? 1 : 0];

  for (int i = 0; i < sys.n(); ++i) {
    const std::string& name = sys.labels().coordinates[static_cast<std::size_t>(i)];
    const std::string cause = "' is not finite (a division by zero, or a function outside its domain)";
    if (!is_finite(x.q[i])) fail("initial.q." + name, "the initial value of '" + name + cause);
    if (!is_finite(motion[i]))
      fail(motion_part + "." + name,
           "the initial " + std::string(model.start_is_velocity ? "velocity" : "momentum") + " of '" + name + cause);
  }
  x.p = motion;
  if (model.start_is_velocity && !sys.momentum(x.q, motion, x.p))
    fail(motion_part, "no momenta were found that belong to the initial velocities; give initial.p instead");
  if (const std::string trouble = sys.diagnose(x.q, x.p); !trouble.empty())
    fail("initial.q", "at the initial values " + trouble);
  for (const detail::FormulaTrouble& trouble :
       {detail::flat_constraint(sys, x.q), detail::degenerate_energy(sys, x), detail::undefined_invariant(sys, x)})
    if (!trouble.part.empty()) fail(trouble.part, trouble.what);

  Manifold<S> manifold(sys);
  const Real<S> tolerance = epsilon<S>() * Real<S>(1000);
  const Residual<Real<S>> position = manifold.position(x.q);
  const std::string position_list = detail::list_residuals(sys, manifold.last_residual());
  const Residual<Real<S>> hidden = manifold.hidden(x.q, x.p);
  const std::string hidden_list = detail::list_residuals(sys, manifold.last_residual());
  const bool good_position = position.relative <= tolerance, good_momentum = hidden.relative <= tolerance;
  if (good_position && good_momentum) return start;

  if (!model.keep_q.empty() || !model.keep_v.empty()) {
    detail::project_keeping(sys, start, motion);
    return start;
  }
  State<S> projected = x;
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
  if (model.start_is_velocity && !sys.momentum(projected.q, motion, projected.p))
    fail(motion_part, "no momenta were found that belong to the initial velocities; give initial.p instead");
  Vec<S> velocity(sys.n());
  sys.H_p(projected.q, projected.p, velocity);
  const S energy = sys.H(projected.q, projected.p), kinetic = dot(projected.p, velocity) / S(2);
  status = manifold.project_momentum(projected);
  if (!status.ok())
    fail(motion_part, "the initial momenta could not be projected onto the hidden constraint G(q) H_p = 0");
  if (!model.project) {
    const std::string advice =
        ". Correct the initial values, or write project = true in [initial] to have them projected";
    if (!good_position)
      fail("initial.q", "the initial position does not satisfy g(q) = 0; residuals: " + position_list + advice);
    fail(motion_part,
         "the initial motion is not tangent to the constraints, G(q) H_p = 0; residuals: " + hidden_list + advice);
  }
  for (int i = 0; i < sys.n(); ++i)
    start.moved = std::max(start.moved, static_cast<double>(magnitude(S(projected.q[i] - x.q[i]))));
  // What the finite digits of a start take is not worth a word.
  const double lost = to_double(S(energy - sys.H(projected.q, projected.p))), before = to_double(kinetic);
  if (lost > 1e-4 * before) start.energy_lost = lost;
  x = projected;
  return start;
}

}  // namespace holonom
