// AnyMethod<S>: a method bound to a system, both known at run time.
#pragma once

#include <memory>
#include <stdexcept>
#include <vector>

#include "holonom/any_system.hpp"
#include "holonom/methods/method.hpp"
#include "holonom/solve/constraints.hpp"

namespace holonom {

template <class S>
class AnyMethod {
 public:
  virtual ~AnyMethod() = default;
  // Call begin before the first step, and whenever the state or h was changed from outside.
  virtual Status begin(const State<S>& x, const S& h) = 0;
  // On failure x is left as it was. Does not touch x.t and x.lambda.
  virtual Status step(State<S>& x, const S& h) = 0;
  virtual const Counters& counters() = 0;
};

// The system lacks what the method needs.
class Unsuitable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Method<View> on a view of a system.
template <template <class> class Method, class View>
class MethodOn final : public AnyMethod<typename View::Scalar> {
  using S = typename View::Scalar;

 public:
  MethodOn(const View& view, const NewtonOptions& options) : view_(view), method_(view_) { method_.options() = options; }
  Status begin(const State<S>& x, const S& h) override { return method_.begin(view_, x, h); }
  Status step(State<S>& x, const S& h) override { return method_.step(view_, x, h); }
  const Counters& counters() override { return method_.counters(); }

 private:
  View view_;
  Method<View> method_;
};

}  // namespace holonom
