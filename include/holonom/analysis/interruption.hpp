// Measurements may take minutes, and whoever asked for them may not want to wait: a flag that ends them between steps.
#pragma once

#include <atomic>
#include <exception>

namespace holonom {

// What an interrupted measurement throws. It is no std::runtime_error: those of a step mean something to a measurement.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

// While it lives, measurements on this thread, and on those that they start, end when the flag is set.
class InterruptScope {
 public:
  explicit InterruptScope(const std::atomic<bool>* flag) : before_(flag_) { flag_ = flag; }
  ~InterruptScope() { flag_ = before_; }
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

  // Of the innermost scope on this thread, or nullptr
  static const std::atomic<bool>* flag() { return flag_; }

 private:
  static inline constinit thread_local const std::atomic<bool>* flag_ = nullptr;
  const std::atomic<bool>* before_;
};

inline void stop_if_interrupted() {
  if (const std::atomic<bool>* flag = InterruptScope::flag(); flag && flag->load(std::memory_order_relaxed))
    throw Interrupted();
}

}  // namespace holonom
