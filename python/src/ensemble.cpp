// Ensembles: runs of one model from many starts, on threads. A member is a run of its own, so that its bits depend on
// its start alone; a member that fails is a row that says so.
#include <pybind11/stl.h>

#include <condition_variable>
#include <mutex>

#include "bindings.hpp"
#include "holonom/model/model_copy.hpp"
#include "holonom/run/preparation.hpp"
#include "simulation.hpp"
#include "unlocked.hpp"

namespace py = pybind11;

namespace holonom {

namespace {

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

struct EnsembleRequest {
  std::size_t members = 0;
  const double *q = nullptr, *motion = nullptr;  // by members
  bool velocities = false, project = false, record = false;
  long steps = 0, every = 1;
};

// One row a member; what did not come to be is NaN.
struct EnsembleRows {
  explicit EnsembleRows(std::size_t members, std::size_t nq, std::size_t np)
      : q(members * nq, nan),
        p(members * np, nan),
        status(members, "not run"),
        message(members),
        steps(members, 0),
        trajectories(members) {
    for (auto* column : {&t, &energy_initial, &energy_final, &energy_error, &position, &hidden})
      column->assign(members, nan);
  }
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();

  std::vector<double> q, p, t, energy_initial, energy_final, energy_error, position, hidden;
  std::vector<std::string> status, message;
  std::vector<std::int64_t> steps;
  std::vector<std::shared_ptr<Trajectory>> trajectories;
};

template <class S>
class Members {
 public:
  Members(const EnsembleRequest& request, const RunSpec& spec, const Trajectory& about, EnsembleRows& rows,
          const std::atomic<bool>& interrupt)
      : request_(request), spec_(spec), about_(about), rows_(rows), interrupt_(interrupt) {}

  // Those that are left, one after the other, with programs of one's own; pause(steps) is called now and then.
  void work(const std::shared_ptr<const CompiledModel>& compiled, const std::function<void(long)>& pause) {
    const ModelSystem<S> sys(compiled);
    for (std::size_t i = next_++; i < request_.members && !interrupt_; i = next_++) {
      try {
        run(i, sys, compiled, pause);
      } catch (const InputError& e) {
        rows_.status[i] = "invalid";
        rows_.message[i] = e.what();
      } catch (const std::exception& e) {
        rows_.status[i] = "failed";
        rows_.message[i] = e.what();
      }
      ++done_;
    }
  }
  std::size_t done() const { return done_; }
  bool are_left() const { return next_ < request_.members; }

 private:
  State<S> start(std::size_t i, const ModelSystem<S>& sys) const {
    State<S> x(sys.n(), sys.m());
    const Labels& labels = sys.labels();
    const std::size_t nq = labels.coordinates.size(), np = request_.velocities ? nq : labels.momenta();
    for (std::size_t k = 0; k < nq; ++k) x.q[static_cast<int>(k)] = S(request_.q[i * nq + k]);
    Vec<S> motion(sys.n());
    for (std::size_t k = 0; k < np; ++k) motion[static_cast<int>(k)] = S(request_.motion[i * np + k]);
    if (!request_.velocities)
      x.p = motion;
    else if (!sys.momentum(x.q, motion, x.p))
      throw InputError("no momenta were found that belong to the velocities");
    return initial_state<S>(sys, x, request_.project).state;
  }

  void run(std::size_t i, const ModelSystem<S>& sys, const std::shared_ptr<const CompiledModel>& compiled,
           const std::function<void(long)>& pause) {
    RunOf<S> run(spec_, compiled, start(i, sys));
    run.open(OpenMode::create, &interrupt_, nullptr, pause);
    run.begin();
    run.driver().plan().every = request_.every;
    std::optional<RowRecorder<S>> recorder;
    std::optional<EventRows<S>> events;
    if (request_.record) {
      recorder.emplace(run.labels(), run.h());
      recorder->reserve(static_cast<std::size_t>(request_.steps / request_.every + 2));
      events.emplace(run.labels(), run.h());
      run.watch().tell(&*events);
      run.driver().attach(*recorder);
    }
    const RunStatus status = run.advance(request_.steps);
    if (recorder) {
      run.driver().detach(*recorder);
      auto made = std::make_shared<Trajectory>(about_);
      made->states = recorder->states;
      made->events = events->rows.states;
      made->which = std::move(events->which);
      made->up = std::move(events->up);
      made->stopped = event_that_stopped(run, *made);
      rows_.trajectories[i] = std::move(made);
    }
    keep(i, run, status);
  }

  void keep(std::size_t i, RunOf<S>& run, RunStatus status) {
    constexpr const char* words[] = {"done", "failed", "interrupted"};
    const RunResult<S> r = run.result();
    const std::size_t nq = run.labels().coordinates.size(), np = run.labels().momenta();
    for (std::size_t k = 0; k < nq; ++k) rows_.q[i * nq + k] = to_double(r.state.q[static_cast<int>(k)]);
    for (std::size_t k = 0; k < np; ++k) rows_.p[i * np + k] = to_double(r.state.p[static_cast<int>(k)]);
    rows_.t[i] = to_double(r.state.t);
    rows_.steps[i] = r.steps;
    rows_.energy_initial[i] = to_double(r.energy_initial);
    rows_.energy_final[i] = to_double(r.energy_final);
    rows_.energy_error[i] = to_double(r.energy_error);
    rows_.position[i] = to_double(r.position);
    rows_.hidden[i] = to_double(r.hidden);
    rows_.message[i] = r.message;
    rows_.status[i] = run.events().stopped ? "stopped" : words[static_cast<int>(status)];
  }

  const EnsembleRequest& request_;
  const RunSpec& spec_;
  const Trajectory& about_;
  EnsembleRows& rows_;
  const std::atomic<bool>& interrupt_;
  std::atomic<std::size_t> next_{0}, done_{0};
};

// Threads at work, while this one looks after signals and shows the progress. Where the machine has no more threads or
// no more memory for them, those that there are do the work, and this one what they leave.
template <class S>
void run_members(Members<S>& members, const std::vector<std::shared_ptr<const CompiledModel>>& compiled,
                 std::atomic<bool>& interrupt, const py::object& progress) {
  std::exception_ptr thrown;
  const auto look = [&] {
    if (Leaving::now()) interrupt = true;
    if (interrupt) return;
    const py::gil_scoped_acquire held;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (!progress.is_none()) progress(members.done());
    } catch (...) {
      thrown = std::current_exception();
      interrupt = true;
    }
  };
  {
    const Unlocked others_may_run;
    std::mutex mutex;
    std::condition_variable ended;
    std::size_t working = 0;
    std::vector<std::jthread> threads;
    threads.reserve(compiled.size());
    const auto begin = [&](const std::shared_ptr<const CompiledModel>& own) {
      threads.emplace_back([&] {
        try {
          members.work(own, {});
        } catch (const std::exception&) {
        }
        const std::lock_guard lock(mutex);
        --working;
        ended.notify_one();
      });
    };
    std::unique_lock lock(mutex);
    try {
      for (; working < compiled.size(); ++working) begin(compiled[working]);
    } catch (const std::exception&) {
    }
    while (working > 0) {
      constexpr auto pause = std::chrono::milliseconds(50);
      if (ended.wait_for(lock, pause, [&] { return working == 0; })) break;
      lock.unlock();
      look();
      lock.lock();
    }
    lock.unlock();
    threads.clear();
    if (members.are_left() && !interrupt) members.work(compiled.front(), [&](long) { look(); });
  }
  if (thrown) std::rethrow_exception(thrown);
}

template <class T>
py::array_t<T> column(const std::vector<T>& x) {
  return py::array_t<T>(static_cast<py::ssize_t>(x.size()), x.data());
}
py::array_t<double> matrix(const std::vector<double>& x, std::size_t rows, std::size_t columns) {
  return py::array_t<double>({static_cast<py::ssize_t>(rows), static_cast<py::ssize_t>(columns)}, x.data());
}

const double* checked(const Array& x, std::size_t members, std::size_t columns, const std::string& what) {
  if (x.ndim() != 2 || static_cast<std::size_t>(x.shape(0)) != members ||
      static_cast<std::size_t>(x.shape(1)) != columns)
    throw InputError(what + ": an array of shape (" + std::to_string(members) + ", " + std::to_string(columns) +
                     ") was expected");
  return x.data();
}

// All values of the starts are finite; the member that has none is said by its run.
py::dict run_ensemble(const Model& model, const py::dict& options, const Array& q, const Array& motion, bool velocities,
                      bool project, long steps, long every, bool record, int threads, const py::object& progress) {
  const RunSpec spec = spec_of(options);
  require_threads(threads);
  Simulation first(model, spec);
  EnsembleRequest request;
  request.members = q.ndim() > 0 ? static_cast<std::size_t>(q.shape(0)) : 0;
  request.velocities = velocities;
  request.project = project;
  request.record = record;
  request.steps = steps;
  const auto about = first.description();
  const std::size_t nq = about->labels.coordinates.size(), np = velocities ? nq : about->labels.momenta();
  request.q = checked(q, request.members, nq, "q");
  request.motion = checked(motion, request.members, np, velocities ? "v" : "p");
  request.every = every;

  const std::size_t workers = std::max<std::size_t>(1, std::min(static_cast<std::size_t>(threads), request.members));
  std::vector<std::shared_ptr<const CompiledModel>> compiled{first.run().compiled()};
  while (compiled.size() < workers) compiled.push_back(Run(own_copy(model), spec).compiled());

  EnsembleRows rows(request.members, nq, about->labels.momenta());
  std::atomic<bool> interrupt{false};
  in_precision(spec.precision, [&]<class S> {
    Members<S> members(request, spec, *about, rows, interrupt);
    run_members(members, compiled, interrupt, progress);
  });

  py::dict d;
  d["q"] = matrix(rows.q, request.members, nq);
  d["p"] = matrix(rows.p, request.members, about->labels.momenta());
  d["t"] = column(rows.t);
  d["steps"] = column(rows.steps);
  d["energy_initial"] = column(rows.energy_initial);
  d["energy_final"] = column(rows.energy_final);
  d["energy_error"] = column(rows.energy_error);
  d["position_residual"] = column(rows.position);
  d["hidden_residual"] = column(rows.hidden);
  d["status"] = rows.status;
  d["message"] = rows.message;
  d["trajectories"] = rows.trajectories;
  d["warnings"] = first.run().warnings();
  return d;
}

}  // namespace

void bind_ensemble(py::module_& m) {
  m.attr("most_threads") = most_threads;
  m.def("run_ensemble", &run_ensemble, py::arg("model"), py::arg("options"), py::arg("q"), py::arg("motion"),
        py::arg("velocities"), py::arg("project"), py::arg("steps"), py::arg("every"), py::arg("record"),
        py::arg("threads"), py::arg("progress"));
}

}  // namespace holonom
