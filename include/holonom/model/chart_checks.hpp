// Why the parametrisation q = φ(δ) of a model is none of its positions: too many coordinates or too few, g(φ(δ)) that
// is not zero, a start that is not in it, or where φ' loses rank.
#pragma once

#include "holonom/model/start_checks.hpp"
#include "holonom/parametrisation.hpp"
#include "holonom/solve/chart_point.hpp"

namespace holonom::detail {

// "theta = 0.3, phi = 1"
template <class S>
std::string chart_position(const Parametrisation<S>& phi, const Vec<S>& delta) {
  std::string list;
  for (int j = 0; j < delta.size(); ++j)
    list += (j == 0 ? "" : ", ") + phi.parameter_names()[static_cast<std::size_t>(j)] + " = " +
            short_number(to_double(delta[j]));
  return list;
}

// x: the start, on the manifold
template <class S>
FormulaTrouble wrong_chart(const AnySystem<S>& sys, const State<S>& x) {
  using R = Real<S>;
  const Parametrisation<S>* phi = parametrisation_of(sys);
  if (!phi) return {};
  const int d = static_cast<int>(phi->parameter_names().size());

  if (const auto in_double = sys.template in<double>()) {
    State<double> y(sys.n(), sys.m());
    for (int i = 0; i < sys.n(); ++i) {
      y.q[i] = to_double(x.q[i]);
      y.p[i] = to_double(x.p[i]);
    }
    if (const int freedom = sys.n() - constraint_rank(*in_double, y).rank; freedom != d)
      return {"chart.names", "the chart has " + std::to_string(d) + (d == 1 ? " coordinate" : " coordinates") +
                                 ", and the system " + std::to_string(freedom) +
                                 (freedom == 1 ? " degree" : " degrees") + " of freedom: they must be as many"};
  }

  ChartPoint<S> at(sys, *phi);
  Vec<S> delta(d);
  Vec<R> longest(d);
  constexpr int samples = 16;
  bool finite = false;
  for (int k = 0; k < samples; ++k) {
    at.sample(k, delta);
    (void)at.go_to(delta);
    bool here = true;
    for (const S& a : at.q) here = here && is_finite(a);
    if (!here) continue;  // outside of the domain of a formula
    finite = true;
    for (int j = 0; j < d; ++j)
      if (const R square = at.column_square(j); is_finite(square)) keep_largest(longest[j], square);
    Manifold<S> manifold(sys);
    const Residual<R> r = manifold.position(at.q);
    // (formulas have rounding errors of their own)
    if (r.relative <= R(1e6) * epsilon<S>()) continue;
    return {"chart.q", "the chart's positions do not satisfy constraint '" +
                           sys.labels().constraints[static_cast<std::size_t>(r.constraint)] + "': where " +
                           chart_position(*phi, delta) + ", it is " +
                           short_number(to_double(manifold.last_residual()[r.constraint])) +
                           ". Correct the formulas, so that it is zero for all values of " +
                           (d == 1 ? "'" + phi->parameter_names().front() + "'" : "the chart's coordinates")};
  }
  if (!finite) {
    at.sample(0, delta);
    return {"chart.q", "the chart's formulas are not finite where " + chart_position(*phi, delta) +
                           ", nor around there. Say with near = { " + phi->parameter_names().front() +
                           " = ... } where they are"};
  }
  if (!at.find(x.q).ok())
    return {"chart",
            "no values of the chart's coordinates were found that give the initial position. Say with near = { " +
                phi->parameter_names().front() +
                " = ... } where they are; if they are known to be there, phi' is not of full rank at them (a "
                "pole of the chart): start elsewhere, or take another chart"};
  for (int j = 0; j < d; ++j)
    if (at.column_square(j) <= R(1e-12) * longest[j])
      return {"chart", "at the initial position, where " + chart_position(*phi, at.delta) + ", nothing moves with '" +
                           phi->parameter_names()[static_cast<std::size_t>(j)] +
                           "': it is a pole of the chart. Start elsewhere, or take another chart"};
  return {};
}

}  // namespace holonom::detail
