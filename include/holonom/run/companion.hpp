// What goes along with a run, step by step, and is seen as one more invariant of it.
#pragma once

#include <optional>
#include <string>

#include "holonom/memory.hpp"
#include "holonom/run/line_fit.hpp"
#include "holonom/solve/status.hpp"
#include "holonom/state.hpp"

namespace holonom {

template <class S>
class Companion {
 public:
  virtual ~Companion() = default;
  virtual std::string name() const = 0;
  // Before the first step, which is from x; then with each step, or with so many at once.
  virtual Status begin(const State<S>& x, const S& h) = 0;
  virtual Status step(const S& h, long count) = 0;
  // The value at the state that is looked at now, which has this energy; called once for each.
  virtual S observe(const S& energy) = 0;
  // The line through these values, if they are to have one.
  virtual std::optional<Line<Real<S>>> trend() const { return std::nullopt; }
  // Why these values tell nothing; empty if they do.
  virtual std::string doubt() const { return {}; }

  // So many states before one that is looked at are shown to it, one by one; none: it needs no states.
  virtual long needs_states() const { return 0; }
  // `count` steps after the last state that it has seen. What it sees may not come to be: then it is taken back to
  // where it was when it was marked. (A single step is shown when it has been made.)
  virtual void see(const State<S>& /*x*/, long /*count*/) {}
  virtual void mark() {}
  virtual void rewind() {}

  virtual void save(MemoryWriter& out) = 0;
  virtual Status load(MemoryReader& in, const S& h) = 0;
};

}  // namespace holonom
