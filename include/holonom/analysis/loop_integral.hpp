// Symplecticity without derivatives of the map: the action ∮ p·dq of a closed loop on the manifold
// (Poincaré's integral invariant) is the same before and after. Nothing is shared with tangent_map.hpp
// but the choice of the plane.
#pragma once

#include "holonom/analysis/tangent_map.hpp"
#include "holonom/solve/manifold.hpp"

namespace holonom {

// Closed loops: x + radius (cos θ a + sin θ b), projected onto the manifold, in units of the motion.
template <class S>
struct LoopPlan {
  TangentVector<S> a, b;
  S radius{0};
};

// The pair of basis vectors that encloses the largest area.
template <class S>
LoopPlan<S> widest_loop(const AnySystem<S>& sys, const State<S>& x, const StateSize<S>& size, const S& radius) {
  const std::vector<TangentVector<S>> basis = tangent_basis(sys, x, size);
  LoopPlan<S> plan;
  plan.radius = radius;
  S largest(-1);
  for (const TangentVector<S>& a : basis)
    for (const TangentVector<S>& b : basis)
      if (const S area = wedge(a, b); area > largest) {
        largest = area;
        plan.a = a;
        plan.b = b;
      }
  return plan;
}

template <class S>
std::vector<State<S>> make_loop(const AnySystem<S>& sys, const State<S>& x, const StateSize<S>& size,
                                const LoopPlan<S>& plan, int points) {
  using std::acos, std::cos, std::sin;
  const S turn = S(2) * S(acos(S(-1)));
  Manifold<S> manifold(sys);
  std::vector<State<S>> loop;
  for (int k = 0; k < points; ++k) {
    const S theta = turn * S(k) / S(points);
    const S c = plan.radius * S(cos(theta)), s = plan.radius * S(sin(theta));
    State<S> y = x;
    for (int i = 0; i < sys.n(); ++i) {
      y.q[i] += size.q * (c * plan.a.q[i] + s * plan.b.q[i]);
      y.p[i] += size.p * (c * plan.a.p[i] + s * plan.b.p[i]);
    }
    if (const Status status = manifold.project(y); !status.ok())
      throw StepFailed("the loop around a state of " + sys.labels().model +
                       " does not reach the manifold; make it smaller");
    loop.push_back(std::move(y));
  }
  return loop;
}

// ∮ p·dq over an even number of equispaced states, with dq/dθ from the trigonometric interpolant: the
// error falls faster than any power of the number of states.
template <class S>
S action(const std::vector<State<S>>& loop) {
  using std::acos, std::cos, std::sin;
  const int points = static_cast<int>(loop.size()), n = loop.front().q.size();
  const S pi = acos(S(-1));
  // The derivative of the interpolant, by the distance d of two points: ½ (−1)^d cot(π d / points). Odd in
  // d, exactly: the cotangent of an angle near π has lost digits.
  std::vector<S> weight(loop.size(), S(0));
  for (int d = 1; 2 * d < points; ++d) {
    const S angle = pi * S(d) / S(points);
    const S w = S(d % 2 == 0 ? 1 : -1) * S(cos(angle)) / (S(2) * S(sin(angle)));
    weight[static_cast<std::size_t>(d)] = w;
    weight[static_cast<std::size_t>(points - d)] = -w;
  }
  S integral(0);
  for (int i = 0; i < n; ++i) {
    // ∮ dq = 0, so a constant may be taken from p; without it small loops lose digits.
    const S p0 = loop.front().p[i], q0 = loop.front().q[i];
    for (int k = 0; k < points; ++k) {
      S slope(0);
      for (int j = 0; j < points; ++j)
        slope +=
            weight[static_cast<std::size_t>((k - j + points) % points)] * (loop[static_cast<std::size_t>(j)].q[i] - q0);
      integral += (loop[static_cast<std::size_t>(k)].p[i] - p0) * slope;
    }
  }
  return S(2) * pi * integral / S(points);
}

template <class S>
struct LoopIntegral {
  S before{0}, after{0};
  S change() const {
    using std::abs;
    return S(abs(S(after - before))) / S(abs(before));
  }
};

// The action of one loop before and after `steps` steps of h.
template <class S>
LoopIntegral<S> loop_integral(const MethodEntry& entry, const AnySystem<S>& sys, const State<S>& x,
                              const StateSize<S>& size, const LoopPlan<S>& plan, int points, const S& h, long steps) {
  NumericalMap<S> map(entry, sys);
  std::vector<State<S>> loop = make_loop(sys, x, size, plan, points);
  LoopIntegral<S> result;
  result.before = action(loop);
  State<S> centre = x;  // one map for all of them
  map.begin(centre, h);
  for (State<S>& y : loop) map.within(y, h, steps);
  result.after = action(loop);
  return result;
}

}  // namespace holonom
