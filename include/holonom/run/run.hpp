// Run: a run as an object. It is made from a spec, owns all that the run needs, can be taken in steps, saved, and
// resumed in another process bit for bit. The precision is inside: as<S>() is the same run in its scalar.
//
// A run that is stopped and resumed has the bits of one that was not, on machines of one type: the functions of libm
// may differ between processors.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>

#include "holonom/methods/method.hpp"
#include "holonom/model/model.hpp"
#include "holonom/run/checkpoint.hpp"
#include "holonom/run/driver.hpp"
#include "holonom/run/run_spec.hpp"

namespace holonom {

template <class S>
class RunOf;
class RunListener;
class CompiledModel;

// RunSpec::steps of a run without an end: it is taken as far as somebody wants it to go.
inline constexpr long open_end = std::numeric_limits<long>::max() / 2;

// A run in one of the precisions.
class AnyRun {
 public:
  virtual ~AnyRun() = default;
  virtual void begin() = 0;
  virtual RunStatus advance(long count) = 0;
  virtual RunStatus status() const = 0;
  virtual void finish() = 0;
  virtual long done() const = 0;
  virtual double time() const = 0;
  virtual long steps_until(double t) const = 0;
  virtual bool is_over() const = 0;
  virtual void save(MemoryWriter& out) = 0;
  virtual void load(MemoryReader& in) = 0;
  virtual void flush() = 0;
  virtual void close() = 0;
  virtual std::vector<std::string> remarks() const = 0;

  // What a run is, once it has been put together
  MethodInfo method;
  bool native = false;
  long steps = 0;  // in all
  RunIdentity identity;
  std::vector<std::string> warnings;
};

class Run {
 public:
  // Throws InputError, Unsuitable, or FileExists. `interrupt` ends the run after a step; `listener` sees its recorded
  // states as they come, beside the files, and outlives it.
  explicit Run(RunSpec spec, const std::atomic<bool>* interrupt = nullptr, RunListener* listener = nullptr);
  // Of a model that was made here, by C++ expressions.
  Run(Model model, RunSpec spec, const std::atomic<bool>* interrupt = nullptr, RunListener* listener = nullptr);
  // Another run of the same model and spec as one before, whose programs are shared.
  Run(std::shared_ptr<const CompiledModel> compiled, RunSpec spec, const std::atomic<bool>* interrupt = nullptr);
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run();

  // Up to so many steps more; to a time, not beyond it; to the end. The status is that of the run: `done` if it got
  // there.
  RunStatus step(long count = 1);
  RunStatus advance(double until);
  RunStatus advance();
  // Records the last state; what was recorded is in the files. There is nothing to come.
  void finish();
  // What was recorded so far is in the files.
  void flush() { run_->flush(); }
  // Closes the file of states, for others to open it. No step may follow.
  void close() { run_->close(); }

  const RunSpec& spec() const { return spec_; }
  const std::shared_ptr<const CompiledModel>& compiled() const { return compiled_; }
  const MethodInfo& method() const { return run_->method; }
  std::string engine() const;  // llvm or interp
  long done() const { return run_->done(); }
  long steps() const { return run_->steps; }
  double time() const { return run_->time(); }
  bool is_over() const { return run_->is_over(); }
  bool can_be_resumed() const { return !checkpoint_.empty() && trouble_.empty(); }
  // What should be known before the first step; what is known at the end.
  const std::vector<std::string>& warnings() const { return run_->warnings; }
  std::vector<std::string> remarks() const;
  // To be called some times a second, between steps.
  void on_progress(std::function<void(long done, long steps)> show) { progress_ = std::move(show); }

  // In its scalar; S must be that of spec().precision.
  template <class S>
  RunOf<S>& as() {
    return static_cast<RunOf<S>&>(*run_);
  }

  // A checkpoint, by any name. A run is loaded into one that was made by the same spec; throws InputError if it was
  // not.
  void save(const std::string& path);
  void load(const std::string& path);
  // The same without a file; `place` is how messages begin.
  Checkpoint checkpoint();
  void load(const Checkpoint& checkpoint, const std::string& place);

 private:
  void put_together(Model model, const std::atomic<bool>* interrupt, RunListener* listener);
  void put_together(std::optional<NodeId> sample, const std::atomic<bool>* interrupt, RunListener* listener);
  void require_same(const Checkpoint& checkpoint, const AnyRun& now, const std::string& path) const;
  void begin();
  void take_memory(const Checkpoint& checkpoint, const std::string& place);
  void keep_checkpoint();
  void pause(long done);

  RunSpec spec_;
  std::shared_ptr<const CompiledModel> compiled_;
  std::unique_ptr<AnyRun> run_;
  std::string checkpoint_;  // beside the output; empty: none
  std::string trouble_;     // with the last one
  std::chrono::steady_clock::time_point saved_;
  std::function<void(long done, long steps)> progress_;
  bool begun_ = false;
};

}  // namespace holonom
