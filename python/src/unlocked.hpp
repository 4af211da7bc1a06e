// Work without the interpreter's lock. When Python exits, it ends daemon threads where they next ask for the lock, by
// an exception that no C++ code survives. So they must not ask: their work ends before Python goes on to exit, and then
// they wait for the end of the process.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

namespace holonom {

class Leaving {
 public:
  // Whether Python exits, and this thread does not: its work ends.
  static bool now() { return leaving_ && std::this_thread::get_id() != by_; }
  // While it lives, Python does not exit.
  class Guard {
   public:
    Guard() { ++busy_, ++mine_; }
    ~Guard() { --busy_, --mine_; }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
  };
  // To be called without the lock.
  [[noreturn]] static void stay() {
    busy_ -= mine_;
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }

  // At the import of the module
  static void prepare() {
    namespace py = pybind11;
    py::module_::import("atexit").attr("register")(py::cpp_function(&wait_for_work));
    if (const py::module_ os = py::module_::import("os"); py::hasattr(os, "register_at_fork"))
      os.attr("register_at_fork")(py::arg("after_in_child") = py::cpp_function([] { busy_ = mine_; }));
  }

 private:
  // After a while without patience: a callback may be waiting for this thread.
  static void wait_for_work() {
    by_ = std::this_thread::get_id();
    leaving_ = true;
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (busy_ > mine_ && std::chrono::steady_clock::now() < until) {
      if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
      const pybind11::gil_scoped_release others_may_run;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  static inline std::atomic<bool> leaving_{false};
  static inline std::thread::id by_;  // written before leaving_
  static inline std::atomic<int> busy_{0};
  static inline thread_local int mine_ = 0;
};

// Without the lock for as long as it lives. Work that takes long asks Leaving::now() now and then, and ends.
class Unlocked {
 public:
  Unlocked() { released_.emplace(); }
  ~Unlocked() {
    if (Leaving::now()) Leaving::stay();
    released_.reset();
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  const Leaving::Guard guard_;  // goes when the lock is held again
  std::optional<pybind11::gil_scoped_release> released_;
};

}  // namespace holonom
