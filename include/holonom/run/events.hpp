// Events: the moments at which a function of the state, e(q, p), crosses zero; with e = x a Poincaré section. They
// are found on the dense output between steps, so a run is the same with them and without.
//
// Signs are looked at in steps and at four points inside of each (on the cubic; where that shows a change, on the
// dense output itself). Two crossings between two neighbours of these points are not seen. A crossing is then
// located to round-off of the time within the step. Zero is what lies within rounding errors of the terms of e in
// the step; a crossing needs both signs, one before and one behind:
//   - e = 0 in a step is one event, at that step;
//   - e = 0 in the first state is none, and in the last state it is one: a run that goes on counts nothing twice;
//   - touching zero is none;
//   - a pole or a jump of an angle (values beyond those around it, of both signs) is none;
//   - a function that is zero all along, such as a constraint, has none (EventCount::always_zero).
// The direction is that of increasing t: a run backwards finds the events of the run forwards.
#pragma once

#include <functional>
#include <optional>

#include "holonom/model/model.hpp"
#include "holonom/run/dense_output.hpp"

namespace holonom {

template <class S>
struct Event {
  int which = 0;    // among the functions
  bool up = false;  // e grows with t
  State<S> state;
  Observation<S> seen;

  template <class F>
  void visit_memory(F&& f) {
    f("which", which);
    f("up", up);
    f("state", state);
    f("seen", seen);
  }
};

// As a Recorder, of events.
template <class S>
class EventRecorder {
 public:
  virtual ~EventRecorder() = default;
  virtual void event(const Event<S>& e) = 0;
  virtual void flush() {}
  virtual bool has_ended() const { return false; }
  virtual void save(MemoryWriter&) {}
  virtual void load(MemoryReader&) {}
};

template <class S>
struct EventCount {
  long up = 0, down = 0;
  S first{0}, last{0};       // their times, if there are any
  bool always_zero = false;  // within rounding errors, at all points that were looked at
  bool finite = true;        // at all these points
  long total() const { return up + down; }

  template <class F>
  void visit_memory(F&& f) {
    f("up", up);
    f("down", down);
    f("first", first);
    f("last", last);
    f("always_zero", always_zero);
    f("finite", finite);
  }
};

// All e(q, p) at once, and the sizes of their terms (zero where nobody knows).
template <class S>
using EventFunctions = std::function<void(const Vec<S>& q, const Vec<S>& p, Vec<S>& value, Vec<S>& scale)>;

// A recorder that must see every step. In order of time, it tells others of the events.
template <class S>
class EventFinder final : public Recorder<S> {
 public:
  // One direction for each function. Throws InputError if the system has no exact multipliers.
  EventFinder(const AnySystem<S>& sys, EventFunctions<S> functions, std::vector<Direction> directions,
              std::vector<EventRecorder<S>*> to, Kept kept = {});
  bool needs_every_step() const override { return true; }
  void record(const State<S>& x, const Observation<S>& seen) override;
  void flush() override;
  void restart(const State<S>& x) override;
  bool has_ended() const override;
  void save(MemoryWriter& out) override;
  void load(MemoryReader& in) override;

  const std::vector<EventCount<S>>& counts() const { return counts_; }

 private:
  static constexpr int parts = 5;  // of a step
  // e at one of the points where signs are looked at
  struct Point {
    S theta{0};
    Vec<S> value, scale;
  };
  struct Track {
    int sign = 0;                     // the last one that was not zero
    std::optional<Event<S>> pending;  // a zero that becomes an event if the other sign follows

    template <class F>
    void visit_memory(F&& f) {
      f("sign", sign);
      f("pending", pending);
    }
  };

  void evaluate(const State<S>& x, Point& at) { functions_(x.q, x.p, at.value, at.scale); }
  static int sign(const S& x) { return x > S(0) ? 1 : x < S(0) ? -1 : 0; }
  int clear_sign(const Point& at, int k) const;
  void find_noise();
  bool something_happens() const;
  void visit(int k, const Point& before, const Point& at);
  void locate(int k, const Point& before, const Point& at);
  std::optional<S> root(int k, S a, S value_a, S b, S value_b);
  void tell();
  template <class F>
  void visit_memory(F&& f) {
    f("between_steps", dense_);
    f("values", points_[parts].value);
    f("scales", points_[parts].scale);
    f("tracks", tracks_);
    f("counts", counts_);
    f("begun", begun_);
  }

  EventFunctions<S> functions_;
  std::vector<Direction> directions_;
  std::vector<EventRecorder<S>*> to_;
  DenseOutput<S> dense_;
  State<S> between_;
  Point points_[parts + 1], trial_;
  Vec<S> noise_;  // what is zero within this step
  std::vector<Track> tracks_;
  std::vector<Event<S>> found_;
  std::vector<EventCount<S>> counts_;
  bool begun_ = false;
};

}  // namespace holonom
