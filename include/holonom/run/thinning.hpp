// --every where another recorder needs all steps: passes on the first state, every k-th, and the last.
#pragma once

#include "holonom/run/driver.hpp"

namespace holonom {

template <class S>
class Thinning final : public Recorder<S> {
 public:
  Thinning(Recorder<S>& to, long every) : to_(to), every_(every) {}

  void record(const State<S>& x, const Observation<S>& seen) override {
    held_ = count_++ % every_ != 0;
    if (!held_) return to_.record(x, seen);
    last_ = x;  // perhaps the last one, which is known only afterwards
    last_seen_ = seen;
  }
  void flush() override {
    if (held_) to_.record(last_, last_seen_);
    held_ = false;
    to_.flush();
  }

 private:
  Recorder<S>& to_;
  long every_, count_ = 0;
  State<S> last_;
  Observation<S> last_seen_;
  bool held_ = false;
};

}  // namespace holonom
