// Observables over a run: first and last value, least and largest, and the mean over time,
//   (1/T) ∫ f dt  by the trapezoidal rule over the states that were watched.
// On a whole number of periods that rule is as exact as the states are. The sum is compensated (Neumaier 1974): long
// runs add 10^9 numbers.
#pragma once

#include <vector>

#include "holonom/scalar.hpp"
#include "holonom/vector.hpp"

namespace holonom {

// An observable over the states that were watched. The mean is that over time.
template <class S>
struct ObservableSummary {
  S initial{0}, last{0}, mean{0}, least{0}, largest{0};

  template <class F>
  void visit_memory(F&& f) {
    f("initial", initial);
    f("last", last);
    f("least", least);
    f("largest", largest);
  }
};

template <class S>
class TimeAverages {
 public:
  explicit TimeAverages(int count) : summary_(static_cast<std::size_t>(count)), sums_(summary_.size()) {}

  int size() const { return static_cast<int>(summary_.size()); }

  void add(const S& t, const Vec<S>& f) {
    for (std::size_t k = 0; k < summary_.size(); ++k) {
      const S& now = f[static_cast<int>(k)];
      ObservableSummary<S>& s = summary_[k];
      if (!begun_) {
        s = {now, now, now, now, now};
        continue;
      }
      sums_[k].add(S((t - last_) * ((s.last + now) / S(2))));
      const bool no_number = now != now;  // which then stays: nothing is below it or above it
      if (now < s.least || no_number) s.least = now;
      if (now > s.largest || no_number) s.largest = now;
      s.last = now;
    }
    if (!begun_) first_ = t;
    last_ = t;
    begun_ = true;
  }

  std::vector<ObservableSummary<S>> summary() const {
    std::vector<ObservableSummary<S>> result = summary_;
    if (begun_ && last_ != first_)
      for (std::size_t k = 0; k < result.size(); ++k) result[k].mean = sums_[k].value() / (last_ - first_);
    return result;
  }

  template <class F>
  void visit_memory(F&& f) {
    f("summary", summary_);
    f("sums", sums_);
    f("first", first_);
    f("last", last_);
    f("begun", begun_);
  }

 private:
  struct Sum {
    void add(const S& x) {
      const S next = total + x;
      lost += magnitude(total) >= magnitude(x) ? S((total - next) + x) : S((x - next) + total);
      total = next;
    }
    S value() const { return total + lost; }
    template <class F>
    void visit_memory(F&& f) {
      f("total", total);
      f("lost", lost);
    }
    S total{0}, lost{0};
  };

  std::vector<ObservableSummary<S>> summary_;
  std::vector<Sum> sums_;
  S first_{0}, last_{0};
  bool begun_ = false;
};

}  // namespace holonom
