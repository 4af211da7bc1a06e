// The numerical map x ↦ Φ_h^k(x), which all properties of a method are stated for; and the sizes that
// make a difference of states a number without units.
#pragma once

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "holonom/analysis/interruption.hpp"
#include "holonom/methods/chooses_at_begin.hpp"
#include "holonom/methods/registry.hpp"
#include "holonom/model/lagrangian_view.hpp"
#include "holonom/norm.hpp"
#include "holonom/shears.hpp"
#include "holonom/solve/rigid_bodies.hpp"

namespace holonom {

// A property cannot be measured, because a step failed. Never a property that holds.
class StepFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  StepFailed(const std::string& what, Failure failure) : std::runtime_error(what), failure_(failure) {}
  // What to try
  const char* remedy() const { return failure_ == Failure::chart_ends ? another_chart : "Try a smaller step"; }

 private:
  Failure failure_ = Failure::none;
};

// Whether a method exists in the scalar S and for systems like this one.
template <class S>
bool suits(const MethodEntry& entry, const AnySystem<S>& sys) {
  if (!std::get<Maker<S>>(entry.makers)) return false;
  if (sys.is_field() && !(entry.info.for_fields && (sys.labels().has_parts() || !entry.info.needs_parts))) return false;
  switch (entry.info.needs) {
    case Needs::separable: return SeparableView<S>::missing(sys).empty();
    case Needs::split: return SplitView<S>::missing(sys).empty();
    case Needs::hamiltonian: return HamiltonianView<S>::missing(sys).empty();
    case Needs::unconstrained: return sys.m() == 0 && HamiltonianView<S>::missing(sys).empty();
    case Needs::shears: return ShearView<S>::missing(sys).empty();
    case Needs::lagrangian: return LagrangianView<S>::missing(sys).empty();
    case Needs::rigid_bodies: return find_rigid_bodies(sys).reason.empty();
  }
  return false;
}

// A method that is made with these options, whoever makes it: for measurements of a loose tolerance.
inline MethodEntry with_options(const MethodEntry& entry, const MethodOptions& options) {
  MethodEntry changed = entry;
  const auto change = [&]<class S>(Maker<S>& maker) {
    if (!maker) return;
    maker = [make = maker, options](const AnySystem<S>& sys, const MethodOptions& given) {
      MethodOptions all = options;
      if (!all.compensated) all.compensated = given.compensated;
      return make(sys, all);
    };
  };
  std::apply([&](auto&... makers) { (change(makers), ...); }, changed.makers);
  return changed;
}

template <class S>
class NumericalMap {
 public:
  NumericalMap(const MethodEntry& entry, const AnySystem<S>& sys, const MethodOptions& options = {})
      : key_(entry.info.key), one_step_(entry.info.one_step), sys_(sys), method_(entry.make<S>(sys, options)) {}

  // x ← Φ_h^steps(x), begun anew at x, since Φ is a function of the state alone; see(x) after each step.
  template <class See>
  void operator()(State<S>& x, const S& h, long steps, See&& see) {
    begin(x, h);
    go(x, h, steps, see);
  }
  void operator()(State<S>& x, const S& h, long steps) {
    (*this)(x, h, steps, [](const State<S>&) {});
  }

  // From another state of the same map: what Φ has chosen where it was begun last stays (ChoosesAtBegin).
  void within(State<S>& x, const S& h, long steps, const Involution* mirror = nullptr) {
    const auto chosen = dynamic_cast<ChoosesAtBegin<S>*>(method_.get());
    require(chosen ? chosen->begin_within(x, h, mirror) : method_->begin(x, h), 0);
    go(x, h, steps, [](const State<S>&) {});
  }

  // The same step by step, for maps that go side by side; k: the number of the step, for messages.
  void begin(State<S>& x, const S& h) { require(method_->begin(x, h), 0); }
  void step(State<S>& x, const S& h, long k) {
    stop_if_interrupted();
    Status status = method_->step(x, h);
    if (!status.ok() && one_step_)  // as in a run
      status = once_more(*method_, x, h, status, [&] { return method_->step(x, h); });
    if (status.ok() && !is_finite(x)) status = {Failure::not_finite};  // explicit methods do not look
    require(status, k);
  }

  // Of what is found at the state after a step: as in a run, that is a step that failed.
  void require_finite(const S& found, long k) const {
    if (!holonom::is_finite(found)) require({Failure::not_finite}, k);
  }

  // From now on, the action of the last step that was taken (AnyMethod).
  std::string track_action() { return method_->track_action(); }
  const S& action() const { return method_->action(); }

 private:
  template <class See>
  void go(State<S>& x, const S& h, long steps, See&& see) {
    const S t0 = x.t;
    for (long k = 1; k <= steps; ++k) {
      step(x, h, k);
      x.t = t0 + S(k) * h;
      see(x);
    }
  }
  static bool is_finite(const State<S>& x) {
    const auto all = [](const Vec<S>& a) {
      return std::all_of(a.begin(), a.end(), [](const S& y) { return holonom::is_finite(y); });
    };
    return all(x.q) && all(x.p);
  }
  void require(const Status& status, long number) const {
    if (status.ok()) return;
    constexpr const char* words[] = {
        "", "NaN or infinity", "no convergence", "dependent constraints", "the end of a chart", "a wrong root"};
    static_assert(std::size(words) == static_cast<std::size_t>(Failure::wrong_root) + 1);
    char residual[48] = "";
    if (status.residual != 0) std::snprintf(residual, sizeof residual, ", residual %.3g", status.residual);
    std::string what = words[static_cast<int>(status.failure)];
    if (status.constraint >= 0)
      what += ", constraint '" + sys_.labels().constraints[static_cast<std::size_t>(status.constraint)] + "'";
    throw StepFailed(key_ + " on " + sys_.labels().model + ": " +
                         (number == 0 ? "begin" : "step " + std::to_string(number)) + " failed (" + what + residual +
                         ")",
                     status.failure);
  }

  std::string key_;
  bool one_step_;
  const AnySystem<S>& sys_;
  std::unique_ptr<AnyMethod<S>> method_;
};

// Largest |q_i| and |p_i| along a motion: the units of a system. A single state may be at rest.
template <class R>
struct StateSize {
  R q{0}, p{0};

  template <class S>
  void include(const State<S>& x) {
    for (const S& a : x.q) keep_largest(q, R(magnitude(a)));
    for (const S& a : x.p) keep_largest(p, R(magnitude(a)));
  }
};

// x, and the size of the motion from it.
template <class S>
StateSize<Real<S>> motion_size(NumericalMap<S>& map, State<S> x, const S& h, long steps) {
  StateSize<Real<S>> size;
  size.include(x);
  map(x, h, steps, [&](const State<S>& y) { size.include(y); });
  return size;
}

// Where nothing moves there is no size: then the difference itself.
template <class R>
R relative(const R& difference, const R& size) {
  return size == R(0) ? difference : R(difference / size);
}

template <class S>
Real<S> distance(const State<S>& x, const State<S>& y, const StateSize<Real<S>>& size) {
  Real<S> d = relative(largest_difference(x.q, y.q), size.q);
  keep_largest(d, relative(largest_difference(x.p, y.p), size.p));
  return d;
}

}  // namespace holonom
