// Simulation: a Run without an end, as Python sees it. One thread at a time may use it; while it takes steps, the
// interpreter is free for others.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <exception>
#include <thread>

#include "holonom/run/precision.hpp"
#include "holonom/run/run_of.hpp"
#include "trajectory.hpp"

namespace holonom {

// A spec from keywords; those that are not known are a mistake of the package, not of its user.
RunSpec spec_of(const pybind11::dict& options);
inline constexpr int most_threads = 64;
// Throws InputError if they are too few or too many.
void require_threads(int threads);

// Numbers from an array of doubles, or from texts with all their digits. Throws InputError with `what`.
template <class S>
Vec<S> numbers_of(const pybind11::handle& values, std::size_t count, int n, const std::string& what);

// The row of the event that ended a run among those of its trajectory, or -1
template <class S>
std::ptrdiff_t event_that_stopped(RunOf<S>& run, const Trajectory& x) {
  std::ptrdiff_t row = -1;
  if (const auto& by = run.events().stopped) {
    const auto& times = static_cast<const TableOf<S>&>((*x.events)[Quantities::t]).x;
    for (std::size_t i = 0; i < times.size(); ++i)
      if (x.which[i] == by->which && times[i] == by->state.t) row = static_cast<std::ptrdiff_t>(i);
  }
  return row;
}

class Simulation {
 public:
  // Of a copy of the model: what becomes of that one later is no matter. Throws InputError and OutputError.
  Simulation(const Model& model, RunSpec spec);
  ~Simulation();
  // Another one in the same state. Throws InputError if it writes a file.
  std::unique_ptr<Simulation> copy();

  struct Request {
    long every = 1;
    std::optional<std::string> sample;  // a formula
    bool record = true;
    pybind11::object progress, callback;  // progress(done), callback()
    long callback_every = 1;
  };
  struct Outcome {
    RunStatus status = RunStatus::done;
    std::string message;
    bool stopped = false;  // by an event
  };
  // Steps from here to the last one that is not beyond a time, which is a formula. Throws InputError if it is behind.
  long steps_until(const std::string& until, const std::string& what);
  // What callbacks raise, and KeyboardInterrupt, comes out of it; the rows so far are in last() all the same.
  Outcome advance(long count, const Request& request);
  const std::shared_ptr<Trajectory>& last() const { return last_; }

  // Throws std::runtime_error if another thread is at work on it.
  void require_idle() const;
  void require_open() const;          // and that it is not closed
  void require_between_runs() const;  // and that no callback of its own asks
  // f.operator()<S>(RunOf<S>&) between steps
  template <class F>
  auto with(F&& f) {
    require_idle();
    return in_precision(run_->spec().precision, [&]<class S> { return f(run_->as<S>()); });
  }
  Run& run() { return *run_; }
  const std::shared_ptr<Model>& model() const { return model_; }
  // A trajectory without rows
  std::shared_ptr<Trajectory> description() {
    return with([&](auto& run) { return trajectory(run); });
  }

  void set_state(const pybind11::object& q, const pybind11::object& p, const pybind11::object& v, bool project);
  std::string memory();
  void load_memory(const std::string& bytes);
  void finish();

 private:
  class Working;
  Simulation(std::shared_ptr<Model> model, std::shared_ptr<const CompiledModel> compiled, RunSpec spec);
  void begin();
  bool lost_its_threads() const;  // in a child of the process that made them
  void require_threads() const;
  void look_for_signals(long done);
  template <class S>
  Outcome advance_in(RunOf<S>& run, long count, const Request& request);
  template <class S>
  RunStatus step(RunOf<S>& run, long count, const Request& request);
  template <class S>
  RunStatus record(RunOf<S>& run, long count, const Request& request);
  template <class S>
  RunStatus take_steps(RunOf<S>& run, long count, const Request& request);
  template <class S>
  std::shared_ptr<Trajectory> trajectory(RunOf<S>& run) const;

  std::shared_ptr<Model> model_;  // as it was given; the run has compiled another copy
  std::atomic<bool> interrupt_{false};
  std::unique_ptr<Run> run_;
  std::shared_ptr<Trajectory> last_;
  pid_t process_ = 0;
  // All below is touched with the interpreter's lock held.
  bool working_ = false, in_callback_ = false, finished_ = false;
  std::thread::id worker_;
  const Request* request_ = nullptr;
  std::exception_ptr thrown_;
};

}  // namespace holonom
