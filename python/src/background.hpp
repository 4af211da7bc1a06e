// Long work beside the interpreter: on a thread of its own, without the interpreter's lock, while this one waits for
// it and for Ctrl-C. An interrupt ends the work between two steps, and is raised when it has ended.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "holonom/analysis/interruption.hpp"
#include "holonom/errors.hpp"
#include "holonom/methods/any_method.hpp"
#include "unlocked.hpp"

namespace holonom {

// What work() returns. It must not touch an object of Python, nor anything that Python code can reach meanwhile.
template <class Work>
auto in_background(Work&& work) {
  namespace py = pybind11;
  using Result = decltype(work());
  std::atomic<bool> stop{false};
  std::packaged_task<Result()> task([&]() -> Result {
    const InterruptScope scope(&stop);
    try {
      return work();
    } catch (const Unsuitable& e) {
      throw InputError(e.what());
    }
  });
  std::future<Result> result = task.get_future();
  std::jthread worker(std::move(task));
  constexpr std::chrono::milliseconds a_while{50};
  for (;;) {
    {
      const Unlocked others_may_run;
      if (result.wait_for(a_while) == std::future_status::ready) break;
      if (Leaving::now()) {
        stop.store(true, std::memory_order_relaxed);
        result.wait();
      }
    }
    if (PyErr_CheckSignals() == 0) continue;
    py::error_already_set raised;
    {
      const Unlocked others_may_run;
      stop.store(true, std::memory_order_relaxed);
      result.wait();
    }
    throw raised;
  }
  return result.get();
}

}  // namespace holonom
