// What goes along with a run, step by step, and is seen as one more invariant of it.
#pragma once

#include <string>

#include "holonom/memory.hpp"
#include "holonom/solve/status.hpp"
#include "holonom/state.hpp"

namespace holonom {

template <class S>
class Companion {
 public:
  virtual ~Companion() = default;
  virtual std::string name() const = 0;
  // Before the first step, which is from x; then with each step.
  virtual Status begin(const State<S>& x, const S& h) = 0;
  virtual Status step(const S& h) = 0;
  virtual S value() const = 0;

  virtual void save(MemoryWriter& out) = 0;
  virtual Status load(MemoryReader& in, const S& h) = 0;
};

}  // namespace holonom
