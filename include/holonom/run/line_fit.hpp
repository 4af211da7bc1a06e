// The straight line through values at numbered places, by least squares, one after the other (Welford 1962): nothing is
// stored, and nothing lost where a mean is much larger than what happens about it.
#pragma once

#include "holonom/scalar.hpp"

namespace holonom {

template <class R>
struct Line {
  R drift{0};  // along the line, over all of it
  R rms{0};    // about the line
};

template <class R>
class LineFit {
 public:
  void add(const R& x, const R& y) {
    if (count_ == 0) first_ = x;
    last_ = x;
    ++count_;
    const R dx = x - mean_x_, dy = y - mean_y_;
    mean_x_ += dx / R(count_);
    mean_y_ += dy / R(count_);
    xx_ += dx * (x - mean_x_);
    xy_ += dx * (y - mean_y_);
    yy_ += dy * (y - mean_y_);
  }
  long count() const { return count_; }
  Line<R> operator()() const {
    using std::sqrt;
    if (count_ < 2) return {};
    const R slope = xy_ / xx_, left = yy_ - slope * xy_;
    return {slope * (last_ - first_), left > R(0) ? R(sqrt(R(left / R(count_)))) : R(0)};
  }

  template <class F>
  void visit_memory(F&& f) {
    f("count", count_);
    f("first", first_);
    f("last", last_);
    f("mean_x", mean_x_);
    f("mean_y", mean_y_);
    f("xx", xx_);
    f("xy", xy_);
    f("yy", yy_);
  }

 private:
  long count_ = 0;
  R first_{0}, last_{0}, mean_x_{0}, mean_y_{0}, xx_{0}, xy_{0}, yy_{0};
};

}  // namespace holonom
