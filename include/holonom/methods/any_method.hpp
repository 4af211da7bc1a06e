// AnyMethod<S>: a method bound to a system, both known at run time.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "holonom/any_system.hpp"
#include "holonom/memory.hpp"
#include "holonom/methods/interfaces.hpp"
#include "holonom/methods/method.hpp"
#include "holonom/solve/constraints.hpp"

namespace holonom {

template <class S>
class AnyMethod {
 public:
  virtual ~AnyMethod() = default;
  // Call begin before the first step, after a step that failed, and whenever the state or h was changed from outside.
  virtual Status begin(const State<S>& x, const S& h) = 0;
  // On failure x is left as it was. Does not touch x.t and x.lambda.
  virtual Status step(State<S>& x, const S& h) = 0;
  // `count` steps of which only the last state is wanted; a method may save work. On failure x is left as
  // it was before the first of them.
  virtual Status steps(State<S>& x, const S& h, long count) {
    State<S> y = x;
    ActionSum<S> sum;
    for (long k = 0; k < count; ++k) {
      if (const Status s = step(y, h); !s.ok()) return s;
      if (tracks_action_) sum.add(action_);
    }
    x = std::move(y);
    action_ = sum.value();
    return {};
  }
  virtual const Counters& counters() = 0;
  // Λ_s, the multipliers of the last stage of the last step, where the method has such: for nothing, but of an order
  // far below that of the exact λ(q, p).
  virtual const Vec<S>* stage_multipliers() { return nullptr; }

  // From now on the action of steps is found (action.hpp), which a symplectic method may know. Returns why not, or
  // nothing. States have the same bits with it.
  virtual std::string track_action() { return "it does not say what its action is"; }
  bool tracks_action() const { return tracks_action_; }
  // Of the last call of step or steps, if that succeeded.
  const S& action() const { return action_; }

  // What a resumed run needs beside the state, where a step may follow: after a `begin` or a step that succeeded.
  // Throws MemoryError if the method does not name its memory.
  virtual void save(MemoryWriter&) { throw MemoryError(no_memory); }
  // After save and load, here or in another process, with the state and the step of then, the method goes on as if
  // nothing had happened: states, multipliers and counters have the same bits. Throws MemoryError if the memory is not
  // that of this method on this system. If it throws or fails, call begin before a step.
  virtual Status load(MemoryReader&, const State<S>& /*x*/, const S& /*h*/) { throw MemoryError(no_memory); }

 protected:
  // For track_action, and for a step that another method has taken.
  std::string tracks(std::string reason) {
    tracks_action_ = reason.empty();
    return reason;
  }
  Status acted(const Status& status, const AnyMethod& by) {
    if (tracks_action_) action_ = by.action_;
    return status;
  }
  void act(const S& action) { action_ = action; }

 private:
  bool tracks_action_ = false;
  S action_{0};
  static constexpr const char* no_memory =
      "this method does not name its memory, so that a run with it cannot be resumed";
};

// The one rule for a step that has failed: a method that is a map of states tries it once more without its memory,
// since first guesses from that may have led astray. attempt(): the step again, from x.
template <class S, class Attempt>
Status once_more(AnyMethod<S>& method, const State<S>& x, const S& h, const Status& failed, Attempt&& attempt) {
  return method.begin(x, h).ok() && attempt().ok() ? Status{} : failed;
}

struct MethodOptions {
  NewtonOptions newton;
  int threads = 1;                  // for the stages of implicit Runge-Kutta methods; results do not depend on it
  std::optional<bool> compensated;  // compensated summation of the state; without a value, what info says
  bool fixed_sizes = true;          // false: sizes known at run time only, also for small systems (to compare the two)
};

// The system lacks what the method needs.
class Unsuitable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A method on a view of a system, of any sizes.
template <class Method, class View>
class MethodOn final : public AnyMethod<typename View::Scalar> {
  using S = typename View::Scalar;
  static_assert(MethodOf<Method, View>);

 public:
  template <class... Further>
  MethodOn(const View& view, const MethodOptions& options, Further&&... further)
      : view_(view), method_(view_, std::forward<Further>(further)...) {
    method_.options() = options.newton;
    if constexpr (requires { method_.use_threads(1); }) method_.use_threads(options.threads);
    if constexpr (requires { method_.compensate(true); }) method_.compensate(options.compensated.value_or(false));
  }

  std::string track_action() override {
    if constexpr (requires { method_.track_action(view_); })
      return this->tracks(method_.track_action(view_));
    else
      return AnyMethod<S>::track_action();
  }
  Status begin(const State<S>& x, const S& h) override {
    begun_at_.q = x.q;
    begun_at_.p = x.p;
    has_stepped_ = false;
    return with_state(x, [&](auto& y) { return method_.begin(view_, y, h); });
  }
  Status step(State<S>& x, const S& h) override {
    has_stepped_ = true;
    const Status s = with_state(x, [&](auto& y) { return method_.step(view_, y, h); });
    find_action();
    return s;
  }
  Status steps(State<S>& x, const S& h, long count) override {
    has_stepped_ = has_stepped_ || count > 0;
    if constexpr (requires(StateOf<View> & y) { method_.steps(view_, y, h, count); }) {
      const Status s = with_state(x, [&](auto& y) { return method_.steps(view_, y, h, count); });
      find_action();
      return s;
    } else {
      return AnyMethod<S>::steps(x, h, count);
    }
  }
  const Counters& counters() override { return method_.counters(); }
  const Vec<S>* stage_multipliers() override {
    if constexpr (requires { method_.stage_multipliers(view_); }) {
      const auto& lambda = method_.stage_multipliers(view_);
      stage_multipliers_ = Vec<S>(lambda.size());
      std::copy(lambda.begin(), lambda.end(), stage_multipliers_.begin());
      return &stage_multipliers_;
    } else {
      return nullptr;
    }
  }

  // What follows from the point where steps began (rank, scales, patterns) is found again by beginning there once more:
  // the present point may be near a dead centre, and say something else. All else that a step finds when it starts is
  // named by the method (visit_memory), or follows from the present point (resume).
  void save(MemoryWriter& out) override {
    if constexpr (names_memory) {
      out("constraints", size_g(view_));
      out("begun_q", begun_at_.q);
      out("begun_p", begun_at_.p);
      out("has_stepped", has_stepped_);
      if (has_stepped_) method_.visit_memory(out);
      out("counters", method_.counters());
    } else {
      AnyMethod<S>::save(out);
    }
  }
  Status load(MemoryReader& in, const State<S>& x, const S& h) override {
    if constexpr (names_memory) {
      int constraints = 0;
      State<S> begun_at;
      bool has_stepped = false;
      in("constraints", constraints);
      in("begun_q", begun_at.q);
      in("begun_p", begun_at.p);
      in("has_stepped", has_stepped);
      const int n = size_q(view_);
      if (constraints != size_g(view_) || begun_at.q.size() != n || begun_at.p.size() != n)
        throw MemoryError("it is that of another system, or of a method that was not begun");
      if (const Status s = begin(begun_at, h); !s.ok()) return s;
      if (has_stepped) {
        has_stepped_ = true;
        method_.visit_memory(in);
        if (const Status s = with_state(x, [&](auto& y) { return method_.resume(view_, y, h); }); !s.ok()) return s;
      }
      in("counters", method_.counters());
      return {};
    } else {
      return AnyMethod<S>::load(in, x, h);
    }
  }

 private:
  static constexpr bool names_memory =
      requires(Method & method, const View& view, const StateOf<View>& x, const S& h, MemoryWriter& out) {
    method.visit_memory(out);
    method.resume(view, x, h);
  };

  void find_action() {
    if constexpr (requires { method_.action(); })
      if (this->tracks_action()) this->act(method_.action());
  }
  // f on x itself, or on a copy with compile-time sizes that is written back on success.
  template <class X, class F>
  Status with_state(X& x, F&& f) {
    if constexpr (View::N == Dynamic) {
      return f(x);
    } else {
      StateOf<View> y;
      std::copy(x.q.begin(), x.q.end(), y.q.begin());
      std::copy(x.p.begin(), x.p.end(), y.p.begin());
      const Status s = f(y);
      if constexpr (!std::is_const_v<X>)
        if (s.ok()) {
          std::copy(y.q.begin(), y.q.end(), x.q.begin());
          std::copy(y.p.begin(), y.p.end(), x.p.begin());
        }
      return s;
    }
  }

  View view_;
  Method method_;
  State<S> begun_at_;  // q and p of the last `begin`
  bool has_stepped_ = false;
  Vec<S> stage_multipliers_;
};

// Method on the view that it needs, or the reason why not: make_on<Composition<View>, View>(key, sys, ...)
template <class Method, class View>
std::unique_ptr<AnyMethod<typename View::Scalar>> make_on(const std::string& key,
                                                          const AnySystem<typename View::Scalar>& sys,
                                                          const MethodOptions& options, auto&&... further) {
  const auto view = sys.template as<View>();
  if (!view) throw Unsuitable(key + " does not suit this system: " + view.reason);
  return std::make_unique<MethodOn<Method, View>>(*view, options, std::forward<decltype(further)>(further)...);
}

}  // namespace holonom
