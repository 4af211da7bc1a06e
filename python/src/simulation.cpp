#include "simulation.hpp"

#include <pybind11/stl.h>
#include <unistd.h>

#include <algorithm>

#include "holonom/model/constants.hpp"
#include "holonom/model/model_copy.hpp"
#include "holonom/run/precision.hpp"
#include "holonom/run/preparation.hpp"
#include "model_text.hpp"
#include "sealed.hpp"
#include "unlocked.hpp"

namespace py = pybind11;

namespace holonom {

// For as long as a thread takes steps: the others are refused.
class Simulation::Working {
 public:
  Working(Simulation& simulation, const Request& request) : s_(simulation) {
    s_.working_ = true;
    s_.worker_ = std::this_thread::get_id();
    s_.request_ = &request;
    s_.thrown_ = nullptr;
    s_.interrupt_ = false;
  }
  ~Working() {
    s_.working_ = s_.in_callback_ = false;
    s_.request_ = nullptr;
    s_.interrupt_ = false;
  }
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;

 private:
  Simulation& s_;
};

Simulation::Simulation(const Model& model, RunSpec spec) : model_(std::make_shared<Model>(with_text(model))) {
  try {
    run_ = std::make_unique<Run>(own_copy(*model_), std::move(spec), &interrupt_);
  } catch (const Unsuitable& e) {
    throw InputError(e.what());
  }
  begin();
}

Simulation::Simulation(std::shared_ptr<Model> model, std::shared_ptr<const CompiledModel> compiled, RunSpec spec)
    : model_(std::move(model)) {
  run_ = std::make_unique<Run>(std::move(compiled), std::move(spec), &interrupt_);
  begin();
}

Simulation::~Simulation() {
  if (lost_its_threads()) static_cast<void>(run_.release());  // it would wait for them
}

void Simulation::begin() {
  process_ = getpid();
  run_->on_progress([this](long done, long) { look_for_signals(done); });
  run_->step(0);
}

std::unique_ptr<Simulation> Simulation::copy() {
  require_idle();
  if (!run_->spec().out.empty() || !run_->spec().events_out.empty())
    throw InputError(
        "a simulation that writes a file cannot be copied: two of them cannot write one file. Copy one "
        "without out=, and save what run() gives");
  std::unique_ptr<Simulation> made(new Simulation(model_, run_->compiled(), run_->spec()));
  made->run_->load(run_->checkpoint(), "copy");
  return made;
}

void Simulation::require_idle() const {
  if (!working_) return;
  if (in_callback_ && worker_ == std::this_thread::get_id()) return;
  throw std::runtime_error(
      "another thread is taking steps of this simulation. Wait for it, or give each thread a copy (copy.copy)");
}

bool Simulation::lost_its_threads() const { return run_ && run_->spec().threads > 1 && getpid() != process_; }

void Simulation::require_threads() const {
  if (lost_its_threads())
    throw std::runtime_error(
        "the threads of this simulation are in the process that made it, and not in its child (os.fork). Here take a "
        "copy of it (copy.copy), or make a new one");
}

void Simulation::require_open() const {
  require_idle();
  if (finished_) throw std::runtime_error("the simulation is closed");
}

void Simulation::require_between_runs() const {
  require_open();
  require_threads();
  if (working_) throw std::runtime_error("a callback cannot load another state of the simulation: use set_state()");
}

// ---- steps

long Simulation::steps_until(const std::string& until, const std::string& what) {
  return with([&]<class S>(RunOf<S>& run) {
    const S t = evaluate_constants<S>(*model_, {model_->constant(until, what)}).front();
    const std::string place = what + " = " + until + ": ";
    const S now = run.driver().state().t;
    if (S(t - now) / run.h() < S(0) && magnitude(S(t - now)) > magnitude(run.h()) * Real<S>(1e-6))
      throw InputError(place + "this lies behind the present time, t = " + shorten(now) +
                       (run.h() < S(0) ? " (the step is negative)" : "; a negative step goes backwards"));
    return std::max(0L, count_steps(t, run.h(), place).steps - run.done());
  });
}

// Called between two steps, some times a second, without the interpreter's lock.
void Simulation::look_for_signals(long done) {
  if (Leaving::now()) {
    interrupt_ = true;
    return;
  }
  const py::gil_scoped_acquire held;
  if (!request_) return;
  try {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (!request_->progress.is_none()) request_->progress(done);
  } catch (...) {
    thrown_ = std::current_exception();
    interrupt_ = true;
  }
}

Simulation::Outcome Simulation::advance(long count, const Request& request) {
  if (working_ && in_callback_ && worker_ == std::this_thread::get_id())
    throw std::runtime_error("a callback cannot take steps of the simulation that calls it");
  require_open();
  require_threads();
  if (count < 0) throw InputError("the number of steps must not be negative");
  if (count > open_end - run_->done()) throw InputError("these are more steps than can be counted");
  return with([&]<class S>(RunOf<S>& run) { return advance_in(run, count, request); });
}

namespace {

// What listens to a run for the length of one call.
template <class S>
class Listening {
 public:
  Listening(RunOf<S>& run, long every, Recorder<S>* recorder, EventRecorder<S>* events)
      : run_(run), recorder_(recorder) {
    run_.driver().plan().every = every;
    run_.watch().tell(events);
    if (recorder_) run_.driver().attach(*recorder_);
  }
  ~Listening() {
    run_.watch().tell(nullptr);
    run_.driver().plan().every = run_.every();
    leave();
  }
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;
  void leave() {
    if (recorder_) run_.driver().detach(*std::exchange(recorder_, nullptr));
  }

 private:
  RunOf<S>& run_;
  Recorder<S>* recorder_;
};

}  // namespace

template <class S>
Simulation::Outcome Simulation::advance_in(RunOf<S>& run, long count, const Request& request) {
  const Working working(*this, request);
  run.watch().go_on();
  const RunStatus status = request.record ? record(run, count, request) : step(run, count, request);
  run_->flush();
  return {status, status == RunStatus::failed ? run.result().message : "", run.events().stopped.has_value()};
}

template <class S>
RunStatus Simulation::step(RunOf<S>& run, long count, const Request& request) {
  const Listening<S> nobody(run, request.every, nullptr, nullptr);
  return take_steps(run, count, request);
}

template <class S>
RunStatus Simulation::record(RunOf<S>& run, long count, const Request& request) {
  std::optional<S> interval;
  if (request.sample) {
    interval = evaluate_constants<S>(*model_, {model_->constant(*request.sample, "sample")}).front();
    if (!is_finite(*interval) || !(*interval > S(0)))
      throw InputError("sample = " + *request.sample + ": the interval must be a positive number");
  }
  const double between = interval ? std::abs(to_double(S(*interval / run.h()))) : static_cast<double>(request.every);
  const double expected = static_cast<double>(count) / between + 2;
  constexpr double most_rows = 1e9;
  if (expected > most_rows)
    throw InputError("these are " + shorten(expected) +
                     " rows, more than anyone can keep; record fewer (every= or sample=), or none (record=False)");
  RowRecorder<S> rows(run.labels(), run.h());
  EventRows<S> events(run.labels(), run.h());
  rows.reserve(static_cast<std::size_t>(expected));
  std::optional<Sampler<S>> sampler;
  if (interval) {
    sampler.emplace(run.system(), *interval, std::vector<Recorder<S>*>{&rows},
                    Kept{run.method.keeps_position, run.method.keeps_hidden});
    sampler->interrupt_by(interrupt_);
    sampler->count_from(S(0));
  }
  // Whatever happens, what was recorded is there.
  const auto keep = [&] {
    last_ = trajectory(run);
    last_->states = rows.states;
    last_->events = events.rows.states;
    last_->which = std::move(events.which);
    last_->up = std::move(events.up);
    if (interval) last_->about.sample = to_text(*interval);
    last_->stopped = event_that_stopped(run, *last_);
  };
  Listening<S> listening(run, request.every, sampler ? static_cast<Recorder<S>*>(&*sampler) : &rows, &events);
  try {
    const RunStatus status = take_steps(run, count, request);
    listening.leave();
    keep();
    return status;
  } catch (...) {
    listening.leave();
    keep();
    throw;
  }
}

template <class S>
RunStatus Simulation::take_steps(RunOf<S>& run, long count, const Request& request) {
  const long end = run.done() + count;
  const bool calls = !request.callback.is_none();
  RunStatus status = RunStatus::done;
  do {
    const long left = end - run.done();
    const long part = calls ? std::min(left, request.callback_every - run.done() % request.callback_every) : left;
    {
      const Unlocked others_may_run;
      status = run_->step(part);
    }
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    if (status != RunStatus::done || run.is_over()) break;
    if (calls && part > 0 && run.done() % request.callback_every == 0) {
      const Leaving::Guard python_waits;
      in_callback_ = true;
      struct Back {
        bool& flag;
        ~Back() { flag = false; }
      } const back{in_callback_};
      request.callback();
      if (run.status() == RunStatus::failed) return RunStatus::failed;
    }
  } while (run.done() < end);
  return status;
}

template <class S>
std::shared_ptr<Trajectory> Simulation::trajectory(RunOf<S>& run) const {
  auto made = std::make_shared<Trajectory>();
  made->labels = run.labels();
  made->about = provenance(*model_, run.method.key, run.h());
  made->about.engine = engine_name(run.native);
  made->about.formulation = run.method.formulation.empty() ? "direct" : run.method.formulation;
  made->about.chosen = run_->spec().chosen;
  made->precision = run_->spec().precision;
  made->precision_word = precision_name<S>();
  made->has_energy = run.system().has_energy();
  for (const EventFormula& e : run.events().formulas) made->event_names.push_back(e.name);
  return made;
}

// ---- the state

void Simulation::set_state(const py::object& q, const py::object& p, const py::object& v, bool project) {
  require_threads();
  with([&]<class S>(RunOf<S>& run) {
    const Labels& labels = run.labels();
    const int n = run.system().n();
    State<S> given = run.state();
    if (!q.is_none()) given.q = numbers_of<S>(q, labels.coordinates.size(), n, "q");
    if (!p.is_none()) given.p = numbers_of<S>(p, labels.momenta(), n, "p");
    if (!v.is_none()) {
      const Vec<S> velocity = numbers_of<S>(v, labels.coordinates.size(), n, "v");
      if (!run.system().momentum(given.q, velocity, given.p))
        throw InputError("v: no momenta were found that belong to these velocities; give p instead");
    }
    State<S> state;
    try {
      state = initial_state<S>(run.system(), given, project).state;
    } catch (const InputError& e) {
      throw InputError("the state cannot be set: " + std::string(e.what()) + (project ? "" : " (project=True)"));
    }
    if (run.driver().restart(state.q, state.p) == RunStatus::failed)
      throw InputError("the state was set, but the method cannot begin there: " + run.result().message);
  });
}

std::string Simulation::memory() {
  require_open();
  const Checkpoint now = run_->checkpoint();
  std::vector<std::string> names, values;
  for (const auto& [name, value] : now.identity) {
    names.push_back(name);
    values.push_back(value);
  }
  MemoryWriter out;
  out("names", names);
  out("values", values);
  out("done", now.done);
  out("memory", now.memory);
  return sealed(out.bytes());
}

void Simulation::load_memory(const std::string& bytes) {
  require_between_runs();
  Checkpoint then;
  std::vector<std::string> names, values;
  try {
    MemoryReader in(unsealed(bytes, "a simulation"));
    in("names", names);
    in("values", values);
    in("done", then.done);
    in("memory", then.memory);
  } catch (const MemoryError& e) {
    throw InputError(std::string("these bytes are not a simulation: ") + e.what());
  }
  for (std::size_t i = 0; i < std::min(names.size(), values.size()); ++i)
    then.identity.emplace_back(names[i], values[i]);
  run_->load(then, "simulation");
}

void Simulation::finish() {
  if (working_) throw std::runtime_error("the simulation is taking steps");
  if (finished_) return;
  finished_ = true;
  run_->finish();
  run_->close();
}

template <class S>
Vec<S> numbers_of(const py::handle& values, std::size_t count, int n, const std::string& what) {
  Vec<S> x(n);
  const auto require = [&](std::size_t given) {
    if (given != count)
      throw InputError(what + ": " + std::to_string(count) + " numbers were expected, not " + std::to_string(given));
  };
  if (py::isinstance<py::array_t<double>>(values)) {
    const auto array = py::cast<py::array_t<double>>(values);
    require(static_cast<std::size_t>(array.size()));
    for (std::size_t i = 0; i < count; ++i) x[static_cast<int>(i)] = S(array.data()[i]);
    return x;
  }
  const auto texts = py::cast<std::vector<std::string>>(values);
  require(texts.size());
  for (std::size_t i = 0; i < count; ++i) {
    try {
      x[static_cast<int>(i)] = exact_number<S>(exact_text(texts[i]));
    } catch (const std::exception&) {
      throw InputError(what + ": '" + texts[i] + "' is not a number");
    }
  }
  return x;
}
template Vec<double> numbers_of<double>(const py::handle&, std::size_t, int, const std::string&);
template Vec<long double> numbers_of<long double>(const py::handle&, std::size_t, int, const std::string&);
template Vec<quad> numbers_of<quad>(const py::handle&, std::size_t, int, const std::string&);
template Vec<mp100> numbers_of<mp100>(const py::handle&, std::size_t, int, const std::string&);

}  // namespace holonom
