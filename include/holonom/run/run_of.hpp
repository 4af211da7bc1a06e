// RunOf<S>: a run in the scalar S: system, method, driver and recorders.
#pragma once

#include "holonom/methods/registry.hpp"
#include "holonom/model/model_system.hpp"
#include "holonom/model/start.hpp"
#include "holonom/run/event_watch.hpp"
#include "holonom/run/run.hpp"
#include "holonom/run/run_listener.hpp"
#include "holonom/run/sampling.hpp"

namespace holonom {

template <class S>
class RunOf final : public AnyRun {
 public:
  // `sample`: the interval of the spec, as a node of the model
  RunOf(const RunSpec& spec, std::shared_ptr<const CompiledModel> compiled, std::optional<NodeId> sample);
  // From a start of one's own instead of that of the model
  RunOf(const RunSpec& spec, std::shared_ptr<const CompiledModel> compiled, const State<S>& start);
  // The files of the run, and the driver. Before it nothing has been written.
  void open(OpenMode mode, const std::atomic<bool>* interrupt_flag, RunListener* listener,
            std::function<void(long)> now_and_then);

  void begin() override { driver_->begin(); }
  RunStatus advance(long count) override { return driver_->advance(count); }
  RunStatus status() const override { return driver_->status(); }
  void finish() override { driver_->finish(); }
  long done() const override { return driver_->steps(); }
  double time() const override { return to_double(driver_->state().t); }
  long steps_until(double t) const override;
  bool is_over() const override { return driver_->is_over(); }
  void save(MemoryWriter& out) override { driver_->save(out); }
  void load(MemoryReader& in) override { driver_->load(in); }
  void flush() override {
    if (file_) file_->flush();
  }
  void close() override {
    if (file_) driver_->dismiss(sampler_ ? *sampler_ : *file_);
    sampler_.reset();
    file_.reset();
  }
  std::vector<std::string> remarks() const override;

  const ModelSystem<S>& system() const { return *system_; }
  Driver<S>& driver() { return *driver_; }
  EventWatch<S>& watch() { return *watch_; }
  long every() const { return every_; }
  const Labels& labels() const { return labels_; }  // those of the system, and of what goes along with the run
  const S& h() const { return h_; }
  const State<S>& state() const { return driver_->state(); }
  const Observation<S>& seen() const { return driver_->seen(); }
  RunResult<S> result() { return driver_->result(); }
  Events<S> events() const { return watch_->events(); }

 private:
  const Model& model() const { return system_->compiled().model(); }
  RunOf(const RunSpec& spec, std::shared_ptr<const CompiledModel> compiled, std::optional<NodeId> sample,
        const State<S>* given);
  Start<S> find_start(const State<S>* given) const;
  void look_at_start();
  Gradient<S> tangent_vector(const std::string& text) const;
  void make_wedge(const MethodEntry& entry, const MethodOptions& options);
  void make_shadow(const MethodEntry& entry, const MethodOptions& options);
  void accompany(const std::string& field, std::unique_ptr<Companion<S>> companion);
  void identify();
  Provenance about() const;
  std::unique_ptr<Recorder<S>> make_file(OpenMode mode) const;

  RunSpec spec_;
  std::unique_ptr<ModelSystem<S>> system_;
  Labels labels_;
  std::unique_ptr<AnyMethod<S>> method_;
  std::vector<std::unique_ptr<Companion<S>>> companions_;
  State<S> start_;
  S h_{0};
  long every_ = 1;
  std::optional<S> interval_;
  // From here on in this order: recorders may refer to those before them, and the driver to all.
  std::unique_ptr<Recorder<S>> file_;
  std::optional<Hearing<S>> hearing_;
  std::unique_ptr<Sampler<S>> sampler_;
  std::optional<EventWatch<S>> watch_;
  std::optional<Driver<S>> driver_;
};

// Compiled once for each precision (src/run/run_scalar.cpp.in).
extern template class RunOf<double>;
extern template class RunOf<long double>;
extern template class RunOf<quad>;
extern template class RunOf<mp100>;

}  // namespace holonom
