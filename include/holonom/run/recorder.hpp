// Recorders see the states of a run. Each says what it needs, and remembers enough for a run that is resumed to leave
// the same records as one that was never stopped.
#pragma once

#include "holonom/errors.hpp"
#include "holonom/memory.hpp"
#include "holonom/solve/manifold.hpp"
#include "holonom/state.hpp"

namespace holonom {

// What is known of a state beside the state itself.
template <class S>
struct Observation {
  S energy{0};
  Residual<Real<S>> position, hidden;
  Vec<S> invariants, observables;

  template <class F>
  void visit_memory(F&& f) {
    f("energy", energy);
    f("position", position);
    f("hidden", hidden);
    f("invariants", invariants);
    f("observables", observables);
  }
};

// How a file of a run is opened.
enum class OpenMode {
  create,     // it must not exist
  overwrite,  // replaces what is there
  append      // goes on in a file of the same run
};

template <class S>
class Recorder {
 public:
  virtual ~Recorder() = default;

  // Every step, or the first state, every k-th one, and the last good one.
  virtual bool needs_every_step() const { return false; }
  virtual void record(const State<S>& x, const Observation<S>& seen) = 0;
  // The run is over, or pauses: what was recorded goes to where it belongs.
  virtual void flush() {}
  // Whether the run is done with the step that was just recorded.
  virtual bool has_ended() const { return false; }
  // The run goes on from x, which was put in the place of the last state: there is nothing between these two.
  virtual void restart(const State<S>& /*x*/) {}

  // For a checkpoint, and back. What was recorded so far is safe on the disk once it has been saved; what was recorded
  // after it is taken back when it is loaded. Throw OutputError and InputError.
  virtual void save(MemoryWriter&) {}
  virtual void load(MemoryReader&) {}
};

}  // namespace holonom
